"""Margin guards in numbers: whether the drop is smaller, or larger, than what is accepted.

Two hypotheses are tested for each guard: that the mean difference is at most minus the margin, and
that it is at least that. Each p-value is the larger of two: that of Student's t, and that of
Student's t after Hall's transform has removed a skewness. Real drops are skewed, since a few
queries lose much, and a small sample that happens to miss these looks harmless. So two things are
assumed before a drop is ruled out: more skewness than was observed, -1 at least, and two more
queries that lost everything.

Where a model contributes, a guard fails only if people's labels alone show a drop beyond the
margin, too, if only at the level `AGREEING`. A model that errs much on a few queries, all in one
direction, leaves a residual with a long tail; a sample that misses the tail corrects too little,
and would fail up to 15% instead of 5% of drops as large as the margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy import special

from berryeval.evaluation.gate_rules import Verdict
from berryeval.stats import Interval, SampleMean, adjust

__all__ = [
    "AGREEING",
    "SMALL_SET",
    "MarginPValues",
    "changed_share_bound",
    "correct_failing",
    "equivalence_p_values",
    "judge_margin",
    "margin_interval",
    "margin_p_values",
]

SMALL_SET = 50
"""With fewer queries, drops of single pairs of systems pass more often than alpha says."""

AGREEING = 0.2
"""Significance level at which people's labels alone have to agree with a fail that rests on a model
as well. At 0.5, where only their mean has to be beyond the margin, judges that favour the baseline
fail up to 9% of the drops as large as the margin; at 0.05 a model could not add to a fail."""


@dataclass(frozen=True)
class MarginPValues:
    """The p-values of both hypotheses."""

    passing: float
    """P-value of H0: the mean difference is -margin or less. Low if the drop is within the
    margin."""
    failing: float
    """P-value of H0: the mean difference is -margin or more. Low if the drop exceeds the margin."""


def margin_p_values(sample: SampleMean, margin: float, loss: float) -> MarginPValues:
    """Test a mean difference, turned so that below 0 is worse, against minus a margin.

    `loss` is the most that one query can lose.
    """
    passing = sample.p_above(-margin, skewness=sample.cautious_skewness, loss=loss)
    return MarginPValues(passing, _p_of_drop(sample, margin))


def equivalence_p_values(sample: SampleMean, margin: float, loss: float) -> MarginPValues:
    """Test a mean difference against a margin on both sides.

    It passes if neither a drop nor a rise of the margin is possible, and fails if either is shown.
    `loss` is the most that one query can lose or gain.
    """
    failing = 2 * min(_p_of_drop(sample, margin), _p_of_drop(-sample, margin))
    return MarginPValues(sample.p_within(margin, loss=loss), min(1.0, failing))


def _p_of_drop(sample: SampleMean, margin: float) -> float:
    """Return the p-value of H0: the mean is -margin or more."""
    if sample.people is not None and sample.people.p_below(-margin) > AGREEING:
        return 1.0
    return sample.p_below(-margin)


def margin_interval(
    sample: SampleMean, alpha: float, loss: float, *, is_equivalence: bool = False
) -> Interval:
    """Return the interval that agrees with the p-values.

    It is two-sided at 1 - 2 alpha, and not adjusted for other guards. An interval that lies above
    minus the margin passes, and one that lies below it fails; for an equivalence, one that lies
    within the margin on both sides passes.
    """
    low = sample.lower_bound(alpha, skewness=sample.cautious_skewness, loss=loss)
    high = sample.upper_bound(alpha)
    if sample.people is not None:
        high = max(high, sample.people.upper_bound(AGREEING))
    if is_equivalence:
        turned = -sample
        high = -turned.lower_bound(alpha, skewness=turned.cautious_skewness, loss=loss)
    return Interval(low, high, 1 - 2 * alpha, "t and hall")


def correct_failing(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct the p-values of failing by Holm over all margin guards of a gate.

    None is a guard that is not tested. It stays so, but counts: which guards are tested depends
    on the data, and a family that shrinks with them would not keep its level.
    """
    corrected = adjust([1.0 if p is None else p for p in p_values], "holm")
    return [None if p is None else q for p, q in zip(p_values, corrected, strict=True)]


def changed_share_bound(n_changed: float, n_queries: int, alpha: float) -> float:
    """Return the upper bound, by Clopper and Pearson, of the share of queries that change.

    The number of changed queries may be an expected one, and so a fraction.
    """
    if n_changed >= n_queries:
        return 1.0
    return float(special.betaincinv(n_changed + 1, n_queries - n_changed, 1 - alpha))


def judge_margin(
    p_pass: float | None,
    p_fail: float | None,
    n_changed: int,
    n_queries: int,
    margin: float,
    score_range: float,
    alpha: float,
) -> Verdict:
    """Return the verdict of one margin guard.

    The p-values, of which the second is corrected over all guards, are None if fewer than
    `MIN_CHANGED` queries changed. The guard then never fails, and passes only if the share of
    queries that change is clearly so small that the margin holds, even if each loses the whole
    `score_range` of the measure.
    """
    if p_pass is None or p_fail is None:
        most_lost = changed_share_bound(n_changed, n_queries, alpha) * score_range
        return "pass" if most_lost <= margin else "inconclusive"
    if p_pass <= alpha:
        return "pass"
    return "fail" if p_fail <= alpha else "inconclusive"
