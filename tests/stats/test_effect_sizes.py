"""Effect sizes, by hand and compared with SciPy."""

import numpy as np
import pytest
from scipy import stats

from berryeval.stats import cohens_dz, rank_biserial
from berryeval.stats.moments import average_ranks


def test_cohens_dz_by_hand():
    """For 0, 1 and 2, the mean and the standard deviation are 1."""
    assert cohens_dz([0.0, 1.0, 2.0]) == 1.0


def test_cohens_dz_is_t_over_the_root_of_n():
    """E3: it follows from the paired t-test."""
    differences = np.random.default_rng(1).normal(0.1, 1, size=33)
    t = stats.ttest_1samp(differences, 0).statistic
    assert cohens_dz(differences) == pytest.approx(t / np.sqrt(33))


@pytest.mark.parametrize("differences", [[], [0.1], [0.1, 0.1, 0.1], [0.0, 0.0]])
def test_cohens_dz_needs_a_spread(differences):
    """It is None without one."""
    assert cohens_dz(differences) is None


def test_rank_biserial_by_hand():
    """Sizes 1, 2, 2, 4 have ranks 1, 2.5, 2.5, 4; those above 0 have 7.5 of 10."""
    assert rank_biserial([-0.1, 0.4 - 0.2, 0.0, 0.8 - 0.6, 0.4, -0.0]) == 0.8
    assert rank_biserial([-0.1, 0.4 - 0.2, 0.0, 0.6 - 0.8, 0.4, -0.0]) == pytest.approx(0.3)
    assert rank_biserial([1.0, 2.0, -2.0, 4.0]) == 0.5


def test_rank_biserial_follows_wilcoxons_statistic():
    """E3: it is 2 W / (n (n + 1) / 2) - 1."""
    differences = np.random.default_rng(2).normal(0.1, 1, size=33)
    w = stats.wilcoxon(differences, alternative="greater").statistic
    assert rank_biserial(differences) == pytest.approx(2 * w / (33 * 34 / 2) - 1)


@pytest.mark.parametrize(("sign", "expected"), [(1, 1.0), (-1, -1.0)])
def test_rank_biserial_of_one_direction_is_1(sign, expected):
    """All queries are better, or all worse."""
    assert rank_biserial(sign * np.array([0.1, 0.5, 0.2])) == expected


@pytest.mark.parametrize("differences", [[], [0.0], [0.0, -0.0]])
def test_rank_biserial_needs_a_difference(differences):
    """It is None if no query changed."""
    assert rank_biserial(differences) is None


def test_average_ranks_match_scipy():
    """Ties share the mean of their ranks."""
    values = np.random.default_rng(3).integers(0, 8, size=50).astype(float)
    assert average_ranks(values).tolist() == stats.rankdata(values).tolist()
