"""Declines in a history: what is found, and how rarely by chance."""

from dataclasses import replace

import numpy as np
import pytest

from berryeval.stats import find_decline
from suite.histories import HIGH, entry, noisy, trend_of


def test_changes_are_from_the_previous_entry():
    """The first entry has none."""
    trend = trend_of(entry([0.5, 0.5]), entry([0.5, 1.0], days=1), entry([0.5, 0.5], days=2))
    assert [point.change for point in trend.points] == [None, 0.25, -0.25]
    assert [point.mean for point in trend.points] == [0.5, 0.75, 0.5]


def test_a_step_is_found_where_it_happened():
    """E6: position, size and p-value are reported, and the first entry after it is marked."""
    trend = trend_of(*noisy(20, drop=0.08, step=12))
    (look,) = trend.declines
    assert (look.kind, look.at) == ("step", trend.points[12].entry)
    assert look.change == pytest.approx(-0.08, abs=0.01)
    assert (look.p_value <= 0.001, look.level) == (True, 0.05)
    assert [point.decline for point in trend.points] == [None] * 12 + ["step"] + [None] * 7
    assert (look.n_queries, look.n_left_out, len(look.entries)) == (40, 0, 20)
    assert not any(point.is_alarm for point in trend.points)


def test_a_slow_decline_is_a_creep():
    """E6: no single change caused it, and the fall from the first to the last entry is reported."""
    trend = trend_of(*noisy(30, drop=0.06))
    (look,) = trend.declines
    assert (look.kind, look.at) == ("creep", None)
    assert look.change == pytest.approx(-0.06, abs=0.015)
    assert [point.decline for point in trend.points] == [None] * 29 + ["creep"]


def test_the_numbers_come_from_the_statistics_module():
    """There is only one implementation of the test."""
    entries = noisy(12, drop=0.02, step=6)
    (look,) = trend_of(*entries).looks
    found = find_decline(np.array([one.scores["RR"] for one in entries]).T)
    assert (look.p_value, look.change) == (found.p_value, pytest.approx(found.change))
    assert look.at is entries[found.split]


def test_a_rise_is_not_a_decline():
    """Neither is noise."""
    for entries in (noisy(20, drop=-0.2, step=10), noisy(20)):
        trend = trend_of(*entries)
        assert trend.declines == ()
        assert len(trend.looks) == 1


def test_a_system_that_got_better_and_fell_back_has_declined():
    """E6: this holds even if it is no worse than at first."""
    low, high = noisy(16), noisy(16, drop=-0.1, step=0, seed=4)
    trend = trend_of(*low[:6], *high[6:11], *low[11:])
    (look,) = trend.declines
    assert look.at is trend.points[11].entry


def test_stretches_are_one_family():
    """A series without a decline has one in 5% of cases, however often judgments changed."""
    entries = noisy(6, drop=0.02, step=3)
    (alone,) = trend_of(*entries).looks
    others = [
        noisy(6, seed=seed, since=since, judgments=f"j{seed}") for seed, since in ((7, 6), (8, 12))
    ]
    looks = trend_of(*entries, *others[0], *others[1]).looks
    assert len(looks) == 3
    assert looks[0].p_value == pytest.approx(3 * alone.p_value)


@pytest.mark.parametrize("changed", [{"judgments": "j2"}, {"queries": "q2"}])
def test_a_change_of_judgments_or_queries_starts_a_new_stretch(changed):
    """Entries with different judgments or queries are not compared."""
    high, low = noisy(3), noisy(6, drop=0.3, step=0, **changed)
    trend = trend_of(*high, *low[3:])
    assert [point.starts_anew for point in trend.points] == [
        False,
        False,
        False,
        True,
        False,
        False,
    ]
    assert trend.points[3].change is None
    assert trend.declines == ()
    assert [len(look.entries) for look in trend.looks] == [3, 3]


def with_ids(one, ids):
    """Add query ids to an entry, as in an archive."""
    scores = {measure: column[: len(ids)] for measure, column in one.scores.items()}
    hashed = ",".join(ids)
    return replace(one, queries=hashed, query_ids=ids, n_queries=len(ids), scores=scores)


def test_queries_missing_from_an_entry_are_not_tested():
    """Only queries that all entries have are compared; the others are counted."""
    ids = tuple(f"q{i:02}" for i in range(40))
    entries = [with_ids(one, ids) for one in noisy(20, drop=0.08, step=12)]
    entries[5] = with_ids(entries[5], ids[:38])
    trend = trend_of(*entries)
    (look,) = trend.declines
    assert (look.n_queries, look.n_left_out) == (38, 2)
    assert look.at is entries[12]
    whole = find_decline(np.array([one.scores["RR"][:38] for one in entries]).T)
    assert look.p_value == whole.p_value
    assert not any(point.starts_anew for point in trend.points)
    assert [point.change is None for point in trend.points[4:8]] == [False, True, True, False]


WEIGHTS = tuple(float(1 + number % 3) for number in range(40))


GROUPS = tuple(f"g{number // 2}" for number in range(40))


STRATA = ("howto",) * 20 + ("errors",) * 20


@pytest.mark.parametrize(
    "how",
    [{"weights": WEIGHTS}, {"groups": GROUPS}, {"strata": STRATA},
     {"weights": WEIGHTS, "groups": GROUPS, "strata": STRATA}],
)  # fmt: skip
def test_declines_are_tested_by_the_sampling_design(how):
    """Weights, groups and strata are those of the newest entry."""
    ids = tuple(f"q{i:02}" for i in range(40))
    entries = [replace(one, **how) for one in noisy(12, drop=0.02, step=6, share=0.5)]
    (look,) = trend_of(*entries).looks
    scores = np.array([one.scores["RR"] for one in entries]).T
    found = find_decline(scores, **how)
    assert (look.p_value, look.change) == (found.p_value, pytest.approx(found.change))
    assert look.p_value != find_decline(scores).p_value
    entries = [with_ids(one, ids) for one in entries]
    entries[5] = with_ids(replace(entries[5], **dict.fromkeys(how)), ids[:38])
    (look,) = trend_of(*entries).looks
    fewer = find_decline(scores[:38], **{name: values[:38] for name, values in how.items()})
    assert (look.p_value, look.change) == (fewer.p_value, pytest.approx(fewer.change))


def test_too_few_groups_are_not_tested():
    """Twenty queries of five intents count as five."""
    groups = tuple(f"g{number // 4}" for number in range(20))
    entries = [replace(one, groups=groups) for one in noisy(8, 20, drop=0.5, step=4)]
    assert trend_of(*entries).looks == ()


def test_the_change_of_a_geometric_mean_is_weighted():
    """It is the change of the reported means; a sum counts every query once."""
    entries = [
        replace(one, weights=(9.0,) * 10 + (1.0,) * 30)
        for one in noisy(10, drop=0.3, step=5, share=0.25, measure="GMAP")
    ]
    (look,) = trend_of(*entries).declines
    means = [np.exp(np.average(np.log(one.scores["GMAP"]), weights=one.weights)) for one in entries]
    assert look.change == pytest.approx(np.mean(means[5:]) - np.mean(means[:5]), rel=0.02)
    summed = [replace(one, means={"NumRet": 1.0}, scores={"NumRet": one.scores["GMAP"]})
              for one in entries]  # fmt: skip
    (look,) = trend_of(*summed).declines
    scores = np.array([one.scores["NumRet"] for one in summed]).T
    assert look.change == pytest.approx(40 * find_decline(scores).change)


def test_queries_are_matched_by_their_ids():
    """Positions are not used, since they shift when a query is missing."""
    ids = tuple(f"q{i:02}" for i in range(40))
    hard = [0.1 if i < 20 else 0.9 for i in range(40)]
    before = with_ids(entry(hard), ids)
    after = with_ids(entry(hard[5:], days=1), ids[5:])
    assert trend_of(before, after).looks == ()  # nothing changed


def test_an_entry_with_few_common_queries_starts_a_new_stretch():
    """A run of a few queries does not reduce the test of all others."""
    ids = tuple(f"q{i:02}" for i in range(40))
    entries = [with_ids(one, ids) for one in noisy(8)]
    entries[4] = with_ids(entries[4], ids[:19])
    trend = trend_of(*entries)
    assert [p.starts_anew for p in trend.points] == [False] * 4 + [True] * 2 + [False] * 2


def test_lower_may_be_better():
    """A rise of the share of unjudged documents is a decline."""
    falls = noisy(10, drop=0.2, step=5, measure="Unjudged@10")
    rises = noisy(10, drop=-0.2, step=5, measure="Unjudged@10")
    assert trend_of(*falls).declines == ()
    (look,) = trend_of(*rises).declines
    assert look.change == pytest.approx(0.2, abs=0.02)


def test_the_change_of_a_geometric_mean_is_reported_as_shown():
    """Logarithms are tested, and the change of the reported means is shown."""
    random = np.random.default_rng(2)
    high = np.exp(random.normal(-1, 0.05, size=(10, 40)))
    high[5:] *= 0.8
    entries = [
        replace(entry(row.tolist(), days=day, measure="GMAP"),
                means={"GMAP": float(np.exp(np.log(row).mean()))})
        for day, row in enumerate(high)
    ]  # fmt: skip
    (look,) = trend_of(*entries).declines
    assert look.at is entries[5]
    assert look.change == pytest.approx(-0.2 * np.exp(-1), abs=0.005)


@pytest.mark.parametrize(("n_queries", "is_daily"), [(5, False), (10, True)])
def test_too_few_queries_are_not_tested(n_queries, is_daily):
    """Not even a fall of all of them would be rare enough."""
    few = noisy(8, n_queries, drop=0.5, step=4)
    trend = trend_of(*few, daily=is_daily)
    assert (trend.looks, trend.n_needed) == ((), n_queries + 1)
    enough = trend_of(*noisy(8, n_queries + 1, drop=0.5, step=4), daily=is_daily)
    assert len(enough.declines) == 1


def test_entries_that_repeat_their_scores_are_not_tested():
    """Nightly runs of an unchanged system are an example."""
    assert trend_of(*[entry(HIGH, days=i) for i in range(5)]).looks == ()


def test_a_daily_alarm_names_the_entry_that_raised_it():
    """The step is marked where it began, the alarm where it became certain, at 0.05 / 51."""
    entries = noisy(30, drop=0.05, step=12)
    trend = trend_of(*entries, daily=True)
    (alarm,) = trend.declines
    assert (alarm.kind, alarm.at, alarm.level) == ("step", entries[12], 0.05 / 51)
    place = len(alarm.entries) - 1
    assert 12 <= place < 29
    assert [i for i, point in enumerate(trend.points) if point.is_alarm] == [place]
    assert trend.points[12].decline == "step"
    earlier = find_decline(np.array([one.scores["RR"] for one in entries[:place]]).T)
    assert earlier.p_value > alarm.level


def test_an_alarm_is_not_withdrawn_later():
    """The alarm of one day is the same on the next."""
    entries = noisy(30, drop=0.05, step=12)
    alarms = [
        [point.entry for point in trend_of(*entries[:n], daily=True).points if point.is_alarm]
        for n in range(1, 31)
    ]
    assert [len(found) for found in alarms] == sorted(len(found) for found in alarms)
    assert alarms[-1] == next(found for found in alarms if found)


def test_after_an_alarm_the_new_level_is_the_usual_one():
    """One step raises one alarm; another step raises another."""
    first = noisy(40, drop=0.1, step=8)
    assert len(trend_of(*first, daily=True).declines) == 1
    second = noisy(40, drop=0.2, step=0, seed=5)
    assert len(trend_of(*first[:25], *second[25:], daily=True).declines) == 2


def test_a_daily_alarm_starts_again_after_its_horizon():
    """After 52 entries, earlier ones are no longer compared."""
    entries = noisy(60, drop=0.3, step=52)
    trend = trend_of(*entries, daily=True)
    assert [len(look.entries) for look in trend.looks] == [52, 8]
    assert trend.declines == ()
    assert len(trend_of(*entries).declines) == 1


def test_a_single_test_finds_what_the_daily_alarm_does_not():
    """The same fall is not certain enough for 51 looks."""
    entries = noisy(12, drop=0.02, step=6)
    assert trend_of(*entries).looks[0].is_decline
    assert not trend_of(*entries, daily=True).declines


def false_declines(n_series, n_entries, *, is_daily, correlation, **options):
    """Count series with a decline; each entry is correlated with the previous one."""
    n_found = 0
    for seed in range(n_series):
        random = np.random.default_rng(seed)
        scores = random.normal(size=(n_entries, 30))
        for i in range(1, n_entries):
            scores[i] = correlation * scores[i - 1] + (1 - correlation**2) ** 0.5 * scores[i]
        scores = 0.6 + 0.05 * scores + random.normal(0, 0.2, size=30)
        if options:
            scores[n_entries // 2 :, :6] -= options["drop"]
        entries = [entry(row.tolist(), days=day) for day, row in enumerate(scores)]
        n_found += bool(trend_of(*entries, daily=is_daily).declines)
    return n_found


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_false_declines_are_rare(correlation):
    """A single test finds one in at most 5% of neutral series, plus three standard errors."""
    n_found = false_declines(200, 26, is_daily=False, correlation=correlation)
    assert n_found <= 200 * 0.05 + 3 * (200 * 0.05 * 0.95) ** 0.5


def test_false_alarms_are_rare():
    """At most 5% of the horizons have one, although every entry is tested."""
    n_found = false_declines(40, 52, is_daily=True, correlation=0.5)
    assert n_found <= 40 * 0.05 + 3 * (40 * 0.05 * 0.95) ** 0.5


def test_a_step_of_a_fifth_of_the_queries_is_found():
    """It is four times the day-to-day spread, in 6 of 30 queries."""
    assert false_declines(40, 26, is_daily=False, correlation=0.0, drop=0.2) >= 32


def test_one_entry_is_not_tested():
    """It has no earlier entry to compare with."""
    for is_daily in (False, True):
        assert trend_of(entry(HIGH), daily=is_daily).looks == ()
