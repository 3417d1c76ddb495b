"""Every system against every other, and how similar they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from berryeval.core.id_column import encode_id
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.differences import SystemPair, describe, find_pairs
from berryeval.evaluation.overlap import common_ranks
from berryeval.evaluation.repeats import noise_between
from berryeval.evaluation.sampling import Sampling
from berryeval.measures import Measure
from berryeval.stats import kendall_tau, rank_biased_overlap, tau_ap

__all__ = [
    "OrderSimilarity",
    "RunSimilarity",
    "SystemPair",
    "all_pairs",
    "order_similarity",
    "run_similarity",
    "with_pairs",
]


@dataclass(frozen=True)
class RunSimilarity:
    """How similar the rankings of two systems are; means over queries."""

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
    """How similarly two measures rank the systems."""

    first: Measure
    second: Measure
    tau: float | None
    tau_ap: float | None


def all_pairs(
    comparison: Comparison, measures: Sequence[Measure] | None = None
) -> list[SystemPair]:
    """Compare every system with every other, all pairs of one measure as one family.

    `measures` are those of the comparison, or some of them. The result is in their order, and in
    that of runs. Whether a candidate is better than the baseline is decided by the comparison
    itself: here the family is larger, and intervals are wider.
    """
    runs = comparison.evaluations
    found = []
    for measure in measures or comparison.measures:
        names, pairs = [], []
        for first, second in combinations(runs, 2):
            [pair] = find_pairs(
                runs[first],
                {second: runs[second]},
                [measure],
                comparison.query_ids,
                comparison.sampling,
            )
            noise = (comparison.noise.get(name, {}).get(measure) for name in (first, second))
            names.append((first, second))
            pairs.append(replace(pair, noise_sd=noise_between(*noise)))
        differences = describe(pairs, comparison.statistics, comparison.sampling)
        found += [SystemPair(*two, one) for two, one in zip(names, differences, strict=True)]
    return found


def with_pairs(comparison: Comparison) -> Comparison:
    """Return a comparison that also has every pair of its systems, which all reports show."""
    return replace(comparison, pairs=tuple(all_pairs(comparison)))


def run_similarity(
    comparison: Comparison, p: float = 0.9, depth: int | None = 100
) -> list[RunSimilarity]:
    """Return the similarity of the rankings of every pair of runs, in their first `depth` ranks.

    `p` is the persistence of rank-biased overlap: the probability that a reader continues to the
    next rank.
    """
    sampling = comparison.sampling
    rankings = {
        name: [run.ranked_ids(encode_id(q), depth) for q in comparison.query_ids]
        for name, run in comparison.runs.items()
    }
    found = []
    for first, second in combinations(rankings, 2):
        pairs = list(zip(rankings[first], rankings[second], strict=True))
        overlap = _mean([rank_biased_overlap(a, b, p) for a, b in pairs], sampling)
        common = [common_ranks(a, b) for a, b in pairs]
        found.append(
            RunSimilarity(
                first,
                second,
                overlap or 0.0,
                _mean([kendall_tau(*ranks) for ranks in common], sampling),
                _mean([tau_ap(*ranks) for ranks in common], sampling),
            )
        )
    return found


def _mean(values: Sequence[float | None], sampling: Sampling) -> float | None:
    """Return the mean over the queries that have a value; None if none has."""
    rows = [row for row, value in enumerate(values) if value is not None]
    if not rows:
        return None
    sampling = sampling.take(rows)
    return sampling.mean_over(np.array([values[row] for row in rows], np.float64))


def order_similarity(comparison: Comparison) -> Iterator[OrderSimilarity]:
    """Return how similarly every pair of measures orders the systems."""
    means = {
        measure: [evaluation[str(measure)].mean for evaluation in comparison.evaluations.values()]
        for measure in comparison.measures
    }
    for first, second in combinations(means, 2):
        x = [value if first.higher_is_better else -value for value in means[first]]
        y = [value if second.higher_is_better else -value for value in means[second]]
        yield OrderSimilarity(first, second, kendall_tau(x, y), tau_ap(x, y))
