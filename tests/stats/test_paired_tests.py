"""Paired tests, held against SciPy, against exact enumeration, and where they are not defined."""

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
def test_paired_t_is_scipys(differences, null, alternative):
    """E3: the same t and p as scipy.stats.ttest_1samp."""
    expected = stats.ttest_1samp(differences, null, alternative=alternative)
    found = paired_t(differences, null, alternative)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)


def test_paired_t_of_two_systems_is_that_of_their_differences():
    """scipy.stats.ttest_rel takes both systems' scores."""
    rng = np.random.default_rng(3)
    one, other = rng.random(25), rng.random(25)
    found = paired_t(one - other)
    assert found.p_value == pytest.approx(stats.ttest_rel(one, other).pvalue, rel=1e-10)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("differences", [SMOOTH, STEPS[STEPS != 0], np.tile(SMOOTH, 3)])
def test_wilcoxon_is_scipys(differences, alternative):
    """E3: exact for few differences without ties, approximate for others."""
    expected = stats.wilcoxon(differences, alternative=alternative)
    found = wilcoxon(differences, alternative)
    assert (found.statistic, found.p_value) == (expected.statistic, expected.pvalue)


def test_wilcoxon_by_hand():
    """1, 2, 3, 4, all above 0: of 16 signs one has so large a sum of ranks, so p is 1/16."""
    found = wilcoxon([0.1, 0.2, 0.3, 0.4, 0.0], "greater")
    assert (found.statistic, found.p_value) == (10.0, 1 / 16)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("differences", [SMOOTH, STEPS, [-1, 1, 0], [1, 1, 1]])
def test_sign_is_the_binomial_test(differences, alternative):
    """E3: scipy.stats.binomtest of the wins among the differences that are not 0."""
    differences = np.asarray(differences)
    n_wins, n = int((differences > 0).sum()), int((differences != 0).sum())
    found = sign(differences, alternative)
    expected = stats.binomtest(n_wins, n, alternative=alternative).pvalue
    assert found.p_value == pytest.approx(expected, rel=1e-12)
    assert found.statistic == n_wins


def exact_randomisation(differences: np.ndarray, alternative: str) -> float:
    """The p-value of all signs there are."""
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
def test_randomisation_comes_near_the_exact_p(source, n, alternative):
    """E3: drawn signs give the share of all signs, but for the error of drawing."""
    differences = source[:n] + (0.2 if n == 2 else 0.0)
    expected = exact_randomisation(differences, alternative)
    found = randomisation(differences, alternative, 40_000, 3).p_value
    assert found == pytest.approx(expected, abs=4 * math.sqrt(0.25 / 40_000))


def test_rounding_makes_no_ties_disappear():
    """0.1 + 0.2 and 0.3 weigh the same: every fourth drawing of signs is as extreme."""
    found = randomisation([0.1, 0.2, 0.3], "greater", 20_000)
    assert found.p_value == pytest.approx(1 / 8, abs=0.01)
    tied = randomisation([0.1, 0.2, -0.3], "greater", 20_000)
    assert tied.p_value == pytest.approx(5 / 8, abs=0.015)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_randomisation_never_gives_0(alternative):
    """What was observed is one of the possible ones: p is at least 1 / (n + 1)."""
    assert randomisation([0.5] * 60, alternative, 99).p_value == 1 / 100


@pytest.mark.parametrize("name", NAMES)
def test_names_lead_to_their_tests(name):
    """A test by name is the test itself, with its arguments."""
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
def test_fewer_than_two_queries_are_no_test(name, differences):
    """Not NaN: None, and why."""
    assert paired_test(name, differences) == TestResult(name, None, None, "fewer than 2 queries")


@pytest.mark.parametrize("name", NAMES)
def test_differences_of_0_are_no_test(name):
    """Not NaN: None, and why."""
    assert paired_test(name, [0.0, -0.0]) == TestResult(name, None, None, "all differences are 0")


def test_equal_differences_have_no_t():
    """There is no spread to divide by; 0.1 nine times has none, however it is rounded."""
    found = paired_t([0.1] * 9, -0.05, "greater")
    assert (found.p_value, found.reason) == (None, "all differences are 0.1")


FIFTHS = [0.4 - 0.2, 0.6 - 0.4, 0.8 - 0.6, 1.0 - 0.8]


def test_differences_of_a_fifth_are_equal_however_they_are_rounded():
    """0.4 - 0.2 and 0.6 - 0.4 differ in their last bits, and are no spread for t."""
    assert len(set(FIFTHS)) > 1
    assert paired_t(FIFTHS).reason == "all differences are 0.2"


def test_ranks_tie_however_differences_are_rounded():
    """Wilcoxon's test sees four fifths and a loss of two as it sees 1, 1, 1, 1, -2."""
    found, expected = wilcoxon([*FIFTHS, -0.4]), wilcoxon([1, 1, 1, 1, -2])
    assert (found.statistic, found.p_value) == (expected.statistic, expected.p_value)


def test_a_difference_that_is_only_rounding_is_no_win():
    """0.1 + 0.2 - 0.3 is 0 for the sign test, beside differences that are real."""
    assert sign([0.1 + 0.2 - 0.3, 0.5, 0.5]).statistic == 2.0


@examples(60)
@given(
    st.sampled_from(NAMES),
    st.lists(st.floats(-1, 1) | st.sampled_from([0.0, 0.2, -0.2]), max_size=20),
    st.sampled_from(ALTERNATIVES),
)
def test_a_p_value_is_a_share_or_has_a_reason(name, differences, alternative):
    """Whatever the differences, p lies from 0 to 1, or is None with a sentence."""
    found = paired_test(name, differences, alternative, 50)
    if found.p_value is None:
        assert found.reason
        assert found.statistic is None
    else:
        assert found.reason is None
        assert 0 <= found.p_value <= 1
        assert math.isfinite(found.statistic)


@pytest.mark.parametrize("name", NAMES)
def test_signs_turned_round_turn_the_alternative_round(name):
    """Greater of the differences is less of their opposites."""
    greater = paired_test(name, SMOOTH, "greater", 20_000)
    less = paired_test(name, -SMOOTH, "less", 20_000)
    assert less.p_value == pytest.approx(greater.p_value, rel=1e-9)


def test_unknown_words_are_refused():
    """Misspelt tests and alternatives are errors with the known ones."""
    with pytest.raises(ArgumentError, match="'sign', 'randomisation', got 'bootstrap'"):
        paired_test("bootstrap", SMOOTH)
    with pytest.raises(ArgumentError, match=r"test: expected one of 't', 'wilcoxon', .* got 'T'"):
        paired_test("T", SMOOTH)
    with pytest.raises(ArgumentError, match="alternative: expected one of 'two-sided'"):
        paired_t(SMOOTH, 0.0, "bigger")


def test_differences_are_finite_numbers_in_a_row():
    """NaN, tables and text are refused."""
    with pytest.raises(ArgumentError, match="differences: expected finite numbers"):
        paired_t([0.1, math.nan])
    with pytest.raises(ArgumentError, match="one number per query, got 2 dimensions"):
        sign([[0.1, 0.2]])
    with pytest.raises(InputTypeError, match="differences: expected numbers, got list"):
        sign(["a", "b"])


def test_light_tests_do_not_load_the_heavy_library():
    """Only Wilcoxon's test waits for scipy.stats."""
    code = (
        "import sys; from berryeval import stats\n"
        "for name in ('t', 'sign', 'randomisation'):\n"
        "    stats.paired_test(name, [0.1, 0.2, 0.4], n_resamples=10)\n"
        "stats.mean_of([0.1, 0.2, 0.4]).interval(); stats.smallest_drop(0.1, 50)\n"
        "stats.kendall_tau([1, 2], [1, 2]); stats.tau_ap([1, 2], [1, 2])\n"
        "assert 'scipy.stats' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_differences_whose_squares_vanish_have_no_t():
    """1e-200 squared is 0: a reason, and no division by it."""
    assert cohens_dz([0.0, 1e-200]) is None
    found = paired_t([0.0, 1e-200])
    assert (found.p_value, found.reason) == (
        None,
        "the differences are too small to have a spread",
    )
