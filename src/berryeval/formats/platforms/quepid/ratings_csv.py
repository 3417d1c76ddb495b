"""Quepid's ratings as CSV: ``query,docid,rating``, one rated document per row.

The query is its text, which is its id here. A row without a rating, or without a document as
well, says that nothing was rated; such rows are left out. ``doc_id`` is understood for ``docid``.
Written files have the queries without documents, and documents with a negative grade as rows
without a rating: Quepid shows them as not rated.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments
from berryeval.errors import FormatError, InputError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.delimited import write_rows
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms.quepid._csv import (
    QUERY_AND_DOCUMENT,
    header_of,
    iter_table,
    protected,
    required_id,
)
from berryeval.formats.rows import parse_number, refuse_subtopics, written

__all__ = ["HOLDS", "iter_judged", "sniff", "to_lines"]

HOLDS = Capabilities(("judgments",), ("judgments",), empty_queries=True, by_text=True)

_RATING = "rating"


def sniff(beginning: Beginning) -> bool:
    """Whether the first line names exactly these columns."""
    return header_of(beginning.line) in [[*names, _RATING] for names in QUERY_AND_DOCUMENT]


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the rows with a rating."""
    rows = iter_table(path)
    header = next(rows, (1, []))[1]
    names = [name.strip().lower() for name in header]
    if names not in [[*known, _RATING] for known in QUERY_AND_DOCUMENT]:
        found = ",".join(header)[:60] or "none"
        raise FormatError.unexpected("the columns query,docid,rating", found, path_name(path), 1)
    for line, (query, document, rating) in rows:
        query_id = required_id(query, "query", path, line)
        if not rating.strip():
            note_loss(Loss.UNRATED)
            continue
        doc_id = required_id(document, names[1], path, line)
        yield JudgedRow(line, query_id, doc_id, parse_number(rating, "judgments", path, line))


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for a run, and for subtopics."""
    if not isinstance(data, Judgments):
        raise InputError("Quepid's ratings hold judgments, not a run")
    refuse_subtopics(data, "Quepid's ratings")
    return write_rows(_to_rows(data), ",")


def _to_rows(data: Judgments) -> Iterator[list[str]]:
    yield ["query", "docid", _RATING]
    for query_id, rows in data.iter_queries():
        query = protected(decode_id(query_id))
        if not rows:
            yield [query, "", ""]
        for row in rows:
            grade = data.grades[row]
            yield [query, protected(data.doc_ids[row]), "" if grade < 0 else written(grade)]
