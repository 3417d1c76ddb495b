"""Questions with the documents that answer them: one row per question, in a file of your own.

CSV, TSV, JSON lines or a JSON list:

======================  ======================================================
``question``            the question; also ``query``, ``text`` or ``user_input``
``expected_docs``       ids of the documents that should be found; also ``relevant_ids``,
                        ``doc_id``, ``expected``, ``source`` and the like
``id``                  optional: the id of the query. Default: the number of the question
``category``            optional
======================  ======================================================

Several ids are a list, or separated by semicolons, bars, line breaks or, without these, commas; or
the question is repeated, with one id per row. A JSON object of ids has their grades; otherwise the
grade is 1. Other columns are ignored.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from typing import Any

from berryeval.core.column_names import find_name
from berryeval.core.id_column import as_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import FormatError, InputTypeError
from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.datasets.rows import iter_records_of
from berryeval.formats.keys import shown_keys
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.queries import ID, TEXT

__all__ = ["is_one", "read"]

_QUESTIONS = ("question", "user_input", *TEXT)
_MARKS = frozenset(("correct", "expected", "gold", "golden", "relevant", "target"))
_UNITS = frozenset(
    ("chunk", "chunks", "doc", "docs", "document", "documents", "file", "files", "passage",
     "passages", "source", "sources")
)  # fmt: skip
_WORDS = _MARKS | _UNITS | {"ground", "id", "ids", "name", "names", "reference", "truth"}
_SEPARATORS = re.compile(r"[;|\n]")


def is_one(names: Iterable[str]) -> bool:
    """Whether columns or keys are those of questions with expected documents."""
    given = [*names]
    return find_name(given, _QUESTIONS) is not None and _expected_in(given) is not None


def read(path: PathLike) -> Dataset:
    """Read questions and the documents that answer them.

    Raises
    ------
    FormatError
        If a question or its documents are missing, or two questions have one id.
    """
    texts: dict[str, str] = {}
    categories: dict[str, str | None] = {}
    numbers: dict[str, str] = {}
    grades: dict[str, dict[str, float]] = {}
    for line, row in iter_records_of(path):
        text = _question(row, path, line)
        own = row.get(find_name(row, ID) or "")
        number = numbers.setdefault(text, str(len(numbers) + 1))
        query_id = number if own in (None, "") else str(own)
        if texts.setdefault(query_id, text) != text:
            message = f"query {query_id!r} occurs twice, with different questions"
            raise FormatError(message, path_name(path), line)
        category = row.get("category")
        categories[query_id] = category if isinstance(category, str) and category else None
        grades.setdefault(query_id, {}).update(_expected(row, path, line))
    if not texts:
        raise FormatError.unexpected("questions", "nothing", path_name(path))
    queries = tuple(Query(one, text, category=categories[one]) for one, text in texts.items())
    return Dataset(queries, Judgments.from_dict(grades), lambda: iter(()), path_name(path))


def _expected_in(names: Iterable[str]) -> str | None:
    """Return the column of the documents: each word of its name belongs to such names."""
    for name in names:
        words = set(re.split(r"[\W_]+", name.strip().lower()))
        if words <= _WORDS and words & (_MARKS | _UNITS):
            return name
    return None


def _question(row: Mapping[str, Any], path: PathLike, line: int | None) -> str:
    name = find_name(row, _QUESTIONS)
    text = None if name is None else row[name]
    if not isinstance(text, str) or not text.strip():
        found = shown_keys(row) if name is None else "none"
        raise FormatError.unexpected("a question as question", found, path_name(path), line)
    return text


def _expected(row: Mapping[str, Any], path: PathLike, line: int | None) -> dict[str, float]:
    name = _expected_in(row)
    value = None if name is None else _parsed(row[name])
    try:
        if isinstance(value, Mapping):
            found = {as_id(one, "doc_id"): float(grade) for one, grade in value.items()}
        else:
            values = value if isinstance(value, list) else [value] * (value is not None)
            found = {as_id(one, "doc_id"): 1.0 for one in values}
    except (InputTypeError, TypeError, ValueError):
        found = {}
    if not found or "" in found:
        what = f"ids of documents as {name or 'expected_docs'}"
        got = shown_keys(row) if name is None else repr(row[name])[:60]
        way_out = "remove the row if no document answers the question" if name else ""
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
    parts = _SEPARATORS.split(text) if _SEPARATORS.search(text) else text.split(",")
    return [part.strip() for part in parts if part.strip()]
