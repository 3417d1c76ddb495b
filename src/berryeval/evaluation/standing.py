"""The standing of a run: its means, alone and compared with another run, overall and by slice.

It takes finished evaluations. What a change says is decided as in a comparison of the two runs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from berryeval.core.query import Query
from berryeval.evaluation.comparison import Difference, Statistics
from berryeval.evaluation.differences import describe, describe_common, describe_slices, find_pairs
from berryeval.evaluation.gate_rules import DEFAULT_RULES
from berryeval.evaluation.headline import result_sentence
from berryeval.evaluation.notes import count_queries
from berryeval.evaluation.result import Evaluation, aggregated, interval_of
from berryeval.evaluation.sampling import Sampling, sampling_of
from berryeval.evaluation.slices import Slice, find_all_slices
from berryeval.measures import Measure
from berryeval.stats import Interval

__all__ = [
    "FEW_QUERIES",
    "Standing",
    "slice_standings",
    "standing_sentence",
    "standings",
    "worst_first",
]

_NAME = "candidate"
FEW_QUERIES = DEFAULT_RULES.smallest_slice
"""A slice of fewer queries is watched, as in a gate."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A measure of a run, over all queries or those of a slice."""

    measure: Measure
    slice: Slice | None
    n_queries: int
    mean: float
    interval: Interval | None
    """95% interval of the mean; None for fewer than two queries, and for sums."""
    change: Difference | None
    """Change from the other run; None if there is none, or no query in common."""
    common: Difference | None = None
    """The change over the queries that both runs have, if either lacks any."""
    effective_queries: float | None = None
    """Equivalent number of queries of equal weight (Kish); None without weights."""

    @property
    def is_watched(self) -> bool:
        """Whether it is a slice with too few queries for a verdict."""
        return self.slice is not None and self.n_queries < FEW_QUERIES


def standings(evaluation: Evaluation, reference: Evaluation | None = None) -> tuple[Standing, ...]:
    """Return each measure of a run, and its difference to that of the reference.

    Both have the same measures. Only queries of both are compared.
    """
    changes: dict[Measure, Difference] = {}
    over_common: dict[Measure, Difference] = {}
    query_ids = _common(evaluation, reference)
    if reference is not None and query_ids:
        sampling = sampling_of(evaluation.queries, query_ids)
        pairs = find_pairs(reference, {_NAME: evaluation}, evaluation.measures, query_ids, sampling)
        changes = {found.measure: found for found in describe(pairs, Statistics(), sampling)}
        if len(query_ids) == evaluation.n_queries == reference.n_queries:
            both = (reference, evaluation)
            common = describe_common(pairs, both, Statistics(), sampling)
            over_common = {found.measure: found for found in common}
    return tuple(
        Standing(
            result.measure,
            None,
            evaluation.n_queries,
            result.mean,
            result.interval,
            changes.get(result.measure),
            over_common.get(result.measure),
            evaluation.effective_queries,
        )
        for result in evaluation.values()
    )


def slice_standings(
    evaluation: Evaluation,
    reference: Evaluation | None,
    measure: Measure,
    queries: Mapping[str, Query],
) -> tuple[Standing, ...]:
    """Return a measure of each slice, by label and value.

    Queries without labels are in no slice; where none has any, there is none.
    """
    changes: dict[Slice | None, Difference] = {}
    common = _common(evaluation, reference)
    if reference is not None and common:
        both = sampling_of(queries, common)
        pairs = find_pairs(reference, {_NAME: evaluation}, [measure], common, both)
        parts = find_all_slices(queries, common).items()
        found = describe_slices(pairs, parts, Statistics(), both)
        changes = {difference.slice: difference for difference in found}
    scores = evaluation[str(measure)].values
    query_ids = list(evaluation.scores.query_ids)
    sampling = sampling_of(queries, query_ids)
    return tuple(
        _slice_standing(
            measure,
            part,
            array("d", (scores[i] for i in positions)),
            sampling.take(positions),
            changes,
        )
        for part, positions in find_all_slices(queries, query_ids).items()
    )


def _slice_standing(
    measure: Measure,
    part: Slice,
    scores: array[float],
    sampling: Sampling,
    changes: Mapping[Slice | None, Difference],
) -> Standing:
    return Standing(
        measure,
        part,
        len(scores),
        aggregated(measure, scores, sampling.weights),
        interval_of(measure, scores, sampling=sampling),
        changes.get(part),
        effective_queries=sampling.effective_queries,
    )


def worst_first(slices: Iterable[Standing]) -> list[Standing]:
    """Return slices, with the largest losses first; without a comparison, in order of their means.

    Watched slices come after all others.
    """

    def harm(one: Standing) -> tuple[bool, float]:
        value = one.mean if one.change is None else one.change.mean
        return one.is_watched, value if one.measure.higher_is_better else -value

    return sorted(slices, key=harm)


def standing_sentence(
    standing: Standing, run: tuple[str, Evaluation], other: tuple[str, Evaluation] | None = None
) -> str:
    """Return how a run compares with another, or its own score; both by their display names."""
    name = run[0]
    if standing.change is None or other is None:
        queries = count_queries(standing.n_queries)
        return f"{name} has {standing.measure} {standing.mean:.4f} over {queries}."
    whole = replace(standing.change, system=name)
    common = [replace(standing.common, system=name)] if standing.common else []
    return result_sentence([whole], common, other[0], [other, run])


def _common(evaluation: Evaluation, reference: Evaluation | None) -> list[str]:
    """Return the queries that both have."""
    if reference is None:
        return []
    if reference.scores.query_ids == evaluation.scores.query_ids:
        return list(evaluation.scores.query_ids)
    there = set(reference.scores.query_ids)
    return [query_id for query_id in evaluation.scores.query_ids if query_id in there]
