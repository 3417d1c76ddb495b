"""Means of queries in groups and strata, and with weights."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import sqrtm

from berryeval.stats import mean_of
from stats.skewed_values import LABELS, SKEWED, WEIGHTS


def cr2_by_matrices(values, weights, labels):
    """Return the variance and its degrees of freedom as Pustejovsky and Tipton write them.

    Weighted least squares on a column of ones, with the identity as the working covariance and
    nothing simplified: matrices of queries x queries, and a matrix root for each group.
    """
    n = len(values)
    ones, weight = np.ones((n, 1)), np.diag(weights)
    bread = np.linalg.inv(ones.T @ weight @ ones)
    residual_maker = np.eye(n) - ones @ bread @ ones.T @ weight
    residuals = residual_maker @ values
    rows = []
    for label in np.unique(labels):
        own = labels == label
        spread = residual_maker[own] @ residual_maker[own].T
        root = np.linalg.inv(np.real(sqrtm(spread)))
        rows.append((bread @ ones[own].T @ weight[np.ix_(own, own)] @ root @ np.eye(n)[own])[0])
    variance = sum(float(row @ residuals) ** 2 for row in rows)
    forms = np.array(rows) @ residual_maker
    covariance = forms @ forms.T
    return variance, np.trace(covariance) ** 2 / np.sum(covariance**2)


def test_the_weighted_mean_by_hand():
    """0, 1, 1 with weights 2, 1, 1: mean 1/2, effective size 16/6.

    The shares are 1/2, 1/4, 1/4 and Q is 3/8; residuals vary by 1 - 2 s + Q: 3/8, 7/8, 7/8. The
    variance is (1/4)^2 / (3/8) + 2 (1/8)^2 / (7/8).
    """
    sample = mean_of([0.0, 1.0, 1.0], weights=[2, 1, 1])
    assert (sample.mean, sample.n) == (0.5, 3)
    assert sample.effective_n == pytest.approx(16 / 6)
    assert sample.standard_error**2 == pytest.approx(1 / 6 + 1 / 28)


def test_unequal_groups_by_hand():
    """Groups of 1 and 3 in four queries: each squared total over 16 (1 - its share)."""
    sample = mean_of([1.0, 0.0, 0.0, 0.4], groups=["a", "b", "b", "b"])
    assert sample.mean == pytest.approx(0.35)
    assert sample.standard_error**2 == pytest.approx(0.65**2 / 12 + 0.65**2 / 4)
    assert sample.n == 2


@pytest.mark.parametrize("weights", [None, WEIGHTS, WEIGHTS**3])
@pytest.mark.parametrize("labels", [LABELS, LABELS // 2, np.arange(40), np.arange(40) % 3])
def test_groups_and_weights_are_cr2_with_satterthwaite(weights, labels):
    """Full matrices give the same, for equal and unequal groups and weights."""
    sample = mean_of(SKEWED, weights=weights, groups=labels.tolist())
    used = np.ones(40) if weights is None else weights
    variance, freedom = cr2_by_matrices(SKEWED, used, labels)
    assert sample.mean == pytest.approx(np.average(SKEWED, weights=used))
    assert sample.standard_error**2 == pytest.approx(variance, rel=1e-9)
    assert sample.degrees_of_freedom == pytest.approx(freedom, rel=1e-9)
    assert sample.n == len(np.unique(labels))
    assert sample.effective_n == pytest.approx(used.sum() ** 2 / (used**2).sum())


def test_equal_groups_are_students_t_on_their_means():
    """The t-test of eight numbers equals that of eight groups of five, with Hall's transform."""
    grouped = mean_of(SKEWED, groups=(np.arange(40) % 8).tolist())
    means = mean_of(SKEWED.reshape(5, 8).mean(axis=0))
    assert grouped.n == 8
    for name in ("mean", "standard_error", "degrees_of_freedom", "skewness", "skewness_error"):
        assert getattr(grouped, name) == pytest.approx(getattr(means, name)), name
    assert grouped.p_above(-0.1) == pytest.approx(means.p_above(-0.1))


def test_groups_of_one_and_equal_weights_change_nothing():
    """All descriptions of independent, equal queries agree."""
    plain = mean_of(SKEWED)
    assert mean_of(SKEWED, groups=range(40)) == plain
    assert mean_of(SKEWED, groups=[None] * 40) == plain
    weighted = mean_of(SKEWED, weights=np.full(40, 3.0))
    for name in ("mean", "standard_error", "degrees_of_freedom", "skewness", "effective_n"):
        assert getattr(weighted, name) == pytest.approx(getattr(plain, name), rel=1e-12), name


def test_queries_without_a_group_are_independent():
    """Their label None is not a common group."""
    groups = ["a", None, "a", None, "b"]
    named = ["a", "x", "a", "y", "b"]
    assert mean_of(SKEWED[:5], groups=groups) == mean_of(SKEWED[:5], groups=named)


@given(st.permutations(range(40)))
def test_the_order_of_queries_does_not_matter(order):
    """Results are equal up to rounding, with groups and weights."""
    one = mean_of(SKEWED, weights=WEIGHTS, groups=LABELS.tolist())
    other = mean_of(SKEWED[order], weights=WEIGHTS[order], groups=LABELS[order].tolist())
    for name, value in vars(one).items():
        expected = getattr(other, name)
        assert value == expected or value == pytest.approx(expected, rel=1e-9), name


def test_a_query_of_weight_0_does_not_count():
    """It is as if the query did not exist."""
    with_it = mean_of([0.1, 9.0, 0.3, 0.2], weights=[1, 0, 2, 1], groups=["a", "a", "b", "c"])
    assert with_it == mean_of([0.1, 0.3, 0.2], weights=[1, 2, 1], groups=["a", "b", "c"])


def test_strata_by_hand():
    """Shares are 3/5 and 2/5 of five equal queries: variances are added with squared shares."""
    values = [0.0, 2.0, 1.0, 3.0, 5.0]
    sample = mean_of(values, strata=["head", "head", "head", "tail", "tail"])
    assert sample.mean == pytest.approx(0.6 * 1 + 0.4 * 4)
    of_head, of_tail = 0.6**2 * 1 / 3, 0.4**2 * 2 / 2
    assert sample.standard_error**2 == pytest.approx(of_head + of_tail)
    assert sample.degrees_of_freedom == pytest.approx(
        (of_head + of_tail) ** 2 / (of_head**2 / 2 + of_tail**2 / 1)
    )
    assert (sample.n, sample.effective_n) == (5, pytest.approx(5))


def test_the_share_of_a_stratum_is_that_of_its_weights():
    """Weights 1, 1, 1 and 4.5, 4.5 give shares of 1/4 and 3/4."""
    values, weights = np.array([0.0, 2.0, 1.0, 3.0, 5.0]), [1, 1, 1, 4.5, 4.5]
    sample = mean_of(values, weights=weights, strata=["a", "a", "a", "b", "b"])
    assert sample.mean == pytest.approx(0.25 * 1 + 0.75 * 4)
    assert sample.standard_error**2 == pytest.approx(0.25**2 * 1 / 3 + 0.75**2 * 2 / 2)
    assert sample.effective_n == pytest.approx(1 / (0.25**2 / 3 + 0.75**2 / 2))


def test_strata_remove_differences_between_them():
    """Distant means widen the plain interval, but not the stratified one."""
    values = np.concatenate([SKEWED - SKEWED.mean(), SKEWED - SKEWED.mean() + 5])
    strata = [0] * 40 + [1] * 40
    plain, stratified = mean_of(values), mean_of(values, strata=strata)
    assert stratified.standard_error == pytest.approx(mean_of(SKEWED).standard_error / math.sqrt(2))
    assert stratified.standard_error < plain.standard_error / 5


def test_the_skewness_of_strata_is_that_of_the_sum():
    """Third moments of independent means add up; equal halves of a sample keep it."""
    values, strata = np.tile(SKEWED, 2), np.repeat(["a", "b"], 40)
    sample = mean_of(values, strata=strata.tolist())
    assert sample.skewness == pytest.approx(mean_of(SKEWED).skewness)
    assert sample.skewness_error == pytest.approx(mean_of(SKEWED).skewness_error / math.sqrt(2))


def test_groups_and_weights_apply_within_strata():
    """Each stratum is computed as on its own."""
    strata = np.where(LABELS < 6, "a", "b")
    sample = mean_of(SKEWED, weights=WEIGHTS, groups=LABELS.tolist(), strata=strata.tolist())
    share = WEIGHTS[strata == "a"].sum() / WEIGHTS.sum()
    alone = [
        mean_of(SKEWED[own], weights=WEIGHTS[own], groups=LABELS[own].tolist())
        for own in (strata == "a", strata == "b")
    ]
    assert sample.mean == pytest.approx(share * alone[0].mean + (1 - share) * alone[1].mean)
    assert sample.standard_error == pytest.approx(
        math.hypot(share * alone[0].standard_error, (1 - share) * alone[1].standard_error)
    )
    assert sample.n == 9


strata_of_queries = st.lists(
    st.tuples(
        st.floats(-1, 1),
        st.floats(0.01, 100),
        st.sampled_from(["a", "b", "c", None]),
        st.booleans(),
    ),
    min_size=1,
    max_size=30,
)


@settings(deadline=None)
@given(queries=strata_of_queries, is_weighted=st.booleans())
def test_strata_do_not_change_the_mean(queries, is_weighted):
    """Bits are equal, and strata never make the mean undefined."""
    values, weights, strata, in_pairs = zip(*queries, strict=True)
    how = {"weights": weights if is_weighted else None}
    how["groups"] = [
        f"g{one}" if pair else None for one, pair in zip(strata, in_pairs, strict=True)
    ]
    plain, stratified = mean_of(values, **how), mean_of(values, **how, strata=strata)
    assert (plain is None) == (stratified is None)
    if plain is not None:
        assert stratified.mean == plain.mean
        assert stratified.n == plain.n
        assert stratified.effective_n == pytest.approx(plain.effective_n)


@settings(deadline=None)
@given(queries=strata_of_queries, is_weighted=st.booleans())
def test_one_stratum_equals_none(queries, is_weighted):
    """Bits are equal for any name."""
    values, weights, strata, _ = zip(*queries, strict=True)
    how = {"weights": weights if is_weighted else None}
    assert mean_of(values, **how, strata=[strata[0]] * len(values)) == mean_of(values, **how)


def test_strata_of_one_query_are_merged():
    """They have no spread; differences between them count as chance."""
    values = np.append(SKEWED[:20], [1.0, 4.0, 2.0])
    sample = mean_of(values, strata=["a"] * 20 + ["b", "c", "d"])
    assert sample == mean_of(values, strata=["a"] * 20 + ["rest"] * 3)
    assert sample.standard_error > mean_of(values[:20]).standard_error


def test_a_single_query_joins_the_smallest_stratum():
    """It is the one with the fewest units, not the fewest queries."""
    values = np.append(SKEWED[:19], 1.0)
    groups = [*range(8), *[8, 8, 9, 9, 9, 10, 10, 10, 10, 11, 11], 12]
    strata = ["many units"] * 8 + ["few units"] * 11 + ["alone"]
    joined = ["many units"] * 8 + ["few units"] * 12
    sample = mean_of(values, groups=groups, strata=strata)
    assert sample == mean_of(values, groups=groups, strata=joined)


def test_a_stratum_of_one_heavy_query_has_no_spread_of_its_own():
    """Nearly all the weight on one query is treated like a single query."""
    weights = np.array([1.0] * 38 + [5.0, 0.001])
    strata = ["a"] * 18 + ["b"] * 20 + ["c"] * 2
    sample = mean_of(SKEWED, weights=weights, strata=strata)
    assert sample == mean_of(SKEWED, weights=weights, strata=["a"] * 18 + ["b"] * 20 + ["a"] * 2)
    weights[38] = 1e6
    assert mean_of(SKEWED, weights=weights, strata=strata) is None  # as without strata


def test_queries_without_a_stratum_form_one():
    """None is a label like any other, unlike for groups."""
    strata = [None] * 20 + ["a"] * 20
    assert mean_of(SKEWED, strata=strata) == mean_of(SKEWED, strata=[0] * 20 + [1] * 20)


def test_a_query_of_weight_0_is_in_no_stratum():
    """A stratum with only such queries is ignored."""
    weights = np.append(np.ones(39), 0.0)
    strata = ["a"] * 20 + ["b"] * 19 + ["c"]
    sample = mean_of(SKEWED, weights=weights, strata=strata)
    expected = mean_of(SKEWED[:39], strata=strata[:39])
    assert sample.standard_error == pytest.approx(expected.standard_error)
