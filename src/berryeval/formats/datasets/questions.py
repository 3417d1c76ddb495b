"""Questions with the documents that answer them: one row per question, in a file of your own.

CSV, TSV, JSON lines or a JSON list:

======================  ======================================================
``question``            the question; also ``query``, ``text`` or ``user_input``
``expected_docs``       ids of the documents that should be found; also ``relevant_ids``,
                        ``doc_id``, ``expected``, ``source`` and the like
``id``                  optional: the id of the query. Default: the number of the question
``category``            optional
======================  ======================================================

Other names are recognised if exactly one column has a name with a known word, such as ``Customer
question`` or ``Correct articles``.

Several ids are a list, or separated by semicolons, bars, line breaks or, without these, commas; or
the question is repeated, with one id per row. Whitespace and slashes separate ids if all
parts look like other ids of the file (`berryeval.formats.datasets.id_cells`). A JSON object of ids
has their grades; otherwise the grade is 1. Other columns are ignored.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from berryeval.core.id_column import as_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import FormatError, InputTypeError
from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.datasets.id_cells import Known, parts_of
from berryeval.formats.datasets.question_columns import WAY_OUT, Columns, find_columns
from berryeval.formats.datasets.rows import iter_records_of
from berryeval.formats.keys import shown_keys
from berryeval.formats.lines import PathLike, path_name

__all__ = ["is_one", "read"]

_Ids = Mapping[str, float] | list[str]
"""Ids with their grades, or ids from a cell that may have to be split."""


def is_one(names: Iterable[str]) -> bool:
    """Whether columns or keys are those of questions with expected documents."""
    return find_columns(names, {}).is_complete


def read(path: PathLike, columns: Mapping[str, str] | None = None) -> Dataset:
    """Read questions and the documents that answer them.

    Raises
    ------
    FormatError
        If a question or its documents are missing, two questions have one id, or one of the
        `columns` that the user chose does not exist.
    """
    texts: dict[str, str] = {}
    categories: dict[str, str | None] = {}
    numbers: dict[str, str] = {}
    judged: list[tuple[str, int | None, _Ids]] = []
    for line, row in iter_records_of(path):
        known = find_columns(row, columns or {}, path)
        text = _question(row, known, path, line)
        own = row.get(known.id or "")
        number = numbers.setdefault(text, str(len(numbers) + 1))
        query_id = number if own in (None, "") else str(own)
        if texts.setdefault(query_id, text) != text:
            message = f"query {query_id!r} occurs twice, with different questions"
            raise FormatError(message, path_name(path), line)
        category = row.get("category")
        categories[query_id] = category if isinstance(category, str) and category else None
        judged.append((query_id, line, _expected(row, known, path, line)))
    if not texts:
        raise FormatError.unexpected("questions", "nothing", path_name(path))
    grades, cautions = _graded(judged, path_name(path))
    queries = tuple(Query(one, text, category=categories[one]) for one, text in texts.items())
    judgments = Judgments.from_dict(grades)
    return Dataset(queries, judgments, lambda: iter(()), path_name(path), cautions)


def _question(row: Mapping[str, Any], known: Columns, path: PathLike, line: int | None) -> str:
    text = None if known.question is None else row[known.question]
    if not isinstance(text, str) or not text.strip():
        found = shown_keys(row) if known.question is None else "none"
        what = f"a question as {known.question or 'question'}"
        way_out = WAY_OUT if known.question is None else ""
        raise FormatError.unexpected(what, found, path_name(path), line, way_out=way_out)
    return text


def _expected(row: Mapping[str, Any], known: Columns, path: PathLike, line: int | None) -> _Ids:
    name = known.relevant
    value = None if name is None else _parsed(row[name])
    found: _Ids
    try:
        if isinstance(value, Mapping):
            found = {as_id(one, "doc_id"): float(grade) for one, grade in value.items()}
        elif isinstance(row.get(name or ""), str) and isinstance(value, list):
            found = [as_id(one, "doc_id") for one in value]
        else:
            values = value if isinstance(value, list) else [value] * (value is not None)
            found = {as_id(one, "doc_id"): 1.0 for one in values}
    except (InputTypeError, TypeError, ValueError):
        found = {}
    if not found or "" in found:
        what = f"ids of documents as {name or 'expected_docs'}"
        got = shown_keys(row) if name is None else repr(row[name])[:60]
        way_out = "remove the row if no document answers the question" if name else WAY_OUT
        raise FormatError.unexpected(what, got, path_name(path), line, way_out=way_out)
    return found


def _parsed(value: object) -> object:
    """Return the ids in the field of a table: a list, or text with separators."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text[:1] in ("[", "{"):
        try:
            return ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return parts_of(text)


def _graded(
    judged: Iterable[tuple[str, int | None, _Ids]], name: str
) -> tuple[dict[str, dict[str, float]], tuple[str, ...]]:
    """Return grades by query and document, and cautions about cells that may have several ids."""
    rows = [*judged]
    known = Known(one for _, _, ids in rows for one in ids)
    grades: dict[str, dict[str, float]] = {}
    cautions: list[str] = []
    for query_id, line, ids in rows:
        own = grades.setdefault(query_id, {})
        if isinstance(ids, Mapping):
            own.update(ids)
            continue
        for one in ids:
            parts = known.split(one)
            if parts is None and known.is_suspicious(one):
                place = name if line is None else f"{name}:{line}"
                cautions.append(
                    f"{place}: {one!r} is read as one id; separate several ids with semicolons"
                )
            own.update(dict.fromkeys(parts or [one], 1.0))
    return grades, tuple(cautions)
