"""The power of a set of queries."""

import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import power_at, queries_needed, sd_of_differences, smallest_drop

SPREADS = st.floats(0.001, 10)


def test_power_matches_a_simulation():
    """The computed share of 20,000 equal candidates passes the one-sided t-test."""
    differences = np.random.default_rng(1).normal(0, 0.1, size=(20_000, 20))
    p = stats.ttest_1samp(differences, -0.05, axis=1, alternative="greater").pvalue
    assert power_at(0.1, 20, 0.05) == pytest.approx(np.mean(p <= 0.05), abs=0.01)


@pytest.mark.parametrize("n_queries", [2, 3, 10, 50, 7000])
@pytest.mark.parametrize("margin", [0.0, 0.01, 0.1, 0.3, 0.8])
@pytest.mark.parametrize("alpha", [0.05, 0.1])
def test_power_matches_the_noncentral_t(n_queries, margin, alpha):
    """It equals scipy.stats.nct, where that is defined."""
    critical = stats.t.isf(alpha, n_queries - 1)
    expected = stats.nct.sf(critical, n_queries - 1, margin * math.sqrt(n_queries))
    found = power_at(1.0, n_queries, margin, alpha)
    if math.isnan(expected):
        assert found == pytest.approx(1.0)
    else:
        assert found == pytest.approx(expected, abs=1e-7)


def test_without_a_margin_power_is_the_level():
    """An equal candidate is then on the edge of the null hypothesis."""
    assert power_at(0.2, 30, 0.0) == pytest.approx(0.05)


@given(SPREADS, st.integers(2, 5000), st.floats(0.1, 0.99), st.floats(0.01, 0.2))
def test_the_smallest_drop_has_exactly_the_requested_power(sd, n_queries, power, alpha):
    """The power at this margin is the requested one."""
    margin = smallest_drop(sd, n_queries, alpha, power)
    if power > alpha:
        assert power_at(sd, n_queries, margin, alpha) == pytest.approx(power, abs=1e-9)


def test_more_queries_detect_smaller_drops():
    """Four times the queries detect nearly half the drop."""
    drops = [smallest_drop(0.2, n) for n in (25, 100, 400)]
    assert drops == sorted(drops, reverse=True)
    assert drops[1] / drops[2] == pytest.approx(2, abs=0.02)


def test_queries_needed_by_hand():
    """(1.6449 + 0.8416)^2 x 0.2^2 / 0.05^2 is 98.9; the t distribution takes two more."""
    assert queries_needed(0.2, 0.05) == 101
    assert power_at(0.2, 100, 0.05) < 0.8 <= power_at(0.2, 101, 0.05)


def test_large_numbers_use_the_normal_distribution():
    """From 10,000 queries on, both distributions agree."""
    z = 1.6448536 + 0.8416212
    assert queries_needed(1.0, 0.001) == pytest.approx((z / 0.001) ** 2, rel=1e-6)


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_queries_needed_is_the_smallest_sufficient_number(sd, margin):
    """It reaches the power, and its smallest drop is the margin."""
    needed = queries_needed(sd, margin)
    if needed < 10_000:
        assert power_at(sd, needed, margin) >= 0.8
        assert needed == 2 or power_at(sd, needed - 1, margin) < 0.8
        assert smallest_drop(sd, needed) <= margin * (1 + 1e-9)


def test_undefined_values_are_none():
    """Examples are one query, no spread and no margin."""
    assert smallest_drop(0.1, 1) is None
    assert smallest_drop(0.0, 50) is None
    assert queries_needed(0.0, 0.05) is None
    assert queries_needed(0.1, 0.0) is None


def test_power_has_limits():
    """Fewer than two queries never pass, and without a spread any margin does."""
    assert power_at(0.1, 1, 0.05) == 0.0
    assert power_at(0.0, 50, 0.05) == 1.0
    assert power_at(0.0, 50, 0.0) == 0.0


def test_at_least_two_queries_are_needed():
    """This holds even for a huge margin."""
    assert queries_needed(0.001, 1.0) == 2
    assert queries_needed(0.1, 0.05, alpha=0.3, power=0.2) == 2


def test_the_spread_of_differences_depends_on_correlation():
    """Correlated scores differ little, independent ones by the root of 2."""
    assert sd_of_differences(0.3, 1.0) == 0.0
    assert sd_of_differences(0.3, 0.0) == pytest.approx(0.3 * math.sqrt(2))
    scores = np.random.default_rng(2).multivariate_normal([0, 0], [[1, 0.7], [0.7, 1]], size=50_000)
    spread = np.std(scores[:, 0] - scores[:, 1])
    assert sd_of_differences(1.0, 0.7) == pytest.approx(spread, rel=0.02)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: power_at(-1, 50, 0.05), "sd: expected a finite number, at least 0, got -1"),
        (lambda: power_at(0.1, 50, math.nan), "margin: expected a finite number"),
        (lambda: smallest_drop(0.1, 50, alpha=5), "alpha: expected a number between 0 and 1"),
        (lambda: smallest_drop(0.1, 50, power=80), "power: expected a number between 0 and 1"),
        (lambda: queries_needed(0.1, -0.05), "margin"),
        (lambda: queries_needed(0.1, 0.05, alpha=1e-13), "alpha: expected .* at least 1e-12"),
        (lambda: sd_of_differences(0.1, 1.5), "correlation: expected a number from -1 to 1"),
    ],
)
def test_numbers_out_of_range_are_rejected(call, message):
    """Percentages and negative spreads are errors."""
    with pytest.raises(ArgumentError, match=message):
        call()


EXTREME = st.sampled_from([5e-324, 1e-200, 1e-12, 1e-8, 0.05, 0.5, 1 - 1e-16, 1e6, 1e100, 1e308])
SKEWNESSES = st.sampled_from([None, 0.0, -3.0, 1e200])


@given(EXTREME, EXTREME, EXTREME, EXTREME, SKEWNESSES, st.sampled_from([0.0, 1.0, 1e308]))
def test_extreme_numbers_have_an_answer_or_an_error(sd, margin, alpha, power, skewness, loss):
    """The searches end, and no warning of a floating-point number escapes."""
    assumed = {"skewness": skewness, "loss": loss}
    assert 0 <= power_at(sd, 50, margin, alpha=5e-324, **assumed) <= 1, "an early look of a gate"
    for n_queries in (2, 50, 100_000_000):
        with suppress(ArgumentError):
            assert 0 <= power_at(sd, n_queries, margin, alpha, **assumed) <= 1
        with suppress(ArgumentError):
            assert smallest_drop(sd, n_queries, alpha, power, **assumed) >= 0
    with suppress(ArgumentError):
        needed = queries_needed(sd, margin, alpha, power, **assumed)
        assert needed is None or 2 <= needed <= 100_000_000
