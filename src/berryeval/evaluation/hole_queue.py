"""The holes of many runs in the order in which to judge them, quickly.

`find_holes` scores every hole exactly. For a queue it is enough to know which holes weigh most,
and how much exactly those at its head could change.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import repeat
from operator import add

from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.holes import find_holes, highest_grade
from berryeval.evaluation.weighting import weights_of
from berryeval.measures import Measure

__all__ = ["HoleQueue", "QueuedHole", "queue_holes"]


@dataclass(frozen=True, slots=True)
class QueuedHole:
    """A hole in a queue."""

    query_id: str
    doc_id: str
    n_runs: int
    """The number of runs that have it within the ranks considered."""
    weight: float
    """The key of the queue: the sum of the discounts of its ranks, or with a baseline the largest
    difference to that of the baseline; times the query's weight, if there are any."""
    effect: float | None = None
    """The largest effect of judging it, as in `find_holes`; None unless it is at the head, and for
    queries without any judgment."""


@dataclass(frozen=True, slots=True)
class HoleQueue:
    """Holes, in order of decreasing weight."""

    holes: Sequence[QueuedHole]
    n_holes: int
    """Total number of holes."""
    n_runs: int
    """Number of runs that were examined."""


def queue_holes(
    judgments: Judgments,
    runs: Mapping[str, Run],
    measure: Measure,
    *,
    baseline: str | None = None,
    k: int = 10,
    most: int = 5000,
    head: int = 100,
    queries: Mapping[str, Query] | None = None,
) -> HoleQueue:
    """Return unjudged documents in the first k of runs, the heaviest first; at most `most`.

    Queries without any judgment are included. The first `head` holes have their exact effect on the
    measure, or on its difference to the baseline, and are ordered by it; a measure of the sum or
    the geometric mean has none. Holes of a query with more weight are heavier.
    """
    discounts = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
    others = [run for name, run in runs.items() if name != baseline]
    before = None if baseline is None else runs[baseline]
    query_ids = dict.fromkeys(one for run in runs.values() for one in run.query_ids.iter_bytes())
    # A heap of the heaviest: sorting half a million to get five thousand takes longer.
    heap: list[tuple[float, bytes, bytes, int]] = []
    n_holes = 0
    of_queries = weights_of(queries or {}, map(decode_id, query_ids)) or repeat(1.0)
    for query_id, of_query in zip(query_ids, of_queries, strict=False):
        judged = _judged(judgments, query_id)
        for doc_id, (n_runs, weight) in _weights(query_id, others, before, discounts, k).items():
            if doc_id in judged:
                continue
            n_holes += 1
            entry = (of_query * weight, query_id, doc_id, n_runs)
            if len(heap) < most:
                heapq.heappush(heap, entry)
            elif entry > heap[0]:
                heapq.heapreplace(heap, entry)
    heap.sort(key=lambda entry: (-entry[0], entry[1], entry[2]))
    found = [
        QueuedHole(decode_id(query_id), decode_id(doc_id), n_runs, weight)
        for weight, query_id, doc_id, n_runs in heap
    ]
    with_effects = _with_effects(found[:head], judgments, runs, measure, baseline, k, queries or {})
    return HoleQueue([*with_effects, *found[head:]], n_holes, len(runs))


def _judged(judgments: Judgments, query_id: bytes) -> set[bytes]:
    rows = judgments.rows_of(query_id)
    return {judgments.doc_ids.bytes_at(row) for row in rows if judgments.values[row] >= 0}


def _weights(
    query_id: bytes, others: Iterable[Run], before: Run | None, discounts: Sequence[float], k: int
) -> dict[bytes, tuple[int, float]]:
    """Return for each document the number of runs that have it, and its weight."""
    if before is None:
        found: dict[bytes, tuple[int, float]] = {}
        for run in others:
            for doc_id, discount in zip(run.ranked_ids(query_id, k), discounts, strict=False):
                n_runs, weight = found.get(doc_id, (0, 0.0))
                found[doc_id] = n_runs + 1, weight + discount
        return found
    of_baseline = dict(zip(before.ranked_ids(query_id, k), discounts, strict=False))
    found = {}
    rankings = [dict(zip(run.ranked_ids(query_id, k), discounts, strict=False)) for run in others]
    for doc_id in dict.fromkeys(doc_id for ranks in (of_baseline, *rankings) for doc_id in ranks):
        its = of_baseline.get(doc_id, 0.0)
        weight = max(abs(ranks.get(doc_id, 0.0) - its) for ranks in rankings)
        n_runs = (doc_id in of_baseline) + sum(doc_id in ranks for ranks in rankings)
        found[doc_id] = n_runs, weight
    return found


def _with_effects(
    holes: Sequence[QueuedHole],
    judgments: Judgments,
    runs: Mapping[str, Run],
    measure: Measure,
    baseline: str | None,
    k: int,
    queries: Mapping[str, Query],
) -> list[QueuedHole]:
    """Return holes with their exact effects, the largest first; those without come last."""
    query_ids = {encode_id(hole.query_id) for hole in holes}
    graded = {query_id: judgments.grades_of(query_id) for query_id in query_ids}
    few = Judgments.from_dict(
        {
            decode_id(query_id): {decode_id(doc_id): grade for doc_id, grade in grades.items()}
            for query_id, grades in graded.items()
            if grades
        }
    )
    ids = [*few.query_ids]
    of_few = {
        name: Run.from_lists({query_id: run.ranking(query_id, k) for query_id in ids})
        for name, run in runs.items()
    }
    has_no_effect = measure.uses_intents or measure.uses_strata or measure.uses_lengths
    if not ids or measure.aggregate != "mean" or has_no_effect:
        return list(holes)
    scale = highest_grade(judgments)
    exact = find_holes(
        few, of_few, [measure], baseline=baseline, max_grade=scale, k=k, queries=queries
    )
    share = few.n_queries / judgments.n_queries
    weights = weights_of(queries, judgments.query_ids)
    if weights is not None:
        of_query = dict(zip(judgments.query_ids, weights, strict=True))
        share = reduce(add, map(of_query.__getitem__, ids)) / reduce(add, weights)
    effects = {(hole.query_id, hole.doc_id): hole.effect * share for hole in exact}
    known = [replace(hole, effect=effects.get((hole.query_id, hole.doc_id))) for hole in holes]
    return sorted(known, key=lambda hole: -1.0 if hole.effect is None else -1.0 - hole.effect)
