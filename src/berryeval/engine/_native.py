"""The engine in C++: the same scores, to the bit."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from berryeval.backend import backend, n_threads
from berryeval.core.arrow_stream import find_places
from berryeval.core.frames import ArrowStream, stream_of
from berryeval.core.judgments import Judgments
from berryeval.core.origin import Origin
from berryeval.core.run import Run
from berryeval.engine._selection import N_SHOWN, AllScores
from berryeval.engine.session import Session
from berryeval.formats import Duplicates
from berryeval.formats.lines import PathLike, iter_pieces, open_plain
from berryeval.formats.trec_native import read_columns
from berryeval.measures import Measure

__all__ = ["can_score", "score", "score_dict", "score_file", "score_frame"]


def _session(
    judgments: Judgments, measures: Sequence[Measure], duplicates: Duplicates = "error"
) -> Session:
    calls = [call for measure in measures if (call := measure.native_call()) is not None]
    assert len(calls) == len(measures), "can_score() has checked it"
    return Session(
        judgments,
        calls,
        keep_best=duplicates == "keep-best",
        by_intent=any(measure.uses_intents for measure in measures),
        by_stratum=any(measure.uses_strata for measure in measures),
        by_length=any(measure.uses_lengths for measure in measures),
    )


def can_score(measures: Sequence[Measure]) -> bool:
    """Whether the extension is available, and has a twin of each of these measures."""
    return backend().name == "native" and all(measure.native_call() for measure in measures)


def score(
    judgments: Judgments, run: Run, measures: Sequence[Measure], n_shown: int = N_SHOWN
) -> AllScores:
    """Score each judged query. Twin of `berryeval.engine._python.score`."""
    session = _session(judgments, measures)
    session.score_run(run)
    return session.results(n_shown)


def score_dict(
    judgments: Judgments, run: dict[str, Any], measures: Sequence[Measure]
) -> AllScores | None:
    """Score a dict of dicts without creating a `Run`.

    None if it contains anything but dicts, str and float, or a NaN: `Run.from_dict` then reads it,
    or reports what is wrong.
    """
    session = _session(judgments, measures)
    return session.results() if session.board.score_dict(run, n_threads()) else None


def score_frame(
    judgments: Judgments,
    frame: ArrowStream,
    measures: Sequence[Measure],
    duplicates: Duplicates,
    n_shown: int = N_SHOWN,
) -> AllScores | None:
    """Score a data frame, or another stream of rows, without creating a `Run`.

    None if the rows of a query are not adjacent, or something is wrong: `Run.from_frame` then reads
    it, or reports what is wrong. Little of a stream is in memory at a time.
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
    except ValueError:  # reading it again reports why, with the row
        return None
    return session.results(n_shown) if is_done else None


def score_file(
    judgments: Judgments, path: PathLike, measures: Sequence[Measure], duplicates: Duplicates
) -> AllScores:
    """Score a run in a TREC file in one pass, query by query.

    If the lines of a query are not adjacent, or something is wrong, the whole file is read again.
    Raises `FormatError` for an invalid line.
    """
    session = _session(judgments, measures, duplicates)
    with open_plain(path) as file:
        if file is not None:
            size = os.fstat(file.fileno()).st_size
            is_done = session.board.score_file(file.fileno(), size, n_threads())
        else:
            is_done = session.feed(iter_pieces(path))
    if not is_done:
        run = Run.of_native(read_columns(iter_pieces(path), "run", path, duplicates))
        session.restart()
        session.score_run(run)
    return session.results()
