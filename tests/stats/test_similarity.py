"""Rank-biased overlap, Kendall's tau and tau_AP, compared with published examples."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import kendall_tau, overlap_bounds, rank_biased_overlap, tau_ap
from depth import examples

rankings = st.lists(st.sampled_from("abcdefghijkl"), unique=True, min_size=1, max_size=12)
score_pairs = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=25)


def long_sum(a: str, b: str, p: float) -> float:
    """Return RBO as an infinite sum of agreements, truncated at depth 2000."""
    short, long = sorted((a, b), key=len)
    at_short = len(set(short) & set(long[: len(short)]))
    total, agreement = 0.0, 0.0
    for depth in range(1, 2001):
        if depth <= len(long):
            overlap = len(set(short[:depth]) & set(long[:depth]))
            missing = max(0, depth - len(short))
            agreement = (overlap + at_short / len(short) * missing) / depth
        total += (1 - p) * p ** (depth - 1) * agreement
    return total


def test_overlap_matches_the_papers_first_example():
    """Webber's agreements are 0, 0, 2/3, 2/4, 2/5, 2/6, 2/7, and then constant."""
    p = 0.9
    agreements = [0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]
    expected = (1 - p) * sum(a * p**d for d, a in enumerate(agreements)) + 2 / 7 * p**7
    assert rank_biased_overlap("abcdefg", "zcavwxy", p) == pytest.approx(expected, rel=1e-12)


def test_overlap_matches_the_papers_closed_form():
    """Equation 32 with s = 1, l = 3, overlaps 0, 1, 1, and p = 0.5."""
    # Lists b and a b c: X_1 = 0, X_2 = X_3 = 1; (1-p)/p (1/2 p^2 + 1/3 p^3) + 1/3 p^3
    expected = 1.0 * (0.125 + 1 / 24) + 1 / 24
    assert rank_biased_overlap("b", "abc", 0.5) == pytest.approx(expected, rel=1e-12)


# rbo 0.1.3: RankingSimilarity(a, b).rbo_ext(p=0.9)
RBO = [
    ("abcdefg", "zcavwxy", 0.28821728571428573),
    ("abc", "bca", 0.8550000000000001),
    ("a", "bcda", 0.18225),
    ("abcdef", "acbz", 0.77275),
]


@pytest.mark.parametrize(("a", "b", "expected"), RBO)
def test_overlap_matches_the_package_rbo(a, b, expected):
    """They agree for lists of equal and unequal length."""
    assert rank_biased_overlap(a, b, 0.9) == pytest.approx(expected, rel=1e-12)


@examples(200)
@given(rankings, rankings, st.sampled_from([0.1, 0.5, 0.9, 0.98]))
def test_overlap_equals_the_infinite_sum(a, b, p):
    """E3: the closed form equals the sum of its assumptions by depth."""
    a, b = "".join(a), "".join(b)
    assert rank_biased_overlap(a, b, p) == pytest.approx(long_sum(a, b, p), abs=1e-9)


@given(rankings, rankings)
def test_overlap_is_a_share_and_symmetric(a, b):
    """It is between 0 and 1 in both directions, and 1 for equal rankings."""
    assert 0 <= rank_biased_overlap(a, b) <= 1
    assert rank_biased_overlap(a, b) == pytest.approx(rank_biased_overlap(b, a), rel=1e-12)
    assert rank_biased_overlap(a, a) == pytest.approx(1.0, abs=1e-12)


def test_overlap_weights_the_top_most():
    """A swap at the top costs more than one at the end."""
    assert rank_biased_overlap("abcdef", "bacdef") < rank_biased_overlap("abcdef", "abcdfe")


def test_overlap_of_empty_rankings_is_defined():
    """Two are equal; one has nothing in common with another."""
    assert rank_biased_overlap([], []) == 1.0
    assert rank_biased_overlap([], ["d1"]) == 0.0


def test_overlap_rejects_repeats_and_invalid_weights():
    """A document occurs once, and p is between 0 and 1."""
    with pytest.raises(ArgumentError, match="b: expected each document once"):
        rank_biased_overlap(["d1"], ["d2", "d2"])
    with pytest.raises(ArgumentError, match="p: expected a number between 0 and 1"):
        rank_biased_overlap(["d1"], ["d1"], 1.0)


def continued(a: str, b: str, p: float, *, is_best: bool) -> float:
    """Return RBO of lists that continue to depth 2000, with as much in common as possible, or not.

    Each adds what the other has and it lacks, and then the same new documents; or only new ones.
    """
    lists = []
    for own, other, sign in ((a, b, 1), (b, a, -1)):
        lacking = [one for one in other if one not in own] if is_best else []
        new = range(2000 - len(own) - len(lacking))
        lists.append([*own, *lacking, *(i if is_best else sign * (i + 1) for i in new)])
    total, seen_a, seen_b, overlap = 0.0, set(), set(), 0
    for depth, (one, other) in enumerate(zip(*lists, strict=True), start=1):
        seen_a.add(one)
        seen_b.add(other)
        overlap = len(seen_a & seen_b) if depth <= 60 else overlap + is_best
        total += (1 - p) * p ** (depth - 1) * overlap / depth
    return total


@examples(30)
@given(rankings, rankings, st.sampled_from([0.1, 0.5, 0.9]))
def test_bounds_are_the_worst_and_the_best_continuation(a, b, p):
    """E3: they are RBO_MIN, and RBO_MIN + RBO_RES."""
    low, high = overlap_bounds(a, b, p)
    assert low == pytest.approx(continued(a, b, p, is_best=False), abs=1e-9)
    assert high == pytest.approx(continued(a, b, p, is_best=True), abs=1e-9)
    assert low - 1e-12 <= rank_biased_overlap(a, b, p) <= high + 1e-12


@pytest.mark.parametrize("p", [0.5, 0.9])
@pytest.mark.parametrize(("a", "b"), [("abcdefg", "zcavwxy"), ("abc", "bca"), ("a", "bcda")])
def test_bounds_match_the_papers_closed_forms(a, b, p):
    """They match equations 11 and 30, for lists of length s and l with X in common."""
    short, long = sorted((a, b), key=len)
    s, n = len(short), len(long)
    common = [len(set(short[:d]) & set(long[:d])) for d in range(1, n + 1)]
    x, f = common[-1], n + s - common[-1]

    def part(first, last):
        return sum(p**d / d for d in range(first, last + 1))

    ends = -math.log(1 - p)
    least = sum((common[d - 1] - x) * p**d / d for d in range(1, n + 1)) + x * ends
    least *= (1 - p) / p
    rest = s * part(s + 1, f) + n * part(n + 1, f) + x * (ends - part(1, f))
    residual = p**s + p**n - p**f - (1 - p) / p * rest
    assert overlap_bounds(a, b, p) == pytest.approx((least, least + residual), rel=1e-9)


def test_bounds_of_empty_rankings_say_nothing():
    """Two empty rankings may continue in any way."""
    assert overlap_bounds([], []) == (0.0, 1.0)


@given(score_pairs)
def test_kendall_tau_matches_scipy(pairs):
    """E3: tau-b of any scores, including ties; None where SciPy has NaN."""
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    found = kendall_tau(x, y)
    expected = stats.kendalltau(x, y).statistic if len(pairs) > 1 else np.nan
    if found is None:
        assert np.isnan(expected)
    else:
        assert found == pytest.approx(expected, abs=1e-12)


def test_kendall_tau_of_a_thousand_items():
    """Whole rankings are supported, and equal SciPy."""
    x, y = np.random.default_rng(1).random((2, 1000))
    assert kendall_tau(x, y) == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)


# The authors' own examples (Urbano and Marrero 2017, and the R package ircor).
X = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
Y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
TIED = [
    ([9, 4, 9, 9, 7, 1, 2, 4, 5, 10], [8, 4, 8, 10, 7, 1, 4, 5, 6, 10], 0.7321),
    ([3, 6, 2, 9, 6, 2, 7, 8, 7, 4], [3, 8, 7, 9, 1, 1, 5, 6, 10, 6], 0.2970),
    ([2, 6, 9, 1, 5, 6, 8, 4, 10, 4], [8, 3, 3, 9, 6, 3, 2, 9, 0, 2], -0.7047),
]


def test_tau_ap_with_ties_matches_its_authors():
    """Scores rounded to fifths give 0.6269841, as ircor prints."""
    x, y = np.round(np.multiply(X, 5)), np.round(np.multiply(Y, 5))
    assert tau_ap(x, y) == pytest.approx(0.6269841, abs=1e-7)


@pytest.mark.parametrize(("x", "y", "expected"), TIED)
def test_tau_ap_of_tied_systems_matches_its_authors(x, y, expected):
    """Three more examples agree to four digits, in both directions."""
    assert tau_ap(x, y) == pytest.approx(expected, abs=5e-5)
    assert tau_ap(y, x) == tau_ap(x, y)


def test_tau_ap_by_hand():
    """Four systems, the first two swapped.

    Below the top: the second has 0 of 1 above it right, the third 2 of 2, the fourth 3 of 3. So
    2 (0 + 1 + 1) / 3 - 1 = 1/3, and the same the other way.
    """
    assert tau_ap([4, 3, 2, 1], [3, 4, 2, 1]) == pytest.approx(1 / 3)
    assert tau_ap([4, 3, 2, 1], [4, 3, 1, 2]) == pytest.approx(
        (2 * (1 + 1 + 2 / 3) / 3 - 1),
    )


def test_tau_ap_without_ties_is_the_mean_of_both_directions():
    """It is Yilmaz's coefficient of each ranking against the other."""

    def one_way(truth, estimate):
        order = sorted(range(len(estimate)), key=lambda i: -estimate[i])
        shares = [
            sum(truth[order[j]] > truth[order[i]] for j in range(i)) / i
            for i in range(1, len(order))
        ]
        return 2 / (len(order) - 1) * sum(shares) - 1

    for y in itertools.permutations(range(5)):
        x = [4, 3, 2, 1, 0]
        assert tau_ap(x, y) == pytest.approx((one_way(x, y) + one_way(y, x)) / 2)
    assert one_way(X, Y) == pytest.approx(0.7491182, abs=1e-7)


def test_the_top_counts_most():
    """tau_AP distinguishes a swap at the top from one at the bottom, and tau does not."""
    x, top, bottom = [5, 4, 3, 2, 1], [4, 5, 3, 2, 1], [5, 4, 3, 1, 2]
    assert kendall_tau(x, top) == kendall_tau(x, bottom)
    assert tau_ap(x, top) < tau_ap(x, bottom)


@pytest.mark.parametrize("tau", [kendall_tau, tau_ap])
def test_equal_and_opposite_orders_have_1_and_minus_1(tau):
    """The size of scores does not matter."""
    assert tau([1, 2, 3], [10, 20, 90]) == pytest.approx(1.0)
    assert tau([1, 2, 3], [-1, -2, -9]) == pytest.approx(-1.0)


@pytest.mark.parametrize("tau", [kendall_tau, tau_ap])
@pytest.mark.parametrize(
    ("x", "y"), [([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2], [5, 5])]
)
def test_without_an_order_there_is_no_correlation(tau, x, y):
    """It is None for fewer than two items, and if all tie."""
    assert tau(x, y) is None


@pytest.mark.parametrize("tau", [kendall_tau, tau_ap])
def test_scores_come_in_pairs(tau):
    """Sequences of different length are an error."""
    with pytest.raises(ArgumentError, match="y: expected as many numbers as x has, 2, got 1"):
        tau([1, 2], [1])
