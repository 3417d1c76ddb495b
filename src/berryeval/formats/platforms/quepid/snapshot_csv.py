"""A snapshot of Quepid as CSV, one retrieved document per row.

::

    Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position,title
    boosted,2026-11-16 08:00,7,led tv,d7,1,A TV

The detailed export of a case is read, too: it has a ``Rating``, which is a judgment, and other
columns first. The query is its text, which is its id here. Positions count from 1 and are ranks:
the score of rank r is 1 / r. Several snapshots in one file are an error: a run has the results of
one. Other columns are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.judging import JudgedRow
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats.beginning import Beginning
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.delimited import write_rows
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.losses import Loss, note_loss
from berryeval.formats.platforms._grades import iter_rankings, score_of_rank
from berryeval.formats.platforms.quepid._csv import header_of, iter_table, protected, required_id
from berryeval.formats.rows import Row, as_rank, as_tag, parse_number

__all__ = ["HOLDS", "first_tag", "iter_judged", "iter_rows", "sniff", "to_lines"]

HOLDS = Capabilities(("run", "judgments"), ("run",), scores=False, tags=True, by_text=True)

_NAME, _QUERY, _DOCUMENT, _POSITION, _RATING = (
    "snapshot name", "query text", "doc id", "doc position", "rating",
)  # fmt: skip
_COLUMNS = ("Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position")
_OTHERS = {"team name", "case name", _RATING, *map(str.lower, _COLUMNS)}
"""Columns that are no fields of documents."""


def sniff(beginning: Beginning) -> bool:
    """Whether the first line names queries, documents and positions as Quepid does."""
    return {_QUERY, _DOCUMENT, _POSITION} <= {*header_of(beginning.line)}


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the results."""
    assert kind == "run"
    for line, row in _iter_records(path, _POSITION):
        rank = as_rank(row[_POSITION].strip())
        if not rank:
            raise FormatError.unexpected(
                "a position from 1", f"{row[_POSITION]!r:.40}", path_name(path), line
            )
        yield line, *_ids(row, path, line), score_of_rank(rank)


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the ratings of a detailed export."""
    for line, row in _iter_records(path, _RATING):
        if not row[_RATING].strip():
            note_loss(Loss.UNRATED)
            continue
        grade = parse_number(row[_RATING], "judgments", path, line)
        yield JudgedRow(line, *_ids(row, path, line), grade)


def first_tag(path: PathLike) -> str | None:
    """Return the name of the snapshot, if it is one word."""
    return next((as_tag(row.get(_NAME)) for _, row in _iter_records(path, _QUERY)), None)


def _iter_records(path: PathLike, column: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Iterate over lines and fields by name; raise if `column` is missing."""
    rows = iter_table(path)
    header = [name.strip().lower() for name in next(rows, (1, []))[1]]
    for name in (_QUERY, _DOCUMENT, column):
        if name not in header:
            found = ", ".join(map(repr, header))[:80] or "none"
            raise FormatError.unexpected(f"a column {name!r}", found, path_name(path), 1)
    fields = [name for name in header if name not in _OTHERS]
    snapshot = None
    for line, values in rows:
        row = dict(zip(header, values, strict=True))
        its_snapshot = row.get(_NAME)
        if snapshot is not None and its_snapshot != snapshot:
            expected, found = f"one snapshot, {snapshot!r:.40}", f"also {its_snapshot!r:.40}"
            place = path_name(path)
            raise FormatError.unexpected(expected, found, place, line, way_out="export one")
        snapshot = its_snapshot
        note_loss(Loss.FIELDS, any(row[name] for name in fields))
        yield line, row


def _ids(row: dict[str, str], path: PathLike, line: int) -> tuple[bytes, bytes]:
    return (
        required_id(row[_QUERY], "Query Text", path, line),
        required_id(row[_DOCUMENT], "Doc ID", path, line),
    )


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. Raises `InputError` for judgments."""
    name = data.tag if isinstance(data, Run) and data.tag else "BerryEval"
    return write_rows(_to_rows(data, name), ",")


def _to_rows(data: Grouped, name: str) -> Iterator[list[str]]:
    yield [*_COLUMNS]
    for query, ranking in iter_rankings(data, "a snapshot of Quepid"):
        for rank, (doc_id, _) in enumerate(ranking, start=1):
            yield [name, "", "", protected(query), protected(doc_id), str(rank)]
