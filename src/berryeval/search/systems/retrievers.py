"""Retrievers of LangChain, LlamaIndex and Haystack as systems under test.

They are recognised by their methods, so that no framework is imported:

=====================  ==========================================  ========================
object                 called as                                   k is set in
=====================  ==========================================  ========================
LangChain retriever    ``invoke(query)``, ``ainvoke``              ``search_kwargs``, ``k``
LlamaIndex retriever   ``retrieve(query)``, ``aretrieve``          ``similarity_top_k``
Haystack component     ``run(query=…, top_k=…)``, ``run_async``    the call
Haystack pipeline      ``run({"name": {"query": …, "top_k": …}})`` the call
store, index           through ``as_retriever()``                  as above
=====================  ==========================================  ========================
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from typing import Any

from berryeval.core.events import event_logger
from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search.answer_reader import AnswerReader
from berryeval.search.asynchronous import resolve
from berryeval.search.failures import failures_of
from berryeval.search.hits import Duplicates, Excess, Hit, check_k
from berryeval.search.places import Place
from berryeval.search.system import System
from berryeval.search.systems.haystack_calls import Calls, is_haystack, open_haystack

__all__ = ["Retriever", "has_retriever_methods", "is_retriever"]

_METHODS = (("invoke", "ainvoke"), ("retrieve", "aretrieve"))
"""The synchronous and the asynchronous method, of LangChain and of LlamaIndex."""

_KS = ("similarity_top_k", "k", "top_k")
"""Attributes with the number of documents to return."""

_log = event_logger(__name__)


def is_retriever(thing: object) -> bool:
    """Whether an object is a retriever, an index or a pipeline; a class itself is not."""
    return not isinstance(thing, type) and has_retriever_methods(type(thing))


def has_retriever_methods(kind: type) -> bool:
    """Whether a class has the methods of a retriever, an index or a pipeline.

    Attributes of an object do not count: a data frame may have a column called ``run``.
    """
    names = ("as_retriever", *(name for both in _METHODS for name in both))
    return any(callable(getattr(kind, name, None)) for name in names) or is_haystack(kind)


class Retriever(System):
    """A retriever of LangChain, LlamaIndex or Haystack.

    The order of its documents is the ranking; scores are ignored unless `score` is set, since
    some of them are distances. The retriever itself is not changed: k is set in a copy. A
    retriever whose k cannot be set decides how many documents it returns, and a warning says so.

    Parameters
    ----------
    retriever : object
        A retriever or a store of LangChain, a retriever or an index of LlamaIndex, or a component
        or a pipeline of Haystack. Several threads call it at once.
    id : str, optional
        The path to the id of a document, such as ``metadata.doc_id``; ``hash`` for a hash of its
        text. Default: its own id; without one, its position (``guide.md#120-340``); without
        that, a hash of its text, with a warning.
    score : str, optional
        The path to the score, such as ``score``.
    source : str, optional
        The path to the name of the document that a chunk comes from. Default: ``ref_doc_id``, or
        ``source``, ``source_id``, ``doc_id``, ``document_id``, ``file_name`` or ``file_path`` in
        the metadata.
    start : str, optional
        The path to the first character of a chunk in its document. Default: ``start_index`` of
        LangChain, ``start_char_idx`` of LlamaIndex, ``split_idx_start`` of Haystack.
    excess : {"cut", "error"}
        What to do with more documents than requested.
    duplicates : {"keep-best", "error"}
        What to do with a document that is returned several times, as chunks are if `id` is the
        name of their document.
    component : str, optional
        For pipelines: the component whose documents count.
    asynchronous : bool
        Whether to call the asynchronous method. Default: only if there is no other.
    name : str, optional
        Name of the system in messages. Default: the name of the class.

    Raises
    ------
    SystemUnderTestError
        If it cannot answer a query in text.

    Examples
    --------
    >>> class Retrieves:  # as a retriever of LangChain does
    ...     k = 4
    ...     def invoke(self, query):
    ...         return [{"id": "d1", "page_content": "Use a token."}][: self.k]
    >>> Retriever(Retrieves()).search("How do I sign in?", 10)
    [Hit(doc_id='d1', score=-1.0)]
    """

    def __init__(
        self,
        retriever: Any,  # noqa: ANN401 - of any framework
        *,
        id: str | None = None,
        score: str | None = None,
        source: str | None = None,
        start: str | None = None,
        excess: Excess = "cut",
        duplicates: Duplicates = "keep-best",
        component: str | None = None,
        asynchronous: bool = False,
        name: str | None = None,
    ) -> None:
        self._kind = type(retriever)
        self._component = component
        self.name = name or self._kind.__name__
        self._reader = AnswerReader(
            id=id,
            score=score,
            source=source,
            start=start,
            excess=excess,
            duplicates=duplicates,
            has_scores=False,
        )
        with failures_of(self.name):
            if _has(retriever, "as_retriever"):
                retriever = retriever.as_retriever()
            self._calls = _open(retriever, self.name, component)
        self.is_asynchronous = asynchronous or self._calls.method is None
        if self.is_asynchronous and self._calls.async_method is None:
            expected = f"no, since {self.name} has no asynchronous method"
            raise ArgumentError("asynchronous", expected, "yes")

    @property
    def places(self) -> Mapping[str, Place]:
        """Documents and positions of the chunks returned so far, by id."""
        return self._reader.places

    @property
    def likely_id(self) -> str | None:
        """The setting that probably names the ids of hits, if they were hashed."""
        return self._reader.likely_id

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the documents of the retriever; its exceptions become `SystemUnderTestError`."""
        check_k(k)
        with failures_of(self.name):
            call = self._calls.prepared(k, is_asynchronous=self.is_asynchronous)
            return self._read(resolve(call(query)), k)

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return the documents of the retriever, without a thread if it is asynchronous."""
        if not self.is_asynchronous:
            return await super().asearch(query, k)
        check_k(k)
        with failures_of(self.name):
            return self._read(await self._calls.prepared(k, is_asynchronous=True)(query), k)

    def _read(self, answer: object, k: int) -> list[Hit]:
        answer = self._calls.documents_of(answer)
        if isinstance(answer, (str, bytes)) or not isinstance(answer, (Sequence, Iterator)):
            way_out = "put the retriever under test, not the chain or the model around it"
            message = f"expected a list of documents, got {type(answer).__name__}; {way_out}"
            raise AnswerError(self.name, message)
        return self._reader.read(answer, k, self.name)

    def fingerprint(self) -> dict[str, str]:
        """Return the class of the retriever and the settings given here; not those of its own."""
        place = f"{self._kind.__module__}:{self._kind.__qualname__}"
        component = {} if self._component is None else {"component": self._component}
        own = {"system": "retriever", "retriever": place}
        return {**own, **component, **self._reader.settings()}


class _Calls:
    """How to call a retriever of LangChain or LlamaIndex."""

    def __init__(self, retriever: Any, names: tuple[str, str], system: str) -> None:  # noqa: ANN401
        found = [name if _has(retriever, name) else None for name in names]
        self.method, self.async_method = found
        self._retriever = retriever
        self._system = system
        self._copies: dict[int, Any] = {}
        self._lock = threading.Lock()

    def prepared(self, k: int, *, is_asynchronous: bool) -> Callable[[str], Any]:
        """Return the method of a retriever that returns k documents."""
        with self._lock:
            if k not in self._copies:
                self._copies[k] = self._with_k(k)
        name = self.async_method if is_asynchronous else self.method
        assert name is not None
        call: Callable[[str], Any] = getattr(self._copies[k], name)
        return call

    def documents_of(self, answer: object) -> object:
        """Return the documents of an answer, which is a list of them."""
        return answer

    def _with_k(self, k: int) -> Any:  # noqa: ANN401 - a retriever
        """Return a copy of the retriever that returns k documents; itself if it has no k."""
        try:
            found = copy.copy(self._retriever)
            if isinstance(getattr(found, "search_kwargs", None), Mapping):
                found.search_kwargs = {**found.search_kwargs, "k": k}
                return found
            for name in _KS:
                own = getattr(found, name, None)
                if isinstance(own, int) and not isinstance(own, bool):
                    setattr(found, name, min(k, _n_documents(found, k)))
                    return found
        except Exception as error:  # noqa: BLE001 - copies and setters can raise anything
            reason = f"{type(error).__name__}: {error}"
        else:
            reason = f"it has no {', '.join(_KS)} or search_kwargs"
        facts = {"system": self._system, "k": k, "reason": reason}
        _log.warning("the retriever decides how many documents it returns", extra=facts)
        return self._retriever


def _n_documents(retriever: Any, unknown: int) -> int:  # noqa: ANN401 - a retriever
    """Return the number of documents, which the k of LlamaIndex's BM25 must not exceed."""
    corpus = getattr(retriever, "corpus", None)
    return len(corpus) if isinstance(corpus, Sized) else unknown


def _open(retriever: Any, system: str, component: str | None) -> Calls:  # noqa: ANN401 - as above
    names = next((both for both in _METHODS if any(_has(retriever, one) for one in both)), None)
    if names is None:
        if is_haystack(type(retriever)):
            return open_haystack(retriever, system, component)
        message = "expected a retriever of LangChain, LlamaIndex or Haystack, got another object"
        raise SystemUnderTestError(system, message)
    if component is not None:
        raise ArgumentError("component", "none, since only pipelines of Haystack have some", "one")
    return _Calls(retriever, names, system)


def _has(thing: object, name: str) -> bool:
    return callable(getattr(type(thing), name, None))
