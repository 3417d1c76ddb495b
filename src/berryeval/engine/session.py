"""Judgments and kernels of the extension, ready for one run."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from berryeval.backend import n_threads
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import IdColumn
from berryeval.core.judgments import Judgments
from berryeval.engine._selection import N_SHOWN, AllScores
from berryeval.kernels.discounts import log2_ranks

if TYPE_CHECKING:
    from berryeval._native import Intents, Lengths, Pools, Strata

__all__ = ["NativeCall", "Session"]

_READY = "_pools"
_READY_INTENTS = "_intents"
_READY_STRATA = "_strata"
_READY_LENGTHS = "_lengths"
_N_DISCOUNTS = 1000  # beyond it, the extension calls back for each logarithm

NativeCall: TypeAlias = "tuple[str, dict[str, Any]]"
"""The name of a kernel, and its arguments."""


class Session:
    """Judgments and kernels, ready for one run.

    If a document occurs twice, `keep_best` keeps the better score. `most` is the number of
    documents of a ranking that count, `judged_only` whether only judged ones do, and `n_grades` the
    number of documents whose grades are kept for relstrings. With `by_intent`, kernels see the
    grades of documents by subtopic; with `by_stratum` the strata of sampled pools, and with
    `by_length` the lengths of documents.
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
        by_intent: bool = False,
        by_stratum: bool = False,
        by_length: bool = False,
    ) -> None:
        from berryeval._native import Board, Plan

        self._judgments = judgments
        self._n_calls = len(calls)
        self._pools = _pools(judgments)
        plan = Plan(calls, log2_ranks(_N_DISCOUNTS))
        self._make_board = partial(
            Board,
            self._pools,
            plan,
            keep_best,
            most,
            judged_only,
            n_grades,
            intents=_intents(judgments, self._pools) if by_intent else None,
            strata=_strata(judgments, self._pools) if by_stratum else None,
            lengths=_lengths(judgments) if by_length else None,
        )
        self.board = self._make_board()

    def restart(self) -> None:
        """Discard the scores, since the run is read in another way."""
        self.board = self._make_board()

    def score_run(self, run: Grouped) -> None:
        """Score a run in memory."""
        self.board.score_columns(*_columns(run), n_threads())

    def feed(self, pieces: Iterable[bytes]) -> bool:
        """Score text that comes in pieces; False if that is not possible."""
        return all(map(self.board.feed, pieces)) and self.board.finish_feeding()

    def results(self, n_shown: int = N_SHOWN) -> AllScores:
        """Return the scores, and the first `n_shown` ignored queries; the session is then over."""
        content, is_there, n_ignored, ignored_ids = self.board.results(n_shown)
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
    """Prepare the lookup tables of judgments, only once if they are kept."""
    from berryeval._native import Pools

    known: Pools | None = judgments.__dict__.get(_READY)
    if known is not None:
        return known
    pools = Pools(*_columns(judgments), n_threads())
    if isinstance(judgments, Judgments) and judgments.is_kept_ready:
        judgments.__dict__[_READY] = pools
    return pools


def _intents(judgments: Grouped, pools: Pools) -> Intents | None:
    """Prepare the grades by subtopic; None if there are none."""
    from berryeval._native import Intents

    if not isinstance(judgments, Judgments) or not judgments.subtopics:
        return None
    known: Intents | None = judgments.__dict__.get(_READY_INTENTS)
    if known is not None:
        return known
    weight_starts, weights = array("Q", [0]), array("d")
    part_starts, intents, grades = array("Q", [0]), array("I"), array("d")
    for query_id, rows in judgments.iter_queries():
        subtopics = judgments.subtopics.get(query_id, {})
        weight_of = judgments.subtopic_weights.get(query_id, {})
        names = sorted({name for by_subtopic in subtopics.values() for name in by_subtopic})
        places = {name: place for place, name in enumerate(names)}
        weights.extend(weight_of.get(name, 1.0) for name in names)
        weight_starts.append(len(weights))
        for row in rows:
            if subtopics:
                for name, grade in sorted(
                    subtopics.get(judgments.doc_ids.bytes_at(row), {}).items()
                ):
                    intents.append(places[name])
                    grades.append(grade)
            part_starts.append(len(grades))
    found = Intents(pools, weight_starts, weights, part_starts, intents, grades)
    if judgments.is_kept_ready:
        judgments.__dict__[_READY_INTENTS] = found
    return found


def _strata(judgments: Grouped, pools: Pools) -> Strata:
    """Prepare the strata: one per query if the judgments have none."""
    from berryeval._native import Strata

    known: Strata | None = judgments.__dict__.get(_READY_STRATA)
    if known is not None:
        return known
    by_query = judgments.strata if isinstance(judgments, Judgments) else {}
    n_strata, of_rows = array("I"), array("I")
    for query_id, rows in judgments.iter_queries():
        own = by_query.get(query_id)
        if not own:
            n_strata.append(1)
            of_rows.extend([0] * len(rows))
            continue
        names = [own.get(judgments.doc_ids.bytes_at(row), b"") for row in rows]
        places = {name: place for place, name in enumerate(sorted(set(names)))}
        n_strata.append(len(places))
        of_rows.extend(places[name] for name in names)
    found = Strata(pools, n_strata, of_rows)
    if isinstance(judgments, Judgments) and judgments.is_kept_ready:
        judgments.__dict__[_READY_STRATA] = found
    return found


def _lengths(judgments: Grouped) -> Lengths | None:
    """Prepare the lookup table of document lengths; None if there are none."""
    from berryeval._native import Lengths

    if not isinstance(judgments, Judgments) or not judgments.lengths:
        return None
    known: Lengths | None = judgments.__dict__.get(_READY_LENGTHS)
    if known is not None:
        return known
    doc_ids = IdColumn.of(judgments.lengths)
    found = Lengths(doc_ids.data, doc_ids.offsets, array("d", judgments.lengths.values()))
    if judgments.is_kept_ready:
        judgments.__dict__[_READY_LENGTHS] = found
    return found


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
