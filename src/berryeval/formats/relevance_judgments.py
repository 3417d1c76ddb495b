"""Judgments of golden sets: for each query its relevant chunks, best first, and the others.

::

    {"version": 1, "pool_depth": 20, "scale": 3, "relevant_from": 2, "judgments": [
      {"query_id": "Q001", "relevant": [{"chunk_id": "a.md#b", "grade": 3}],
       "not_relevant": ["c.md#d"]}]}

The first of the relevant chunks is the primary one. A set may draw the line of relevance higher
than at grade 1: `relevant_from`. Those that are not relevant were judged, and
found to be of no use: grade 0.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from berryeval.errors import FormatError
from berryeval.formats._lines import PathLike, iter_lines, path_name

__all__ = ["JudgedQuery", "RelevanceJudgments", "parse", "read"]


@dataclass(frozen=True)
class JudgedQuery:
    """What was judged for one query."""

    query_id: str
    relevant: tuple[tuple[str, float], ...]
    """Chunks with their grades, the most relevant first."""
    not_relevant: tuple[str, ...] = ()

    def iter_grades(self) -> Iterator[tuple[str, float]]:
        """Iterate over chunks and grades, as often as they are named."""
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
    for other in others:
        if not isinstance(other, str):
            raise _unexpected(f"chunk ids in 'not_relevant' of {query_id}", other, path)
    return JudgedQuery(query_id, tuple(_graded(one, query_id, path) for one in relevant),
                       tuple(others))  # fmt: skip


def _graded(one: object, query_id: str, path: PathLike) -> tuple[str, float]:
    wanted = f'{{"chunk_id": "…", "grade": 3}} in \'relevant\' of {query_id}'
    if not isinstance(one, dict) or not isinstance(one.get("chunk_id"), str):
        raise _unexpected(wanted, one, path)
    grade = _number(one.get("grade"), f"grade of {one['chunk_id']!r} for {query_id}", path)
    if grade is None:
        raise _unexpected(wanted, one, path)
    return one["chunk_id"], grade


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
