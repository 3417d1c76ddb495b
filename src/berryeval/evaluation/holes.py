"""The unjudged documents that matter most: the list to judge next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.bounds.case import Case, holes_of
from berryeval.evaluation.weighting import mean_over, weights_of
from berryeval.measures import GEOMETRIC_FLOOR, Measure, depth_of

__all__ = ["Hole", "check_runs", "find_holes", "highest_grade", "scale_of"]

_DIGITS = 12
"""Effects that differ by rounding alone are tied."""


@dataclass(frozen=True)
class Hole:
    """A retrieved document that is not judged."""

    query_id: str
    doc_id: str
    ranks: Mapping[str, int]
    """Its rank, from 1, in each run that has it within the ranks considered, by the run's name."""
    effect: float
    """The largest effect of judging it; see `find_holes`."""


def find_holes(
    judgments: Judgments,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    *,
    baseline: str | None = None,
    max_grade: float | None = None,
    k: int | None = None,
    queries: Mapping[str, Query] | None = None,
) -> list[Hole]:
    """Return the unjudged documents of some runs, those with the largest effect first.

    The effect of a hole is the largest change of a mean between giving it grade 0 and giving it
    `max_grade`, while all other holes have grade 0: over all measures, and over all runs. With a
    `baseline` it is the largest change of a difference to the baseline's mean instead. Means are
    over all judged queries. Holes below the cutoff of a measure in every run have no effect on it.

    Parameters
    ----------
    judgments : Judgments
        Queries without any judgment are omitted, as in an evaluation.
    runs : mapping from str to Run
        The runs, by name.
    measures : sequence of Measure
        The measures that the documents could change.
    baseline : str, optional
        The name of the run that the others are compared with.
    max_grade : float, optional
        The highest grade of the scale. Default: the highest that was given.
    k : int, optional
        Ranks to consider. Default: the deepest cutoff of the measures, or all ranks if one of
        them has no cutoff, which is slow for long rankings.
    queries : mapping of str to Query, optional
        By id. If they have weights, means are weighted.

    Returns
    -------
    list of Hole
        By effect, the largest first; ties by the bytes of query id and document id.

    Raises
    ------
    ArgumentError
        If there is no measure or no run, if a measure is intent-aware or looks at lengths, if the
        baseline is not one of the runs or the only one, or if `max_grade` is not above 0.
    MismatchError
        If a run has no query that is judged.

    Examples
    --------
    >>> from berryeval.measures import Precision
    >>> judgments = Judgments.from_dict({"q1": {"d1": 1}, "q2": {"d1": 1}})
    >>> run = Run.from_lists({"q1": ["d1", "d2"], "q2": ["d1"]})
    >>> find_holes(judgments, {"mine": run}, [Precision(2)])
    [Hole(query_id='q1', doc_id='d2', ranks={'mine': 2}, effect=0.25)]
    """
    check_runs(judgments, runs, measures, baseline)
    _check_measures(measures)
    grade = scale_of(judgments, max_grade)
    deepest = depth_of(measures)
    depth = deepest if k is None else k
    looked_at = None if deepest is None or depth is None else max(deepest, depth)
    query_ids = sorted(judgments.query_ids.iter_bytes())
    weights = weights_of(queries or {}, map(decode_id, query_ids))
    tallies = [_Tally(measure, judgments, runs, baseline, weights) for measure in measures]
    found = []
    for place, query_id in enumerate(query_ids):
        rankings = {name: run.ranked_ids(query_id, looked_at) for name, run in runs.items()}
        grades = judgments.grades_of(query_id)
        effects = dict.fromkeys(holes_of(rankings.values(), grades, depth), 0.0)
        for tally in tallies:
            for hole, effect in tally.effects(place, rankings, grades, grade):
                if hole in effects:
                    effects[hole] = max(effects[hole], effect)
        ranks = {
            name: {doc_id: rank for rank, doc_id in enumerate(ranking[:depth], start=1)}
            for name, ranking in rankings.items()
        }
        for hole, effect in effects.items():
            in_runs = {name: at[hole] for name, at in ranks.items() if hole in at}
            found.append(Hole(decode_id(query_id), decode_id(hole), in_runs, effect))
    return sorted(found, key=_decisiveness)


def _check_measures(measures: Sequence[Measure]) -> None:
    for measure in measures:
        if measure.uses_intents:
            expected = "no intent-aware measure, since an unjudged document may serve any intent"
            raise ArgumentError("measures", expected, str(measure))
        if measure.uses_strata:
            expected = "no estimate from a sample, which makes up for unjudged documents already"
            raise ArgumentError("measures", expected, str(measure))
        if measure.uses_lengths:
            expected = "no measure of lengths, since a grade changes what all later documents gain"
            raise ArgumentError("measures", expected, str(measure))


def _decisiveness(hole: Hole) -> tuple[float, bytes, bytes]:
    return -round(hole.effect, _DIGITS), encode_id(hole.query_id), encode_id(hole.doc_id)


class _Tally:
    """The means of one measure, and their changes by the grade of one hole."""

    def __init__(
        self,
        measure: Measure,
        judgments: Judgments,
        runs: Mapping[str, Run],
        baseline: str | None,
        weights: Sequence[float] | None,
    ) -> None:
        self.measure = measure
        self.n_queries = judgments.n_queries
        self.weights = weights
        self.total = None if weights is None else reduce(add, weights, 0.0)
        self.baseline = baseline
        self.geometric_means = (
            {name: self._geometric_mean(judgments, run) for name, run in runs.items()}
            if measure.aggregate == "geometric"
            else {}
        )

    def effects(
        self,
        place: int,
        rankings: Mapping[str, Sequence[bytes]],
        grades: Mapping[bytes, float],
        grade: float,
    ) -> Iterator[tuple[bytes, float]]:
        """Iterate over the holes of a query, each with the largest change it could make."""
        n_equal = self._n_equal(place)
        first = {name: ranking[: self.measure.depth] for name, ranking in rankings.items()}
        case = Case(grades, holes_of(first.values(), grades, None), grade)
        if not case.holes:
            return
        scored = {name: _Variants(self.measure, case, ranking) for name, ranking in first.items()}
        for hole in case.holes:
            changes = {
                name: self._change(
                    name, run.with_none, run.with_hole.get(hole, run.with_other), n_equal
                )
                for name, run in scored.items()
            }
            shared = 0.0 if self.baseline is None else changes.pop(self.baseline)
            yield hole, max(abs(change - shared) for change in changes.values())

    def _n_equal(self, place: int) -> float:
        """Return how many queries of this query's weight are worth as much as all queries."""
        if self.weights is None or self.total is None:
            return self.n_queries
        return self.total / self.weights[place]

    def _change(self, run: str, before: float, after: float, n_equal: float) -> float:
        """Return the change of a run's mean if the score of one query changes."""
        if self.measure.aggregate == "sum":
            return after - before
        if self.measure.aggregate == "geometric":
            ratio = _floored_log(after) - _floored_log(before)
            return self.geometric_means[run] * math.expm1(ratio / n_equal)
        return (after - before) / n_equal

    def _geometric_mean(self, judgments: Judgments, run: Run) -> float:
        logs = []
        for query_id in sorted(judgments.query_ids.iter_bytes()):
            case = Case(judgments.grades_of(query_id), (), 1.0)
            logs.append(_floored_log(case.score(self.measure, run.ranked_ids(query_id), {})))
        return math.exp(mean_over(logs, self.weights))


class _Variants:
    """The scores of a ranking if one of the holes has the highest grade, and all others 0."""

    def __init__(self, measure: Measure, case: Case, ranking: Sequence[bytes]) -> None:
        self.with_none = case.score(measure, ranking, case.nothing)
        seen = case.seen(ranking, case.nothing)
        others = [0.0] * (len(case.holes) - 1)
        judged = sorted([*case.judged, *others, case.max_grade], reverse=True)
        self.with_other = measure.score(seen, judged)
        """With a hole that is not in this ranking."""
        self.with_hole = {}
        for hole, rank in case.ranks(ranking).items():
            seen[rank - 1] = case.max_grade
            self.with_hole[hole] = measure.score(seen, judged)
            seen[rank - 1] = 0.0


def _floored_log(value: float) -> float:
    return math.log(max(value, GEOMETRIC_FLOOR))


def highest_grade(judgments: Judgments) -> float:
    """Return the highest grade that a hole may get: that declared or given, at least 1."""
    return max(1.0, judgments.scale or 1.0, max(judgments.grades, default=1.0))


def scale_of(judgments: Judgments, max_grade: float | None) -> float:
    """Return `max_grade` after checking it; if None, the highest grade declared or given."""
    if max_grade is None:
        return highest_grade(judgments)
    if not 0.0 < max_grade < math.inf:
        raise ArgumentError("max_grade", "a number above 0", str(max_grade))
    return float(max_grade)


def check_runs(
    judgments: Judgments, runs: Mapping[str, Run], measures: Sequence[Measure], baseline: str | None
) -> None:
    """Raise unless there are measures, and runs that share queries with the judgments."""
    if not measures:
        raise ArgumentError("measures", "at least one", "none")
    if not runs:
        raise ArgumentError("runs", "at least one", "none")
    if baseline is not None and baseline not in runs:
        raise ArgumentError("baseline", f"one of {', '.join(map(repr, runs))}", repr(baseline))
    if baseline is not None and len(runs) == 1:
        raise ArgumentError("runs", "a run other than the baseline", "none")
    judged = set(judgments.query_ids.iter_bytes())
    for name, run in runs.items():
        if judged.isdisjoint(run.query_ids.iter_bytes()):
            shown = [", ".join(map(repr, ids[:3])) for ids in (judgments.query_ids, run.query_ids)]
            raise MismatchError(
                f"{name}: no query in common with the judgments: judged queries are "
                f"{shown[0] or 'none'}; queries in the run are {shown[1] or 'none'}"
            )
