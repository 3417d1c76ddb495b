"""Any Python function as a system under test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from berryeval.errors import ArgumentError
from berryeval.search.answer_reader import AnswerReader
from berryeval.search.asynchronous import is_asynchronous, resolve
from berryeval.search.failures import failures_of
from berryeval.search.hits import Hit, check_k
from berryeval.search.importing import import_object
from berryeval.search.places import Place
from berryeval.search.system import System
from berryeval.search.systems.calling import call_of

__all__ = ["Function", "import_function"]


class Function(System):
    """A function of a query and k, or of a query alone.

    Parameters
    ----------
    function : callable or str
        Called as ``function(query, k)``, from several threads at once; k goes to the parameter
        with a usual name, such as ``top_k``. A function of a query alone decides how many
        documents it returns. The answer has hits, pairs of document id and score, a mapping from
        document id to score, or document ids alone, best first. Ids are texts or whole numbers;
        instead of an id or a pair, a dict or an object with an id works, too, such as the
        documents of LangChain, LlamaIndex and Haystack. It may be asynchronous. As text,
        ``"module:function"``; the module is also searched for in the working directory.
    name : str, optional
        Name of the system in messages. Default: the function's own name.
    **reading : str
        Where ids and scores are in dicts and objects, and what to do with surplus hits and
        repeated documents: `id`, `score`, `source`, `start`, `excess` and `duplicates`, see
        `berryeval.search.Retriever`. By default, surplus and repeated hits are errors, but hits
        with the same id and different texts are chunks of one document, which counts once.

    Examples
    --------
    >>> system = Function(lambda query, k: ["d2", "d1"][:k], name="fixed")
    >>> system.search("oauth", 10)
    [Hit(doc_id='d2', score=-1.0), Hit(doc_id='d1', score=-2.0)]
    >>> system = Function(lambda query, k: [{"url": "d1"}, {"url": "d1"}], id="url",
    ...                   duplicates="keep-best")
    >>> system.search("oauth", 10)
    [Hit(doc_id='d1', score=-1.0)]
    """

    def __init__(
        self,
        function: Callable[[str, int], Any] | str,
        *,
        name: str | None = None,
        **reading: Any,  # noqa: ANN401 - as `AnswerReader` declares them
    ) -> None:
        found = import_function(function) if isinstance(function, str) else function
        if not callable(found):
            raise ArgumentError("function", "a function of a query and k", type(found).__name__)
        self._place = function if isinstance(function, str) else _place(found)
        self.name = name or self._place
        self._function, takes_k = call_of(found, self.name)
        self.is_asynchronous = is_asynchronous(found)
        self._reader = AnswerReader.of(reading if takes_k else {"excess": "cut", **reading})

    @property
    def places(self) -> Mapping[str, Place]:
        """Documents and positions of the chunks returned so far, by id."""
        return self._reader.places

    @property
    def likely_id(self) -> str | None:
        """The setting that probably names the ids of hits, if they were hashed."""
        return self._reader.likely_id

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the function's hits; its exceptions become `SystemUnderTestError`."""
        check_k(k)
        with failures_of(self.name):
            # Inside the block, since a generator runs while it is consumed.
            return self._reader.read(resolve(self._function(query, k)), k, self.name)

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return the function's hits, without a thread if it is asynchronous."""
        if not self.is_asynchronous:
            return await super().asearch(query, k)
        check_k(k)
        with failures_of(self.name):
            return self._reader.read(await self._function(query, k), k, self.name)

    def fingerprint(self) -> dict[str, str]:
        """Return the location of the function; its code is not considered."""
        return {"system": "function", "function": self._place, **self._reader.settings()}


def import_function(place: str) -> Callable[..., Any]:
    """Return the function named by ``"module:function"``.

    Raises
    ------
    ArgumentError
        If it does not exist, with the reason.
    """
    found = import_object(place)
    if not callable(found):
        raise ArgumentError("function", "a function", f"{place!r}, a {type(found).__name__}")
    function: Callable[..., Any] = found
    return function


def _place(function: object) -> str:
    module = getattr(function, "__module__", None) or "?"
    return f"{module}:{getattr(function, '__qualname__', type(function).__qualname__)}"
