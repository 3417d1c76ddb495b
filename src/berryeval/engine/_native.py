"""The engine in C++: the same scores, to the bit."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from berryeval.backend import backend, n_threads
from berryeval.core.arrow_stream import find_places
from berryeval.core.frames import ArrowStream, stream_of
from berryeval.core.grouped import Grouped
from berryeval.core.judgments import Judgments
from berryeval.core.origin import Origin
from berryeval.core.run import Run
from berryeval.engine._selection import N_SHOWN, AllScores
from berryeval.formats import Duplicates
from berryeval.formats._lines import PathLike, can_be_read_again, iter_pieces, open_plain
from berryeval.formats._spool import Spooled
from berryeval.formats._trec_native import read_columns
from berryeval.formats.trec import cautions_of_text
from berryeval.kernels.discounts import log2_ranks
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval._native import Pools

__all__ = ["NativeCall", "Session", "can_score", "score", "score_dict", "score_file", "score_frame"]

_READY = "_pools"
_HEAD = 1 << 20  # bytes of a pipe that are checked for scores that look wrong
_N_DISCOUNTS = 1000  # beyond it the extension asks for each logarithm


def _session(
    judgments: Judgments, measures: Sequence[Measure], duplicates: Duplicates = "error"
) -> Session:
    calls = [call for measure in measures if (call := measure.native_call()) is not None]
    assert len(calls) == len(measures), "can_score() said so"
    return Session(judgments, calls, keep_best=duplicates == "keep-best")


def can_score(measures: Sequence[Measure]) -> bool:
    """Whether the extension is there, and has a twin of each of these measures."""
    return backend().name == "native" and all(measure.native_call() for measure in measures)


def score(judgments: Judgments, run: Run, measures: Sequence[Measure]) -> AllScores:
    """Score each judged query. Twin of `berryeval.engine._python.score`."""
    session = _session(judgments, measures)
    session.score_run(run)
    return session.results()


def score_dict(
    judgments: Judgments, run: dict[str, Any], measures: Sequence[Measure]
) -> AllScores | None:
    """Score a dict of dicts without making a `Run` of it.

    None if there is anything in it but dicts, str and float, or a NaN: `Run.from_dict` then says
    what is wrong, or knows how to read it.
    """
    session = _session(judgments, measures)
    return session.results() if session.board.score_dict(run, n_threads()) else None


def score_frame(
    judgments: Judgments, frame: ArrowStream, measures: Sequence[Measure], duplicates: Duplicates
) -> AllScores | None:
    """Score a data frame without making a `Run` of it.

    None if the rows of a query do not stand together, ids are no text, or something is wrong:
    `Run.from_frame` then reads it, or says what.
    """
    from berryeval._native import arrow_names

    origin = Origin("run", is_file=False)
    session = _session(judgments, measures, duplicates)
    try:
        stream = stream_of(frame, origin)
        if stream is None:
            return None
        places = find_places(arrow_names(stream), "run", origin)
        is_done = session.board.score_arrow(stream, places, n_threads())
    except ValueError:  # whoever reads it again says why, with the row
        return None
    return session.results() if is_done else None


def score_file(
    judgments: Judgments, path: PathLike, measures: Sequence[Measure], duplicates: Duplicates
) -> AllScores:
    """Score a run in a TREC file in one pass: each query is read, scored and forgotten.

    Where the lines of a query do not stand together, or something is wrong, the file is read
    whole; what cannot be read twice is kept in a temporary file meanwhile.

    Raises
    ------
    FormatError
        For what cannot be read, with the line.
    """
    session = _session(judgments, measures, duplicates)
    cautions: tuple[str, ...] = ()  # of a file they are found later
    with ExitStack() as opened:
        file = opened.enter_context(open_plain(path))
        if file is not None:
            size = os.fstat(file.fileno()).st_size
            is_done = session.board.score_file(file.fileno(), size, n_threads())
            again: Iterable[bytes] = iter_pieces(path)
        elif can_be_read_again(path):
            is_done = session.feed(iter_pieces(path))
            again = iter_pieces(path)
        else:
            pieces = Spooled(iter_pieces(path))
            opened.callback(pieces.close)
            is_done = session.feed(pieces)
            again = pieces.from_the_start()
            cautions = cautions_of_text(pieces.first(_HEAD))
        if is_done:
            return replace(session.results(), cautions=cautions)
        run = Run.of_native(read_columns(again, "run", path, duplicates))
    session.restart()
    session.score_run(run)
    return replace(session.results(), cautions=cautions)


NativeCall: TypeAlias = "tuple[str, dict[str, Any]]"
"""The name of a kernel, and its arguments."""


class Session:
    """Judgments and kernels, ready for one run.

    Parameters
    ----------
    judgments : Grouped
        What documents are looked up in: `Judgments`, or what else has a grade for each.
    calls : sequence of NativeCall
        What is computed for each query.
    keep_best, most, judged_only, n_grades
        Of a document that comes twice, keep the better score. How many documents of a ranking
        count, and whether only judged ones do. Of how many of its
        documents the grades are kept for relstrings.
    """

    def __init__(
        self,
        judgments: Grouped,
        calls: Sequence[NativeCall],
        *,
        keep_best: bool = False,
        most: int | None = None,
        judged_only: bool = False,
        n_grades: int = 0,
    ) -> None:
        from berryeval._native import Board, Plan

        self._judgments = judgments
        self._n_calls = len(calls)
        self._pools = _pools(judgments)
        plan = Plan(calls, log2_ranks(_N_DISCOUNTS))
        self._make_board = partial(Board, self._pools, plan, keep_best, most, judged_only, n_grades)
        self.board = self._make_board()

    def restart(self) -> None:
        """Forget what was scored; the run is read in another way."""
        self.board = self._make_board()

    def score_run(self, run: Grouped) -> None:
        """Score a run in memory."""
        self.board.score_columns(*_columns(run), n_threads())

    def feed(self, pieces: Iterable[bytes]) -> bool:
        """Score text that comes in pieces; False if that is not possible."""
        return all(map(self.board.feed, pieces)) and self.board.finish_feeding()

    def results(self) -> AllScores:
        """Return the scores. After it, the session is over."""
        content, is_there, n_ignored, ignored_ids = self.board.results(N_SHOWN)
        order = memoryview(self._pools.order()).cast("Q")
        size = 8 * len(order)
        return AllScores(
            query_ids=[self._judgments.query_ids.bytes_at(number) for number in order],
            values=[array("d", content[i * size : (i + 1) * size]) for i in range(self._n_calls)],
            is_missing=[not flag for flag in is_there],
            lacks_relevant=[bool(flag) for flag in self._pools.lacks_relevant()],
            n_ignored=n_ignored,
            ignored_ids=ignored_ids,
        )


def _pools(judgments: Grouped) -> Pools:
    """Make judgments ready for looking documents up, once where they say so."""
    from berryeval._native import Pools

    known: Pools | None = judgments.__dict__.get(_READY)
    if known is not None:
        return known
    pools = Pools(*_columns(judgments), n_threads())
    if isinstance(judgments, Judgments) and judgments.is_kept_ready:
        judgments.__dict__[_READY] = pools
    return pools


def _columns(
    data: Grouped,
) -> tuple[bytes, array[int], array[int], bytes, array[int], array[float]]:
    return (
        data.query_ids.data,
        data.query_ids.offsets,
        data.starts,
        data.doc_ids.data,
        data.doc_ids.offsets,
        data.values,
    )
