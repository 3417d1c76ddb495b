"""Judgments of golden sets: for each query its relevant chunks, best first, and the others.

::

    {"version": 1, "pool_depth": 20, "scale": 3, "relevant_from": 2, "judgments": [
      {"query_id": "Q001", "relevant": [{"chunk_id": "a.md#b", "grade": 3}],
       "not_relevant": ["c.md#d"]}]}

The first of the relevant chunks is the primary one. A set may draw the line of relevance higher
than at grade 1: `relevant_from`. Those that are not relevant were judged, and
found to be of no use: grade 0.

In place of a chunk a judgment may name a span of a document, in characters, which holds however
the document is cut into chunks; whoever reads it as a plain judgment finds it under its id,
``a.md@120-340``::

    {"query_id": "Q001", "relevant": [{"document": "a.md", "start": 120, "end": 340, "grade": 3}],
     "not_relevant": [{"document": "c.md", "start": 0, "end": 80}]}
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from berryeval.core.span_judgment import SpanJudgment
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats._lines import PathLike, iter_lines, path_name

__all__ = ["JudgedQuery", "RelevanceJudgments", "parse", "read"]


@dataclass(frozen=True)
class JudgedQuery:
    """What was judged for one query."""

    query_id: str
    relevant: tuple[tuple[str, float], ...]
    """Chunks or spans with their grades, the most relevant first."""
    not_relevant: tuple[str, ...] = ()
    spans: tuple[SpanJudgment, ...] = ()
    """Those of both that are spans; above they stand by their ids."""

    def iter_grades(self) -> Iterator[tuple[str, float]]:
        """Iterate over chunks or spans and grades, as often as they are named."""
        yield from self.relevant
        yield from ((chunk_id, 0) for chunk_id in self.not_relevant)


@dataclass(frozen=True)
class RelevanceJudgments:
    """What a file of judgments holds, before anything is made of it."""

    version: str
    scale: float | None
    """The highest grade there is."""
    pool_depth: int | None
    """How many ranks of every system were judged."""
    queries: tuple[JudgedQuery, ...]
    relevant_from: float = 1
    """The lowest grade that counts as relevant."""


def read(path: PathLike) -> RelevanceJudgments:
    """Read a file.

    Raises
    ------
    FormatError
        If it is of another shape. Whether ids exist is not for this module to know.
    """
    content = b"".join(line for _, line in iter_lines(path))
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected JSON ({error})", path_name(path)) from None
    return parse(found, path)


def parse(content: object, path: PathLike) -> RelevanceJudgments:
    """Return what an object of JSON says, or raise with the name of its file."""
    if not isinstance(content, dict) or not isinstance(content.get("judgments"), list):
        raise FormatError("expected an object with a list 'judgments', found none", path_name(path))
    version = content.get("version", 1)
    if not isinstance(version, (int, str)) or isinstance(version, bool):
        raise _unexpected("a number or text as version", version, path)
    return RelevanceJudgments(
        version=str(version),
        scale=_number(content.get("scale"), "scale", path),
        pool_depth=_depth(content.get("pool_depth"), path),
        queries=tuple(_judged(entry, path) for entry in content["judgments"]),
        relevant_from=_number(content.get("relevant_from"), "relevant_from", path) or 1,
    )


def _judged(entry: object, path: PathLike) -> JudgedQuery:
    if not isinstance(entry, dict) or not isinstance(entry.get("query_id"), str):
        raise _unexpected("an object with a query_id", entry, path)
    query_id = entry["query_id"]
    relevant, others = entry.get("relevant", []), entry.get("not_relevant", [])
    if not isinstance(relevant, list) or not isinstance(others, list):
        raise _unexpected(f"lists 'relevant' and 'not_relevant' of {query_id}", entry, path)
    entries = [(one, True) for one in relevant] + [(one, False) for one in others]
    spans = tuple(
        _span(one, query_id, path, is_relevant=is_relevant)
        for one, is_relevant in entries
        if isinstance(one, dict) and "document" in one
    )
    return JudgedQuery(
        query_id,
        tuple(_graded(one, query_id, path) for one in relevant),
        tuple(_not_relevant(one, query_id, path) for one in others),
        spans,
    )


def _graded(one: object, query_id: str, path: PathLike) -> tuple[str, float]:
    if isinstance(one, dict) and "document" in one:
        span = _span(one, query_id, path, is_relevant=True)
        return span.span_id, span.grade
    wanted = f'{{"chunk_id": "…", "grade": 3}} in \'relevant\' of {query_id}'
    if not isinstance(one, dict) or not isinstance(one.get("chunk_id"), str):
        raise _unexpected(wanted, one, path)
    grade = _number(one.get("grade"), f"grade of {one['chunk_id']!r} for {query_id}", path)
    if grade is None:
        raise _unexpected(wanted, one, path)
    return one["chunk_id"], grade


def _not_relevant(one: object, query_id: str, path: PathLike) -> str:
    if isinstance(one, dict) and "document" in one:
        return _span(one, query_id, path, is_relevant=False).span_id
    if not isinstance(one, str):
        raise _unexpected(f"chunk ids in 'not_relevant' of {query_id}", one, path)
    return one


def _span(one: dict[str, Any], query_id: str, path: PathLike, *, is_relevant: bool) -> SpanJudgment:
    name, start, end = one["document"], one.get("start"), one.get("end")
    grade: float | None = 0
    if is_relevant:
        grade = _number(one.get("grade"), f"grade of a span of {name!r} for {query_id}", path)
    is_named = isinstance(name, str) and "chunk_id" not in one
    # The type itself, as true and false are whole numbers, too.
    if is_named and grade is not None and type(start) is int and type(end) is int:
        with suppress(ArgumentError):
            return SpanJudgment(query_id, name, start, end, grade)
    graded = ', "grade": 3' * is_relevant
    wanted = f'{{"document": "a.md", "start": 120, "end": 340{graded}}}, start below end,'
    where = f"in '{'' if is_relevant else 'not_'}relevant' of {query_id}"
    raise _unexpected(f"{wanted} {where}", one, path)


def _number(value: Any, what: str, path: PathLike) -> float | None:  # noqa: ANN401 - of JSON
    if value is None:
        return None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 < value < 2**31:
        raise _unexpected(f"a number above 0 as {what}", value, path)
    number: float = value
    return number


def _depth(value: object, path: PathLike) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value > 0):
        return value
    raise _unexpected("a number of ranks as pool_depth", value, path)


def _unexpected(expected: str, found: object, path: PathLike) -> FormatError:
    shown = json.dumps(found)
    shown = shown if len(shown) <= 60 else shown[:59] + "…"  # noqa: PLR2004
    return FormatError(f"expected {expected}, found {shown}", path_name(path))
