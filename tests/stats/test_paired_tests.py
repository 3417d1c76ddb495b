"""Paired tests, compared with SciPy and exact enumeration, and their undefined cases."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.stats import (
    TestResult,
    cohens_dz,
    paired_t,
    paired_test,
    randomisation,
    sign,
    wilcoxon,
)
from depth import examples

NAMES = ["t", "wilcoxon", "sign", "randomisation"]
ALTERNATIVES = ["two-sided", "less", "greater"]
SMOOTH = np.random.default_rng(21).normal(0.05, 0.2, size=30)
STEPS = np.random.default_rng(22).choice([-0.4, -0.2, 0.0, 0.0, 0.2, 0.6], size=40)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("differences", [SMOOTH, STEPS], ids=["smooth", "steps"])
@pytest.mark.parametrize("null", [0.0, -0.05])
def test_paired_t_matches_scipy(differences, null, alternative):
    """E3: t and p equal those of scipy.stats.ttest_1samp."""
    expected = stats.ttest_1samp(differences, null, alternative=alternative)
    found = paired_t(differences, null, alternative)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)


def test_paired_t_uses_the_differences_of_two_systems():
    """scipy.stats.ttest_rel of both systems gives the same."""
    rng = np.random.default_rng(3)
    one, other = rng.random(25), rng.random(25)
    found = paired_t(one - other)
    assert found.p_value == pytest.approx(stats.ttest_rel(one, other).pvalue, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("differences", [SMOOTH, STEPS[STEPS != 0], np.tile(SMOOTH, 3)])
def test_wilcoxon_matches_scipy(differences, alternative):
    """E3: it is exact for few differences without ties, and approximate otherwise."""
    expected = stats.wilcoxon(differences, alternative=alternative)
    found = wilcoxon(differences, alternative)
    assert (found.statistic, found.p_value) == (expected.statistic, expected.pvalue)


def test_wilcoxon_by_hand():
    """One of 16 sign choices has so large a rank sum, so p is 1/16."""
    found = wilcoxon([0.1, 0.2, 0.3, 0.4, 0.0], "greater")
    assert (found.statistic, found.p_value) == (10.0, 1 / 16)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("differences", [SMOOTH, STEPS, [-1, 1, 0], [1, 1, 1]])
def test_sign_is_the_binomial_test(differences, alternative):
    """E3: it equals scipy.stats.binomtest of the wins among nonzero differences."""
    differences = np.asarray(differences)
    n_wins, n = int((differences > 0).sum()), int((differences != 0).sum())
    found = sign(differences, alternative)
    expected = stats.binomtest(n_wins, n, alternative=alternative).pvalue
    assert found.p_value == pytest.approx(expected, rel=1e-12)
    assert found.statistic == n_wins


def exact_randomisation(differences: np.ndarray, alternative: str) -> float:
    """Return the p-value over all sign choices."""
    observed = differences.mean()
    means = np.array(
        [
            np.mean(differences * signs)
            for signs in itertools.product([1, -1], repeat=len(differences))
        ]
    )
    if alternative == "greater":
        return float(np.mean(means >= observed - 1e-12))
    if alternative == "less":
        return float(np.mean(means <= observed + 1e-12))
    return float(np.mean(np.abs(means) >= abs(observed) - 1e-12))


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("n", [2, 5, 10])
@pytest.mark.parametrize("source", [SMOOTH, STEPS], ids=["smooth", "steps"])
def test_randomisation_approximates_the_exact_p(source, n, alternative):
    """E3: random signs give the exact share, up to sampling error."""
    differences = source[:n] + (0.2 if n == 2 else 0.0)
    expected = exact_randomisation(differences, alternative)
    found = randomisation(differences, alternative, 40_000, 3).p_value
    assert found == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 40_000))


def test_rounding_does_not_break_ties():
    """0.1 + 0.2 and 0.3 are equal: every fourth choice of signs is as extreme."""
    found = randomisation([0.1, 0.2, 0.3], "greater", 20_000)
    assert found.p_value == pytest.approx(1 / 8, abs=0.01)
    tied = randomisation([0.1, 0.2, -0.3], "greater", 20_000)
    assert tied.p_value == pytest.approx(5 / 8, abs=0.015)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_randomisation_is_never_0(alternative):
    """The observed signs are one of the choices, so p is at least 1 / (n + 1)."""
    assert randomisation([0.5] * 60, alternative, 99).p_value == 1 / 100


@pytest.mark.parametrize("name", NAMES)
def test_a_test_can_be_named(name):
    """It is called with the same arguments."""
    direct = {
        "t": paired_t(SMOOTH, 0.0, "less"),
        "wilcoxon": wilcoxon(SMOOTH, "less"),
        "sign": sign(SMOOTH, "less"),
        "randomisation": randomisation(SMOOTH, "less", 200, 5),
    }
    found = paired_test(name, SMOOTH, "less", 200, 5)
    assert found == direct[name]
    assert found.test == name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("differences", [[], [0.3]])
def test_fewer_than_two_queries_are_not_tested(name, differences):
    """The p-value is None with a reason, not NaN."""
    assert paired_test(name, differences) == TestResult(name, None, None, "fewer than 2 queries")


@pytest.mark.parametrize("name", NAMES)
def test_zero_differences_are_not_tested(name):
    """The p-value is None with a reason, not NaN."""
    assert paired_test(name, [0.0, -0.0]) == TestResult(name, None, None, "all differences are 0")


def test_equal_differences_have_no_t():
    """There is no spread, even if 0.1 is rounded nine times."""
    found = paired_t([0.1] * 9, -0.05, "greater")
    assert (found.p_value, found.reason) == (None, "all differences are 0.1")


FIFTHS = [0.4 - 0.2, 0.6 - 0.4, 0.8 - 0.6, 1.0 - 0.8]


def test_rounding_errors_are_not_a_spread():
    """0.4 - 0.2 and 0.6 - 0.4 differ only in their last bits."""
    assert len(set(FIFTHS)) > 1
    assert paired_t(FIFTHS).reason == "all differences are 0.2"


def test_ranks_tie_despite_rounding():
    """Wilcoxon's test treats four fifths and a loss of two like 1, 1, 1, 1, -2."""
    found, expected = wilcoxon([*FIFTHS, -0.4]), wilcoxon([1, 1, 1, 1, -2])
    assert (found.statistic, found.p_value) == (expected.statistic, expected.p_value)


def test_a_rounding_error_is_not_a_win():
    """0.1 + 0.2 - 0.3 is 0 for the sign test."""
    assert sign([0.1 + 0.2 - 0.3, 0.5, 0.5]).statistic == 2.0


@examples(60)
@given(
    st.sampled_from(NAMES),
    st.lists(st.floats(-1, 1) | st.sampled_from([0.0, 0.2, -0.2]), max_size=20),
    st.sampled_from(ALTERNATIVES),
)
def test_a_p_value_is_in_range_or_has_a_reason(name, differences, alternative):
    """For any differences, p is between 0 and 1, or None with a sentence."""
    found = paired_test(name, differences, alternative, 50)
    if found.p_value is None:
        assert found.reason
        assert found.statistic is None
    else:
        assert found.reason is None
        assert 0 <= found.p_value <= 1
        assert math.isfinite(found.statistic)


@pytest.mark.parametrize("name", NAMES)
def test_reversed_signs_reverse_the_alternative(name):
    """Greater for the differences is less for their opposites."""
    greater = paired_test(name, SMOOTH, "greater", 20_000)
    less = paired_test(name, -SMOOTH, "less", 20_000)
    assert less.p_value == pytest.approx(greater.p_value, rel=1e-9)


def test_unknown_names_are_rejected():
    """The message lists the known tests and alternatives."""
    with pytest.raises(ArgumentError, match="'sign', 'randomisation', got 'bootstrap'"):
        paired_test("bootstrap", SMOOTH)
    with pytest.raises(ArgumentError, match=r"test: expected one of 't', 'wilcoxon', .* got 'T'"):
        paired_test("T", SMOOTH)
    with pytest.raises(ArgumentError, match="alternative: expected one of 'two-sided'"):
        paired_t(SMOOTH, 0.0, "bigger")


def test_differences_must_be_finite_numbers():
    """NaN, tables and text are rejected."""
    with pytest.raises(ArgumentError, match="differences: expected finite numbers"):
        paired_t([0.1, math.nan])
    with pytest.raises(ArgumentError, match="one number per query, got 2 dimensions"):
        sign([[0.1, 0.2]])
    with pytest.raises(InputTypeError, match="differences: expected numbers, got list"):
        sign(["a", "b"])


def test_light_tests_do_not_import_scipy_stats():
    """Only Wilcoxon's test requires it."""
    code = (
        "import sys; from berryeval import stats\n"
        "for name in ('t', 'sign', 'randomisation'):\n"
        "    stats.paired_test(name, [0.1, 0.2, 0.4], n_resamples=10)\n"
        "stats.mean_of([0.1, 0.2, 0.4]).interval(); stats.smallest_drop(0.1, 50)\n"
        "stats.kendall_tau([1, 2], [1, 2]); stats.tau_ap([1, 2], [1, 2])\n"
        "assert 'scipy.stats' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_differences_whose_squares_underflow_have_no_t():
    """1e-200 squared is 0, so there is a reason instead of a division."""
    assert cohens_dz([0.0, 1e-200]) is None
    found = paired_t([0.0, 1e-200])
    assert (found.p_value, found.reason) == (
        None,
        "the differences are too small to have a spread",
    )
