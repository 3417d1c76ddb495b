"""Adapts objects to systems under test: those with a search method, retrievers, functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from berryeval.core.documents import Document
from berryeval.errors import SystemUnderTestError
from berryeval.search.answer_reader import AnswerReader
from berryeval.search.asynchronous import is_asynchronous, resolve
from berryeval.search.failures import failures_of
from berryeval.search.hits import Hit, check_k
from berryeval.search.places import Place
from berryeval.search.system import System, each_once
from berryeval.search.systems.calling import METHODS, call_of, has_number, method_of
from berryeval.search.systems.function import Function
from berryeval.search.systems.retrievers import Retriever, is_retriever

__all__ = ["Foreign", "as_system"]


class Foreign(System):
    """Any object with ``search(query, k)`` as a system; its methods may be asynchronous.

    Without a parameter for k, it decides how many documents it returns. ``index``, ``close``,
    ``fingerprint`` and ``name`` are used if they exist. Answers are checked, and exceptions become
    errors of the system.

    Parameters
    ----------
    thing : object
        The object to adapt.
    **reading : str
        As in `berryeval.search.Function`.
    """

    def __init__(self, thing: Any, **reading: Any) -> None:  # noqa: ANN401 - any object
        self._thing = thing
        self.name = getattr(thing, "name", type(thing).__name__)
        self._search, takes_k = call_of(thing.search, f"{self.name}.search")
        self._reader = AnswerReader.of(reading if takes_k else {"excess": "cut", **reading})
        self.is_asynchronous = is_asynchronous(thing.search)

    @property
    def can_index(self) -> bool:
        """Whether it indexes documents."""
        if isinstance(self._thing, System):
            return self._thing.can_index
        return hasattr(self._thing, "index")

    @property
    def needs_documents(self) -> bool:
        """Whether it reports that it has nothing to search yet."""
        return bool(getattr(self._thing, "needs_documents", False))

    @property
    def places(self) -> Mapping[str, Place]:
        """Documents and positions of the chunks returned so far, by id."""
        own = self._thing.places if isinstance(self._thing, System) else {}
        return {**own, **self._reader.places}

    @property
    def likely_id(self) -> str | None:
        """The setting that probably names the ids of hits, if they were hashed."""
        return self._reader.likely_id

    def search(self, query: str, k: int) -> list[Hit]:
        """Return its hits; its exceptions become `SystemUnderTestError`."""
        check_k(k)
        with failures_of(self.name):
            return self._reader.read(resolve(self._search(query, k)), k, self.name)

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return its hits, without a thread if it is asynchronous."""
        if not self.is_asynchronous:
            return await super().asearch(query, k)
        check_k(k)
        with failures_of(self.name):
            return self._reader.read(await self._search(query, k), k, self.name)

    def index(self, documents: Iterable[Document]) -> int:
        """Pass on documents, each once; return how many were consumed."""
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
        """Return its own fingerprint, or its name."""
        own = getattr(self._thing, "fingerprint", None)
        return super().fingerprint() if own is None else dict(own())

    def close(self) -> None:
        """Close it, if it has a `close` method."""
        own = getattr(self._thing, "close", None)
        if own is not None:
            with failures_of(self.name):
                resolve(own())


def as_system(thing: object, **settings: Any) -> System:  # noqa: ANN401 - of each kind
    """Return any object that can search as a system.

    Parameters
    ----------
    thing : object
        A system, which is returned unchanged; anything with ``search(query, k)``; a retriever of
        LangChain, LlamaIndex or Haystack, see `Retriever`; an object with another method that
        searches, such as ``retrieve(query, top_k)``; or a function of a query and k.
    **settings
        Settings of `Retriever` or `Function`.

    Raises
    ------
    SystemUnderTestError
        If it cannot search.
    """
    # Stores of LangChain have a method search as well, with other parameters.
    is_store = callable(getattr(type(thing), "as_retriever", None))
    if callable(getattr(thing, "search", None)) and not is_store:
        if isinstance(thing, System) and not settings and not _has_asynchronous_methods(thing):
            return thing
        return Foreign(thing, **settings)
    method = None if isinstance(thing, type) else method_of(type(thing))
    # Retrievers of frameworks have a k of their own, which is set; others take k as an argument.
    takes_k = method is not None and not is_store and has_number(getattr(thing, method))
    if is_retriever(thing) and not takes_k:
        return Retriever(thing, **settings)
    if method is not None:
        return Function(getattr(thing, method), **settings)
    if callable(thing):
        return Function(thing, **settings)
    message = (
        "expected a function of a query, an object with a method such as "
        f"{', '.join(METHODS)}, or a retriever of LangChain, LlamaIndex or Haystack, got "
        f"{type(thing).__name__}"
    )
    raise SystemUnderTestError("system", message)


def _has_asynchronous_methods(system: System) -> bool:
    return any(map(is_asynchronous, (system.search, system.index, system.close)))
