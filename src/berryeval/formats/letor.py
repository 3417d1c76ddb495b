"""LETOR, which is SVMlight with queries: ``2 qid:10 1:0.03 2:0.5 # docid = GX029 inc = 1``.

One judged document a line: its grade, its query, its features, and perhaps a comment. The
document is the ``docid`` of the comment; where there is none, it is the document's number within
its query, from 1. Features are ignored. Empty lines and lines that begin with # are passed over.
There are no runs in this format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.errors import FormatError, InputError
from berryeval.formats._lines import PathLike, iter_lines, path_name
from berryeval.formats._rows import Kind, Row, parse_number, written

__all__ = ["iter_rows", "sniff", "to_lines"]

_BEGINNING = re.compile(rb"\s*[^\s#]\S*\s+qid:\S")
_DOC_ID = re.compile(rb"\bdocid\s*=\s*(\S+)")


def sniff(first_line: bytes) -> bool:
    """Whether a file that begins so may be one: the second column is a ``qid:``."""
    return _BEGINNING.match(first_line) is not None


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file."""
    if kind == "run":
        raise FormatError("expected a run, found judgments in the format LETOR", path_name(path))
    documents: Counter[bytes] = Counter()
    for number, line in iter_lines(path):
        data, _, comment = line.partition(b"#")
        columns = data.split(maxsplit=2)
        if not columns:
            continue
        query_id = columns[1].removeprefix(b"qid:") if len(columns) > 1 else b""
        if not query_id or not columns[1].startswith(b"qid:"):
            found = decode_id(columns[1])[:40] if len(columns) > 1 else ""
            message = f"expected a grade and qid:query, found {found!r} as the second"
            raise FormatError(message, path_name(path), number)
        documents[query_id] += 1
        named = _DOC_ID.search(comment)
        doc_id = named[1] if named else b"%d" % documents[query_id]
        yield number, query_id, doc_id, parse_number(columns[0], kind, path, number)


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file, without features.

    Raises
    ------
    InputError
        For a run, and for an id that the format cannot hold: one with white space, or a query
        with #.
    """
    if not isinstance(data, Judgments):
        raise InputError("a LETOR file holds judgments, not a run")
    for query_id, rows in data.iter_queries():
        _check_id(query_id)
        if b"#" in query_id:
            raise InputError(f"{decode_id(query_id)!r} would be a comment in a LETOR file")
        for row in rows:
            doc_id = data.doc_ids.bytes_at(row)
            _check_id(doc_id)
            grade = written(data.values[row]).encode()
            yield b"%s qid:%s # docid = %s\n" % (grade, query_id, doc_id)


def _check_id(name: bytes) -> None:
    if name.split() != [name]:
        raise InputError(f"a LETOR file cannot hold the id {decode_id(name)!r}")
