"""What a system under test is: something that answers a query with documents, best first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError
from berryeval.search.hits import Hit

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["System", "check_documents", "each_once"]


def each_once(documents: Iterable[Document]) -> Iterator[Document]:
    """Iterate over documents, and raise `ArgumentError` for a repeated one."""
    seen: set[str] = set()
    for document in documents:
        if document.doc_id in seen:
            raise ArgumentError("documents", "each document once", f"{document.doc_id!r} twice")
        seen.add(document.doc_id)
        yield document


class System(ABC):
    """Something that answers queries.

    `search` is all that has to be there. It may be called by several threads at once. `search`,
    `index` and `close` may be asynchronous: whoever asks the system awaits them. A system is also
    a context manager, which closes it.

    Examples
    --------
    >>> class Fixed(System):
    ...     def search(self, query, k):
    ...         return [Hit("d2", 0.9), Hit("d1", 0.5)][:k]
    >>> with Fixed() as system:
    ...     system.search("configure OAuth", k=1)
    [Hit(doc_id='d2', score=0.9)]
    """

    name: str = "system"
    """What messages call it."""

    is_asynchronous: bool = False
    """Whether `asearch` is a way of its own, rather than `search` in a thread."""

    @property
    def can_index(self) -> bool:
        """Whether it takes documents, rather than having its own."""
        return type(self).index is not System.index

    @property
    def needs_documents(self) -> bool:
        """Whether it has nothing to search until `index` is called."""
        return False

    @abstractmethod
    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first; ties by document id, highest first.

        Raises
        ------
        SystemUnderTestError
            If there is no answer; `SystemTimeoutError` if it does not come in time, and
            `AnswerError` if it is no ranking.
        """

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return the results of `search` asynchronously."""
        import asyncio

        return await asyncio.to_thread(self.search, query, k)

    def index(self, documents: Iterable[Document]) -> int:  # noqa: ARG002 - for those that can
        """Take documents in place of all that were searched before; return how many.

        Raises
        ------
        ArgumentError
            If the system has documents of its own.
        """
        raise ArgumentError("documents", f"none, as {self.name} has its own", "documents")

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that determine the results, without secrets.

        Equal settings give an equal fingerprint, whenever and wherever it is taken.
        """
        return {"system": self.name}

    def close(self) -> None:  # noqa: B027 - many have nothing to close
        """Let go of files and connections. A second time does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        closing: object = self.close()  # type: ignore[func-returns-value] # or to be awaited
        if closing is not None:
            from berryeval.search.asynchronous import resolve

            resolve(closing)


def check_documents(system: System, way_out: str) -> None:
    """Raise if a system has nothing to search, before every query fails for the same reason.

    Parameters
    ----------
    system : System
        The system to be searched.
    way_out : str
        How the caller can give documents, for the message.

    Raises
    ------
    ArgumentError
        If documents have to be indexed first.
    """
    if system.needs_documents:
        raise ArgumentError("documents", f"some that {system.name} can search", f"none; {way_out}")
