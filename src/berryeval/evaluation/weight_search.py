"""The best weights of a fusion, found by exact line search and coordinate ascent.

The fused score of a document is the sum, over runs, of the run's value times its weight. If
one weight moves and the others keep their proportions, the scores of two documents change places at
one point at most. A measure depends on the order of documents only: over the moving weight it is a
step function, whose steps are at those points. Its maximum is exact, and no grid can miss it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from operator import add, itemgetter
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.kernels.relevance import NOT_IN_POOL, usable_grade
from berryeval.measures import Measure

__all__ = ["Steps", "WeightSearch", "best_share"]

Floats: TypeAlias = NDArray[np.float64]
Weights: TypeAlias = "tuple[float, ...]"

_EQUAL = 1e-9
"""Sums of scores that differ by less are equal."""
_MAX_SWEEPS = 20


@dataclass(frozen=True, eq=False)
class Steps:
    """The score of one query as a function of a share from 0 to 1."""

    ends: Floats
    """The ends of steps in ascending order, all between 0 and 1."""
    values: Floats
    """One more than there are ends."""

    def at(self, share: float) -> float:
        """Return the score at a share."""
        return float(self.values[np.searchsorted(self.ends, share)])


class WeightSearch:
    """The values that each run gives the documents of each judged query.

    Parameters
    ----------
    parts : sequence of Run
        The runs fused with weight 1 for one of them and 0 for the others, one after the other. All
        have the same documents.
    judgments : Judgments
        Grades of documents.
    measure : Measure
        With a cutoff. Its scores are negated if lower ones are better.
    worth : callable
        How much a query counts. Default: 1 each.
    """

    def __init__(
        self,
        parts: Sequence[Run],
        judgments: Judgments,
        measure: Measure,
        worth: Callable[[bytes], float] = lambda _query_id: 1.0,
    ) -> None:
        self.n_runs = len(parts)
        self._worth = worth
        self._queries = {
            query_id: _Query(parts, query_id, judgments.grades_of(query_id), measure)
            for query_id in judgments.query_ids.iter_bytes()
        }
        self._known: dict[tuple[bytes, int, Weights], Steps] = {}

    def steps(self, query_id: bytes, run: int, others: Weights) -> Steps:
        """Return the score of a query by the share of one run; `others` are weights, 0 for it."""
        key = (query_id, run, others)
        if key not in self._known:
            self._known[key] = self._queries[query_id].steps(run, others)
        return self._known[key]

    def search(
        self, query_ids: Sequence[bytes], starts: Sequence[Weights]
    ) -> tuple[Weights, float]:
        """Return the best weights, which add up to 1, and the mean score of these queries.

        For two runs one line search is enough. For more, one weight after the other is improved
        until none can be, from each start; of equal results, that of the first start is returned.
        """
        found: tuple[Weights, float] | None = None
        for start in starts[: 1 if self.n_runs == 2 else None]:  # noqa: PLR2004
            weights, total = self._ascend(query_ids, start)
            if found is None or total > found[1] + _EQUAL:
                found = weights, total
        assert found is not None
        return found[0], found[1] / reduce(add, map(self._worth, query_ids), 0.0)

    def _ascend(self, query_ids: Sequence[bytes], start: Weights) -> tuple[Weights, float]:
        weights, best = start, -np.inf
        if self.n_runs == 2:  # noqa: PLR2004
            return self._improve(query_ids, 1, weights)
        for _ in range(_MAX_SWEEPS):
            before = best
            for run in range(self.n_runs):
                moved, total = self._improve(query_ids, run, weights)
                if total > best + _EQUAL:
                    weights, best = moved, total
            if best <= before + _EQUAL:
                break
        return weights, best

    def _improve(
        self, query_ids: Sequence[bytes], run: int, weights: Weights
    ) -> tuple[Weights, float]:
        others = proportions(weights, run)
        steps = [self.steps(query_id, run, others) for query_id in query_ids]
        share, total = best_share(steps, [*map(self._worth, query_ids)])
        return with_share(others, run, share), total


def proportions(weights: Sequence[float], run: int) -> Weights:
    """Return the weights of the other runs, which add up to 1, and 0 for this one."""
    others = [0.0 if i == run else weight for i, weight in enumerate(weights)]
    total = reduce(add, others, 0.0)
    if total <= 0:
        others, total = [float(i != run) for i in range(len(weights))], len(weights) - 1.0
    return tuple(weight / total for weight in others)


def with_share(others: Weights, run: int, share: float) -> Weights:
    """Return weights in which one run has a share, and the others the rest."""
    return tuple(share if i == run else (1.0 - share) * weight for i, weight in enumerate(others))


def best_share(
    steps: Sequence[Steps], weights: Sequence[float] | None = None
) -> tuple[float, float]:
    """Return the share at which the weighted sum of step functions is highest, and that sum.

    Weights are 1 if none are given. The share is the middle of a step; of several equally high
    ones, the widest, then the first.
    """
    levels = [one.values for one in steps]
    if weights is not None:
        levels = [weight * level for weight, level in zip(weights, levels, strict=True)]
    ends = np.concatenate([one.ends for one in steps])
    rises = np.concatenate([np.diff(level) for level in levels])
    order = np.argsort(ends, kind="stable")
    first = reduce(add, (float(level[0]) for level in levels), 0.0)
    totals = np.concatenate([[first], first + np.cumsum(rises[order])])
    edges = np.concatenate([[0.0], ends[order], [1.0]])
    widths = np.diff(edges)
    is_best = totals >= totals[widths > 0].max() - _EQUAL
    place = int(np.argmax(np.where(is_best, widths, -1.0)))
    return float(edges[place] + widths[place] / 2), float(totals[place])


class _Query:
    """The documents of a query, with the value that each run gives them."""

    def __init__(
        self, parts: Sequence[Run], query_id: bytes, grade_of: dict[bytes, float], measure: Measure
    ) -> None:
        rows = parts[0].rows_of(query_id)
        doc_ids = sorted(parts[0].doc_ids.iter_bytes(rows.start, rows.stop), reverse=True)
        place_of = {doc_id: place for place, doc_id in enumerate(doc_ids)}
        self._values = np.zeros((len(doc_ids), len(parts)))
        for run, part in enumerate(parts):
            own = part.rows_of(query_id)
            places = [place_of[one] for one in part.doc_ids.iter_bytes(own.start, own.stop)]
            self._values[places, run] = part.values[own.start : own.stop]
        grades = [usable_grade(grade_of, doc_id) for doc_id in doc_ids]
        self._grades = np.array(grades)
        # Unjudged documents are all alike: only the ranks of the others matter.
        self._judged = np.flatnonzero(self._grades != NOT_IN_POOL)
        assert measure.k is not None
        self._k = min(measure.k, len(doc_ids))
        pool = sorted((grade for grade in grade_of.values() if grade >= 0), reverse=True)
        sign = 1.0 if measure.higher_is_better else -1.0
        self._score: Callable[[Weights], float] = lambda seen: sign * measure.score(seen, pool)
        self._scores: dict[tuple[float, ...], float] = {}

    def steps(self, run: int, others: Weights) -> Steps:
        """Follow the ranks of judged documents from share 0 to share 1."""
        rest = np.zeros(len(self._values))
        for i, weight in enumerate(others):
            rest += weight * self._values[:, i]
        ranks, events = self._paths(rest, self._values[:, run])
        ends, values = [], [self._score_of(ranks)]
        for end, moved in events:
            ranks.update(moved)
            value = self._score_of(ranks)
            if value != values[-1]:
                ends.append(end)
                values.append(value)
        return Steps(np.array(ends), np.array(values))

    def _score_of(self, ranks: Mapping[int, int]) -> float:
        seen = [NOT_IN_POOL] * self._k
        for number, rank in ranks.items():
            if rank <= self._k:
                seen[rank - 1] = float(self._grades[number])
        key = tuple(seen)
        if key not in self._scores:
            self._scores[key] = self._score(key)
        return self._scores[key]

    def _paths(
        self, rest: Floats, own: Floats
    ) -> tuple[dict[int, int], Iterator[tuple[float, dict[int, int]]]]:
        """Return the first ranks of judged documents, and the points at which they change.

        Changes below the first k are left out.
        """
        ranks: dict[int, int] = {}
        found: list[tuple[float, int, int]] = []
        for number in self._judged.tolist():
            before, after = rest - rest[number], own - own[number]
            # Equal documents keep the order of their ids, which is that of their numbers.
            is_above = np.where(before == 0, after > 0, before > 0)
            is_above[:number] |= (before[:number] == 0) & (after[:number] == 0)
            ends_above = np.where(after == 0, before > 0, after > 0)
            ends_above[:number] |= (before[:number] == 0) & (after[:number] == 0)
            rank = 1 + int(np.count_nonzero(is_above))
            crossing = np.flatnonzero((before > 0) & (after < 0) | (before < 0) & (after > 0))
            ends = before[crossing] / (before[crossing] - after[crossing])
            moves = np.where(ends_above[crossing], 1, -1)
            order = np.argsort(ends, kind="stable")
            path = rank + np.cumsum(moves[order])
            is_seen = np.minimum(path, path - moves[order]) <= self._k
            if rank <= self._k or is_seen.any():
                ranks[number] = rank
                found += [
                    (end, number, moved)
                    for end, moved in zip(
                        ends[order][is_seen].tolist(), path[is_seen].tolist(), strict=True
                    )
                ]
        found.sort(key=itemgetter(0))  # stable: several moves of one document stay in order
        return ranks, _together(found)


def _together(
    moves: Sequence[tuple[float, int, int]],
) -> Iterator[tuple[float, dict[int, int]]]:
    """Group moves that happen at the same point."""
    for end, several in groupby(moves, key=itemgetter(0)):
        yield end, {number: rank for _, number, rank in several}
