"""LETOR, which is SVMlight with queries: ``2 qid:10 1:0.03 2:0.5 # docid = GX029 inc = 1``.

One judged document per line: its grade, its query, its features, and perhaps a comment, which
names the document: ``# docid = GX029``, with a colon as well, or the id alone or before other
words, as in ``# 7555 Rambo``. In a file without comments, a document is its number within its
query, from 1; a file that has comments must have one on every line. Features are ignored. Empty
lines and lines that begin with # are skipped. There are no runs in this format.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, shown_id
from berryeval.core.judgments import Judgments
from berryeval.errors import FormatError, InputError
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.rows import Row, parse_number, refuse_subtopics, written

__all__ = ["HOLDS", "iter_rows", "sniff", "to_lines"]

HOLDS = Capabilities(("judgments",), ("judgments",))

_BEGINNING = re.compile(rb"\s*[^\s#]\S*\s+qid:\S")
_DOC_ID = re.compile(rb"\bdocid\s*[=:]\s*(\S+)", re.IGNORECASE)
_OTHER_KEY = re.compile(
    rb"\s*(?:did|doc|docno|doc[_-]id|document|document[_-]?id|id)\s*[=:]\s*(\S+)", re.IGNORECASE
)
_NO_ID = re.compile(rb"\s*\w+(?:\s*=|:(?:\s|$))")
"""Keys that name something other than a document: ``inc = 0.01``."""


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one: the second column is a ``qid:``."""
    return _BEGINNING.match(first_line) is not None


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file."""
    if kind == "run":
        raise FormatError.unexpected("a run", "judgments in the format LETOR", path_name(path))
    documents: Counter[bytes] = Counter()
    are_named: bool | None = None
    for number, line in iter_lines(path):
        data, _, comment = line.partition(b"#")
        columns = data.split(maxsplit=2)
        if not columns:
            continue
        query_id = columns[1].removeprefix(b"qid:") if len(columns) > 1 else b""
        if not query_id or not columns[1].startswith(b"qid:"):
            found = decode_id(columns[1])[:40] if len(columns) > 1 else ""
            raise FormatError.unexpected(
                "a grade and qid:query", f"{found!r} as the second", path_name(path), number
            )
        documents[query_id] += 1
        doc_id = _doc_id(comment, path, number)
        if are_named is None:
            are_named = doc_id is not None
        if are_named != (doc_id is not None):
            expected, found = ("a", "none") if are_named else ("no", "one")
            raise FormatError.unexpected(
                f"{expected} comment, as on the lines before", found, path_name(path), number
            )
        doc_id = b"%d" % documents[query_id] if doc_id is None else doc_id
        yield number, query_id, doc_id, parse_number(columns[0], kind, path, number)


def _doc_id(comment: bytes, path: PathLike, number: int) -> bytes | None:
    """Return the document that a comment names; None if there is no comment."""
    if not comment.strip():
        return None
    named = _DOC_ID.search(comment) or _OTHER_KEY.match(comment)
    if named:
        return named[1]
    if _NO_ID.match(comment):
        found = decode_id(comment.strip())[:40]
        raise FormatError.unexpected(
            "a comment such as '# docid = GX029' or '# 7555'", repr(found), path_name(path), number
        )
    return comment.split(maxsplit=1)[0]


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file, without features.

    Raises `InputError` for a run, for judgments with subtopics, and for invalid ids: those with
    white space, and queries with #.
    """
    if not isinstance(data, Judgments):
        raise InputError("a LETOR file holds judgments, not a run")
    refuse_subtopics(data, "a LETOR file")
    for query_id, rows in data.iter_queries():
        _check_id(query_id)
        if b"#" in query_id:
            raise InputError(f"{shown_id(query_id)} would be a comment in a LETOR file")
        for row in rows:
            doc_id = data.doc_ids.bytes_at(row)
            _check_id(doc_id)
            grade = written(data.values[row]).encode()
            yield b"%s qid:%s # docid = %s\n" % (grade, query_id, doc_id)


def _check_id(name: bytes) -> None:
    if name.split() != [name]:
        raise InputError(f"a LETOR file cannot hold the id {shown_id(name)}")
