"""U-risk, T-risk, geometric risk and the robustness index, by hand and by their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from berryeval.errors import ArgumentError
from berryeval.stats import geo_risk, robustness_index, t_risk, u_risk, weigh_losses

differences = st.lists(st.integers(-10, 10).map(lambda n: n / 10), min_size=2, max_size=20)
alphas = st.sampled_from([0.0, 0.5, 1.0, 5.0])


def test_losses_count_more_than_gains():
    """There are gains of 0.6, and a loss of 0.2 that counts three times."""
    assert u_risk([0.4, 0.2, -0.2, 0.0], alpha=2) == pytest.approx((0.6 - 3 * 0.2) / 4, abs=1e-15)
    assert u_risk([0.4, 0.2, -0.2, 0.0], alpha=0) == pytest.approx(0.1)


def test_t_risk_divides_by_the_standard_error():
    """Weighted differences of 0.4, 0.2 and -0.6 have the mean 0."""
    assert t_risk([0.4, 0.2, -0.2], alpha=2) == pytest.approx(0.0, abs=1e-15)
    # 0.3 and -0.1 x 2: mean 0.05, standard deviation 0.5 / sqrt(2).
    assert t_risk([0.3, -0.1], alpha=1) == pytest.approx(0.05 / (0.5 / math.sqrt(2)) * math.sqrt(2))


@given(differences, alphas)
def test_t_risk_is_the_t_statistic_of_weighed_differences(values, alpha):
    """SciPy's one-sample t-test gives the same number; None where it has no spread."""
    found = t_risk(values, alpha)
    weighed = weigh_losses(values, alpha)
    if found is None:
        assert np.ptp(weighed) == 0.0
    else:
        assert found == pytest.approx(scipy_stats.ttest_1samp(weighed, 0.0).statistic, abs=1e-9)


def test_robustness_is_the_share_that_gains_minus_the_share_that_loses():
    """Of six queries, three gain and one loses."""
    assert robustness_index([0.1, 0.5, 0.2, -0.9, 0.0, 0.0]) == pytest.approx(2 / 6)


def test_geometric_risk_of_two_systems_by_hand():
    """The sums are 1.2 for a, 0.8 for b; 1.2 for q1, 0.8 for q2; and 2.0 for all."""
    scores = [[0.9, 0.3], [0.3, 0.5]]
    expected = np.array([[0.72, 0.48], [0.48, 0.32]])
    z = (np.array(scores) - expected) / np.sqrt(expected)
    by_hand = []
    for system, mean in ((0, 0.6), (1, 0.4)):
        risk = sum(value if value > 0 else 2 * value for value in z[:, system]) / 2
        by_hand.append(math.sqrt(mean * scipy_stats.norm.cdf(risk)))
    assert geo_risk(scores, alpha=1) == pytest.approx(by_hand, rel=1e-12)


def test_a_stable_system_has_less_geometric_risk_than_a_volatile_one():
    """Both have the same mean; one fails where the others do well."""
    stable, volatile, others = [0.5] * 4, [1.0, 1.0, 0.0, 0.0], [0.5, 0.4, 0.6, 0.5]
    found = geo_risk(np.column_stack([stable, volatile, others]), alpha=5)
    assert found[0] > found[1]


def test_queries_that_no_system_answers_contribute_nothing_to_z():
    """They only lower the mean."""
    assert geo_risk([[0.0, 0.0], [0.0, 0.0]]) == [0.0, 0.0]
    [one, other] = geo_risk([[0.5, 0.5], [0.0, 0.0]])
    assert one == other == pytest.approx(math.sqrt(0.25 * 0.5))


def test_nothing_is_undefined():
    """Without queries, there is no risk; one query has no spread."""
    assert u_risk([]) is None
    assert robustness_index([]) is None
    assert t_risk([0.5]) is None
    assert t_risk([1e-170, 3e-170]) is None


@pytest.mark.parametrize("alpha", [-1.0, math.nan, math.inf, 1e7])
def test_a_weight_out_of_range_is_rejected(alpha):
    """A loss counts at least as much as a gain."""
    with pytest.raises(ArgumentError, match="alpha: expected a number from 0 to 1e"):
        u_risk([0.1], alpha)


def test_geometric_risk_rejects_negative_scores():
    """Its expected scores would have no square root."""
    with pytest.raises(ArgumentError, match="scores: expected numbers of at least 0"):
        geo_risk([[-0.1, 0.5]])
