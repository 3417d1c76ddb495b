"""The interface of a system under test, which answers a query with documents, best first."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError
from berryeval.search.hits import Hit
from berryeval.search.places import Place

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
    """A search system that answers queries.

    Only `search` is required. Several threads may call it at once. `search`, `index` and `close`
    may be asynchronous; callers then await them. A system is also a context manager, which closes
    it.

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
    """Name of the system in messages."""

    is_asynchronous: bool = False
    """Whether `asearch` is implemented natively, rather than as `search` in a thread."""

    @property
    def can_index(self) -> bool:
        """Whether it indexes documents, rather than having its own."""
        return type(self).index is not System.index

    @property
    def needs_documents(self) -> bool:
        """Whether it has nothing to search until `index` is called."""
        return False

    @property
    def places(self) -> Mapping[str, Place]:
        """Documents and positions of the chunks returned so far, by id; empty if unknown."""
        return {}

    @property
    def likely_id(self) -> str | None:
        """The setting that probably names the ids of hits, such as ``id=key``.

        None, unless hits without an id were identified by a hash of their text.
        """
        return None

    @abstractmethod
    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first; ties by document id, highest first.

        Raises
        ------
        SystemUnderTestError
            If there is no answer; `SystemTimeoutError` if it is late, and `AnswerError` if it is
            not a ranking.
        """

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return the results of `search` asynchronously."""
        import asyncio

        return await asyncio.to_thread(self.search, query, k)

    def index(self, documents: Iterable[Document]) -> int:  # noqa: ARG002 - for those that can
        """Replace all indexed documents; return their number.

        Raises
        ------
        ArgumentError
            If the system has its own documents.
        """
        raise ArgumentError("documents", f"none, as {self.name} has its own", "documents")

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that determine the results, without secrets.

        Equal settings give an equal fingerprint, at any time and on any machine.
        """
        return {"system": self.name}

    def close(self) -> None:  # noqa: B027 - many have nothing to close
        """Close files and connections. Closing again has no effect."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        closing: object = self.close()  # type: ignore[func-returns-value] # may be awaitable
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
        How the caller can provide documents, for the message.

    Raises
    ------
    ArgumentError
        If documents have to be indexed first.
    """
    if system.needs_documents:
        raise ArgumentError("documents", f"some that {system.name} can search", f"none; {way_out}")
