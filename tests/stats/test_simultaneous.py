"""Simultaneous intervals of many means, and their p-values."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import mean_of, simultaneous, simultaneous_intervals
from depth import IS_DEEP, examples

RANDOM = np.random.default_rng(15)
VALUES = RANDOM.normal(0.02, 0.1, size=(60, 1)) + RANDOM.normal(0.02, 0.1, size=(60, 4))
VALUES[:, 1] -= RANDOM.exponential(0.2, size=60)
families = st.integers(1, 4).flatmap(
    lambda n_members: st.lists(
        st.lists(
            st.floats(-1, 1) | st.sampled_from([-0.5, 0.0, 0.25]),
            min_size=n_members,
            max_size=n_members,
        ),
        min_size=2,
        max_size=25,
    )
)


def critical(member):
    return (member.interval.high - member.sample.mean) / member.sample.standard_error


def by_brute_force(values, labels, weights=None, level=0.95, strata=None):
    """Return p-values and bounds from all sign choices, with each mean studentised separately."""
    groups = np.unique(labels)
    how = {"groups": labels, "weights": weights, "strata": strata}
    observed = [mean_of(column, **how) for column in values.T]
    freedoms = [sample.degrees_of_freedom for sample in observed]
    centred = values.copy()
    for label in set(strata or [None]):
        own = np.array([strata is None or one == label for one in strata or labels])
        weight = None if weights is None else weights[own]
        centred[own] -= np.average(values[own], axis=0, weights=weight)
    tails = []
    for signs in itertools.product([1, -1], repeat=len(groups)):
        flipped = centred * np.array(signs)[np.searchsorted(groups, labels)][:, None]
        samples = [mean_of(column, **how) for column in flipped.T]
        farthest = [abs(s.mean) / s.standard_error for s in samples]
        tails.append(stats.t.sf(farthest, freedoms).min())
    tails = np.sort(tails)
    alone = [sample.p_value() for sample in observed]
    p = [max(one, (1 + (tails <= one / 2 * (1 + 1e-9)).sum()) / (len(tails) + 1)) for one in alone]
    tail = min((1 - level) / 2, tails[math.floor((1 - level) * (len(tails) + 1)) - 1])
    return p, [(sample.lower_bound(tail), sample.upper_bound(tail)) for sample in observed]


@pytest.mark.parametrize("labels", [list(range(8)), [0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 7]])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_few_rows_use_every_choice_of_signs(labels, is_weighted):
    """A loop over all sign choices, with a new standard error for each, gives the same."""
    values = VALUES[: len(labels), :3]
    weights = np.linspace(1, 3, len(labels)) if is_weighted else None
    members = simultaneous_intervals(values, 0.9, groups=labels, weights=weights)
    p_values, bounds = by_brute_force(values, labels, weights, 0.9)
    assert [member.p_value for member in members] == pytest.approx(p_values)
    for member, bound in zip(members, bounds, strict=True):
        assert (member.interval.low, member.interval.high) == pytest.approx(bound)


@pytest.mark.parametrize(
    ("labels", "strata"),
    [
        (list(range(8)), [*"aaabbbbb"]),
        (list(range(8)), [*"abababac"]),
        ([0, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 7], [*"aaaaaabbbccc"]),
    ],
)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_strata_are_flipped_about_their_own_means(labels, strata, is_weighted):
    """A loop over all sign choices gives the same; a stratum of one query is merged."""
    joined = [{"c": "b"}.get(one, one) for one in strata] if strata.count("c") == 1 else strata
    far_apart = np.array([{"a": 0.0, "b": 0.5, "c": -1.0}[one] for one in joined])
    values = VALUES[: len(labels), :3] + far_apart[:, None]
    weights = np.linspace(1, 3, len(labels)) if is_weighted else None
    members = simultaneous_intervals(values, 0.9, groups=labels, weights=weights, strata=strata)
    p_values, bounds = by_brute_force(values, labels, weights, 0.9, joined)
    assert [member.p_value for member in members] == pytest.approx(p_values)
    for member, bound in zip(members, bounds, strict=True):
        assert (member.interval.low, member.interval.high) == pytest.approx(bound)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_one_stratum_equals_none(is_weighted):
    """Bits are equal."""
    how = {"weights": np.linspace(1, 3, 60) if is_weighted else None, "n_flips": 500}
    plain = simultaneous_intervals(VALUES, **how)
    assert simultaneous_intervals(VALUES, strata=["only"] * 60, **how) == plain


def test_a_slice_has_the_strata_of_its_queries():
    """It is as if the other queries did not exist."""
    strata = [*"abc"] * 20
    present = np.ones(VALUES.shape, dtype=bool)
    present[:, 1] = np.arange(60) < 30
    members = simultaneous_intervals(VALUES, present=present, strata=strata, n_flips=500)
    assert members[1].sample == mean_of(VALUES[:30, 1], strata=strata[:30])
    assert members[0].sample == mean_of(VALUES[:, 0], strata=strata)


def test_strata_that_differ_make_intervals_narrower():
    """Differences between their means do not count as chance."""
    values = VALUES + np.repeat([0.0, 2.0, -2.0], 20)[:, None]
    strata = np.repeat([*"abc"], 20).tolist()
    plain = simultaneous_intervals(values, n_flips=500)
    stratified = simultaneous_intervals(values, strata=strata, n_flips=500)
    for one, other in zip(plain, stratified, strict=True):
        assert other.sample.mean == one.sample.mean
        assert other.interval.high - other.interval.low < (one.interval.high - one.interval.low) / 3


@pytest.mark.parametrize("groups", [None, (np.arange(60) // 2).tolist()])
def test_members_are_sample_means(groups):
    """Each has the mean and error that it has on its own."""
    members = simultaneous_intervals(VALUES, groups=groups, n_flips=500)
    assert [m.sample for m in members] == [mean_of(c, groups=groups) for c in VALUES.T]
    assert all(m.interval.method == "max t" for m in members)


def test_one_member_has_nearly_its_own_interval():
    """There is nothing to correct for."""
    values = np.random.default_rng(0).normal(0.05, 0.2, size=(200, 1))
    [member] = simultaneous_intervals(values, n_flips=20_000)
    alone = member.sample.interval()
    assert member.interval.low == pytest.approx(alone.low, abs=0.001)
    assert member.interval.high == pytest.approx(alone.high, abs=0.001)
    assert member.p_value == pytest.approx(member.sample.p_value(), abs=0.005)


def test_a_long_tail_widens_an_interval_on_its_side():
    """It is wider like that of a single mean."""
    values = 0.3 - np.random.default_rng(1).exponential(0.3, size=(80, 1))
    [member] = simultaneous_intervals(values)
    below, above = (
        member.sample.mean - member.interval.low,
        member.interval.high - member.sample.mean,
    )
    assert below > 1.1 * above


def test_repeating_a_member_costs_nothing():
    """Unlike Bonferroni's, this correction does not count equal measures twice."""
    [alone] = simultaneous_intervals(VALUES[:, :1])
    repeated = simultaneous_intervals(np.repeat(VALUES[:, :1], 20, axis=1))
    assert {member.interval for member in repeated} == {alone.interval}


def test_more_members_make_wider_intervals():
    """Four independent means vary more than the first of them."""
    [alone] = simultaneous_intervals(VALUES[:, :1])
    together = simultaneous_intervals(VALUES)
    assert critical(together[0]) > critical(alone) * 1.1
    assert together[0].p_value >= alone.p_value


@examples(60)
@given(families, st.floats(0.5, 0.99), st.booleans())
def test_intervals_and_p_values_never_disagree(values, level, is_grouped):
    """A p-value is at most 1 - level if and only if the interval excludes 0."""
    groups = [number // 2 for number in range(len(values))] if is_grouped else None
    for member in simultaneous_intervals(values, level, groups=groups, n_flips=200):
        if member is not None:
            assert (member.p_value <= 1 - level) == (not member.interval.contains(0.0))
            assert member.interval.low <= member.sample.mean <= member.interval.high


def test_absent_queries_do_not_count_for_a_member():
    """A slice has the mean of its own queries, whatever the other rows contain."""
    present = np.ones(VALUES.shape, dtype=bool)
    present[30:, 2] = False
    changed = np.where(present, VALUES, 99.0)
    members = simultaneous_intervals(VALUES, present=present)
    assert members == simultaneous_intervals(changed, present=present)
    assert members[2].sample == mean_of(VALUES[:30, 2])


def test_groups_may_come_in_another_order_within_a_slice():
    """A group keeps its sign in every member, wherever its queries are."""
    groups = ["a", "b", "a", "c", "b", "d", "d", "e", "f", "g"]
    values = np.repeat(VALUES[:10, :1], 2, axis=1)
    present = np.ones((10, 2), dtype=bool)
    present[0] = False
    both = simultaneous_intervals(values, present=present, groups=groups)
    alone = simultaneous_intervals(values[1:, :1], groups=groups[1:])
    assert both[0].interval == both[1].interval
    assert both[0].sample == alone[0].sample
    assert critical(both[0]) == pytest.approx(critical(alone[0]))


def test_a_small_slice_widens_its_own_interval_most():
    """T of few queries is compared by its tail probability, not by its size."""
    random, present = np.random.default_rng(3), np.ones((200, 2), dtype=bool)
    present[10:, 1] = False
    pairs = [
        simultaneous_intervals(random.normal(size=(200, 2)), present=present, n_flips=999)
        for _ in range(20)
    ]
    large, small = (np.mean([critical(pair[member]) for pair in pairs]) for member in (0, 1))
    assert large < 2.35
    assert small > large + 0.3


def test_a_query_of_weight_0_does_not_count():
    """It is as if the query did not exist."""
    weights = np.r_[np.zeros(20), np.linspace(1, 2, 40)]
    found = simultaneous_intervals(VALUES, weights=weights)
    alone = simultaneous_intervals(VALUES[20:], weights=weights[20:])
    assert [member.sample for member in found] == [member.sample for member in alone]


def test_members_without_spread_are_certain():
    """Equal values have an interval of width 0, and do not affect others."""
    values = np.c_[VALUES[:, 0], np.full(60, 0.25), np.zeros(60)]
    varying, equal, zero = simultaneous_intervals(values)
    assert varying == simultaneous_intervals(VALUES[:, :1])[0]
    assert (equal.interval.low, equal.interval.high) == (0.25, 0.25)
    assert equal.p_value == 1 / 10_001
    assert (zero.interval.low, zero.interval.high, zero.p_value) == (0.0, 0.0, 1.0)


def test_members_of_one_query_are_left_out():
    """Their result is None, and the others are as without them."""
    present = np.ones((60, 2), dtype=bool)
    present[1:, 1] = False
    first, second = simultaneous_intervals(VALUES[:, :2], present=present)
    assert second is None
    assert first == simultaneous_intervals(VALUES[:, :1])[0]
    assert simultaneous_intervals(np.zeros((0, 2))) == [None, None]


def test_too_few_flips_give_no_interval():
    """With 10 draws no p-value reaches 0.05, so the interval is unbounded."""
    [member] = simultaneous_intervals(VALUES[:, :1] + 9, n_flips=10)
    assert member.p_value == 1 / 11
    assert (member.interval.low, member.interval.high) == (-math.inf, math.inf)


def test_computing_in_parts_gives_the_same_bits(monkeypatch):
    """A family that does not fit into memory is processed member by member."""
    strata = [*"abc"] * 20
    whole = simultaneous_intervals(VALUES, n_flips=1000)
    stratified = simultaneous_intervals(VALUES, strata=strata, n_flips=1000)
    monkeypatch.setattr(simultaneous, "_AT_A_TIME", 1000)
    assert simultaneous_intervals(VALUES, n_flips=1000) == whole
    assert simultaneous_intervals(VALUES, strata=strata, n_flips=1000) == stratified


def test_draws_depend_on_the_seed():
    """The same seed gives the same draw, and another one a different draw."""
    one, same, other = (simultaneous_intervals(VALUES, n_flips=999, seed=s) for s in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("shape", ["independent", "correlated", "slices", "grouped"])
def test_all_intervals_hold_together_as_often_as_stated(shape):
    """In about 95% of 400 families of five true means, or of 150 by day, no interval misses."""
    n_families = 400 if IS_DEEP else 150
    random = np.random.default_rng(8)
    present = np.ones((48, 5), dtype=bool)
    if shape == "slices":
        for member in range(1, 5):
            present[:, member] = np.arange(48) % 4 == member - 1
    groups = (np.arange(48) // 3).tolist() if shape == "grouped" else None
    held = 0
    for seed in range(n_families):
        values = random.normal(size=(48, 5))
        if shape == "correlated":
            values += 2 * random.normal(size=(48, 1))
        if shape == "grouped":
            values += np.repeat(random.normal(size=(16, 5)), 3, axis=0)
        members = simultaneous_intervals(
            values, present=present, groups=groups, n_flips=999, seed=seed
        )
        held += all(member.interval.contains(0.0) for member in members)
    assert abs(held / n_families - 0.95) <= 0.6 / math.sqrt(n_families)  # 0.03 of 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": 95}, "level: expected a number between 0 and 1"),
        ({"groups": ["a"]}, "groups: expected one label per query, 60, got 1"),
        ({"weights": [1.0]}, "weights: expected one weight per query, 60, got 1"),
        ({"strata": ["a"]}, "strata: expected one label per query, 60, got 1"),
        ({"present": [True]}, "present: expected one bool per value, 60 x 4"),
        ({"present": np.ones((60, 4))}, "present: expected one bool per value, 60 x 4"),
        ({"n_flips": 0}, "n_flips: expected a whole number from 1"),
    ],
)
def test_invalid_arguments_are_reported(arguments, message):
    """The message has what was expected and found."""
    with pytest.raises(ArgumentError, match=message):
        simultaneous_intervals(VALUES, **arguments)


def test_no_member_is_more_certain_than_alone():
    """This holds even if two queries have most of the weight."""
    chance = np.random.default_rng(5)
    values = chance.normal(0.05, 0.2, (60, 2))
    weights = [300.0, 200.0, *chance.uniform(1, 5, 58)]
    for member in simultaneous_intervals(values, weights=weights):
        alone = member.sample.interval()
        assert member.interval.low <= alone.low < alone.high <= member.interval.high
        assert member.p_value >= member.sample.p_value()
