"""Every system against every other, and how alike they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.result import averaged, change_of_mean
from berryeval.measures import Measure
from berryeval.stats import (
    kendall_tau,
    means_of,
    randomised_tukey_hsd,
    rank_biased_overlap,
    tau_ap,
    tukey_hsd,
)

__all__ = [
    "OrderSimilarity",
    "RunSimilarity",
    "SystemPair",
    "TukeyMethod",
    "all_pairs",
    "order_similarity",
    "run_similarity",
]

TukeyMethod: TypeAlias = Literal["randomised", "ordinary"]


@dataclass(frozen=True)
class SystemPair:
    """How far two systems are apart in one measure."""

    measure: Measure
    first: str
    second: str
    difference: float
    """The mean of the second minus that of the first, as a comparison has it."""
    p_value: float
    """By Tukey's honestly significant difference: for all pairs together."""


@dataclass(frozen=True)
class RunSimilarity:
    """How alike the rankings of two systems are; means over queries."""

    first: str
    second: str
    overlap: float
    """Rank-biased overlap: 1 for the same rankings, 0 for none in common."""
    tau: float | None
    """Kendall's tau-b of the documents that both have; None if no query has two of them."""
    tau_ap: float | None
    """The same with more weight at the top."""


@dataclass(frozen=True)
class OrderSimilarity:
    """How alike two measures order the systems."""

    first: Measure
    second: Measure
    tau: float | None
    tau_ap: float | None


def all_pairs(comparison: Comparison, method: TukeyMethod = "randomised") -> list[SystemPair]:
    """Test every system against every other, by Tukey's honestly significant difference.

    The query's own difficulty is taken into account. The p-values hold for all pairs of a
    measure together and are not corrected over measures. They decide nothing: whether a candidate
    is better than the baseline is for the comparison to say.

    Parameters
    ----------
    comparison : Comparison
        Of at least two queries.
    method : {"randomised", "ordinary"}
        By permuting the systems' scores within each query, or by the studentized range.

    Raises
    ------
    ArgumentError
        For another method, or fewer queries.
    """
    if method not in ("randomised", "ordinary"):
        raise ArgumentError("method", "'randomised' or 'ordinary'", repr(method))
    if comparison.n_queries < 2:  # noqa: PLR2004
        raise ArgumentError("comparison", "at least two queries", str(comparison.n_queries))
    how = comparison.statistics
    found = []
    for measure in comparison.measures:
        scores = _scores(comparison, measure)
        if method == "ordinary":
            p_values = tukey_hsd(scores)
        else:
            p_values = randomised_tukey_hsd(scores, how.n_resamples, how.seed)
        means = means_of(scores)
        for (i, first), (j, second) in combinations(enumerate(comparison.evaluations), 2):
            before = comparison.evaluations[first][str(measure)].mean
            difference = change_of_mean(measure, float(means[j] - means[i]), before)
            found.append(SystemPair(measure, first, second, difference, float(p_values[i, j])))
    return found


def _scores(comparison: Comparison, measure: Measure) -> NDArray[np.float64]:
    """Return what means are taken of, one column per system."""
    columns = [
        [*averaged(measure, evaluation[str(measure)].values)]
        for evaluation in comparison.evaluations.values()
    ]
    return np.array(columns).T.copy()


def run_similarity(
    comparison: Comparison, p: float = 0.9, depth: int | None = 100
) -> list[RunSimilarity]:
    """Return for every two runs how similar their rankings are.

    Parameters
    ----------
    comparison : Comparison
        Whose queries are looked at.
    p : float
        Persistence of rank-biased overlap: the probability that a reader goes on to the next rank.
    depth : int or None
        Number of ranks to consider; None means all.
    """
    rankings = {
        name: [run.ranked_ids(encode_id(q), depth) for q in comparison.query_ids]
        for name, run in comparison.runs.items()
    }
    found = []
    for first, second in combinations(rankings, 2):
        pairs = list(zip(rankings[first], rankings[second], strict=True))
        overlap = _mean([rank_biased_overlap(a, b, p) for a, b in pairs])
        common = [_common_ranks(a, b) for a, b in pairs]
        found.append(
            RunSimilarity(
                first,
                second,
                overlap or 0.0,
                _mean([t for ranks in common if (t := kendall_tau(*ranks)) is not None]),
                _mean([t for ranks in common if (t := tau_ap(*ranks)) is not None]),
            )
        )
    return found


def _common_ranks(a: Sequence[bytes], b: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """Return for the documents in both rankings minus their ranks: higher is better."""
    rank_in_b = {doc_id: rank for rank, doc_id in enumerate(b)}
    both = [(-rank, -rank_in_b[doc_id]) for rank, doc_id in enumerate(a) if doc_id in rank_in_b]
    return [rank for rank, _ in both], [rank for _, rank in both]


def _mean(values: Sequence[float]) -> float | None:
    return float(np.add.accumulate(values)[-1]) / len(values) if values else None


def order_similarity(comparison: Comparison) -> Iterator[OrderSimilarity]:
    """Return for every two measures how similarly they order the systems."""
    means = {
        measure: [evaluation[str(measure)].mean for evaluation in comparison.evaluations.values()]
        for measure in comparison.measures
    }
    for first, second in combinations(means, 2):
        x = [value if first.higher_is_better else -value for value in means[first]]
        y = [value if second.higher_is_better else -value for value in means[second]]
        yield OrderSimilarity(first, second, kendall_tau(x, y), tau_ap(x, y))
