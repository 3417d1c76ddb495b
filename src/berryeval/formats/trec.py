"""TREC files, as trec_eval reads them.

Judgments (qrels): ``query_id iteration doc_id grade``, one judged document a line. The second
column is ignored.

Runs: ``query_id Q0 doc_id rank score tag``, one retrieved document a line. The second and the
fourth column are ignored: ranks follow from the scores. So are columns after the tag.

Columns are separated by any number of spaces or tabs. Lines may end in CR LF, the last one need
not end at all; empty lines, and lines that begin with #, are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from berryeval.core.grade import MAX_GRADE
from berryeval.core.grouped import Grouping
from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import FormatError
from berryeval.formats._lines import PathLike, iter_lines, path_name

__all__ = ["Duplicates", "iter_judgments", "iter_run", "read_judgments", "read_run"]

Duplicates: TypeAlias = Literal["error", "keep-best"]
"""What to do with a document that comes twice for one query."""

Row: TypeAlias = tuple[int, bytes, bytes, float]
"""Line number, query id, document id, and the grade or score."""

_JUDGMENT_COLUMNS = 4
_RUN_COLUMNS = 6


def iter_judgments(path: PathLike) -> Iterator[Row]:
    """Iterate over the rows of a file of judgments."""
    for number, columns in _iter_columns(path):
        if len(columns) != _JUDGMENT_COLUMNS:
            raise FormatError(
                f"expected 4 columns (query, iteration, document, grade), found {len(columns)}",
                path_name(path),
                number,
            )
        query_id, _, doc_id, grade = columns
        yield number, query_id, doc_id, _parse(grade, "grade", MAX_GRADE, path, number)


def iter_run(path: PathLike) -> Iterator[Row]:
    """Iterate over the rows of a run."""
    for number, columns in _iter_columns(path):
        if len(columns) < _RUN_COLUMNS:
            raise FormatError(
                f"expected 6 columns (query, Q0, document, rank, score, tag), found {len(columns)}",
                path_name(path),
                number,
            )
        query_id, _, doc_id, _, score = columns[:5]
        yield number, query_id, doc_id, _parse(score, "score", float("inf"), path, number)


def read_judgments(path: PathLike, *, duplicates: Duplicates = "error") -> Judgments:
    """Read a file of judgments.

    Raises
    ------
    FormatError
        With the line, for one that cannot be read, and for a document that is judged twice for
        one query, unless ``duplicates="keep-best"``.
    """
    return Judgments.collect(_collect(path, iter_judgments, duplicates, "judged"))


def read_run(path: PathLike, *, duplicates: Duplicates = "error") -> Run:
    """Read a run.

    Raises
    ------
    FormatError
        With the line, for one that cannot be read, and for a document that is retrieved twice
        for one query, unless ``duplicates="keep-best"``.
    """
    return Run.collect(_collect(path, iter_run, duplicates, "retrieved"))


def _iter_columns(path: PathLike) -> Iterator[tuple[int, list[bytes]]]:
    for number, line in iter_lines(path):
        columns = line.split()
        if columns and not columns[0].startswith(b"#"):
            yield number, columns


def _parse(text: bytes, what: str, most: float, path: PathLike, line: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not abs(number) <= most or b"_" in text:  # NaN compares false; float() takes 1_000
        shown = decode_id(text[:40])
        raise FormatError(f"expected a number as {what}, found {shown!r}", path_name(path), line)
    return number


def _collect(
    path: PathLike,
    iter_rows: Callable[[PathLike], Iterator[Row]],
    duplicates: Duplicates,
    verb: str,
) -> Grouping:
    rows = Grouping()
    for number, query_id, doc_id, value in iter_rows(path):
        if rows.add(query_id, doc_id, value):
            continue
        if duplicates == "error":
            raise FormatError(
                f"document {decode_id(doc_id)!r} is {verb} a second time for query "
                f"{decode_id(query_id)!r}",
                path_name(path),
                number,
            )
        rows.keep_best(query_id, doc_id, value)
    return rows
