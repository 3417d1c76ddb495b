"""Tests of paired differences, query by query.

Paired t and randomisation ask about the mean difference. Wilcoxon and sign do not: they ask whether
differences above 0 outweigh those below, by rank and by number.

Differences that are equal except for rounding, such as 0.4 - 0.2 and 0.6 - 0.4, tie.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, stdtr

from berryeval.stats.moments import are_equal, deviations_of, means_of, slack_of, without_rounding
from berryeval.stats.resampling import flipped_means
from berryeval.stats.validation import as_values, check_choice, check_resampling

__all__ = [
    "Alternative",
    "TestName",
    "TestResult",
    "paired_t",
    "paired_test",
    "randomisation",
    "sign",
    "wilcoxon",
]

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
"""The alternative to the null: the difference is not equal to it, smaller, or greater."""

TestName: TypeAlias = Literal["t", "wilcoxon", "sign", "randomisation"]
"""The names of tests."""


@dataclass(frozen=True)
class TestResult:
    """The result of a test."""

    __test__: ClassVar[bool] = False  # pytest takes the name for a class of tests

    test: str
    """A `TestName`."""
    p_value: float | None
    """None where the test is not defined; `reason` then says why."""
    statistic: float | None
    """Student's t, the sum of ranks, the number of differences above 0, or the mean difference."""
    reason: str | None = None


def paired_t(
    differences: ArrayLike, null: float = 0.0, alternative: Alternative = "two-sided"
) -> TestResult:
    """Test the mean difference by Student's t.

    Parameters
    ----------
    differences : sequence of float
        One finite number per query: candidate minus baseline.
    null : float
        The mean difference to test against.
    alternative : {"two-sided", "less", "greater"}
        The side of the null on which the mean lies if the null does not hold.

    Returns
    -------
    TestResult
        Not defined for fewer than two queries, and where all differences are equal.

    Examples
    --------
    >>> result = paired_t([0.1, 0.3, 0.2, 0.4])
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (3.873, 0.0305)
    """
    values = _read(differences, alternative)
    reason = _too_few(values) or _all_equal(values)
    if reason:
        return TestResult("t", None, None, reason)
    error = float(deviations_of(values)) / math.sqrt(len(values))
    if error == 0.0:  # the squares of differences below 1e-154 are 0
        return TestResult("t", None, None, "the differences are too small to have a spread")
    t = (float(means_of(values)) - null) / error
    below = float(stdtr(len(values) - 1, t))
    above = float(stdtr(len(values) - 1, -t))
    return TestResult("t", _one_of(alternative, below, above), t)


def wilcoxon(differences: ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """Test by Wilcoxon's signed ranks, as SciPy does.

    Differences of 0 are left out. For up to 50 differences without ties, the p-value is exact,
    otherwise a normal approximation. The statistic is the sum of the ranks of differences above 0;
    for a two-sided test, the smaller of this sum and that of the other ranks.

    Parameters
    ----------
    differences, alternative
        As for `paired_t`.

    Returns
    -------
    TestResult
        Not defined for fewer than two queries, and where all differences are 0.
    """
    values = _read(differences, alternative)
    reason = _too_few(values) or _all_zero(values)
    if reason:
        return TestResult("wilcoxon", None, None, reason)
    from scipy import stats  # takes over a second

    rounded = without_rounding(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that few differences or ties are approximated
        found = stats.wilcoxon(rounded[rounded != 0], alternative=alternative)
    return TestResult("wilcoxon", float(found.pvalue), float(found.statistic))


def sign(differences: ArrayLike, alternative: Alternative = "two-sided") -> TestResult:
    """Test whether as many differences are above 0 as below, by the binomial distribution.

    Differences of 0 are left out. The statistic is the number of those above 0.

    Parameters
    ----------
    differences, alternative
        As for `paired_t`.

    Returns
    -------
    TestResult
        Not defined for fewer than two queries, and where all differences are 0.

    Examples
    --------
    >>> sign([0.1, 0.2, 0.1, 0.0, 0.3]).p_value
    0.125
    """
    values = _read(differences, alternative)
    reason = _too_few(values) or _all_zero(values)
    if reason:
        return TestResult("sign", None, None, reason)
    rounded = without_rounding(values)
    n_above, n_below = np.count_nonzero(rounded > 0), np.count_nonzero(rounded < 0)
    n = n_above + n_below
    few_above, few_below = float(bdtr(n_above, n, 0.5)), float(bdtr(n_below, n, 0.5))
    return TestResult("sign", _one_of(alternative, few_above, few_below), float(n_above))


def randomisation(
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    seed: int = 0,
) -> TestResult:
    """Test the mean difference by flipping signs at random.

    The p-value is (1 + the resamples at least as extreme) / (1 + all resamples): the observed
    mean is one of the possible ones, so it is never 0. Means that differ only by rounding
    are equally extreme. The statistic is the mean difference.

    Parameters
    ----------
    differences, alternative
        As for `paired_t`.
    n_resamples, seed
        As for `flipped_means`.

    Returns
    -------
    TestResult
        Not defined for fewer than two queries, and where all differences are 0.

    References
    ----------
    Smucker, Allan and Carterette (2007), CIKM, 623-632.
    """
    values = _read(differences, alternative)
    check_resampling(n_resamples, seed)
    reason = _too_few(values) or _all_zero(values)
    if reason:
        return TestResult("randomisation", None, None, reason)
    observed = float(means_of(values))
    means = flipped_means(values[:, None], n_resamples, seed)[:, 0]
    slack = float(slack_of(values))
    if alternative == "greater":
        is_extreme = means >= observed - slack
    elif alternative == "less":
        is_extreme = means <= observed + slack
    else:
        is_extreme = np.abs(means) >= abs(observed) - slack
    p_value = (int(np.count_nonzero(is_extreme)) + 1) / (n_resamples + 1)
    return TestResult("randomisation", p_value, observed)


def paired_test(
    name: str,
    differences: ArrayLike,
    alternative: Alternative = "two-sided",
    n_resamples: int = 10_000,
    seed: int = 0,
) -> TestResult:
    """Test differences against 0 by the test of this name.

    Parameters
    ----------
    name : {"t", "wilcoxon", "sign", "randomisation"}
        The test.
    differences, alternative, n_resamples, seed
        As for `randomisation`, the only test that draws.

    Raises
    ------
    ArgumentError
        For another name.

    Examples
    --------
    >>> paired_test("t", [0.0, 0.0, 0.0]).reason
    'all differences are 0'
    """
    check_choice("test", name, get_args(TestName))
    if name == "t":
        return paired_t(differences, alternative=alternative)
    if name == "wilcoxon":
        return wilcoxon(differences, alternative)
    if name == "sign":
        return sign(differences, alternative)
    return randomisation(differences, alternative, n_resamples, seed)


def _read(differences: ArrayLike, alternative: str) -> NDArray[np.float64]:
    check_choice("alternative", alternative, get_args(Alternative))
    return as_values(differences)


def _too_few(values: NDArray[np.float64]) -> str | None:
    return "fewer than 2 queries" if len(values) < 2 else None  # noqa: PLR2004 - it says so


def _all_zero(values: NDArray[np.float64]) -> str | None:
    return None if values.any() else "all differences are 0"


def _all_equal(values: NDArray[np.float64]) -> str | None:
    return f"all differences are {values[0]:g}" if are_equal(values) else None


def _one_of(alternative: Alternative, less: float, greater: float) -> float:
    """Return the p-value of one side, or of both."""
    if alternative == "two-sided":
        return min(1.0, 2 * min(less, greater))
    return less if alternative == "less" else greater
