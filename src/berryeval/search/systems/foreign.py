"""Any object that searches as a system under test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from berryeval.core.documents import Document
from berryeval.errors import SystemUnderTestError
from berryeval.search.asynchronous import is_asynchronous, resolve
from berryeval.search.failures import failures_of
from berryeval.search.hits import Hit, check_k, to_hits
from berryeval.search.system import System, each_once

__all__ = ["Foreign", "as_system"]


class Foreign(System):
    """Any object with ``search(query, k)`` as a system; its methods may be asynchronous.

    ``index``, ``close``, ``fingerprint`` and ``name`` are used where they are there. Answers are
    checked, and whatever is raised is an error of the system.

    Parameters
    ----------
    thing : object
        Who answers.
    """

    def __init__(self, thing: Any) -> None:  # noqa: ANN401 - that is the point
        self._thing = thing
        self.name = getattr(thing, "name", type(thing).__name__)
        self.is_asynchronous = is_asynchronous(thing.search)

    @property
    def can_index(self) -> bool:
        """Whether it takes documents."""
        if isinstance(self._thing, System):
            return self._thing.can_index
        return hasattr(self._thing, "index")

    @property
    def needs_documents(self) -> bool:
        """Whether it says that it has nothing to search yet."""
        return bool(getattr(self._thing, "needs_documents", False))

    def search(self, query: str, k: int) -> list[Hit]:
        """Return what it finds; whatever it raises is a `SystemUnderTestError`."""
        check_k(k)
        with failures_of(self.name):
            return to_hits(resolve(self._thing.search(query, k)), k, self.name)

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return what it finds, without a thread where it has a way of its own."""
        if not self.is_asynchronous:
            return await super().asearch(query, k)
        check_k(k)
        with failures_of(self.name):
            return to_hits(await self._thing.search(query, k), k, self.name)

    def index(self, documents: Iterable[Document]) -> int:
        """Hand documents over, each once; return how many it took."""
        if not self.can_index:
            return super().index(documents)
        n_documents = 0

        def counted() -> Iterable[Document]:
            nonlocal n_documents
            for document in each_once(documents):
                n_documents += 1
                yield document

        with failures_of(self.name):
            resolve(self._thing.index(counted()))
        return n_documents

    def fingerprint(self) -> dict[str, str]:
        """Return its own, or its name."""
        own = getattr(self._thing, "fingerprint", None)
        return super().fingerprint() if own is None else dict(own())

    def close(self) -> None:
        """Close it, if it can be."""
        own = getattr(self._thing, "close", None)
        if own is not None:
            with failures_of(self.name):
                resolve(own())


def as_system(thing: object) -> System:
    """Return something that searches as a system: as it is, or in a `Foreign`.

    Raises
    ------
    SystemUnderTestError
        If it has no ``search``.
    """
    search = getattr(thing, "search", None)
    if search is None:
        message = f"expected something with search(query, k), got {type(thing).__name__}"
        raise SystemUnderTestError("system", message)
    if isinstance(thing, System) and not _has_asynchronous_methods(thing):
        return thing
    return Foreign(thing)


def _has_asynchronous_methods(system: System) -> bool:
    return any(map(is_asynchronous, (system.search, system.index, system.close)))
