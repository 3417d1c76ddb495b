"""Tables with a header: BEIR's qrels, Quepid's exports, your own.

Columns are separated by tabs, commas or semicolons, whichever the first line has, tried in this
order. That line names the columns; `berryeval.core.column_names` lists the accepted names, and
other columns are ignored. Judgments may have the columns ``judge``, ``subtopic``, ``source``,
``judged_at``, ``note`` and ``stratum``, and one row per judge. Fields may be quoted, as in
spreadsheets. Empty lines are ignored.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import chain

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.score_order import ScoredRow
from berryeval.errors import FormatError
from berryeval.formats.capabilities import with_every_column
from berryeval.formats.keys import DOCUMENT, QUERY, find_keys, find_labels, find_rank
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.rows import (
    Row,
    as_rank,
    as_tag,
    iter_labelled,
    label_names,
    parse_number,
    written,
)

__all__ = [
    "HOLDS",
    "first_tag",
    "iter_fields",
    "iter_judged",
    "iter_ranked",
    "iter_records",
    "iter_rows",
    "separator_of",
    "sniff",
    "split_header",
    "to_lines",
    "write_rows",
]

HOLDS = with_every_column("judgments", "run", "scores", "queries")

_BUFFER = 1 << 16


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one: its first line names the columns."""
    fields = split_header(decode_id(first_line))
    names = {field.strip().strip('"').lower() for field in fields}
    return bool(names & set(QUERY)) and bool(names & set(DOCUMENT))


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file."""
    for (place, query_id, doc_id, number, *_), _ in _iter_rows(path, kind):
        yield place, query_id, doc_id, number


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over judgments with their judges, subtopics and sources."""
    return (row for row, _ in _iter_rows(path, "judgments"))


def iter_ranked(path: PathLike) -> Iterator[ScoredRow]:
    """Iterate over query, stated rank and score of a run."""
    return ((row.query_id, rank, row.grade) for row, rank in _iter_rows(path, "run"))


def _iter_rows(path: PathLike, kind: Kind) -> Iterator[tuple[JudgedRow, int | None]]:
    """Iterate over the rows of a file, and the ranks that it states."""
    lines = iter_fields(path)
    header = next(lines, None)
    if header is None:
        return
    names = [name.strip() for name in header[1]]
    found = find_keys(names, kind, path, header[0], "column")
    query, document, value = map(names.index, found)
    *labels, rank = (
        None if key is None else names.index(key) for key in (*find_labels(names), find_rank(names))
    )
    first = next(lines, None)
    if first is None:
        raise FormatError("has a header and no rows below it", path_name(path))
    for line, fields in chain([first], lines):
        if len(fields) != len(names):
            raise FormatError.unexpected(
                f"{len(names)} columns", str(len(fields)), path_name(path), line
            )
        row = JudgedRow(
            line,
            encode_id(fields[query]),
            encode_id(fields[document]),
            parse_number(fields[value], kind, path, line),
            *(None if at is None or not fields[at] else encode_id(fields[at]) for at in labels),
        )
        yield row, None if rank is None else as_rank(fields[rank])


def first_tag(path: PathLike) -> str | None:
    """Return the tag of the first row; None if there is no column of that name."""
    rows = (fields for _, fields in iter_fields(path))
    names, first = [name.strip().lower() for name in next(rows, [])], next(rows, [])
    return as_tag(dict(zip(names, first, strict=False)).get("tag"))


def iter_fields(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Iterate over the fields of each line, including the header, with its number."""
    lines = iter_lines(path)
    header = next(lines, None)
    if header is None:
        return
    separator = separator_of(decode_id(header[1]))
    text = (decode_id(line) for _, line in chain([header], lines))
    reader = csv.reader(text, delimiter=separator, strict=True)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, fields
    except csv.Error as error:
        raise FormatError(f"cannot be read: {error}", path_name(path), reader.line_num) from None


def iter_records(path: PathLike) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """Iterate over the rows below a header: line number, and fields with their lower-case names."""
    lines = iter_fields(path)
    names = [name.strip().lower() for name in next(lines)[1]]
    for line, fields in lines:
        if len(fields) != len(names):
            raise FormatError.unexpected(
                f"{len(names)} columns", str(len(fields)), path_name(path), line
            )
        yield line, list(zip(names, fields, strict=True))


def to_lines(data: Grouped, separator: str = ",") -> Iterator[bytes]:
    """Iterate over the lines of a file."""
    return write_rows(_to_rows(data), separator)


def _to_rows(data: Grouped) -> Iterator[list[str]]:
    if isinstance(data, Judgments) and (data.subtopics or data.opinions or data.strata):
        yield from _rows_of_opinions(data)
        return
    tag = [data.tag] if isinstance(data, Run) and data.tag else []
    number = "score" if isinstance(data, Run) else "relevance"
    yield ["query_id", "doc_id", number, *(["tag"] if tag else [])]
    for query_id, rows in data.iter_queries():
        for row in rows:
            yield [decode_id(query_id), data.doc_ids[row], written(data.values[row]), *tag]


def _rows_of_opinions(judgments: Judgments) -> Iterator[list[str]]:
    used = dict.fromkeys(
        name
        for _, _, labels in iter_labelled(judgments)
        for name, value in labels.items()
        if value is not None
    )
    names = [name for name in label_names() if name in used]
    yield ["query_id", "doc_id", *names]
    for query, document, labels in iter_labelled(judgments):
        yield [decode_id(query), decode_id(document), *(_field(labels[name]) for name in names)]


def _field(value: float | bytes | None) -> str:
    if value is None or isinstance(value, bytes):
        return decode_id(value or b"")
    return written(float(value))


def write_rows(rows: Iterable[list[str]], separator: str) -> Iterator[bytes]:
    """Iterate over rows as lines, in pieces of a convenient size."""
    output = io.StringIO()
    writer = csv.writer(output, delimiter=separator, lineterminator="\n")
    for row in rows:
        writer.writerow(row)
        if output.tell() > _BUFFER:
            yield encode_id(output.getvalue())
            output.seek(0)
            output.truncate()
    yield encode_id(output.getvalue())


def split_header(header: str) -> list[str]:
    """Return the names of the columns, as far as they are known before quotes are read."""
    return header.split(separator_of(header))


def separator_of(header: str) -> str:
    """Return a tab, a comma, or a semicolon, which spreadsheets write in many countries."""
    return next((sign for sign in "\t,;" if sign in header), ",")
