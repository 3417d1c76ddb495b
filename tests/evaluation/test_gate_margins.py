"""Margins: whether a drop is ruled out, shown, or neither."""

import json
import math

import numpy as np
import pytest

from berryeval import ArgumentError, compare, gate
from berryeval.reports.gate import gate_to_json
from berryeval.stats import queries_needed
from evaluation.gating_cases import OTHER, RELEVANT, compared, decided, ids, judged, only, ranked


def test_the_margin_of_a_geometric_mean_is_in_its_own_unit():
    """Logarithms are tested, but a drop of 0.1 or 10% is one of the mean."""
    before, after = [4] * 20, [4] * 10 + [3] * 10  # AP is a fifth of the hits
    drop = 0.8 - math.sqrt(0.8 * 0.6)
    for margin, verdict in (
        (drop + 1e-6, "pass"),
        (drop - 1e-6, "fail"),
        (f"{100 * drop / 0.8 + 1e-4}%", "pass"),
        (f"{100 * drop / 0.8 - 1e-4}%", "fail"),
    ):
        guard = only(decided(before, after, "GMAP", margin, inference="set"))
        assert guard.verdict == verdict
        assert guard.value == pytest.approx(-drop)
        assert guard.limit == pytest.approx(-drop, abs=1e-5)
    tested = only(decided(before, after, "GMAP", 0.2))
    assert tested.interval.low < -drop < tested.interval.high < 0
    with pytest.raises(ArgumentError, match=r"below the baseline's mean, 0.8000, got 0.9"):
        decided(before, after, "GMAP", 0.9)


def test_unchanged_rankings_pass_without_a_test():
    """This holds even for one query and with other scores."""
    runs = {
        "baseline": {"q000": {"r0": 3.0, "n0": 2.0}},
        "candidate": {"q000": {"r0": 0.9, "n0": 0.1}},
    }
    result = gate(compare(judged(1), runs, ["P@5", "RR"], bounds=True), margin=0.001)
    assert result.verdict == "pass"
    assert all(guard.is_unchanged and guard.p_pass is None for guard in result.guards)
    assert result.sentence == (
        "both guards hold over 1 query, unchanged: the rankings are the same."
    )
    assert result.guards[0].reason == "is unchanged: the rankings are the same within the cutoff."


def test_changes_below_the_cutoff_do_not_matter():
    """P@5 ignores rank 6, but AP does not."""
    before = {q: [*RELEVANT[:2], *OTHER[:3], "r2", "n3"] for q in ids(3)}
    after = {q: [*RELEVANT[:2], *OTHER[:3], "n3", "r2"] for q in ids(3)}
    result = gate(
        compare(judged(3), {"baseline": before, "candidate": after}, ["P@5", "AP"]), margin=0.05
    )
    assert [guard.is_unchanged for guard in result.guards] == [True, False]
    assert [guard.verdict for guard in result.guards] == ["pass", "inconclusive"]


def test_fewer_than_ten_changed_queries_never_fail():
    """Nine lost queries, of nine or of fifty, are not tested."""
    for n_queries in (9, 50):
        before, after = [5] * n_queries, [0] * 9 + [5] * (n_queries - 9)
        guard = only(decided(before, after))
        assert (guard.verdict, guard.n_changed, guard.p_pass, guard.p_fail) == (
            "inconclusive",
            9,
            None,
            None,
        )
        assert (
            f"fell by {9 / n_queries:.4f}; 9 of {n_queries} queries changed, and a difference is "
            "tested only if 10 or more changed. About "
        ) in guard.reason
        assert f"are needed; this set has {n_queries}." in guard.reason
    assert only(decided([5] * 50, [0] * 10 + [5] * 40)).verdict == "fail"


def test_few_changes_among_many_queries_pass():
    """The Clopper-Pearson bound holds even if each of them were lost."""
    guard = only(decided([5] * 320, [4] * 9 + [5] * 311))
    assert guard.verdict == "pass"
    assert guard.reason.endswith(
        "9 of 320 queries changed, so few that a drop of 0.05 is ruled out."
    )
    assert only(decided([5] * 320, [4] * 9 + [5] * 311, margin=0.04)).verdict == "inconclusive"


def test_changed_rankings_with_equal_scores_are_not_unchanged():
    """Another relevant document takes the place, so rankings do change."""
    before, after = ranked([1] * 20), {q: ["r1", *OTHER[:4]] for q in ids(20)}
    comparison = compare(judged(20), {"baseline": before, "candidate": after}, "P@5")
    guard = only(gate(comparison, margin=0.05))
    assert (guard.is_unchanged, guard.n_changed, guard.verdict) == (False, 0, "inconclusive")
    assert guard.reason == (
        "is unchanged: no score changed on these queries, but 20 queries are too few to promise "
        "the same for others. About 59 queries are needed; this set has 20."
    )
    on_set = only(gate(comparison, margin=0.05, inference="set"))
    assert on_set.reason.startswith("is unchanged, within the margin of 0.05 on these queries")
    before, after = ranked([1] * 59), {q: ["r1", *OTHER[:4]] for q in ids(59)}
    enough = gate(compare(judged(59), {"baseline": before, "candidate": after}, "P@5"), margin=0.05)
    assert only(enough).reason == (
        "is unchanged, and 59 queries are enough to rule out a drop of 0.05 on others."
    )


def test_a_small_set_has_a_way_out():
    """It is suggested if queries are lacking, but not where a verdict was reached or blocked."""
    small = decided([5] * 30, [0] * 5 + [5] * 25)
    assert small.verdict == "inconclusive"
    assert 'inference = "set"' in small.suggestion
    assert "With inconclusive = 0, even large drops would pass." in small.suggestion
    assert (small.suggested_command, small.next_step) == (None, small.suggestion)
    assert decided([5] * 30, [0] * 5 + [5] * 25, inference="set").suggestion is None
    holed = {q: [*RELEVANT[:3], "u1", "u2"] for q in ids(40)}
    runs = {"baseline": ranked([3] * 40), "candidate": holed}
    blocked = gate(compare(judged(40), runs, "P@5", bounds=True), margin=0.05, holes="inconclusive")
    assert blocked.suggestion is None


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.1, "fail"), (0.2, "inconclusive"), (0.3, "pass")]
)
def test_equal_differences_have_a_verdict(margin, verdict):
    """Each query loses 0.2: beyond the margin, at it, or within it."""
    result = decided([4] * 12, [3] * 12, margin=margin)
    assert result.verdict == verdict
    assert only(result).queries_needed == (10 if verdict == "inconclusive" else None)


def test_one_query_has_a_verdict():
    """It is inconclusive with or without repeats, and no figure is NaN.

    39 would suffice: two more that lost everything are then within the margin, 2 / 41.
    """
    for settings in ({}, {"repeats": {"candidate": [ranked([3])]}}):
        guard = only(gate(compared([5], [4], **settings), margin=0.05))
        assert (guard.verdict, guard.interval, guard.queries_needed) == ("inconclusive", None, 39)
    assert only(decided([5], [4], inference="set")).verdict == "fail"


def test_a_drop_is_shown_ruled_out_or_neither():
    """The number of queries needed is reported."""
    random = np.random.default_rng(5)
    before = random.integers(1, 5, 60)
    same = np.clip(before + random.choice([-1, 0, 0, 1], 60), 0, 5)
    assert decided(before, same, margin=0.2).verdict == "pass"
    worse = np.clip(before - random.choice([0, 1, 2], 60), 0, 5)
    failed = decided(before, worse, margin=0.05)
    assert failed.verdict == "fail"
    assert only(failed).p_fail <= 0.05
    assert ", by more than the margin of 0.05." in failed.sentence
    between = decided(before, same, margin=0.03)
    guard = only(between)
    assert between.verdict == "inconclusive"
    sd = ((same - before) / 5).std(ddof=1)
    assert guard.queries_needed >= queries_needed(sd, 0.03)
    low, high = guard.queries_needed_range
    needed = f"About {guard.queries_needed} queries ({low} to {high}) are needed"
    assert f"{needed}; this set has 60." in between.sentence


def test_below_the_margin_more_queries_would_confirm_the_drop():
    """The mean is below -margin, but the drop is not shown yet."""
    result = decided([3] * 15, [2] * 6 + [4] * 4 + [3] * 5, margin=0.02)
    assert result.verdict == "inconclusive"
    assert " More queries would more likely confirm the drop." in result.sentence


def test_more_queries_may_not_help():
    """The formula has enough queries, but skewness prevents a decision."""
    result = decided([3] * 14, [2] * 1 + [4] * 11 + [3] * 2, margin=0.9)
    assert result.verdict == "pass"
    tight = decided([5] * 100, [0] * 2 + [4] * 8 + [5] * 90, margin=0.06)
    guard = only(tight)
    assert guard.verdict == "inconclusive"
    assert guard.queries_needed is not None


def test_a_relative_margin_is_a_share_of_the_baselines_mean():
    """10% of 0.8 is 0.08."""
    guard = only(decided([4] * 12, [4] * 11 + [3], margin="10%"))
    assert guard.limit == pytest.approx(-0.08)
    with pytest.raises(
        ArgumentError, match="expected a margin above 0, got 2% of a baseline whose"
    ):
        decided([0] * 12, [1] * 12, margin="2%")


def test_inference_on_the_set_uses_the_observed_difference():
    """There is no p-value and no interval, and a drop of exactly the margin is accepted."""
    within = decided([4] * 4, [4] * 3 + [3], margin=0.05, inference="set")
    guard = only(within)
    assert (guard.verdict, guard.p_pass, guard.interval) == ("pass", None, None)
    assert guard.reason == (
        "fell by 0.0500, within the margin of 0.05 on these queries, which are all that matters."
    )
    beyond = decided([4] * 4, [4] * 3 + [3], margin=0.0499, inference="set")
    assert beyond.verdict == "fail"
    assert ", beyond the margin of 0.0499 on these queries" in beyond.sentence
    assert beyond.suggestion is None


@pytest.mark.parametrize("hits", [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)])
@pytest.mark.parametrize("n_queries", [1, 3, 7, 10])
def test_rounding_does_not_decide_on_the_set(hits, n_queries):
    """0.6 - 0.8 is a drop of 0.2, despite rounding."""
    before, after = ([n] * n_queries for n in hits)
    assert decided(before, after, margin=0.2, inference="set").verdict == "pass"


@pytest.mark.parametrize("n_better", [9, 10])
def test_only_tested_guards_have_an_interval(n_better):
    """Nine changed queries are not tested, and an interval would look like a pass."""
    guard = only(decided([3] * 16, [4] * n_better + [3] * (16 - n_better), margin=0.05))
    is_tested = n_better == 10
    assert (guard.verdict == "pass", guard.interval is not None) == (is_tested, is_tested)
    if guard.interval:
        assert guard.interval.low > guard.limit


def test_if_lower_is_better_a_rise_is_the_drop():
    """More unjudged documents fail, and the words fit."""
    run = {q: [*RELEVANT[:3], "u1", "u2"] for q in ids(30)}
    clean = ranked([3] * 30)
    comparison = compare(judged(30), {"baseline": clean, "candidate": run}, "Unjudged@5")
    worse = gate(comparison, margin=0.1)
    assert worse.verdict == "fail"
    guard = only(worse)
    assert (guard.value, guard.limit) == (comparison.differences[0].mean, 0.1)
    assert guard.value == pytest.approx(0.4)
    # Two more queries might be entirely unjudged: (30 x 0.4 + 2) / 32.
    assert (guard.interval.low, guard.interval.high) == pytest.approx((0.4, 0.4375))
    assert worse.sentence.startswith("Unjudged@5 rose by 0.4000 (90% interval +0.4000 to +0.4375)")
    other = compare(judged(30), {"baseline": run, "candidate": clean}, "Unjudged@5")
    better = gate(other, margin=0.1)
    assert better.verdict == "pass"
    assert only(better).reason.endswith("; a rise of 0.1 is ruled out.")
    assert "Unjudged@5 -0.4000" in better.suggestion


def test_a_measure_without_a_highest_value_is_inconclusive_when_few_change():
    """DCG can lose any amount, so it neither crashes nor passes."""
    result = decided([5] * 200, [4] * 3 + [5] * 197, "DCG@5")
    assert result.verdict == "inconclusive"
    json.loads(gate_to_json(result), parse_constant=pytest.fail)


def test_a_geometric_mean_can_lose_more_than_one():
    """Its logarithms range from 0 down to that of 0.00001."""
    runs = [[5] * 400, [4] * 3 + [5] * 397]
    assert decided(*runs, "AP").verdict == "pass"
    assert decided(*runs, "GMAP").verdict == "inconclusive"


def test_few_changed_queries_report_what_is_needed():
    """The rule, the difference, and the queries for ten changes are stated."""
    result = decided([3] * 40, [2] * 5 + [3] * 35)
    assert result.sentence == (
        "P@5 fell by 0.0250; 5 of 40 queries changed, and a difference is tested only if 10 or "
        "more changed. About 99 queries are needed; this set has 40."
    )
    single = decided([3], [2])
    assert single.sentence.endswith("About 22 queries are needed; this set has 1. More queries "
                                    "would more likely confirm the drop.")  # fmt: skip
    one = decided([3] * 50, [2] + [3] * 49)  # with 2% changing, 5% is ruled out before ten do
    assert 59 < only(one).queries_needed < 300
    lost = decided([5] * 40, [0] * 9 + [5] * 31)
    assert lost.sentence.endswith(
        "this set has 40. More queries would more likely confirm the drop."
    )


def test_a_collapsed_search_is_reported_first():
    """Its mean is less than half, even if few queries prevent a test."""
    small = decided([5] * 5, [0] * 4 + [5])
    assert small.verdict == "inconclusive"
    assert small.sentence.startswith(
        "P@5 collapsed from 1.0000 to 0.2000: it fell by 0.8000; 4 of 5 queries changed, and"
    )
    large = decided([5] * 30, [2] * 30)
    assert large.verdict == "fail"
    assert large.sentence.startswith("P@5 collapsed from 1.0000 to 0.4000: it fell by 0.6000 (90%")
    half = decided([4] * 30, [2] * 30)
    assert (only(half).means, only(half).has_collapsed) == (pytest.approx((0.8, 0.4)), False)
    assert "collapsed" not in half.sentence


def test_a_collapse_is_reported_with_any_verdict():
    """A threshold may fail, or all guards pass."""
    comparison = compared([5] * 5, [0] * 4 + [5])
    failed = gate(comparison, at_least={"P@5": 0.9}, margin=0.05)
    assert failed.sentence == ("P@5 collapsed from 1.0000 to 0.2000. P@5 is 0.2000, below 0.9.")
    passed = gate(comparison, margin=0.9, inference="set")
    assert passed.sentence == ("P@5 collapsed from 1.0000 to 0.2000. 1 guard holds over 5 queries.")
