"""Tables with a header, separated by commas or tabs: BEIR's qrels, Quepid's exports, your own.

The first line names the columns; `berryeval.formats.keys` says which names are understood, other
columns are ignored. Fields may be quoted, as spreadsheets do it. Empty lines are passed over.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats._lines import PathLike, iter_lines, path_name
from berryeval.formats._rows import Kind, Row, parse_number, written
from berryeval.formats.keys import DOCUMENT, QUERY, find_keys

__all__ = ["iter_rows", "sniff", "to_lines"]

_BUFFER = 1 << 16


def sniff(first_line: bytes) -> bool:
    """Whether a file that begins so may be one: its first line names the columns."""
    fields = _split_header(decode_id(first_line))
    names = {field.strip().strip('"').lower() for field in fields}
    return bool(names & set(QUERY)) and bool(names & set(DOCUMENT))


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file."""
    lines = iter_lines(path)
    header = next(lines, None)
    if header is None:
        return
    separator = _separator(decode_id(header[1]))
    text = (decode_id(line) for _, line in _chain(header, lines))
    reader = csv.reader(text, delimiter=separator, strict=True)
    try:
        names = [name.strip() for name in next(reader)]
        query, document, value = (
            names.index(key) for key in find_keys(names, kind, path, reader.line_num)
        )
        for fields in reader:
            if not fields:
                continue
            if len(fields) != len(names):
                message = f"expected {len(names)} columns, found {len(fields)}"
                raise FormatError(message, path_name(path), reader.line_num)
            yield (
                reader.line_num,
                encode_id(fields[query]),
                encode_id(fields[document]),
                parse_number(fields[value], kind, path, reader.line_num),
            )
    except csv.Error as error:
        raise FormatError(f"cannot be read: {error}", path_name(path), reader.line_num) from None


def to_lines(data: Grouped, separator: str = ",") -> Iterator[bytes]:
    """Iterate over the lines of a file."""
    output = io.StringIO()
    writer = csv.writer(output, delimiter=separator, lineterminator="\n")
    writer.writerow(["query_id", "doc_id", "score" if isinstance(data, Run) else "relevance"])
    for query_id, rows in data.iter_queries():
        for row in rows:
            writer.writerow([decode_id(query_id), data.doc_ids[row], written(data.values[row])])
            if output.tell() > _BUFFER:
                yield encode_id(output.getvalue())
                output.seek(0)
                output.truncate()
    yield encode_id(output.getvalue())


def _chain(
    first: tuple[int, bytes], rest: Iterator[tuple[int, bytes]]
) -> Iterator[tuple[int, bytes]]:
    yield first
    yield from rest


def _separator(header: str) -> str:
    return "\t" if "\t" in header else ","


def _split_header(header: str) -> list[str]:
    return header.split(_separator(header))
