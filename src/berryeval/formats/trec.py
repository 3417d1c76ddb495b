"""TREC files, as trec_eval reads them.

Judgments (qrels): ``query_id iteration doc_id grade``, one judged document per line. The second
column is the subtopic in the files of diversity tracks, as ndeval reads them. It is no subtopic,
and ignored, if it is Q0, U0 or -, if it is 0 on all lines of a query, and in files where it is a
decimal number on any line, as rounds of judging are in TREC-COVID.

Judgments of a sampled pool, as sample_eval.pl reads them, have five columns on every line:
``query_id iteration doc_id stratum grade``. A negative grade marks a document that is in the
stratum and was not judged. A stratum called - is none. The second column is not Q0, so that a run
without tags is not taken for one.

Runs: ``query_id Q0 doc_id rank score tag``, one retrieved document per line. The second and the
fourth column are ignored: ranks follow from the scores. So are columns after the tag; the tag of
the first line is that of the run.

Columns are separated by any number of spaces or tabs. Lines may end in CR LF, the last one need
not end at all; empty lines, and lines that begin with #, are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, encode_id, shown_id
from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.score_order import ScoredRow
from berryeval.errors import FormatError, InputError
from berryeval.formats.capabilities import Capabilities
from berryeval.formats.keys import header_hint
from berryeval.formats.lines import BOM, FIRST_BYTES, PathLike, iter_lines, path_name, read_content
from berryeval.formats.rows import Row, as_rank, parse_number, written

__all__ = [
    "HOLDS",
    "TAG",
    "first_tag",
    "has_strata",
    "has_subtopics",
    "iter_judged",
    "iter_ranked",
    "iter_rows",
    "judged_rows",
    "kind_of_line",
    "parse_line",
    "sniff",
    "to_lines",
]

HOLDS = Capabilities(("judgments", "run"), ("judgments", "run"), strata=True, tags=True)

_JUDGMENTS = ("query", "iteration", "document", "grade")
_SAMPLED = ("query", "iteration", "document", "stratum", "grade")
_RUN = ("query", "Q0", "document", "rank", "score", "tag")

_NO_SUBTOPIC = re.compile(rb"[A-Za-z]?0|-")
_ZERO = b"0"
_NO_STRATUM = b"-"
_DECIMAL = re.compile(rb"\d+\.\d+")
_SEPARATOR = re.compile(rb"\S[,;|]\S.*[,;|]")
"""Separators of columns in tables, which occur at least twice."""

TAG = "berryeval"
"""The tag of a run that has none."""

_HINTS = {
    "judgments": "if it is a run, swap the arguments: judgments come first",
    "run": "if these are judgments: they come before runs, or follow --judgments",
}


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one: it has as many columns as either kind."""
    return len(first_line.split()) >= len(_JUDGMENTS)


def kind_of_line(line: bytes) -> Kind | None:
    """Return the kind of a line by its columns and where numbers are; None if it is neither."""
    columns = line.split()
    if len(columns) == len(_JUDGMENTS) or _is_sampled(columns):
        return "judgments" if _is_number(columns[-1]) else None
    return "run" if len(columns) >= len(_RUN) and _is_number(columns[4]) else None


def _is_sampled(columns: Sequence[bytes]) -> bool:
    return len(columns) == len(_SAMPLED) and columns[1] != b"Q0" and _is_number(columns[4])


def _is_number(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file."""
    for number, line in iter_lines(path):
        row = parse_line(line, kind, path, number)
        if row is not None:
            yield row


def iter_ranked(path: PathLike) -> Iterator[ScoredRow]:
    """Iterate over query, stated rank and score of a run, as far as the lines can be read."""
    for _, line in iter_lines(path):
        columns = line.split(maxsplit=5)
        if not columns or columns[0].startswith(b"#"):
            continue
        try:
            score = float(columns[4])
        except (IndexError, ValueError):
            return  # the reader of the file reports what is wrong
        yield columns[0], as_rank(columns[3]), score


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over judgments with their subtopics and strata."""
    return judged_rows(read_content(path), path)


def judged_rows(content: bytes, path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over the judgments in the content of a file; `path` is for messages."""
    named = _queries_with_subtopics(content) if has_subtopics(content) else frozenset()
    is_sampled = has_strata(content)
    for number, line in enumerate(content.removeprefix(BOM).split(b"\n"), start=1):
        row = parse_line(line, "judgments", path, number, is_sampled=is_sampled)
        if row is not None:
            label = line.split(maxsplit=2)[1] if row[1] in named else b"-"
            is_named = label == _ZERO or not _NO_SUBTOPIC.fullmatch(label)
            stratum = line.split(maxsplit=4)[3] if is_sampled else _NO_STRATUM
            yield JudgedRow(
                *row,
                subtopic=label if is_named else None,
                stratum=None if stratum == _NO_STRATUM else stratum,
            )


def _queries_with_subtopics(content: bytes) -> frozenset[bytes]:
    """Return the queries for which 0 is a subtopic, too, as in ndeval: they have others."""
    lines = (line.split(maxsplit=2) for line in content.removeprefix(BOM).split(b"\n"))
    return frozenset(
        columns[0]
        for columns in lines
        if len(columns) > 1 and not _NO_SUBTOPIC.fullmatch(columns[1])
    )


def has_strata(content: bytes) -> bool:
    """Whether judgments have a fifth column, judging by the first line that is not a comment."""
    for line in content.removeprefix(BOM).split(b"\n"):
        columns = line.split()
        if columns and not columns[0].startswith(b"#"):
            return _is_sampled(columns)
    return False


def has_subtopics(content: bytes) -> bool:
    """Whether the second column of judgments holds subtopics."""
    found = set()
    for line in content.split(b"\n"):
        columns = line.split(maxsplit=2)
        if len(columns) > 1 and not columns[0].startswith(b"#"):
            found.add(columns[1])
    are_rounds = any(map(_DECIMAL.fullmatch, found))
    return not are_rounds and not all(map(_NO_SUBTOPIC.fullmatch, found))


def first_tag(path: PathLike) -> str | None:
    """Return the tag on the first line of a run; None if it has none."""
    for _, line in iter_lines(path):
        columns = line.split(maxsplit=6)
        if columns and not columns[0].startswith(b"#"):
            return decode_id(columns[5]) if len(columns) >= len(_RUN) else None
    return None


def parse_line(
    line: bytes, kind: Kind, path: PathLike, number: int, *, is_sampled: bool = False
) -> Row | None:
    """Return the row in a line; None if it is empty or a comment.

    `path` and `number` are for messages; `is_sampled` says that judgments have strata.
    """
    names = _RUN if kind == "run" else _SAMPLED if is_sampled else _JUDGMENTS
    columns = line.split()
    if not columns or columns[0].startswith(b"#"):
        return None
    n_more = len(columns) - len(names)
    if n_more < 0 or (n_more > 0 and kind == "judgments"):
        expected = f"{len(names)} columns ({', '.join(names)})"
        hint = _HINTS[kind] if number == 1 and kind_of_line(line) not in (kind, None) else ""
        if number == 1 and n_more < 0 and _SEPARATOR.search(line):
            hint = header_hint(kind)
        if b"\0" in line:
            hint = "is it a binary file?"
        found = str(len(columns))
        raise FormatError.unexpected(expected, found, path_name(path), number, way_out=hint)
    value = columns[3] if names is _JUDGMENTS else columns[4]
    return number, columns[0], columns[2], parse_number(value, kind, path, number)


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file. The rows keep their order, and ranks follow the scores.

    Raises
    ------
    InputError
        For an id that the format cannot hold: an empty one, one with white space, or a query
        that begins with #.
    """
    if isinstance(data, Judgments) and (data.subtopics or data.strata):
        yield from _lines_with_labels(data)
        return
    tag = encode_id(data.tag or TAG) if isinstance(data, Run) else b""
    for query_id, rows in data.iter_queries():
        _check_query(query_id)
        ranks = _ranks(data, rows) if isinstance(data, Run) else rows
        for rank, row in zip(ranks, rows, strict=True):
            doc_id = data.doc_ids.bytes_at(row)
            _check_id(doc_id)
            value = written(data.values[row]).encode()
            if isinstance(data, Run):
                yield b"%s Q0 %s %d %s %s\n" % (query_id, doc_id, rank, value, tag)
            else:
                yield b"%s 0 %s %s\n" % (query_id, doc_id, value)


def _ranks(run: Run, rows: range) -> Sequence[int]:
    """Return the rank of each row: 1, 2, … where the best come first, as in most runs."""
    scores = run.values[rows.start : rows.stop]
    if all(after < before for before, after in pairwise(scores)):
        return range(1, len(rows) + 1)
    ranked = sorted(rows, key=lambda row: (run.values[row], run.doc_ids.bytes_at(row)))
    rank_of = dict(zip(reversed(ranked), range(1, len(rows) + 1), strict=True))
    return [rank_of[row] for row in rows]


def _lines_with_labels(judgments: Judgments) -> Iterator[bytes]:
    named = {
        query_id
        for query_id, documents in judgments.subtopics.items()
        if not all(map(_NO_SUBTOPIC.fullmatch, chain.from_iterable(documents.values())))
    }
    for query_id, doc_id, subtopic, grade in judgments.iter_grades():
        _check_query(query_id)
        _check_id(doc_id)
        if subtopic is not None:
            _check_id(subtopic)
            is_none = _NO_SUBTOPIC.fullmatch(subtopic) or _DECIMAL.fullmatch(subtopic)
            if is_none and not (subtopic == _ZERO and query_id in named):
                raise InputError(
                    f"the subtopic {shown_id(subtopic)} would mean none in a TREC file"
                )
        none = b"-" if query_id in named else _ZERO
        stratum = _stratum_column(judgments, query_id, doc_id)
        columns = (query_id, subtopic or none, doc_id, stratum, written(grade).encode())
        yield b"%s %s %s %s%s\n" % columns


def _stratum_column(judgments: Judgments, query_id: bytes, doc_id: bytes) -> bytes:
    """Return the stratum of a document and a space; nothing if no document has a stratum."""
    if not judgments.strata:
        return b""
    stratum = judgments.stratum_of(query_id, doc_id)
    if stratum is None:
        return _NO_STRATUM + b" "
    _check_id(stratum)
    if stratum == _NO_STRATUM:
        raise InputError("the stratum - would mean none in a TREC file")
    return stratum + b" "


def _check_query(query_id: bytes) -> None:
    _check_id(query_id)
    if query_id.startswith(b"#"):
        raise InputError(f"{shown_id(query_id)} would be a comment in a TREC file")
    if query_id.startswith(FIRST_BYTES):
        raise InputError(f"{shown_id(query_id)} would make a TREC file look compressed or marked")


def _check_id(doc_id: bytes) -> None:
    if doc_id.split() != [doc_id]:
        raise InputError(f"a TREC file cannot hold the id {shown_id(doc_id)}")
