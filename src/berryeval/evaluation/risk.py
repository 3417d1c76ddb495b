"""How much candidates risk against the baseline of a comparison."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.findings import difference_of
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.sampling import Sampling
from berryeval.measures import Measure
from berryeval.stats import geo_risk, weigh_losses

__all__ = ["Risk", "find_risks"]


@dataclass(frozen=True)
class Risk:
    """How much a candidate gains and loses against the baseline in one measure."""

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
    for measures that can be negative, or of which less is better."""
    baseline_geo_risk: float | None
    """The same for the baseline."""
    robustness_index: float
    """The share of queries that gain minus the share of those that lose (Sakai, Manabe and Koyama
    2005)."""


def find_risks(
    evaluations: Mapping[str, Evaluation],
    baseline: str,
    measures: Iterable[Measure],
    alphas: Iterable[float],
    sampling: Sampling,
) -> Iterator[Risk]:
    """Return the risks of each candidate, for each weight of losses and each measure.

    All evaluations are over the same queries. Means are weighted if queries have weights, and
    standard errors allow for groups and strata. Geometric risk considers neither.
    """
    chosen = [*measures]
    for alpha in dict.fromkeys(alphas):
        for measure in chosen:
            by_system = _geo_risks(measure, evaluations, alpha)
            for system in evaluations:
                if system != baseline:
                    gains = _gains(measure, evaluations[baseline], evaluations[system])
                    weighed = weigh_losses(gains, alpha)
                    spread = sampling.mean_of(weighed)
                    error = 0.0 if spread is None else spread.standard_error
                    u_risk = sampling.mean_over(weighed)
                    yield Risk(
                        system,
                        measure,
                        alpha,
                        reward=sampling.mean_over(np.maximum(gains, 0.0)),
                        risk=sampling.mean_over(np.maximum(0.0 - gains, 0.0)),
                        u_risk=u_risk,
                        t_risk=u_risk / error if error > 0.0 else None,
                        geo_risk=by_system.get(system),
                        baseline_geo_risk=by_system.get(baseline),
                        robustness_index=sampling.mean_over(np.sign(gains)),
                    )


def _gains(measure: Measure, baseline: Evaluation, system: Evaluation) -> NDArray[np.float64]:
    """Return how much better each query is; differences due to rounding are 0."""
    before, after = baseline[str(measure)].values, system[str(measure)].values
    found = np.array([difference_of(old, new) for old, new in zip(before, after, strict=True)])
    return found if measure.higher_is_better else 0.0 - found


def _geo_risks(
    measure: Measure, evaluations: Mapping[str, Evaluation], alpha: float
) -> dict[str, float]:
    if not measure.higher_is_better or measure.bounds[0] < 0.0:
        return {}
    scores = [np.asarray(one[str(measure)].values) for one in evaluations.values()]
    found = geo_risk(np.column_stack(scores), alpha)
    return dict(zip(evaluations, found, strict=True))
