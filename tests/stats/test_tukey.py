"""Tukey's HSD with the effect of the queries removed, ordinary and randomised."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import paired_t, randomisation, randomised_tukey_hsd, tukey_hsd

TABLE = np.random.default_rng(31).random((25, 1)) + np.random.default_rng(32).normal(
    [0.0, 0.05, 0.3], 0.1, size=(25, 3)
)


def test_worked_example():
    """Four queries, three systems, small whole numbers.

    The systems' means are 3, 4 and 6.5; what queries and systems leave over has 4/3 as its sum of
    squares and 6 degrees of freedom. For the first and the last system q is
    3.5 / sqrt(2/9 / 4) = 14.849.
    """
    values = np.array([[1, 2, 5], [2, 4, 6], [4, 4, 7], [5, 6, 8]])
    residuals = values - values.mean(1, keepdims=True) - values.mean(0) + values.mean()
    assert (residuals**2).sum() == pytest.approx(4 / 3)
    p = tukey_hsd(values)
    q = 3.5 / math.sqrt(2 / 9 / 4)
    assert q == pytest.approx(14.849, abs=1e-3)
    assert p[0, 2] == pytest.approx(stats.studentized_range.sf(q, 3, 6), rel=1e-6)
    q = 1.0 / math.sqrt(2 / 9 / 4)
    assert p[0, 1] == pytest.approx(stats.studentized_range.sf(q, 3, 6), rel=1e-6)


def test_two_systems_are_the_paired_t_test():
    """E3: with two systems q is t times the root of 2, and p is the same."""
    found = tukey_hsd(TABLE[:, :2])[0, 1]
    assert found == pytest.approx(paired_t(TABLE[:, 0] - TABLE[:, 1]).p_value, rel=1e-5)


def test_the_queries_own_difficulty_is_taken_out():
    """Adding a number to all scores of a query changes no p."""
    harder = TABLE + np.linspace(0, 50, 25)[:, None]
    assert tukey_hsd(harder) == pytest.approx(tukey_hsd(TABLE), rel=1e-6)
    assert randomised_tukey_hsd(harder, 500) == pytest.approx(randomised_tukey_hsd(TABLE, 500))


def test_both_forms_agree_on_systems_that_are_alike():
    """E3: the randomised p-values come near the ordinary ones."""
    alike = TABLE - [0.0, 0.05, 0.26]
    assert randomised_tukey_hsd(alike, 20_000) == pytest.approx(tukey_hsd(alike), abs=0.02)


def test_a_system_that_stands_apart_makes_the_randomised_form_cautious():
    """Its scores widen every range, so that the other pairs' p-values grow."""
    ordinary, randomised = tukey_hsd(TABLE), randomised_tukey_hsd(TABLE, 2000)
    assert randomised[0, 1] > ordinary[0, 1]
    assert randomised[0, 2] < 0.01


@pytest.mark.parametrize("tukey", [tukey_hsd, lambda values: randomised_tukey_hsd(values, 200)])
def test_p_values_are_symmetric_with_ones_on_the_diagonal(tukey):
    """A pair has one p-value, and no system differs from itself."""
    p = tukey(TABLE)
    assert p.shape == (3, 3)
    assert (p == p.T).all()
    assert np.diag(p).tolist() == [1.0, 1.0, 1.0]


def test_randomised_p_is_the_share_of_all_shuffles():
    """Three queries and three systems have 216 shuffles; drawing comes near their share."""
    values = np.array([[0.1, 0.2, 0.6], [0.2, 0.3, 0.5], [0.0, 0.4, 0.3]])
    ranges = []
    for orders in itertools.product(itertools.permutations(range(3)), repeat=3):
        means = np.mean([row[list(order)] for row, order in zip(values, orders, strict=True)], 0)
        ranges.append(means.max() - means.min())
    means = values.mean(0)
    found = randomised_tukey_hsd(values, 40_000)
    for i, j in itertools.combinations(range(3), 2):
        expected = np.mean(np.array(ranges) >= abs(means[i] - means[j]) - 1e-12)
        assert found[i, j] == pytest.approx(expected, abs=0.01)


def test_two_randomised_systems_are_the_randomisation_test():
    """With two systems shuffling is flipping signs."""
    found = randomised_tukey_hsd(TABLE[:, :2], 20_000)[0, 1]
    expected = randomisation(TABLE[:, 0] - TABLE[:, 1], n_resamples=20_000).p_value
    assert found == pytest.approx(expected, abs=0.015)


def test_randomised_p_is_never_0():
    """However clear the difference, p is at least 1 / (n + 1)."""
    values = np.tile([0.0, 1.0], (40, 1))
    assert randomised_tukey_hsd(values, 99)[0, 1] == 1 / 100


@pytest.mark.parametrize("tukey", [tukey_hsd, lambda values: randomised_tukey_hsd(values, 50)])
def test_identical_systems_do_not_differ(tukey):
    """p is 1, not NaN."""
    assert tukey(np.repeat(TABLE[:, :1], 3, axis=1)).tolist() == [[1.0] * 3] * 3


def test_systems_that_differ_by_a_constant_differ_for_sure():
    """Query and system leave nothing over but rounding: p is 0."""
    assert tukey_hsd(TABLE[:, :1] + [0.0, 0.1])[0, 1] == 0.0


@pytest.mark.parametrize("shape", [(1, 3), (5, 1), (0, 2)])
def test_too_few_of_either_are_refused(shape):
    """Two queries and two systems, at least."""
    with pytest.raises(ArgumentError, match="at least 2 x 2"):
        tukey_hsd(np.zeros(shape))
