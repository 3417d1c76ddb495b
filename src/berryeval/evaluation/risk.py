"""How much candidates risk against the baseline of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from berryeval.evaluation.differences import Pair
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.sampling import Sampling
from berryeval.measures import Measure
from berryeval.stats import geo_risk, weigh_losses

__all__ = ["Risk", "find_risks", "risk_notes"]


@dataclass(frozen=True)
class Risk:
    """How much a candidate gains and loses against the baseline in one measure.

    Gains and losses are differences of what is averaged: scores, or their logarithms for a
    geometric mean.
    """

    system: str
    measure: Measure
    alpha: float
    """How much more a loss counts than a gain."""
    reward: float
    """The sum of the gains, divided by the number of queries."""
    risk: float
    """The sum of the losses, divided by the number of queries: 0 or more."""
    u_risk: float
    """Reward minus 1 + alpha times risk (Wang, Bennett and Collins-Thompson 2012)."""
    t_risk: float | None
    """`u_risk` in units of its standard error (Dinçer, Macdonald and Ounis 2014); None without a
    spread."""
    geo_risk: float | None
    """Geometric risk among all systems of the comparison (Dinçer, Macdonald and Ounis 2016); None
    for measures that can be negative, of which less is better, or with a geometric mean."""
    baseline_geo_risk: float | None
    """The same for the baseline."""
    robustness_index: float
    """The share of queries that gain minus the share of those that lose (Sakai, Manabe and Koyama
    2005)."""


def find_risks(
    pairs: Iterable[Pair],
    evaluations: Mapping[str, Evaluation],
    baseline: str,
    alphas: Sequence[float],
    sampling: Sampling,
) -> Iterator[Risk]:
    """Return the risks of each candidate, for each weight of losses and each measure.

    All pairs are over the same queries. Means are weighted if queries have weights, and standard
    errors allow for groups and strata. Geometric risk considers neither. A percentile has no risk:
    it is not a mean of what single queries gain.
    """
    averaged = [pair for pair in pairs if pair.measure.aggregate != "percentile"]
    for alpha in dict.fromkeys(alphas):
        by_system = {
            measure: _geo_risks(measure, evaluations, alpha)
            for measure in dict.fromkeys(pair.measure for pair in averaged)
        }
        for pair in averaged:
            found = pair.differences
            gains = found if pair.measure.higher_is_better else 0.0 - found
            weighed = weigh_losses(gains, alpha)
            spread = sampling.mean_of(weighed)
            error = 0.0 if spread is None else spread.standard_error
            u_risk = sampling.mean_over(weighed)
            yield Risk(
                pair.system,
                pair.measure,
                alpha,
                reward=sampling.mean_over(np.maximum(gains, 0.0)),
                risk=sampling.mean_over(np.maximum(0.0 - gains, 0.0)),
                u_risk=u_risk,
                t_risk=u_risk / error if error > 0.0 else None,
                geo_risk=by_system[pair.measure].get(pair.system),
                baseline_geo_risk=by_system[pair.measure].get(baseline),
                robustness_index=sampling.mean_over(np.sign(gains)),
            )


def risk_notes(measures: Iterable[Measure]) -> Iterator[str]:
    """Iterate over notes on measures that are no arithmetic means."""
    by_aggregate: dict[str, list[str]] = {}
    for measure in measures:
        by_aggregate.setdefault(measure.aggregate, []).append(str(measure))
    if "geometric" in by_aggregate:
        named = ", ".join(by_aggregate["geometric"])
        yield (
            f"Risk in {named}: gains and losses are differences of logarithms, of which the "
            "geometric mean is made. Geometric risk requires arithmetic means."
        )
    if "percentile" in by_aggregate:
        named = ", ".join(by_aggregate["percentile"])
        yield f"No risk in {named}: a percentile is not a mean of what queries gain and lose."


def _geo_risks(
    measure: Measure, evaluations: Mapping[str, Evaluation], alpha: float
) -> dict[str, float]:
    is_negative = not measure.higher_is_better or measure.bounds[0] < 0.0
    if is_negative or measure.aggregate == "geometric":
        return {}
    scores = [np.asarray(one[str(measure)].values) for one in evaluations.values()]
    found = geo_risk(np.column_stack(scores), alpha)
    return dict(zip(evaluations, found, strict=True))
