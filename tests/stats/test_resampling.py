"""Resamples are what chance would make them, and the same ones every time."""

import itertools

import numpy as np
import pytest
from scipy import stats

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.stats import flipped_means, permuted_ranges, resampled_means
from berryeval.stats._python import _draw_counts, _draw_halves, _draw_signs, _draw_words

FUNCTIONS = [resampled_means, flipped_means, permuted_ranges]


def mix(x: int) -> int:
    """The finaliser of SplitMix64 in whole numbers, as its authors print it."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def test_words_are_those_of_splitmix64():
    """SplitMix64 started at 1234567 begins with 6457827717110365317, as published."""
    golden = 0x9E3779B97F4A7C15
    assert mix((1234567 + golden) % 2**64) == 6457827717110365317
    key = mix((mix(9) + golden * 4) % 2**64)
    expected = [mix((key + golden * j) % 2**64) for j in (1, 2, 3)]
    assert _draw_words(9, 3, 1, 3).tolist() == [expected]


@pytest.mark.parametrize("n_queries", [2, 7, 50, 1000])
def test_each_query_is_drawn_equally_often(n_queries):
    """Over many resamples the counts are uniform, by the chi-square test."""
    counts = _draw_counts(1, 0, 200_000 // n_queries, n_queries)
    assert (counts.sum(axis=1) == n_queries).all()
    assert stats.chisquare(counts.sum(axis=0)).pvalue > 0.001


def test_counts_of_a_query_are_binomial():
    """How often one query is drawn has the distribution that independent draws give it."""
    n_queries, n_resamples = 20, 20_000
    drawn = np.bincount(_draw_counts(2, 0, n_resamples, n_queries)[:, 0], minlength=8)[:6]
    expected = stats.binom.pmf(np.arange(6), n_queries, 1 / n_queries) * n_resamples
    observed = [*drawn, n_resamples - drawn.sum()]
    assert stats.chisquare(observed, [*expected, n_resamples - expected.sum()]).pvalue > 0.001


def test_signs_are_fair_and_independent_of_their_neighbours():
    """Plus and minus are equally likely, and so are equal and unequal neighbours."""
    signs = _draw_signs(3, 0, 2000, 100)
    assert set(np.unique(signs).tolist()) == {-1, 1}
    n = signs.size
    assert stats.binomtest(int((signs > 0).sum()), n).pvalue > 0.001
    equal = int((signs[:, 1:] == signs[:, :-1]).sum())
    assert stats.binomtest(equal, 2000 * 99).pvalue > 0.001


def test_neighbouring_resamples_and_seeds_have_nothing_in_common():
    """Streams of neighbours are uncorrelated: no lag shows between them."""
    halves = _draw_halves(4, 0, 1000, 200).astype(np.float64)
    others = _draw_halves(5, 0, 1000, 200).astype(np.float64)
    for one, other in (
        (halves[1:], halves[:-1]),
        (halves, others),
        (halves[:, 1:], halves[:, :-1]),
    ):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 4 / np.sqrt(one.size)


def test_every_permutation_is_equally_likely():
    """Three systems, one query: the six orders show, by the range of two queries' sums."""
    values = np.array([[0.0, 1.0, 3.0], [0.0, 10.0, 30.0]])
    expected = [
        (max(sums) - min(sums)) / 2
        for order in itertools.permutations(values[1])
        for sums in [values[0] + order]
    ]
    found = permuted_ranges(values, 60_000, 7)
    kinds, n_found = np.unique(found.round(9), return_counts=True)
    wanted, n_wanted = np.unique(np.round(expected, 9), return_counts=True)
    assert kinds.tolist() == wanted.tolist()
    assert stats.chisquare(n_found, n_wanted * 10_000).pvalue > 0.001


def test_means_of_a_resample_are_paired():
    """One draw serves all columns: a column that is twice another stays so."""
    values = np.random.default_rng(1).random((30, 1))
    for function in (resampled_means, flipped_means):
        means = function(np.hstack([values, 2 * values]), 100)
        assert (2 * means[:, 0] == means[:, 1]).all()


def test_resampled_means_spread_as_the_standard_error():
    """Their mean is the mean of the values, their spread the standard error (n in its divisor)."""
    values = np.random.default_rng(2).random(40)
    means = resampled_means(values[:, None], 20_000)[:, 0]
    error = values.std() / np.sqrt(40)
    assert means.mean() == pytest.approx(values.mean(), abs=4 * error / np.sqrt(20_000))
    assert means.std() == pytest.approx(error, rel=0.03)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_resample_does_not_depend_on_how_many_there_are(function):
    """E3: the first 100 of 1,000 are the 100 that one gets alone."""
    values = np.random.default_rng(3).random((17, 3))
    assert function(values, 1000, 5)[:100].tobytes() == function(values, 100, 5).tobytes()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_seeds_tell_resamples_apart(function):
    """The same seed gives the same resamples, another one others."""
    values = np.random.default_rng(3).random((17, 3))
    assert function(values, 20, 5).tobytes() == function(values, 20, 5).tobytes()
    assert function(values, 20, 5).tobytes() != function(values, 20, 6).tobytes()


def test_bits_of_a_resample_are_fixed_for_all_time():
    """Verdicts must not change with a release: these are the digits of today."""
    values = np.array([[1.0, 0.5], [2.0, 0.5], [4.0, 0.5], [8.0, 0.5]])
    assert (resampled_means(values, 4, 42)[:, 0] * 4).tolist() == [16.0, 16.0, 13.0, 20.0]
    assert (flipped_means(values, 4, 42)[:, 0] * 4).tolist() == [1.0, -11.0, -15.0, -15.0]
    assert (permuted_ranges(values, 4, 42) * 4).tolist() == [9.0, 9.0, 2.0, 3.0]


def test_one_system_has_no_range():
    """Nothing can be swapped."""
    assert permuted_ranges([[0.5], [0.7]], 3).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.1, 0.2], "1 dimensions"),
        (np.zeros((0, 2)), "got 0 x 2"),
        (np.zeros((2, 0)), "got 2 x 0"),
        ([[0.1], [np.nan]], "finite"),
        ([[0.1], [np.inf]], "finite"),
    ],
)
def test_values_that_cannot_be_resampled_are_refused(function, values, message):
    """No query, no column, NaN: a sentence each."""
    with pytest.raises(ArgumentError, match=message):
        function(values)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers_out_of_range_are_refused(function):
    """Seeds and counts of resamples are whole numbers, and not negative."""
    with pytest.raises(ArgumentError, match="seed: expected a whole number from 0"):
        function([[1.0]], 10, -1)
    with pytest.raises(ArgumentError, match="n_resamples: expected a whole number from 1"):
        function([[1.0]], 0)
    with pytest.raises(InputTypeError, match=r"seed: .* got 1\.5"):
        function([[1.0]], 10, 1.5)
    with pytest.raises(InputTypeError, match="numbers, got list"):
        function([["a"]])
