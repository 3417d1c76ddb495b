"""TREC files, as trec_eval reads them.

Judgments (qrels): ``query_id iteration doc_id grade``, one judged document a line. The second
column is ignored.

Runs: ``query_id Q0 doc_id rank score tag``, one retrieved document a line. The second and the
fourth column are ignored: ranks follow from the scores. So are columns after the tag.

Columns are separated by any number of spaces or tabs. Lines may end in CR LF, the last one need
not end at all; empty lines, and lines that begin with #, are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id
from berryeval.core.run import Run
from berryeval.core.score_order import ScoredRow, cautions_of
from berryeval.errors import FormatError, InputError
from berryeval.formats._lines import PathLike, iter_lines, path_name
from berryeval.formats._rows import Kind, Row, parse_number, written

__all__ = ["find_cautions", "iter_rows", "kind_of_line", "parse_line", "sniff", "to_lines"]

_JUDGMENTS = ("query", "iteration", "document", "grade")
_RUN = ("query", "Q0", "document", "rank", "score", "tag")

_HINTS = {
    "judgments": "; is it a run? judgments come first",
    "run": "; is it judgments? they come first",
}


def sniff(first_line: bytes) -> bool:
    """Whether a file that begins so may be one: it has as many columns as either kind."""
    return len(first_line.split()) >= len(_JUDGMENTS)


def kind_of_line(line: bytes) -> Kind | None:
    """Return what a line is by its columns, a number where it has to be; None if neither."""
    columns = line.split()
    if len(columns) == len(_JUDGMENTS):
        return "judgments" if _is_number(columns[3]) else None
    return "run" if len(columns) >= len(_RUN) and _is_number(columns[4]) else None


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


def find_cautions(path: PathLike) -> tuple[str, ...]:
    """Return what is suspicious about the scores of a run, by the ranks that its file states."""
    return cautions_of(lambda _limit: _iter_ranked(path))


def _iter_ranked(path: PathLike) -> Iterator[ScoredRow]:
    """Iterate over query, stated rank and score of a run, as far as the lines can be read."""
    for _, line in iter_lines(path):
        columns = line.split(maxsplit=5)
        if not columns or columns[0].startswith(b"#"):
            continue
        try:
            score = float(columns[4])
        except (IndexError, ValueError):
            return  # whoever reads the file says what is wrong
        yield columns[0], int(columns[3]) if columns[3].isdigit() else None, score


def parse_line(line: bytes, kind: Kind, path: PathLike, number: int) -> Row | None:
    """Return the row in a line; None if it is empty or a comment.

    `path` and `number` are for messages.
    """
    names = _JUDGMENTS if kind == "judgments" else _RUN
    columns = line.split()
    if not columns or columns[0].startswith(b"#"):
        return None
    n_more = len(columns) - len(names)
    if n_more < 0 or (n_more > 0 and kind == "judgments"):
        message = f"expected {len(names)} columns ({', '.join(names)}), found {len(columns)}"
        hint = _HINTS[kind] if number == 1 and kind_of_line(line) not in (kind, None) else ""
        raise FormatError(message + hint, path_name(path), number)
    value = columns[3] if kind == "judgments" else columns[4]
    return number, columns[0], columns[2], parse_number(value, kind, path, number)


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Iterate over the lines of a file.

    Raises
    ------
    InputError
        For an id that the format cannot hold: an empty one, one with white space, or a query
        that begins with #.
    """
    for query_id, rows in data.iter_queries():
        _check_id(query_id)
        if query_id.startswith(b"#"):
            raise InputError(f"{decode_id(query_id)!r} would be a comment in a TREC file")
        for rank, row in enumerate(rows, start=1):
            doc_id = data.doc_ids.bytes_at(row)
            _check_id(doc_id)
            value = written(data.values[row]).encode()
            if isinstance(data, Run):
                yield b"%s Q0 %s %d %s berryeval\n" % (query_id, doc_id, rank, value)
            else:
                yield b"%s 0 %s %s\n" % (query_id, doc_id, value)


def _check_id(doc_id: bytes) -> None:
    if doc_id.split() != [doc_id]:
        raise InputError(f"a TREC file cannot hold the id {decode_id(doc_id)!r}")
