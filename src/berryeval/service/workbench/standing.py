"""How a run stands: its means, alone and against another run, over all queries and by slice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.core.query import Query
from berryeval.errors import MismatchError
from berryeval.evaluation.comparison import ROUNDING
from berryeval.evaluation.result import Evaluation, averaged, change_of_mean
from berryeval.evaluation.slices import LABELS, Slice, find_slices
from berryeval.measures import Measure
from berryeval.reports.wording import count
from berryeval.stats import Interval, adjust, bca_interval, paired_test, student_interval

__all__ = [
    "FEW_QUERIES",
    "Change",
    "Finding",
    "Standing",
    "interval_method",
    "slices_of",
    "standings",
]

Finding: TypeAlias = Literal["better", "worse", "unclear", "same"]

FEW_QUERIES = 20
"""A slice of fewer is watched, not trusted (as a gate does)."""

_ALPHA = 0.05
_MOST_RESAMPLED = 500
"""Queries: beyond, the bootstrap takes too long for a page, and says what Student's t says."""


@dataclass(frozen=True, slots=True)
class Change:
    """How far a mean is from that of another run, over the same queries."""

    before: float
    """The mean of the other run."""
    value: float
    interval: Interval | None
    """Of the difference, 95%; None with fewer than two queries, and for sums."""
    p_value: float | None
    """Of the paired t-test, adjusted where many were looked at; None where it is not defined."""
    is_gain: bool
    """Whether the difference is to the good."""

    @property
    def finding(self) -> Finding:
        """What the difference says: nothing, unless it can hardly be chance."""
        if self.value == 0 and self.p_value is None:
            return "same"
        if self.p_value is None or self.p_value > _ALPHA:
            return "unclear"
        return "better" if self.is_gain else "worse"


@dataclass(frozen=True, slots=True)
class Standing:
    """A measure of a run, over all queries or those of a slice."""

    measure: Measure
    slice: Slice | None
    n_queries: int
    mean: float
    interval: Interval | None
    """Of the mean, 95%."""
    change: Change | None
    """None if there is nothing to hold the run against, or no query in common."""

    @property
    def is_watched(self) -> bool:
        """Whether it is a slice of so few queries that chance rules."""
        return self.slice is not None and self.n_queries < FEW_QUERIES


def interval_method(n_queries: int) -> Literal["bca", "t"]:
    """Return how all intervals of an evaluation of so many queries are found."""
    return "bca" if n_queries <= _MOST_RESAMPLED else "t"


def standings(evaluation: Evaluation, reference: Evaluation | None = None) -> tuple[Standing, ...]:
    """Return each measure of a run, and how far it is from the other run's.

    P-values are adjusted over all measures, as a comparison's are.
    """
    places = _places(evaluation, reference)
    method = interval_method(evaluation.n_queries)
    return _adjusted(
        _standing(measure, None, method, *_columns(evaluation, reference, measure, places))
        for measure in evaluation.measures
    )


def slices_of(
    evaluation: Evaluation,
    reference: Evaluation | None,
    measure: Measure,
    queries: Mapping[str, Query],
) -> tuple[Standing, ...]:
    """Return a measure of each slice, by label and value; p-values are adjusted over all.

    Queries without labels are in no slice; where none has any, there is none.
    """
    places = _places(evaluation, reference)
    after, before = _columns(evaluation, reference, measure, places)
    method = interval_method(evaluation.n_queries)
    return _adjusted(
        _standing(measure, part, method, after[chosen], None if before is None else before[chosen])
        for part, chosen in _find(queries, evaluation.scores.query_ids)
    )


def _adjusted(found: Iterable[Standing]) -> tuple[Standing, ...]:
    """Return standings with their p-values adjusted by Holm over all of them."""
    several = tuple(found)
    adjusted = iter(adjust([one.change.p_value for one in several if one.change], "holm"))
    return tuple(
        replace(one, change=replace(one.change, p_value=next(adjusted))) if one.change else one
        for one in several
    )


def sentence_of(standing: Standing, name: str, against: str | None) -> str:
    """Say how a run stands against another, or alone."""
    measure, change, mean = standing.measure, standing.change, f"{standing.mean:.3f}"
    if change is None or against is None:
        return f"{name} has {measure} {mean} over {count(standing.n_queries, 'query', 'queries')}."
    before = f"{change.before:.3f}"
    if change.finding == "same":
        return f"{name} scores the same {measure} as {against} for every query."
    if change.finding == "unclear":
        return (
            f"{name} is not clearly different from {against}: "
            f"{measure} is {mean}, against {before}."
        )
    verb = "rises" if change.value > 0 else "falls"
    return f"{name} is {change.finding} than {against}: {measure} {verb} from {before} to {mean}."


def _find(
    queries: Mapping[str, Query], query_ids: Sequence[str]
) -> Iterator[tuple[Slice, NDArray[np.intp]]]:
    for label in LABELS:
        try:
            found = find_slices(queries, label, query_ids)
        except MismatchError:  # no query has this label
            continue
        for part, positions in found.items():
            yield part, np.array(positions, np.intp)


def _places(evaluation: Evaluation, reference: Evaluation | None) -> NDArray[np.intp] | None:
    """Return where each query of the run stands in the other, -1 for none; None if all alike."""
    if reference is None or reference.scores.query_ids == evaluation.scores.query_ids:
        return None
    place_of = {query_id: i for i, query_id in enumerate(reference.scores.query_ids)}
    return np.array([place_of.get(one, -1) for one in evaluation.scores.query_ids], np.intp)


def _columns(
    evaluation: Evaluation,
    reference: Evaluation | None,
    measure: Measure,
    places: NDArray[np.intp] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the scores of both runs query by query; NaN where the other has no such query."""
    after = _column(evaluation, measure)
    if reference is None:
        return after, None
    before = _column(reference, measure)
    return after, before if places is None else np.where(places >= 0, before[places], np.nan)


def _column(evaluation: Evaluation, measure: Measure) -> NDArray[np.float64]:
    return np.fromiter(averaged(measure, evaluation[str(measure)].values), np.float64)


def _standing(
    measure: Measure,
    part: Slice | None,
    method: str,
    after: NDArray[np.float64],
    before: NDArray[np.float64] | None,
) -> Standing:
    change = None
    if before is not None:
        is_common = ~np.isnan(before)
        if is_common.any():
            change = _change(measure, method, before[is_common], after[is_common])
    return Standing(
        measure, part, len(after), _mean(measure, after), _interval(measure, method, after), change
    )


def _mean(measure: Measure, values: NDArray[np.float64]) -> float:
    total = float(np.add.accumulate(values)[-1]) if len(values) else 0.0
    if measure.aggregate == "sum" or not len(values):
        return total
    mean = total / len(values)
    return math.exp(mean) if measure.aggregate == "geometric" else mean


def _interval(measure: Measure, method: str, values: NDArray[np.float64]) -> Interval | None:
    found = _plain_interval(measure, method, values)
    if found is None or measure.aggregate == "mean":
        return found
    return replace(found, low=math.exp(found.low), high=math.exp(found.high))


def _plain_interval(measure: Measure, method: str, values: NDArray[np.float64]) -> Interval | None:
    """Return the interval of what is averaged; sums have none."""
    if measure.aggregate == "sum":
        return None
    return bca_interval(values) if method == "bca" else student_interval(values)


def _change(
    measure: Measure, method: str, before: NDArray[np.float64], after: NDArray[np.float64]
) -> Change:
    differences = after - before
    differences[np.abs(differences) < ROUNDING] = 0.0
    reference = _mean(measure, before)
    value = _mean(measure, after) - reference if differences.any() else 0.0
    interval = _plain_interval(measure, method, differences)
    if interval is not None:
        low, high = (
            change_of_mean(measure, end, reference) for end in (interval.low, interval.high)
        )
        interval = replace(interval, low=low, high=high)
    p_value = paired_test("t", differences).p_value
    return Change(reference, value, interval, p_value, (value > 0) == measure.higher_is_better)
