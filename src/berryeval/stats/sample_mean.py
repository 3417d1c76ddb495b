"""The mean of one number per query, and everything that is inferred from it.

Queries may come in groups (paraphrases of one intent, queries of one session or tenant), may carry
weights (traffic), and may be drawn stratum by stratum (so many how-to questions, so many error
codes). In each case, the same few numbers describe the mean: the mean itself, its standard error,
the degrees of freedom of that error, and the skewness of what each independent unit contributes.
Tests, bounds and intervals need no more. Without groups, weights and strata they are Student's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from berryeval.stats._influence import Stratum, mean_over, strata_of, stratify, units_of
from berryeval.stats.hall import hall_inverse, hall_transform
from berryeval.stats.interval import Interval
from berryeval.stats.moments import sums_of
from berryeval.stats.validation import as_values, as_weights, check_amount, check_share

__all__ = ["SampleMean", "difference_of_means", "mean_of"]

FLOOR = -1.0
"""The skewness assumed when a pass is decided, unless the data suggest more; as of real drops."""

UNSEEN = 2
"""Units that chance may have missed, and that are assumed to lose everything when a pass is
decided. If two such units are expected in a sample, about one sample in seven has none of them."""

_LEAST = 2  # one value has no spread, and two have no skewness
_ROUNDING = 1e-12
_HUGE = 1e100  # its cube is finite, and no distribution has anything beyond
_TINY = 1e-70  # its fourth power is a normal number


@dataclass(frozen=True)
class SampleMean:
    """A mean with its error.

    `mean_of` computes one from values. Every p-value is the larger of two: that of Student's t, and
    that of Student's t after Hall's transform has removed a skewness. The skewness is the observed
    one unless another is given; 0 leaves Student's t alone. A bound is the first number whose
    p-value exceeds alpha, so that both always agree: ``p_above(null) <= alpha`` if and only if
    ``null < lower_bound(alpha)``, and ``p_value(null) <= 1 - level`` if and only if `interval` does
    not contain the null.

    A mean without an error, as of values that are all equal, is taken as known: its p-values are
    0 or 1, and its bounds are the mean. A null that differs from it only by rounding equals it.

    Examples
    --------
    >>> sample = mean_of([0.1, 0.0, 0.2, -0.4, 0.1, 0.1, 0.0, 0.2])
    >>> round(sample.mean, 4), round(sample.standard_error, 4), sample.degrees_of_freedom
    (0.0375, 0.068, 7.0)
    >>> round(sample.skewness, 2)  # one query lost much
    -2.0
    >>> round(sample.p_above(-0.1, skewness=0.0), 3), round(sample.p_above(-0.1), 3)
    (0.041, 0.155)
    """

    mean: float
    standard_error: float
    degrees_of_freedom: float
    """Degrees of freedom of the standard error: n - 1, or fewer with strata or with unequal groups
    or weights."""
    n: int
    """Independent units: groups where there are any, else queries."""
    skewness: float
    """Bias-corrected skewness of what the units contribute; 0 for two units or without an error."""
    skewness_error: float
    """Standard error that the skewness would have if the values were normally distributed."""
    effective_n: float
    """Kish's effective sample size: the equivalent number of queries of equal weight."""
    people: SampleMean | None = None
    """The mean of people's labels alone, if a model contributes to the mean; else None."""

    def __neg__(self) -> SampleMean:
        """Return the mean of the same values with the other sign."""
        people = None if self.people is None else -self.people
        return replace(self, mean=-self.mean, skewness=-self.skewness, people=people)

    @property
    def cautious_skewness(self) -> float:
        """The skewness to assume before a drop is ruled out.

        One standard error below the observed one, and at most -1, about that of real drops: a small
        sample that misses the tail looks unskewed.
        """
        return cautious(self.skewness, self.skewness_error)

    def mean_after_losses(self, loss: float) -> float:
        """Return the mean with `UNSEEN` additional units that each lost this much.

        Where units have weights, those two have the weight of a typical search: the mean weight,
        counting each unit as often as it is searched for.

        A sample says little about what happens to one query in a hundred. Where a few queries lose
        everything, a sample that happens to contain none of them has a small spread and no
        skewness, and every test of its own values passes.

        Parameters
        ----------
        loss : float
            The most that a unit can lose, such as the largest score of the baseline.

        Examples
        --------
        >>> mean_of([0.01, -0.01] * 49).mean_after_losses(1.0)
        -0.02
        """
        n = min(self.n, self.effective_n)  # the effective one counts queries, even in groups
        return (n * self.mean - UNSEEN * loss) / (n + UNSEEN)

    def p_above(
        self, null: float = 0.0, *, skewness: float | None = None, loss: float = 0.0
    ) -> float:
        """Return the p-value of H0: the true mean is the null or less.

        Parameters
        ----------
        null : float
            What the mean is compared with.
        skewness : float, optional
            The skewness to remove. Default: the observed one.
        loss : float
            The most that a unit can lose. If it is above 0, the p-value is 1 unless the null is
            below `mean_after_losses`.

        Examples
        --------
        >>> round(mean_of([0.1, 0.3, 0.2, 0.4]).p_above(), 4)
        0.0152
        """
        if loss > 0 and null >= self.mean_after_losses(loss):
            return 1.0
        if self.standard_error == 0.0:
            slack = _ROUNDING * max(abs(self.mean), abs(null))
            return 0.0 if self.mean - null > slack else 1.0
        t = min(_HUGE, max(-_HUGE, (self.mean - null) / self.standard_error))
        skewness = self.skewness if skewness is None else skewness
        least = min(t, hall_transform(t, skewness, self.n))
        return float(stdtr(self.degrees_of_freedom, -least))

    def p_below(self, null: float = 0.0, *, skewness: float | None = None) -> float:
        """Return the p-value of H0: the true mean is the null or more.

        Parameters
        ----------
        null, skewness
            As for `p_above`.
        """
        return (-self).p_above(-null, skewness=None if skewness is None else -skewness)

    def p_value(self, null: float = 0.0, *, skewness: float | None = None) -> float:
        """Return the two-sided p-value of H0: the true mean is the null.

        Parameters
        ----------
        null, skewness
            As for `p_above`.
        """
        above, below = self.p_above(null, skewness=skewness), self.p_below(null, skewness=skewness)
        return min(1.0, 2 * min(above, below))

    def p_within(self, margin: float, *, loss: float = 0.0) -> float:
        """Return the p-value of H0: the true mean is the margin or more away from 0.

        The larger of two: that the mean is at most minus the margin, and that it is at least the
        margin. Both assume the skewness that makes it hardest to rule this out.

        Parameters
        ----------
        margin : float
            The largest difference that still counts as the same, 0 or more.
        loss : float
            The most that a unit can lose or gain; as that of `p_above`.

        References
        ----------
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680.

        Examples
        --------
        >>> values = [0.01, -0.02, 0.0, 0.02, -0.01, 0.0, 0.01, -0.01, 0.02, 0.0]
        >>> round(mean_of(values).p_within(0.02), 4)
        0.0144
        """
        check_amount("margin", margin)
        return max(
            side.p_above(-margin, skewness=side.cautious_skewness, loss=loss)
            for side in (self, -self)
        )

    def lower_bound(
        self, alpha: float = 0.05, *, skewness: float | None = None, loss: float = 0.0
    ) -> float:
        """Return the number that the true mean is not below, with confidence 1 - alpha.

        Parameters
        ----------
        alpha : float
            Probability that the bound is wrong, between 0 and 1.
        skewness, loss : optional
            As for `p_above`.

        Examples
        --------
        >>> sample = mean_of([0.1, 0.3, 0.2, 0.4])
        >>> bound = sample.lower_bound(0.05)
        >>> round(bound, 4), sample.p_above(bound - 1e-9) <= 0.05 < sample.p_above(bound + 1e-9)
        (0.0981, True)
        """
        check_share("alpha", alpha)
        ceiling = self.mean_after_losses(loss) if loss > 0 else math.inf
        if self.standard_error == 0.0:
            return min(self.mean, ceiling)
        skewness = self.skewness if skewness is None else skewness
        quantile = -float(stdtrit(self.degrees_of_freedom, alpha))
        if math.isinf(quantile):  # stdtrit cannot compute the quantile of an alpha near 0
            return -math.inf
        most = max(quantile, float(hall_inverse(quantile, skewness, self.n)))
        return _first_at_which(
            lambda null: self.p_above(null, skewness=skewness, loss=loss) > alpha,
            min(self.mean - self.standard_error * most, ceiling),
            step=1e-14 * self.standard_error,
        )

    def upper_bound(self, alpha: float = 0.05, *, skewness: float | None = None) -> float:
        """Return the number that the true mean is not above, with confidence 1 - alpha.

        Parameters
        ----------
        alpha, skewness
            As for `lower_bound`.
        """
        return -(-self).lower_bound(alpha, skewness=None if skewness is None else -skewness)

    def interval(self, level: float = 0.95, *, skewness: float | None = None) -> Interval:
        """Return the two-sided confidence interval: Student's and Hall's, taken together.

        Parameters
        ----------
        level : float
            The confidence, between 0 and 1.
        skewness : float, optional
            As for `p_above`.

        Examples
        --------
        >>> interval = mean_of([0.1, 0.3, 0.2, 0.4]).interval()
        >>> round(interval.low, 4), round(interval.high, 4), interval.method
        (0.0446, 0.4554, 't and hall')
        """
        check_share("level", level)
        alpha = (1 - level) / 2
        low = self.lower_bound(alpha, skewness=skewness)
        high = self.upper_bound(alpha, skewness=skewness)
        return Interval(low, high, level, "t" if skewness == 0.0 else "t and hall")


def mean_of(
    values: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
) -> SampleMean | None:
    """Return the mean of one number per query, with what is needed to test and bound it.

    - Without groups, weights and strata the inference is Student's.
    - Weights make it Hájek's mean, the weighted sum divided by the sum of the weights. The standard
      error is robust: queries of more weight may vary more or less than others.
    - Groups are the independent units. The standard error is CR2, which is unbiased if the queries
      of a group are independent after all, and its degrees of freedom are Satterthwaite's under the
      same working model. For groups of equal size and weight both are Student's on the groups'
      means.
    - Strata are sampled separately: how many queries each has is not random, and only the spread
    within them counts. They do not change the mean, in which the share of a stratum is its share
    of the weights.

    The skewness is that of the influence of the units on the mean, which is what skews T.

    Parameters
    ----------
    values : sequence of float
        One finite number per query.
    weights : sequence of float, optional
        One number per query, 0 or more. A query of weight 0 does not count. Default: all equal.
    groups : sequence, optional
        The label of each query's group; None stands for a group of its own.
    strata : sequence, optional
        The label of each query's stratum; queries with None form one of their own. A group lies
        within one stratum. A stratum with fewer than two units, or one with nearly all its weight,
        has no spread of its own: such strata are taken together and, if need be, with the smallest
        of the others. That is cautious: what lies between them then counts as chance.

    Returns
    -------
    SampleMean or None
        None for fewer than two queries (or groups, if there are any), and if one of them has
        nearly all the weight.

    Raises
    ------
    ArgumentError
        For values that are not finite, arguments of different lengths, negative weights, and a
        group that lies in two strata.

    References
    ----------
    Bell and McCaffrey (2002), Survey Methodology 28(2), 169-181.
    Pustejovsky and Tipton (2018), Journal of Business and Economic Statistics 36(4), 672-683.
    Kish (1965), Survey Sampling, Wiley.
    Joanes and Gill (1998), Journal of the Royal Statistical Society D 47(1), 183-189, for the
    skewness.

    Examples
    --------
    >>> values = [0.1, 0.3, 0.2, 0.4]
    >>> round(mean_of(values).standard_error, 4)
    0.0645
    >>> grouped = mean_of(values, groups=["a", "a", "b", "b"])
    >>> round(grouped.standard_error, 4), round(grouped.degrees_of_freedom, 4), grouped.n
    (0.05, 1.0, 2)
    >>> weighted = mean_of(values, weights=[1, 1, 1, 3])
    >>> round(weighted.mean, 4), weighted.effective_n
    (0.3, 3.0)
    >>> stratified = mean_of(values, strata=["head", "tail", "head", "tail"])
    >>> round(stratified.standard_error, 4), round(stratified.degrees_of_freedom, 4)
    (0.0354, 2.0)
    """
    found = as_values(values, "values")
    weight = None if weights is None else as_weights(weights, len(found))
    units = None if groups is None else units_of(groups, len(found))
    numbers = None if strata is None else strata_of(strata, len(found), groups)
    if weight is not None and not weight.all():
        counts = weight > 0
        found, weight = found[counts], weight[counts]
        units = None if units is None else units[counts]
        numbers = None if numbers is None else numbers[counts]
    parts = stratify(found, weight, units, numbers)
    return sample_mean_of(parts, mean_over(found, weight)) if parts else None


def difference_of_means(first: SampleMean, second: SampleMean) -> SampleMean:
    """Return the difference of two means of different queries: Welch's test.

    Its standard error combines those of both, and its degrees of freedom are Welch's. Both means
    already account for groups and weights, and so does the difference.

    Parameters
    ----------
    first, second : SampleMean
        Means of values that are independent of each other.

    Returns
    -------
    SampleMean
        The first minus the second. With ``skewness=0`` its p-values and bounds are Welch's.

    References
    ----------
    Welch (1947), Biometrika 34, 28-35.

    Examples
    --------
    >>> gain = difference_of_means(mean_of([0.3, 0.1, 0.2, 0.4]), mean_of([0.1, 0.0, 0.2]))
    >>> round(gain.mean, 4), round(gain.degrees_of_freedom, 2), round(gain.p_above(skewness=0), 4)
    (0.15, 4.96, 0.0721)
    """
    return _combined([first, second], np.array([1.0, -1.0]))


def sample_mean_of(strata: Sequence[Stratum], mean: float) -> SampleMean:
    """Return a mean with its error, from at least one stratum."""
    parts = [_of_stratum(stratum) for stratum in strata]
    if len(parts) == 1:
        return parts[0]
    combined = _combined(parts, np.array([stratum.share for stratum in strata]))
    return replace(combined, mean=mean)  # added up in the order of the queries, as without strata


def _of_stratum(stratum: Stratum) -> SampleMean:
    influence = stratum.influence
    n = len(influence.totals)
    return SampleMean(
        influence.mean,
        influence.standard_error,
        influence.degrees_of_freedom,
        n,
        _skewness(influence.totals) if influence.standard_error > 0.0 else 0.0,
        skewness_error(n),
        influence.effective_n,
    )


def _combined(parts: Sequence[SampleMean], factor: NDArray[np.float64]) -> SampleMean:
    """Return the sum of independent means, each multiplied by its factor.

    Variances and third moments add up. The degrees of freedom are Satterthwaite's.
    """
    mean, error, freedom, n, skewness, skewness_error, effective = (
        np.array(column, dtype=np.float64)
        for column in zip(*(astuple(part)[:-1] for part in parts), strict=True)
    )
    errors = factor * error
    # Tiny numbers are scaled, so that their squares and cubes do not vanish.
    largest = float(np.abs(errors).max())
    power = math.frexp(largest)[1] if largest < _TINY else 0
    errors = np.ldexp(errors, -power)
    # Products: NumPy's powers depend on the processor, and on the sign.
    squares = errors * errors
    variance = float(sums_of(squares))
    n_units = int(sums_of(n))
    # The third moment of a mean is its skewness times the cube of its error, over sqrt(n).
    scale = math.sqrt(n_units / variance) / variance if variance > 0 else 0.0
    cubes = scale * squares * errors / np.sqrt(n)
    spread = float(sums_of(squares * squares / freedom))
    return SampleMean(
        float(sums_of(factor * mean)),
        math.ldexp(math.sqrt(variance), power),
        variance**2 / spread if spread > 0 else float(sums_of(freedom)),
        n_units,
        float(sums_of(cubes * skewness)),
        math.sqrt(float(sums_of((cubes * skewness_error) ** 2))),
        float(sums_of(np.abs(factor))) ** 2 / float(sums_of(factor**2 / effective)),
    )


def _skewness(influence: NDArray[np.float64]) -> float:
    """Return the bias-corrected skewness of numbers whose mean is 0."""
    n = len(influence)
    if n <= _LEAST:
        return 0.0
    scaled = influence / np.abs(influence).max()  # so that cubes of tiny numbers do not vanish
    squares = scaled * scaled
    variance = float(sums_of(squares)) / n
    ratio = float(sums_of(squares * scaled)) / n / (variance * math.sqrt(variance))
    return math.sqrt(n * (n - 1)) / (n - 2) * ratio


def cautious(skewness: float, error: float) -> float:
    """Return the skewness to assume for a pass, given the observed one and its error."""
    return min(skewness - error, FLOOR)


def skewness_error(n: int) -> float:
    """Return the standard deviation of the skewness of n normally distributed numbers."""
    if n <= _LEAST:
        return 0.0
    return math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))


def _first_at_which(holds: Callable[[float], bool], guess: float, step: float) -> float:
    """Return the smallest number, near a guess, from which a condition holds."""
    step = max(step, 4 * math.ulp(guess))
    low, high = guess - step, guess + step
    while holds(low):
        low, step = low - step, 2 * step
    while not holds(high):
        high, step = high + step, 2 * step
    while low < (middle := low + (high - low) / 2) < high:
        if holds(middle):
            high = middle
        else:
            low = middle
    return high
