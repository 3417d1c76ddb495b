"""The text of a search request, in the supported part of Elasticsearch's query language.

A store has its own ranking: fields, boosts, operators and analysers of a query have no effect.
What remains of a query is the text to search for, some documents by id, or all. Any other query is
rejected rather than answered with something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from berryeval.errors import InputError
from berryeval.service.fields import LONGEST_QUERY

__all__ = ["EVERYTHING", "SearchTarget", "check_parts", "read_search"]


@dataclass(frozen=True)
class SearchTarget:
    """What to search for: a text, documents by id, or, with neither, everything."""

    text: str | None = None
    ids: tuple[str, ...] | None = None


EVERYTHING = SearchTarget()

_Query: TypeAlias = "Mapping[str, Any]"

_FORBIDDEN = {
    "suggest": "should not contain a suggest section",
    "aggregations": "should not contain aggregations",
    "aggs": "should not contain aggregations",
    "highlight": "should not contain a highlighter section",
}
_NOT_USED = {"explain": "should not use explain", "profile": "should not use profile"}

# Parts that do not change the ranking; the metric sets the size.
_WITHOUT_EFFECT = frozenset(
    {"size", "_source", "track_total_hits", "track_scores", "timeout", "explain", "profile"}
)


def check_parts(search: _Query) -> None:
    """Raise for parts unrelated to ranking, in Elasticsearch's words."""
    for part, message in _FORBIDDEN.items():
        if search.get(part) is not None:
            raise InputError(f"Query in rated requests {message}.")
    for part, message in _NOT_USED.items():
        if search.get(part) in (True, "true"):
            raise InputError(f"Query in rated requests {message}.")


def read_search(search: _Query) -> SearchTarget:
    """Return what a search request searches for.

    Raises
    ------
    InputError
        For an unsupported part, by its name, and for a text of more than `LONGEST_QUERY`.

    Examples
    --------
    >>> read_search({"query": {"match": {"text": {"query": "amsterdam"}}}, "size": 3}).text
    'amsterdam'
    """
    for part in search:
        if part != "query" and part not in _WITHOUT_EFFECT:
            raise InputError(f"[{part}] in a search request is not supported")
    if search.get("query") is None:
        return EVERYTHING
    found = _read(search["query"], depth=0)
    if found.text is not None and len(found.text) > LONGEST_QUERY:
        raise InputError(
            f"[query] expected at most {LONGEST_QUERY:,} characters to search for, found "
            f"{len(found.text):,}; shorten the query"
        )
    return found


def _read(query: object, depth: int) -> SearchTarget:
    if not isinstance(query, Mapping) or len(query) != 1:
        raise InputError("[query] malformed query, expected an object with the name of one query")
    ((name, body),) = query.items()
    if name not in _READERS:
        known = ", ".join(_READERS)
        raise InputError(f"query [{name}] is not supported; use one of {known}")
    if not isinstance(body, Mapping):
        raise InputError(f"[{name}] query malformed, expected an object")
    return _READERS[name](name, body, depth)


def _match(name: str, body: _Query, _depth: int) -> SearchTarget:
    if len(body) != 1:
        raise InputError(f"[{name}] query malformed, expected one field, found {len(body)}")
    (field,) = body.values()
    return _text(name, field["query"] if isinstance(field, Mapping) and "query" in field else field)


def _with_query(name: str, body: _Query, _depth: int) -> SearchTarget:
    return _text(name, body.get("query"))


def _text(name: str, value: object) -> SearchTarget:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise InputError(f"[{name}] query malformed, expected a text to search for")
    return SearchTarget(text=str(value))


def _everything(_name: str, _body: _Query, _depth: int) -> SearchTarget:
    return EVERYTHING


def _ids(name: str, body: _Query, _depth: int) -> SearchTarget:
    values = body.get("values")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise InputError(f"[{name}] query malformed, expected values, a list of ids")
    return SearchTarget(ids=tuple(values))


_DEEPEST = 20


def _bool(name: str, body: _Query, depth: int) -> SearchTarget:
    """Join the texts of all clauses; clauses that match everything add none."""
    if depth == _DEEPEST:
        raise InputError(f"[{name}] expected at most {_DEEPEST} levels of nested queries")
    texts = []
    for clause, inner in body.items():
        if clause in ("minimum_should_match", "boost", "_name"):
            continue
        if clause not in ("should", "must"):
            raise InputError(f"[{name}] clause [{clause}] is not supported")
        for query in inner if isinstance(inner, list) else [inner]:
            wanted = _read(query, depth + 1)
            if wanted.ids is not None:
                raise InputError(f"[{name}] a nested query [ids] is not supported")
            texts += [] if wanted.text is None else [wanted.text]
    return SearchTarget(text=" ".join(texts)) if texts else EVERYTHING


_READERS: dict[str, Callable[[str, _Query, int], SearchTarget]] = {
    "match": _match,
    "multi_match": _with_query,
    "match_all": _everything,
    "query_string": _with_query,
    "simple_query_string": _with_query,
    "ids": _ids,
    "bool": _bool,
}
