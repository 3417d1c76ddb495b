"""Rows of any format, collected into judgments and runs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from berryeval.core.column_names import Kind
from berryeval.core.grade import MAX_GRADE
from berryeval.core.grouped import Duplicates, Grouped, Grouping
from berryeval.core.id_column import decode_id, shown_id
from berryeval.core.judgments import Judgments
from berryeval.errors import FormatError, InputError
from berryeval.formats.lines import PathLike, path_name

__all__ = [
    "Duplicates",
    "Row",
    "add_rows",
    "as_rank",
    "as_tag",
    "duplicate_error",
    "parse_number",
    "refuse_subtopics",
    "written",
]

Row: TypeAlias = "tuple[int | None, bytes, bytes, float]"
"""Line number where lines count, query id, document id, and the grade or score."""

_NUMBER = {"judgments": "grade", "run": "score"}
_VERB = {"judgments": "judged", "run": "retrieved"}
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_MOST = {"judgments": MAX_GRADE, "run": float("inf")}


def parse_number(text: bytes | float | str, kind: Kind, path: PathLike, line: int | None) -> float:
    """Return a grade or a score, or raise with file and line. Infinite grades are none."""
    try:
        number = float(text)
    except (OverflowError, ValueError):
        number = float("nan")
    is_number = abs(number) <= _MOST[kind] and "_" not in str(text)  # float() takes 1_000
    if not is_number:  # NaN compares false
        shown = decode_id(text) if isinstance(text, bytes) else str(text)
        hint = "; write decimals with a point" if _DECIMAL_COMMA.fullmatch(shown) else ""
        message = f"expected a number as {_NUMBER[kind]}, found {shown[:40]!r}{hint}"
        raise FormatError(message, path_name(path), line)
    return number


def add_rows(
    found: Grouping, rows: Iterable[Row], kind: Kind, path: PathLike, duplicates: Duplicates
) -> None:
    """Collect rows by query; a document that comes twice is an error, or keeps its best number."""
    for line, query_id, doc_id, number in rows:
        if found.add(query_id, doc_id, number):
            continue
        if duplicates == "error":
            raise duplicate_error(kind, path, line, query_id, doc_id)
        found.keep_best(query_id, doc_id, number)


def duplicate_error(
    kind: Kind, path: PathLike, line: int | None, query_id: bytes, doc_id: bytes
) -> FormatError:
    """Return what to raise for a document that comes twice."""
    message = (
        f"document {shown_id(doc_id)} is {_VERB[kind]} a second time for query {shown_id(query_id)}"
    )
    return FormatError(message, path_name(path), line)


def refuse_subtopics(data: Grouped, what: str) -> None:
    """Raise if judgments have subtopics, which a format cannot hold."""
    if isinstance(data, Judgments) and data.subtopics:
        way_out = "write TREC, JSON lines, a table, Parquet or Arrow"
        raise InputError(f"{what} cannot hold the subtopics of judgments; {way_out}")


def as_rank(value: object) -> int | None:
    """Return the rank that a file states; None if it is no whole number."""
    if isinstance(value, (str, bytes)) and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def as_tag(value: object) -> str | None:
    """Return the tag of a run; None for what a TREC file could not hold as one."""
    return value if isinstance(value, str) and value.split() == [value] else None


def written(number: float) -> str:
    """Return a number in as few characters as bring back the same one."""
    text = repr(number)
    return text.removesuffix(".0") if text != "-0.0" else text
