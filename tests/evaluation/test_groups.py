"""Queries in groups: paraphrases, sessions and tenants, which are not independent."""

import json

import numpy as np
import pytest

from berryeval import Query, compare, evaluate, gate
from berryeval.evaluation.all_pairs import all_pairs
from berryeval.evaluation.deciding import Column, estimate_family, widened
from berryeval.evaluation.guards import Margin, MarginGuard
from berryeval.evaluation.margins import margin_p_values
from berryeval.evaluation.power import sensitivity
from berryeval.evaluation.sampling import PLAIN, Sampling, sampling_of
from berryeval.evaluation.standing import standings
from berryeval.measures import parse_measure
from berryeval.reports.gate import gate_to_json
from berryeval.stats import mean_of
from evaluation.gating_cases import ids, judged, only, ranked


def in_groups(n_queries, size, **labels):
    """Return queries in consecutive groups of `size`."""
    return [
        Query(query_id, query_id, group=f"g{number // size}", **labels)
        for number, query_id in enumerate(ids(n_queries))
    ]


def compared(before, after, queries=(), measures="P@5", **options):
    runs = {"baseline": ranked(before), "candidate": ranked(after)}
    return compare(judged(len(before)), runs, measures, queries=queries, **options)


BEFORE = [3] * 120
AFTER = [*[4] * 36, *[2] * 12, *[3] * 24, *[4] * 12, *[2] * 12, *[4] * 12, *[3] * 12]
"""Each twelve consecutive queries change alike: ten groups of twelve, or thirty of four."""

LEVEL = [*[4] * 24, *[2] * 24, *[3] * 24, *[4] * 24, *[2] * 24]
"""The same, with as many gains as losses."""


def test_intervals_use_groups():
    """Interval and p-value of a comparison are those of the groups' means."""
    queries = in_groups(120, 4)
    plain, grouped = compared(BEFORE, AFTER), compared(BEFORE, AFTER, queries)
    [difference] = grouped.differences
    values = difference.values.reshape(30, 4).mean(axis=1)
    expected = mean_of(values)
    assert difference.interval.low == pytest.approx(expected.interval().low)
    assert difference.interval.high == pytest.approx(expected.interval().high)
    assert difference.p_value == pytest.approx(expected.p_value())
    assert difference.mean == plain.differences[0].mean
    assert difference.interval.low < plain.differences[0].interval.low
    assert "The queries come in 30 groups, and the groups are tested." in grouped.notes
    assert not any("groups" in note for note in plain.notes)


def test_a_query_without_a_group_is_a_group_of_its_own():
    """A set without any groups is unaffected."""
    some = [Query("q000", "", group="a"), Query("q001", "", group="a"), Query("q002", "")]
    known = {query.query_id: query for query in some}
    sampling = sampling_of(known, ["q000", "q001", "q002", "q003"])
    assert sampling.groups == ("a", "a", None, None)
    assert sampling.count(np.array([True, True, True, True])) == 3
    assert sampling.count(np.array([False, True, False, False])) == 1
    assert sampling.take([2, 3]).groups == (None, None)
    assert sampling_of(known, ["q002", "q003"]) is PLAIN


def test_a_gate_tests_groups():
    """The same differences pass as single queries, and are inconclusive as groups of twelve."""
    alone = gate(compared(BEFORE, LEVEL), margin=0.04)
    grouped = gate(compared(BEFORE, LEVEL, in_groups(120, 4)), margin=0.04)
    assert (alone.verdict, grouped.verdict) == ("pass", "inconclusive")
    found = only(grouped)
    assert (found.n_groups, found.n_queries, found.n_changed) == (30, 120, 24)
    needed = found.queries_needed
    assert f"About {needed} groups" in found.reason
    assert "this set has 30" in found.reason
    written = json.loads(gate_to_json(grouped))["guards"][0]
    assert (written["groups"], written["queries"]) == (30, 120)
    wide = gate(compared(BEFORE, AFTER, in_groups(120, 4)), margin=0.2)
    assert "; 1 guard holds over 120 queries in 30 groups." in wide.sentence
    assert "Small set: below 50 groups" in wide.sentence


def test_fewer_than_twenty_groups_are_not_tested():
    """With any number of queries, neither a gate nor a comparison has a result."""
    few = compared(BEFORE, AFTER, in_groups(120, 12))
    assert (few.differences[0].finding, few.differences[0].interval) == ("untested", None)
    assert few.differences[0].reason == "fewer than 20 groups"
    verdict = gate(few, margin=0.5)
    assert verdict.verdict == "inconclusive"
    assert "the queries come in 10 groups, and groups are tested only if there are 20 or more" in (
        verdict.sentence
    )
    unchanged = gate(compared(BEFORE, BEFORE, in_groups(120, 12)), margin=0.1)
    assert unchanged.verdict == "pass"


def test_changed_groups_are_counted():
    """Ten changed queries of nine groups are nine changes."""
    before = [3] * 60
    after = [4] * 10 + [3] * 50
    queries = [
        Query(query_id, "", group="same" if number < 2 else None)
        for number, query_id in enumerate(ids(60))
    ]
    [alone] = compared(before, after).differences
    [grouped] = compared(before, after, queries).differences
    assert alone.reason is None
    assert grouped.reason == "fewer than 10 groups changed"
    found = only(gate(compared(before, after, queries), margin=0.01))
    assert "9 of 59 groups changed" in found.reason


def test_a_slice_of_few_groups_is_watched():
    """Twenty-four queries of six intents count as six."""
    queries = [
        Query(query.query_id, "", group=query.group, category="a" if number < 24 else "b")
        for number, query in enumerate(in_groups(120, 4))
    ]
    comparison = compared(BEFORE, AFTER, queries, slices=["category"])
    assert [d.reason for d in comparison.sliced] == ["fewer than 20 groups", None]
    result = gate(comparison, [MarginGuard(parse_measure("P@5"), Margin(0.2), ("category",))])
    assert [guard.is_watched for guard in result.guards] == [False, True, False]


@pytest.mark.parametrize("measures", [["P@5", "RR"], ["P@5", "RR", "nDCG@10"]])
def test_families_flip_whole_groups(measures):
    """Other measures and all pairs also have intervals of groups."""
    queries = in_groups(120, 4)
    plain = compared(BEFORE, AFTER, measures=measures)
    grouped = compared(BEFORE, AFTER, queries, measures=measures)
    for before, after in zip(plain.differences, grouped.differences, strict=True):
        if before.interval is not None:
            width = before.interval.high - before.interval.low
            assert after.interval.high - after.interval.low > width
    [pair, *_] = all_pairs(grouped)
    assert pair.difference.interval == grouped.differences[0].interval


def test_means_and_run_pages_use_groups():
    """This includes the interval of a mean, and the comparison with another run."""
    queries = in_groups(120, 4)
    both = [evaluate(judged(120), ranked(one), "P@5", queries=queries) for one in (BEFORE, AFTER)]
    values = np.array(both[1]["P@5"].values).reshape(30, 4).mean(axis=1)
    found = both[1]["P@5"].interval
    assert (found.low, found.high) == pytest.approx(
        (mean_of(values).interval().low, mean_of(values).interval().high)
    )
    [standing] = standings(both[1], both[0])
    assert standing.change.interval == compared(BEFORE, AFTER, queries).differences[0].interval


def test_power_counts_groups():
    """It matches the number of groups that the gate reports."""
    queries = in_groups(120, 4)
    found = only(gate(compared(BEFORE, LEVEL, queries), margin=0.03))
    [message] = sensitivity(
        judged(120), ranked(BEFORE), "P@5", against=ranked(LEVEL), margins=[0.03], queries=queries
    )
    assert (message.n_queries, message.n_groups) == (120, 30)
    assert message.spreads[0].needed == ((0.03, found.queries_needed),)


def test_noise_is_added_to_the_error_of_groups():
    """Variances add up for any groups."""
    values = np.random.default_rng(1).normal(0.0, 0.2, 60)
    sampling = Sampling(tuple(f"g{i // 3}" for i in range(60)))
    before, after = (
        sampling.mean_of(widened(values, noise, sampling)).standard_error for noise in (0.0, 0.05)
    )
    assert after**2 == pytest.approx(before**2 + 0.05**2)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("values", [np.full(60, 0.1), np.resize([0.1, -0.1], 60)])
def test_noise_is_added_even_if_groups_do_not_differ(values, size):
    """Equal differences do not rule out noise."""
    sampling = Sampling(tuple(f"g{i // size}" for i in range(60)))
    before, after = sampling.mean_of(values), sampling.mean_of(widened(values, 0.05, sampling))
    assert after.standard_error**2 == pytest.approx(before.standard_error**2 + 0.05**2)
    assert after.mean == pytest.approx(before.mean)


def test_ignoring_groups_causes_false_passes():
    """With thirty unequal groups, alpha holds for groups, but not for queries."""
    random = np.random.default_rng(7)
    n_draws, alone, together = 1500, 0, 0
    for _ in range(n_draws):
        sizes = random.integers(1, 9, 30)
        groups = np.repeat(np.arange(30), sizes)
        values = -0.05 + random.normal(0, 0.1, 30)[groups] + random.normal(0, 0.1, len(groups))
        alone += margin_p_values(mean_of(values), 0.05, 0.0).passing <= 0.05
        grouped = Sampling(tuple(f"{group}" for group in groups)).mean_of(values)
        together += margin_p_values(grouped, 0.05, 0.0).passing <= 0.05
    assert alone / n_draws > 0.12
    assert together / n_draws <= 0.07 + 0.017  # three standard errors


def test_a_family_of_slices_uses_the_groups_of_its_rows():
    """Rows of a slice keep their groups."""
    random = np.random.default_rng(3)
    values = np.repeat(random.normal(0.02, 0.1, 60), 2)
    sampling = Sampling(tuple(f"g{i // 2}" for i in range(120)))
    rows = [range(60), range(60, 120)]
    columns = [Column(values[part], part, sampling=sampling.take(part)) for part in rows]
    found = estimate_family(columns, sampling=sampling)
    plain = estimate_family([Column(values[part][::2]) for part in rows[:1]])
    assert found[0].interval.low < plain[0].interval.low
    assert found[0].interval.high > plain[0].interval.high
