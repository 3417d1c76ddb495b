"""Scoring files in one native pass, if trec_eval's rules and ours give the same result.

That is true for nearly every run. Anything odd, from a comment to a grade that is not a whole
number, is left to the readers in Python, which follow trec_eval in every detail.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import compress
from typing import IO, TypeAlias

from berryeval.backend import backend, n_threads
from berryeval.core.grouped import Grouped
from berryeval.engine.session import Session
from berryeval.errors import BerryEvalError
from berryeval.formats.lines import FIRST_BYTES, can_be_read_again
from berryeval.measures import GEOMETRIC_FLOOR
from berryeval.trec_eval.columns import Column
from berryeval.trec_eval.report import (
    Facts,
    Options,
    is_printed,
    name_of,
    summary_of,
    wanted_columns,
)

__all__ = ["report_files"]

_PIECE = 1 << 20
_TAIL = 1 << 16
_N_FIRST_BYTES = max(map(len, FIRST_BYTES))
_TAG = 5
_MAX_DOCUMENTS = 2**53
_LONGEST_RELSTRING = 1000
_QUERIES_AT_ONCE = 100

_Printed: TypeAlias = "tuple[bytes, array[float] | list[bytes], bool]"
"""A column with a line for each query: its name, its values, and whether they are whole numbers."""


def report_files(
    qrels: str, run: str, names: dict[str, str | None], options: Options
) -> Iterator[bytes] | None:
    """Return the result of `berryeval.trec_eval.report`; None if only that can compute it."""
    if not _is_plain(options) or backend().name != "native":
        return None
    try:
        wanted = wanted_columns(names, options)
        if any(column.length > _LONGEST_RELSTRING for column in wanted):
            return None
        if not can_be_read_again(qrels) or not can_be_read_again(run):
            return None
        found = _score(qrels, run, wanted, options)
    except (BerryEvalError, OSError):  # the other readers report what is wrong
        return None
    if found is None:
        return None
    session, facts = found
    return _texts(session, wanted, facts, options)


def _is_plain(options: Options) -> bool:
    return (
        options.version == "9.0.8"
        and options.format == "qrels"
        and options.level >= 0
        and (options.most is None or options.most >= 0)
        and options.z_scores is None
        and options.only is None
        and abs(options.n_documents) <= _MAX_DOCUMENTS
    )


def _score(
    qrels: str, run: str, wanted: Sequence[Column], options: Options
) -> tuple[Session, Facts] | None:
    """Score the run; None if a file, or a measure, requires special treatment."""
    calls = [column.native_call() for column in wanted if _is_computed(column)]
    judgments = None if None in calls else _read(qrels, is_run=False)
    if judgments is None or _lacks_grades(judgments):
        return None
    session = Session(
        judgments,
        [call for call in calls if call is not None],
        most=options.most,
        judged_only=options.judged_only,
        n_grades=max((column.length for column in wanted), default=0),
    )
    with open(run, "rb", buffering=0) as file:  # noqa: PTH123 - pathlib is slow to import
        size = os.fstat(file.fileno()).st_size
        tag = None if file.read(_N_FIRST_BYTES).startswith(FIRST_BYTES) else _last_tag(file, size)
        if tag is None:
            return None
        is_done = session.board.score_file(file.fileno(), size, n_threads(), like_trec_eval=True)
    if not is_done:  # its queries may be interleaved
        ranked = _read(run, is_run=True)
        if ranked is None:
            return None
        session.restart()
        session.score_run(ranked)
    # Only -c counts them again.
    n_above_zero = sum(grade > 0 for grade in judgments.values) if options.complete else 0
    facts = Facts(judgments.n_queries, n_above_zero, tag)
    return session, facts


def _is_computed(column: Column) -> bool:
    """Whether a kernel computes its values; none computes a relstring."""
    return column.source is not None and column.kind != "relstring"


def _read(path: str, *, is_run: bool) -> Grouped | None:
    """Read a file by the rules of trec_eval; None if anything in it is unusual."""
    from berryeval._native import TextReader

    reader = TextReader(is_run, like_trec_eval=True)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123
        if file.read(_N_FIRST_BYTES).startswith(FIRST_BYTES):
            return None
        file.seek(0)
        for piece in iter(partial(file.read, _PIECE), b""):  # not map: Ctrl-C must work
            if not reader.feed(piece):
                return None
    if not reader.finish() or reader.first_duplicate() is not None:
        return None
    found = Grouped.of_native(reader.take_columns(keep_best=False))
    return found if found.n_rows else None


def _lacks_grades(judgments: Grouped) -> bool:
    """Whether a query has no grade of 0 or more: trec_eval cannot score it."""
    if min(judgments.values) >= 0:
        return False
    return any(
        max(judgments.values[row] for row in rows) < 0 for _, rows in judgments.iter_queries()
    )


def _last_tag(file: IO[bytes], size: int) -> bytes | None:
    """Return the name of the run in its last line; None if that line is not found."""
    file.seek(max(0, size - _TAIL))
    lines = file.read(_TAIL).split(b"\n")
    for line in reversed(lines[1:] if size > _TAIL else lines):
        columns = line.split()
        if columns:
            return columns[_TAG] if len(columns) > _TAG else None
    return None


def _texts(
    session: Session, wanted: Sequence[Column], facts: Facts, options: Options
) -> Iterator[bytes]:
    """Iterate over the text to print: all queries of the run, and the summary."""
    scores = session.results()
    is_there = [not is_missing for is_missing in scores.is_missing]
    query_ids = list(compress(scores.query_ids, is_there))
    computed = iter(scores.values)
    values = [
        _values_of(next(computed), is_there) if _is_computed(column) else array("d")
        for column in wanted
    ]
    if options.per_query:
        shown: list[_Printed] = []
        for column, numbers in zip(wanted, values, strict=True):
            name = b"%-22s" % name_of(column)
            if column.kind == "relstring":
                words = list(compress(session.board.relstrings(column.length), is_there))
                shown.append((name, words, False))
            elif is_printed(column):
                shown.append((name, numbers, column.kind == "sum"))
        yield from _query_lines(query_ids, shown)
    totals = [_total(column, numbers) for column, numbers in zip(wanted, values, strict=True)]
    yield summary_of(facts, wanted, totals, len(query_ids), options)


def _values_of(numbers: array[float], is_there: Sequence[bool]) -> array[float]:
    return numbers if all(is_there) else array("d", compress(numbers, is_there))


def _query_lines(query_ids: list[bytes], shown: Sequence[_Printed]) -> Iterator[bytes]:
    """Iterate over the lines of all queries, in batches that keep memory small."""
    from berryeval._native import print_rows

    for first in range(0, len(query_ids), _QUERIES_AT_ONCE):
        part = slice(first, first + _QUERIES_AT_ONCE)
        columns = [(name, values[part], is_whole) for name, values, is_whole in shown]
        yield print_rows(query_ids[part], columns)


def _total(column: Column, numbers: array[float]) -> float:
    from berryeval._native import add_up

    if column.kind == "geometric":
        numbers = array("d", (math.log(max(number, GEOMETRIC_FLOOR)) for number in numbers))
    return add_up(numbers)
