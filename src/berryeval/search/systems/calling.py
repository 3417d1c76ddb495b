"""Calls the search of other code: with a query and k, or with a query alone.

k goes to the parameter with a usual name, such as ``top_k``; otherwise to the second parameter, if
it is required or has a whole number as default. Other second parameters, such as filters, keep
their default, and the search then decides how many documents it returns.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from berryeval.errors import ArgumentError

__all__ = [
    "METHODS",
    "NUMBERS",
    "QUERIES",
    "Call",
    "call_of",
    "has_call",
    "has_number",
    "method_of",
]

METHODS = ("search", "retrieve", "find", "query", "invoke", "get_relevant_documents")
"""Names of methods that search, the most usual first."""

QUERIES = frozenset(("q", "query", "query_text", "question", "text"))
"""Names of the parameter for the query."""

NUMBERS = frozenset(
    ("count", "k", "limit", "max_results", "n", "n_docs", "n_hits", "n_results", "num_docs",
     "num_results", "rows", "size", "top", "top_k", "top_n", "topk")
)  # fmt: skip
"""Names of the parameter for the number of documents."""

_AMBIGUOUS = frozenset(("find", "query"))
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Call(NamedTuple):
    """How to call a function."""

    function: Callable[[str, int], Any]
    """Takes a query and k."""
    takes_k: bool
    """Whether k is passed on."""


def call_of(function: Callable[..., Any], name: str) -> Call:
    """Return how to call a function, or raise `ArgumentError` if other arguments are required.

    Examples
    --------
    >>> def retrieve(question, filters=None, top_k=4):
    ...     return [question, filters, top_k]
    >>> call_of(retrieve, "retrieve").function("oauth", 100)
    ['oauth', None, 100]
    >>> call_of(lambda query: [query], "find").takes_k
    False
    """
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):  # of some built-in functions
        return Call(function, takes_k=True)
    query = _name_of_query(parameters)
    number = _number_in(parameters)
    is_placed = number is None and query is None and _takes_second(parameters)
    names = [name for name in (query, number) if name is not None]
    try:
        inspect.signature(function).bind(
            *["query"] * (query is None), *[1] * is_placed, **dict.fromkeys(names, 1)
        )
    except TypeError:
        expected = "a function of a query and k, or of a query alone"
        way_out = "name one that fills in the others"
        shown = ", ".join(map(str, parameters))
        raise ArgumentError(
            name, expected, f"one with the parameters ({shown}); {way_out}"
        ) from None
    if is_placed:
        return Call(function, takes_k=True)

    def call(text: str, k: int) -> Any:  # noqa: ANN401 - whatever the function returns
        more = {} if number is None else {number: k}
        return function(text, **more) if query is None else function(**{query: text}, **more)

    return Call(call, takes_k=number is not None)


def has_number(function: Callable[..., Any]) -> bool:
    """Whether a function has a parameter for the number of documents, by its name."""
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return False
    return _number_in(parameters) is not None


def method_of(kind: type) -> str | None:
    """Return the name of the method with which objects of a class search; None without one.

    Attributes of an object do not count: a data frame may have a column called ``query``. Nor do
    ``find`` and ``query`` unless they take one, since strings and tables have such methods.
    """
    for name in METHODS:
        method = getattr(kind, name, None)
        if callable(method) and (name not in _AMBIGUOUS or _takes_query(method)):
            return name
    return None


def has_call(kind: type) -> bool:
    """Whether objects of a class can be called."""
    return any("__call__" in vars(one) for one in kind.__mro__)


def _takes_query(method: Callable[..., Any]) -> bool:
    """Whether one of the first two parameters is named like a query; the other is ``self``."""
    try:
        names = [*inspect.signature(method).parameters]
    except (TypeError, ValueError):
        return False
    return not QUERIES.isdisjoint(names[:2])


def _name_of_query(parameters: list[inspect.Parameter]) -> str | None:
    """Return the parameter for the query if it can only be named; None if it comes first."""
    if any(one.kind in (*_PLACED, inspect.Parameter.VAR_POSITIONAL) for one in parameters):
        return None
    return next((one.name for one in parameters if one.name in QUERIES), None)


def _number_in(parameters: list[inspect.Parameter]) -> str | None:
    named = (one for one in parameters[1:] if one.kind in _NAMED)
    return next((one.name for one in named if one.name in NUMBERS), None)


def _takes_second(parameters: list[inspect.Parameter]) -> bool:
    """Whether a second argument without a usual name is the number of documents."""
    placed = [one for one in parameters if one.kind in _PLACED]
    if len(placed) < 2:  # noqa: PLR2004 - the second one
        return any(one.kind is inspect.Parameter.VAR_POSITIONAL for one in parameters)
    default = placed[1].default
    is_number = isinstance(default, int) and not isinstance(default, bool)
    return default is inspect.Parameter.empty or is_number
