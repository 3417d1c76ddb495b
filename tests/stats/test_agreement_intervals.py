"""Intervals of agreement: against a published variance, and against leaving out by hand."""

import numpy as np
import pytest

from berryeval.errors import ArgumentError
from berryeval.stats import (
    alpha_interval,
    kappa_interval,
    krippendorff_alpha,
    mean_of,
    weighted_kappa,
)

TABLE = np.array([[44, 5, 1, 0], [6, 30, 7, 1], [2, 8, 25, 6], [0, 1, 5, 19]])
PAIRS = [(i, j) for i in range(4) for j in range(4) for _ in range(TABLE[i, j])]
UNITS = [[0, 0, 1], [1, 1], [2, 2, 1], [3, 3], [0, 0], [2], [2, 3], [1, 1, 0], [0, 1], [3, 3, 2]]


def by_leaving_out(units, coefficient):
    """Return the interval of pseudo-values, each coefficient computed anew."""
    n, whole = len(units), coefficient(units).value
    rest = [coefficient(units[:i] + units[i + 1 :]).value for i in range(n)]
    sample = mean_of([n * whole - (n - 1) * value for value in rest])
    shift = whole - sample.mean
    interval = sample.interval()
    return interval.low + shift, min(1.0, interval.high + shift)


@pytest.mark.parametrize(
    ("weights", "error"), [("linear", 0.03628066564772), ("quadratic", 0.02921110161877)]
)
def test_kappas_interval_is_that_of_the_published_variance(weights, error):
    """Fleiss, Cohen and Everitt's large-sample error, as statsmodels 0.15 has it for this table.

    With 160 pairs the jackknife is within a tenth of it, and not narrower.
    """
    interval = kappa_interval(PAIRS, weights)
    kappa = weighted_kappa(PAIRS, weights).value
    assert interval.high - kappa == pytest.approx(1.96 * error, rel=0.1)
    assert kappa - 1.25 * 1.96 * error < interval.low <= kappa - 1.96 * error


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_kappa_leaves_out_each_pair(weights):
    """The same as computing every kappa anew."""
    interval = kappa_interval(PAIRS[::4], weights)
    expected = by_leaving_out(PAIRS[::4], lambda pairs: weighted_kappa(pairs, weights))
    assert (interval.low, interval.high) == pytest.approx(expected)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_leaves_out_each_unit(level):
    """The same as computing every alpha anew; a unit with one grade does not count."""
    interval = alpha_interval(UNITS, level)
    compared = [unit for unit in UNITS if len(unit) > 1]
    expected = by_leaving_out(compared, lambda units: krippendorff_alpha(units, level))
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert interval.contains(krippendorff_alpha(UNITS, level).value)


def test_intervals_contain_the_coefficient_as_often_as_stated():
    """Of 300 samples of 60 pairs about 95 %, of which more are allowed."""
    random = np.random.default_rng(5)
    true = weighted_kappa(PAIRS).value
    pairs = np.array(PAIRS)
    held = sum(
        kappa_interval(map(tuple, pairs[random.integers(0, 160, 60)].tolist())).contains(true)
        for _ in range(300)
    )
    assert held / 300 >= 0.925


def test_groups_widen_the_interval_of_copies():
    """Each pair four times over is no more evidence if the copies are one group."""
    some = PAIRS[::4]
    alone, together = kappa_interval(some), kappa_interval(some * 4, groups=list(range(40)) * 4)
    assert together.high - together.low == pytest.approx(alone.high - alone.low, rel=0.05)
    units = [unit for unit in UNITS if len(unit) > 1]
    alone = alpha_interval(units)
    together = alpha_interval(units * 4, groups=list(range(len(units))) * 4)
    assert together.low == pytest.approx(alone.low, abs=0.1)


@pytest.mark.parametrize(
    "pairs", [[], [(1, 1)], [(1, 1), (1, 1)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (0, 0), (0, 1)]]
)
def test_agreement_without_spread_has_no_interval(pairs):
    """None: for no kappa, for full agreement, and where all hangs on one pair."""
    assert kappa_interval(pairs) is None
    assert alpha_interval(pairs) is None


def test_wrong_arguments_are_named():
    """With what was expected and what came."""
    with pytest.raises(ArgumentError, match="confidence: expected a number between 0 and 1"):
        kappa_interval(PAIRS, confidence=95)
    with pytest.raises(ArgumentError, match="groups: expected one label per unit, 10, got 1"):
        alpha_interval(UNITS, groups=["a"])
    with pytest.raises(ArgumentError, match="groups: expected one label per query, 160, got 1"):
        kappa_interval(PAIRS, groups=["a"])
