"""Declines in series of scores: steps and creeps are found, noise is not."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.errors import ArgumentError
from berryeval.stats import alarm_level, find_decline, mean_of
from depth import IS_DEEP

FLIPS = 999 if IS_DEEP else 199
"""Sign flips of simulations; 0.05 is a multiple of 1 / (FLIPS + 1), so their level is exact."""

SERIES = np.random.default_rng(16).normal(0.6, 0.1, size=(9, 6))


def series(random, n_queries, n_entries, correlation):
    """Return scores without a change, each entry correlated with the previous one."""
    scores = random.normal(size=(n_queries, n_entries))
    for entry in range(1, n_entries):
        kept = correlation * scores[:, entry - 1]
        scores[:, entry] = kept + np.sqrt(1 - correlation**2) * scores[:, entry]
    return 0.6 + 0.1 * scores + random.normal(0, 0.3, size=(n_queries, 1))


def by_brute_force(scores, strata=None):
    """Return p-value, split and change from all sign choices and contrasts by definition."""
    n_queries, n_entries = scores.shape
    contrasts = [
        scores[:, :split].mean(axis=1) - scores[:, split:].mean(axis=1)
        for split in range(1, n_entries)
    ]
    slopes = np.array([np.polyfit(range(n_entries), row, 1)[0] for row in scores])
    contrasts = np.array([*contrasts, -slopes * (n_entries - 1)]).T

    def statistics(rows):
        samples = [mean_of(column) for column in rows.T]
        return np.array([sample.mean / sample.standard_error for sample in samples])

    observed = statistics(contrasts)
    moved = contrasts.copy()
    if strata is not None:
        samples = [mean_of(column, strata=strata) for column in contrasts.T]
        observed = np.array([sample.mean / sample.standard_error for sample in samples])
        for own in (np.array(strata) == label for label in set(strata)):
            around = contrasts[own] - contrasts[own].mean(axis=0)
            stretch = np.sqrt(own.sum() / (own.sum() - 1) * (n_queries - 1) / n_queries)
            moved[own] = contrasts.mean(axis=0) + around * stretch
    found = [
        statistics(moved * np.array(signs)[:, None]).max()
        for signs in itertools.product([1, -1], repeat=n_queries)
    ]
    p_value = (1 + sum(t >= observed.max() - 1e-9 for t in found)) / (len(found) + 1)
    means, falls = scores.mean(axis=0), contrasts.mean(axis=0)
    fits = [np.repeat([means[:k].mean(), means[k:].mean()], [k, n_entries - k])
            for k in range(1, n_entries)]  # fmt: skip
    fits.append(np.polyval(np.polyfit(range(n_entries), means, 1), range(n_entries)))
    explained = np.array([np.sqrt(((fit - means.mean()) ** 2).sum()) for fit in fits])
    best = int((np.sign(falls) * explained).argmax())
    return p_value, best + 1 if best < n_entries - 1 else None, -falls[best]


@pytest.mark.parametrize("drop", [0.0, 0.1, -0.1])
@pytest.mark.parametrize("shape", ["step", "creep"])
def test_few_queries_use_every_choice_of_signs(shape, drop):
    """A loop over all sign choices gives the same, and the best fit sets the position."""
    scores = SERIES.copy()
    scores -= drop * (np.arange(6) >= 4) if shape == "step" else drop * np.arange(6) / 3
    found = find_decline(scores)
    p_value, split, change = by_brute_force(scores)
    assert found.p_value == pytest.approx(p_value)
    assert (found.split, found.change) == (split, pytest.approx(change))


@pytest.mark.parametrize("drop", [0.0, 0.1])
def test_differences_between_strata_do_not_count_as_chance(drop):
    """A loop over all sign choices with the stratified mean gives the same."""
    scores, strata = SERIES.copy(), [*"aaaabbbbb"]
    scores[:4, 4:] -= drop
    found = find_decline(scores, strata=strata)
    p_value, split, change = by_brute_force(scores, strata)
    assert found.p_value == pytest.approx(p_value)
    assert (found.split, found.change) == (split, pytest.approx(change))


def test_one_stratum_equals_none():
    """Bits are equal, with groups and weights."""
    for how in ({}, {"weights": np.arange(1, 10)}, {"groups": [*"aabbccdde"]}):
        assert find_decline(SERIES, strata=["only"] * 9, **how) == find_decline(SERIES, **how)


def test_a_decline_of_one_stratum_is_found():
    """If other strata rise slightly, their difference would hide it without strata."""
    scores = series(np.random.default_rng(1), 40, 8, 0.0)
    scores[:20, 4:] -= 0.25
    scores[20:, 4:] += 0.15
    strata = ["errors"] * 20 + ["others"] * 20
    plain, stratified = find_decline(scores), find_decline(scores, strata=strata)
    assert stratified.p_value <= 0.001
    assert plain.p_value > 0.05
    assert (stratified.split, stratified.change) == (plain.split, plain.change)


@pytest.mark.parametrize("fall", [0.0, 0.2])
def test_different_strata_rarely_raise_false_alarms(fall):
    """About 15 of 300 do at level 0.05, even if one rises as much as another falls."""
    random = np.random.default_rng(4)
    p_values = []
    for seed in range(300):
        scores = series(random, 40, 8, 0.0)
        scores[:20, 4:] -= fall
        scores[20:, 4:] += fall
        strata = ["falls"] * 20 + ["rises"] * 20
        p_values.append(find_decline(scores, strata=strata, n_flips=FLIPS, seed=seed).p_value)
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.085


def test_a_step_is_found_where_it_is():
    """From the eighth entry on, each of 100 queries scores 0.1 less."""
    scores = series(np.random.default_rng(1), 100, 20, 0.5)
    scores[:, 7:] -= 0.1
    found = find_decline(scores)
    assert (found.split, found.p_value <= 0.05) == (7, True)
    assert found.change == pytest.approx(-0.1, abs=0.03)


def test_a_step_of_a_fifth_of_the_queries_is_found():
    """Twenty of 100 queries lose 0.3, and the others do not change."""
    scores = series(np.random.default_rng(1), 100, 20, 0.5)
    scores[:20, 7:] -= 0.3
    found = find_decline(scores)
    assert (found.split, found.p_value <= 0.05) == (7, True)


@pytest.mark.parametrize("split", [5, 15, 25])
def test_a_step_of_few_queries_is_found_where_it_is(split):
    """It is within one entry in nine of ten series, although its t is broad."""
    n_near = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        scores = series(random, 50, 30, 0.0)
        scores[:10, split:] -= 0.4
        n_near += abs(find_decline(scores, n_flips=99).split - split) <= 1
    assert n_near >= 18


def test_a_creep_has_no_split():
    """Each entry is slightly lower."""
    scores = series(np.random.default_rng(2), 100, 30, 0.0) - 0.004 * np.arange(30)
    found = find_decline(scores)
    assert (found.split, found.p_value <= 0.05) == (None, True)
    assert found.change == pytest.approx(-0.12, abs=0.03)


def test_an_improvement_is_not_a_decline():
    """The test is one-sided."""
    scores = series(np.random.default_rng(3), 100, 20, 0.5)
    scores[:, 10:] += 0.2
    assert find_decline(scores).p_value > 0.5


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_neutral_series_rarely_raise_false_alarms(correlation):
    """About 15 of 300 do at level 0.05, with and without correlated entries."""
    random = np.random.default_rng(4)
    p_values = [
        find_decline(series(random, 40, 12, correlation), n_flips=FLIPS, seed=seed).p_value
        for seed in range(300)
    ]
    assert 0.02 <= np.mean(np.array(p_values) <= 0.05) <= 0.085


@given(st.lists(st.floats(-2, 2), min_size=9, max_size=9))
def test_the_difficulty_of_a_query_does_not_matter(levels):
    """A constant per query cancels out."""
    found = find_decline(SERIES + np.array(levels)[:, None])
    plain = find_decline(SERIES)
    assert found.p_value == plain.p_value
    assert (found.split, found.change) == (plain.split, pytest.approx(plain.change))


def test_groups_are_flipped_as_a_whole():
    """Nine queries with four copies each are nine units."""
    copies = np.tile(SERIES, (4, 1))
    assert find_decline(copies, groups=list(range(9)) * 4) == find_decline(SERIES)
    assert find_decline(copies).p_value < find_decline(SERIES).p_value


def test_weights_decide_which_decline_counts():
    """Half of the queries fall and half rise; the heavier half decides."""
    scores = series(np.random.default_rng(5), 60, 10, 0.0)
    scores[:30, 5:] -= 0.1
    scores[30:, 5:] += 0.1
    falling, rising = np.repeat([9, 1], 30), np.repeat([1, 9], 30)
    assert find_decline(scores, weights=falling).p_value <= 0.05
    assert find_decline(scores, weights=falling).change == pytest.approx(-0.08, abs=0.03)
    assert find_decline(scores, weights=rising).p_value > 0.5


def test_a_query_of_weight_0_does_not_count():
    """The change is that of the others."""
    weights = np.array([0, 1, 1, 1, 1, 1, 1, 1, 1])
    without = find_decline(SERIES[1:])
    found = find_decline(SERIES, weights=weights)
    assert (found.split, found.change) == (without.split, pytest.approx(without.change))
    strata = [*"abbbbcccc"]
    found = find_decline(SERIES, weights=weights, strata=strata)
    without = find_decline(SERIES[1:], strata=strata[1:])
    assert found.p_value == pytest.approx(without.p_value, abs=0.005)  # of 512 choices, or 256


def test_scores_that_never_change_do_not_decline():
    """The p-value is 1, even with rounding errors."""
    constant = np.repeat(SERIES[:, :1], 6, axis=1)
    assert find_decline(constant).p_value == 1.0
    assert find_decline(constant + np.array([0, 1e-17, 0, 1e-17, 0, 0])).p_value == 1.0


def test_one_entry_is_not_tested():
    """The result is None."""
    assert find_decline(SERIES[:, :1]) is None
    assert find_decline(np.zeros((0, 5))) is None


def test_an_alarm_shares_alpha_among_the_tests_of_its_horizon():
    """52 entries have 51 tests."""
    assert alarm_level() == 0.05 / 51
    assert alarm_level(0.1, 11) == 0.01
    with pytest.raises(ArgumentError, match="horizon: expected a whole number of at least 2"):
        alarm_level(horizon=1)
