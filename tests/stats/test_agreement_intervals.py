"""Intervals of agreement, compared with a published variance and an explicit jackknife."""

import numpy as np
import pytest

from berryeval.errors import ArgumentError
from berryeval.stats import (
    alpha_interval,
    alphas_without,
    kappa_interval,
    krippendorff_alpha,
    mean_of,
    weighted_kappa,
)
from berryeval.stats.agreement_intervals import MIN_JUDGES

TABLE = np.array([[44, 5, 1, 0], [6, 30, 7, 1], [2, 8, 25, 6], [0, 1, 5, 19]])
PAIRS = [(i, j) for i in range(4) for j in range(4) for _ in range(TABLE[i, j])]
UNITS = [[0, 0, 1], [1, 1], [2, 2, 1], [3, 3], [0, 0], [2], [2, 3], [1, 1, 0], [0, 1], [3, 3, 2]]


def by_leaving_out(units, coefficient):
    """Return the jackknife interval, with each coefficient recomputed."""
    n, whole = len(units), coefficient(units).value
    rest = [coefficient(units[:i] + units[i + 1 :]).value for i in range(n)]
    sample = mean_of([n * whole - (n - 1) * value for value in rest])
    shift = whole - sample.mean
    interval = sample.interval()
    return interval.low + shift, min(1.0, interval.high + shift)


@pytest.mark.parametrize(
    ("weights", "error"), [("linear", 0.03628066564772), ("quadratic", 0.02921110161877)]
)
def test_kappas_interval_matches_the_published_variance(weights, error):
    """It matches the large-sample error of Fleiss, Cohen and Everitt in statsmodels 0.15.

    With 160 pairs the jackknife is within a tenth of it, and not narrower.
    """
    interval = kappa_interval(PAIRS, weights)
    kappa = weighted_kappa(PAIRS, weights).value
    assert interval.high - kappa == pytest.approx(1.96 * error, rel=0.1)
    assert kappa - 1.25 * 1.96 * error < interval.low <= kappa - 1.96 * error


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_kappa_is_jackknifed_by_pair(weights):
    """Recomputing every kappa gives the same."""
    interval = kappa_interval(PAIRS[::4], weights)
    expected = by_leaving_out(PAIRS[::4], lambda pairs: weighted_kappa(pairs, weights))
    assert (interval.low, interval.high) == pytest.approx(expected)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_is_jackknifed_by_unit(level):
    """Recomputing every alpha gives the same; a unit with one grade is ignored."""
    interval = alpha_interval(UNITS, level)
    compared = [unit for unit in UNITS if len(unit) > 1]
    expected = by_leaving_out(compared, lambda units: krippendorff_alpha(units, level))
    assert (interval.low, interval.high) == pytest.approx(expected)
    assert interval.contains(krippendorff_alpha(UNITS, level).value)


def test_intervals_contain_the_coefficient_as_often_as_stated():
    """About 95% of 300 samples of 60 pairs do, or more."""
    random = np.random.default_rng(5)
    true = weighted_kappa(PAIRS).value
    pairs = np.array(PAIRS)
    held = sum(
        kappa_interval(map(tuple, pairs[random.integers(0, 160, 60)].tolist())).contains(true)
        for _ in range(300)
    )
    assert held / 300 >= 0.925


def test_groups_widen_the_interval_of_copies():
    """Four copies of each pair are no more evidence if they form a group."""
    some = PAIRS[::4]
    alone, together = kappa_interval(some), kappa_interval(some * 4, groups=list(range(40)) * 4)
    assert together.high - together.low == pytest.approx(alone.high - alone.low, rel=0.05)
    units = [unit for unit in UNITS if len(unit) > 1]
    alone = alpha_interval(units)
    together = alpha_interval(units * 4, groups=list(range(len(units))) * 4)
    assert together.low == pytest.approx(alone.low, abs=0.1)


def judged(random, n_units, n_judges, *, spread=0.6, n_each=3):
    """Return units graded 0 to 3 by some of several judges, of varying strictness."""
    strict = random.normal(0, spread, n_judges)
    units, judges = [], []
    for truth in random.uniform(-0.5, 3.5, n_units):
        named = sorted(random.permutation(n_judges)[:n_each].tolist())
        seen = truth - strict[named] + random.normal(0, 0.5, n_each)
        units.append(np.clip(seen.round(), 0, 3).tolist())
        judges.append(named)
    return units, judges


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_the_alpha_without_a_judge_is_that_of_the_others(level):
    """It is as if the judge had graded nothing."""
    units, judges = judged(np.random.default_rng(4), 30, 6)
    units, judges = [*units, [3.0], [2.0, 2.0]], [*judges, [7], [8, 0]]
    found = alphas_without(units, judges, level)
    assert sorted(found) == [0, 1, 2, 3, 4, 5, 8]
    for judge, alpha in found.items():
        rest = [
            [grade for grade, name in zip(unit, named, strict=True) if name != judge]
            for unit, named in zip(units, judges, strict=True)
        ]
        assert alpha == pytest.approx(krippendorff_alpha(rest, level).value)


def test_there_is_no_alpha_without_the_second_judge():
    """Nothing is left to compare."""
    assert alphas_without([[0, 1], [2, 2]], [["ada", "bob"]] * 2) == {"ada": None, "bob": None}


def test_judges_are_resampled_if_there_are_five():
    """With fewer, the interval applies only to these judges."""
    random = np.random.default_rng(6)
    units, judges = judged(random, 60, MIN_JUDGES - 1)
    assert alpha_interval(units, judges=judges) == alpha_interval(units)
    units, judges = judged(random, 60, MIN_JUDGES)
    wide, narrow = alpha_interval(units, judges=judges), alpha_interval(units)
    assert wide.low < narrow.low < narrow.high < wide.high


def test_intervals_hold_for_other_judges():
    """At least 92 of 100 panels of eight judges contain the alpha of all judges."""
    random = np.random.default_rng(7)
    true = krippendorff_alpha(judged(random, 20_000, 1000)[0]).value
    panels = [judged(random, 40, 8) for _ in range(200)]
    held = sum(alpha_interval(units, judges=judges).contains(true) for units, judges in panels)
    alone = sum(alpha_interval(units).contains(true) for units, _ in panels)
    assert held >= 184
    assert alone < held - 10


@pytest.mark.parametrize(
    "pairs", [[], [(1, 1)], [(1, 1), (1, 1)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (0, 0), (0, 1)]]
)
def test_agreement_without_spread_has_no_interval(pairs):
    """This holds without kappa, for full agreement, and if all depends on one pair."""
    assert kappa_interval(pairs) is None
    assert alpha_interval(pairs) is None


def test_invalid_arguments_are_reported():
    """The message has what was expected and found."""
    with pytest.raises(ArgumentError, match="confidence: expected a number between 0 and 1"):
        kappa_interval(PAIRS, confidence=95)
    with pytest.raises(ArgumentError, match="groups: expected one label per unit, 10, got 1"):
        alpha_interval(UNITS, groups=["a"])
    with pytest.raises(ArgumentError, match="judges: expected one judge per grade"):
        alpha_interval(UNITS, judges=[["ada"]] * 10)
    with pytest.raises(ArgumentError, match="groups: expected one label per query, 160, got 1"):
        kappa_interval(PAIRS, groups=["a"])


def test_one_pair_has_no_interval():
    """Without it nothing is left."""
    assert kappa_interval([(1, 2)]) is None
    assert kappa_interval([(0, 3)], groups=["q1"]) is None
