"""Levels of repeated looks: published boundaries, and their sums."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.stats import level_at_look, level_at_try, look_levels
from depth import examples

fractions = st.lists(st.floats(0.05, 1.0), min_size=1, max_size=5, unique=True).map(sorted)


@pytest.mark.parametrize(
    ("looks", "alpha", "boundaries"),
    [
        (5, 0.025, [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
        (4, 0.025, [4.3326, 2.9631, 2.3590, 2.0141]),
        (2, 0.025, [2.9626, 1.9686]),
        (1, 0.05, [1.6449]),
    ],
)
def test_equal_looks_have_the_published_boundaries(looks, alpha, boundaries):
    """They are the tabulated O'Brien-Fleming boundaries for equally spaced looks."""
    levels = look_levels([look / looks for look in range(1, looks + 1)], alpha)
    assert stats.norm.isf(levels) == pytest.approx(boundaries, abs=2e-4)


def test_the_first_look_spends_what_the_function_states():
    """At half the information it is 2 - 2 Phi(z(0.975) / sqrt(0.5)) for alpha 0.05."""
    assert look_levels([0.5]) == pytest.approx([2 * stats.norm.sf(stats.norm.isf(0.025) * 2**0.5)])


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_the_only_look_at_a_complete_set_has_all_of_alpha(alpha):
    """Bits are equal: a set that does not grow is tested as without counting."""
    assert look_levels([1.0], alpha) == [alpha]


def test_two_looks_agree_with_the_bivariate_normal_distribution():
    """The probability to cross at either look is alpha, by SciPy's integral."""
    levels = look_levels([0.4, 1.0], 0.05)
    first, second = stats.norm.isf(levels)
    together = stats.multivariate_normal(cov=[[1, math.sqrt(0.4)], [math.sqrt(0.4), 1]])
    assert 1 - together.cdf([first, second]) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("times", [[0.1, 0.15, 0.16, 0.4, 0.41, 1.0], [0.3, 0.3005, 0.7, 1.0]])
def test_all_looks_together_reject_alpha_of_the_time(times):
    """This holds in 200,000 random walks; nearly coinciding looks are conservative."""
    random, n_walks = np.random.default_rng(0), 200_000
    place, crossed = np.zeros(n_walks), np.zeros(n_walks, dtype=bool)
    boundaries = stats.norm.isf(look_levels(times, 0.05))
    for time, step, boundary in zip(times, np.diff([0, *times]), boundaries, strict=True):
        place += random.normal(0, math.sqrt(step), n_walks)
        crossed |= place / math.sqrt(time) >= boundary
    assert 0.0470 <= crossed.mean() <= 0.0517


@examples(30)
@given(fractions, st.sampled_from([0.01, 0.05, 0.2]))
def test_later_looks_do_not_change_earlier_ones(times, alpha):
    """A level depends on the looks so far, and none exceeds alpha."""
    levels = look_levels(times, alpha)
    assert all(0 <= level <= alpha * (1 + 1e-9) for level in levels)
    assert look_levels(times[:-1], alpha) == pytest.approx(levels[:-1], abs=1e-7)


def test_a_look_close_to_another_gets_the_rest_between_them():
    """All looks together never exceed it."""
    early, late = (2 * stats.norm.sf(stats.norm.isf(0.025) / time**0.5) for time in (0.5, 0.5002))
    assert look_levels([0.5, 0.5002])[1] == pytest.approx(late - early)


def test_a_very_early_look_gets_nothing():
    """It is 0, not a numerical error."""
    assert look_levels([0.0001, 1.0]) == pytest.approx([0.0, 0.05])
    assert look_levels([]) == []


@pytest.mark.parametrize("times", [[0.0], [0.5, 0.5], [0.6, 0.5], [0.5, 1.1], [math.nan]])
def test_fractions_ascend_to_one(times):
    """Beyond the declared number of queries nothing is left."""
    with pytest.raises(ArgumentError, match="fractions: expected ascending shares"):
        look_levels(times)


def test_levels_without_a_declared_end_add_up_to_alpha():
    """They are halves of halves, or six over pi squared times the inverse squares."""
    assert sum(level_at_look(k) for k in range(1, 60)) == pytest.approx(0.05)
    assert level_at_look(3, 0.08) == 0.01
    assert level_at_try(1, 0.05) == pytest.approx(0.30 / math.pi**2)
    assert sum(level_at_try(t) for t in range(1, 200_000)) == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize("level_of", [level_at_look, level_at_try])
def test_looks_are_counted_from_one(level_of):
    """Look 0 and fractions are rejected."""
    with pytest.raises(ArgumentError, match="expected a whole number of at least 1, got 0"):
        level_of(0)
    with pytest.raises(InputTypeError, match=r"expected a whole number of at least 1, got 1\.5"):
        level_of(1.5)
    with pytest.raises(ArgumentError, match="alpha: expected a number between 0 and 1"):
        level_of(1, 5)
