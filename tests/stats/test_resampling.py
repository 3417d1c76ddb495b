"""Resamples are random, and reproducible."""

import tracemalloc

import numpy as np
import pytest
from scipy import stats

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.stats import resampling
from berryeval.stats._python import _draw_signs, _draw_words
from berryeval.stats.resampling import flipped_means


def mix(x: int) -> int:
    """Return the finaliser of SplitMix64 in integers, as published."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def test_words_are_those_of_splitmix64():
    """SplitMix64 seeded with 1234567 begins with 6457827717110365317, as published."""
    golden = 0x9E3779B97F4A7C15
    assert mix((1234567 + golden) % 2**64) == 6457827717110365317
    key = mix((mix(9) + golden * 4) % 2**64)
    expected = [mix((key + golden * j) % 2**64) for j in (1, 2, 3)]
    assert _draw_words(9, 3, 1, 3).tolist() == [expected]


def test_signs_are_fair_and_independent_of_their_neighbours():
    """Plus and minus are equally likely, and so are equal and unequal neighbours."""
    signs = _draw_signs(3, 0, 2000, 100)
    assert set(np.unique(signs).tolist()) == {-1, 1}
    n = signs.size
    assert stats.binomtest(int((signs > 0).sum()), n).pvalue > 0.001
    equal = int((signs[:, 1:] == signs[:, :-1]).sum())
    assert stats.binomtest(equal, 2000 * 99).pvalue > 0.001


def test_neighbouring_resamples_and_seeds_are_uncorrelated():
    """No lag between their streams shows a correlation."""
    words = _draw_words(4, 0, 1000, 200).astype(np.float64)
    others = _draw_words(5, 0, 1000, 200).astype(np.float64)
    for one, other in (
        (words[1:], words[:-1]),
        (words, others),
        (words[:, 1:], words[:, :-1]),
    ):
        assert abs(np.corrcoef(one.ravel(), other.ravel())[0, 1]) < 4 / np.sqrt(one.size)


def test_means_of_a_resample_are_paired():
    """All columns share a draw: a column that is twice another stays twice as large."""
    values = np.random.default_rng(1).random((30, 1))
    means = flipped_means(np.hstack([values, 2 * values]), 100)
    assert (2 * means[:, 0] == means[:, 1]).all()


def test_flipped_means_have_the_expected_variance():
    """Their mean is 0, and the variance is the mean square over the number of queries."""
    values = np.random.default_rng(2).random(40)
    means = flipped_means(values[:, None], 20_000)[:, 0]
    error = np.sqrt((values**2).mean() / 40)
    assert means.mean() == pytest.approx(0.0, abs=4 * error / np.sqrt(20_000))
    assert means.std() == pytest.approx(error, rel=0.03)


def test_every_choice_of_signs_is_equally_likely():
    """The eight sums of 1, 2 and 4 are uniform by the chi-square test."""
    sums = flipped_means([[1.0], [2.0], [4.0]], 40_000, 7)[:, 0] * 3
    kinds, n_found = np.unique(sums.round(9), return_counts=True)
    assert kinds.tolist() == [-7, -5, -3, -1, 1, 3, 5, 7]
    assert stats.chisquare(n_found).pvalue > 0.001


def test_a_resample_does_not_depend_on_how_many_there_are():
    """E3: the first 100 of 1,000 equal 100 drawn alone."""
    values = np.random.default_rng(3).random((17, 3))
    assert flipped_means(values, 1000, 5)[:100].tobytes() == flipped_means(values, 100, 5).tobytes()


def test_resamples_depend_on_the_seed():
    """The same seed gives the same resamples, and another one different ones."""
    values = np.random.default_rng(3).random((17, 3))
    assert flipped_means(values, 20, 5).tobytes() == flipped_means(values, 20, 5).tobytes()
    assert flipped_means(values, 20, 5).tobytes() != flipped_means(values, 20, 6).tobytes()


def test_resamples_never_change():
    """Verdicts must not change with a release, so the digits are fixed."""
    values = np.array([[1.0, 0.5], [2.0, 0.5], [4.0, 0.5], [8.0, 0.5]])
    assert (flipped_means(values, 4, 42)[:, 0] * 4).tolist() == [1.0, -11.0, -15.0, -15.0]


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
def test_invalid_values_are_rejected(values, message):
    """No query, no column and NaN each have a message."""
    with pytest.raises(ArgumentError, match=message):
        flipped_means(values)


def test_numbers_out_of_range_are_rejected():
    """Seeds and numbers of resamples are nonnegative integers."""
    with pytest.raises(ArgumentError, match="seed: expected a whole number from 0"):
        flipped_means([[1.0]], 10, -1)
    with pytest.raises(ArgumentError, match="n_resamples: expected a whole number from 1"):
        flipped_means([[1.0]], 0)
    with pytest.raises(InputTypeError, match=r"seed: .* got 1\.5"):
        flipped_means([[1.0]], 10, 1.5)
    with pytest.raises(InputTypeError, match="numbers, got list"):
        flipped_means([["a"]])


def test_memory_does_not_grow_with_the_number_of_columns(monkeypatch):
    """Columns are flipped a few at a time, since all of them would take gigabytes."""
    monkeypatch.setattr(resampling, "_AT_A_TIME", 20_000)
    rows = np.random.default_rng(5).normal(size=(30, 400))
    n_flips = 2000
    tracemalloc.start()
    try:
        largest = resampling.farthest_sums(rows, n_flips, seed=1)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < n_flips * rows.shape[1] * rows.itemsize / 3
    assert largest.tolist() == resampling.flipped_sums(rows, n_flips, 1).max(axis=1).tolist()
