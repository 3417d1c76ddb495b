"""Rows of any format, collected into judgments and runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from berryeval.core.column_names import Kind
from berryeval.core.grade import MAX_GRADE
from berryeval.core.grouped import Duplicates, Grouped, Grouping
from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments, Opinion
from berryeval.core.origin import Origin
from berryeval.errors import FormatError, InputError
from berryeval.formats.lines import PathLike, path_name

__all__ = [
    "Duplicates",
    "Row",
    "add_rows",
    "as_rank",
    "as_tag",
    "iter_labelled",
    "label_names",
    "parse_number",
    "refuse_subtopics",
    "written",
]

Row: TypeAlias = "tuple[int | None, bytes, bytes, float]"
"""Line number where lines count, query id, document id, and the grade or score."""

_NUMBER = {"judgments": "grade", "run": "score"}
_DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
_MOST = {"judgments": MAX_GRADE, "run": float("inf")}


def parse_number(text: bytes | float | str, kind: Kind, path: PathLike, line: int | None) -> float:
    """Return a grade or a score, or raise with file and line. Grades are finite."""
    try:
        number = float(text)
    except (OverflowError, ValueError):
        number = float("nan")
    is_number = abs(number) <= _MOST[kind] and "_" not in str(text)  # float() takes 1_000
    if not is_number:  # NaN compares false
        shown = decode_id(text) if isinstance(text, bytes) else str(text)
        way_out = "write decimals with a point" if _DECIMAL_COMMA.fullmatch(shown) else ""
        expected, found = f"a number as {_NUMBER[kind]}", repr(shown[:40])
        raise FormatError.unexpected(expected, found, path_name(path), line, way_out=way_out)
    return number


def add_rows(
    found: Grouping, rows: Iterable[Row], kind: Kind, path: PathLike, duplicates: Duplicates
) -> None:
    """Collect rows by query; a repeated document is an error, or keeps its best number."""
    for line, query_id, doc_id, number in rows:
        if found.add(query_id, doc_id, number):
            continue
        if duplicates == "error":
            origin = Origin(path_name(path), has_lines=True)
            raise origin.duplicate(kind, query_id, doc_id, line)
        found.keep_best(query_id, doc_id, number)


def refuse_subtopics(data: Grouped, what: str) -> None:
    """Raise if judgments have subtopics, which a format cannot represent."""
    if isinstance(data, Judgments) and data.subtopics:
        way_out = "write TREC, JSON lines, a table, Parquet or Arrow"
        raise InputError(f"{what} cannot hold the subtopics of judgments; {way_out}")


def iter_labelled(judgments: Judgments) -> Iterator[tuple[bytes, bytes, dict[str, Any]]]:
    """Iterate over query, document, and the grade of an opinion with its texts by column.

    Texts are bytes, or None.
    """
    for query_id, doc_id, opinion in judgments.iter_opinions():
        weights = judgments.subtopic_weights.get(query_id, {})
        yield query_id, doc_id, _labels(opinion, weights, judgments.stratum_of(query_id, doc_id))


def label_names() -> tuple[str, ...]:
    """Return the optional columns of judgments, in order."""
    return tuple(_labels(Opinion(None, 0.0), {}, None))


def _labels(
    opinion: Opinion, weights: Mapping[bytes, float], stratum: bytes | None
) -> dict[str, Any]:
    return {
        "subtopic": opinion.subtopic,
        "relevance": opinion.grade,
        "judge": opinion.judge,
        "source": opinion.source,
        "judged_at": opinion.judged_at,
        "note": opinion.note,
        "subtopic_weight": None if opinion.subtopic is None else weights.get(opinion.subtopic),
        "stratum": stratum,
    }


def as_rank(value: object) -> int | None:
    """Return the rank stated in a file; None if it is not a whole number."""
    if isinstance(value, (str, bytes)) and value.isdigit():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def as_tag(value: object) -> str | None:
    """Return the tag of a run; None for a value that is not one word."""
    return value if isinstance(value, str) and value.split() == [value] else None


def written(number: float) -> str:
    """Return the shortest text of a number."""
    text = repr(number)
    return text.removesuffix(".0") if text != "-0.0" else text
