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

__all__ = ["System", "can_index", "each_once"]


def each_once(documents: Iterable[Document]) -> Iterator[Document]:
    """Iterate over documents, and raise `ArgumentError` for one that comes twice."""
    seen: set[str] = set()
    for document in documents:
        if document.doc_id in seen:
            raise ArgumentError("documents", "each document once", f"{document.doc_id!r} twice")
        seen.add(document.doc_id)
        yield document


class System(ABC):
    """Something that answers queries.

    `search` is all that has to be there. It may be called by several threads at once. A system
    is also a context manager, which closes it.

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

    @abstractmethod
    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first; ties by document id, highest first.

        Raises
        ------
        BackendError
            If there is no answer; `BackendTimeout` if it does not come in time, and
            `AnswerError` if it is no ranking.
        """

    def index(self, documents: Iterable[Document]) -> int:  # noqa: ARG002 - for those that can
        """Take documents in place of all that were searched before; return how many.

        Raises
        ------
        ArgumentError
            If the system has documents of its own.
        """
        raise ArgumentError("documents", f"none, as {self.name} has its own", "documents")

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that decide what is found, without secrets.

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
        self.close()


def can_index(system: System) -> bool:
    """Whether a system takes documents, rather than having its own."""
    return type(system).index is not System.index
