"""The gate: pass, fail or inconclusive."""

import importlib.util
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from berryeval import ArgumentError, MismatchError, Query, compare, evaluate, gate
from berryeval.errors import InputTypeError
from berryeval.evaluation import trials
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.margins import correct_failing, margin_p_values
from berryeval.measures import parse_measure
from berryeval.reports.gate import gate_to_json

RELEVANT = [f"r{i}" for i in range(5)]
OTHER = [f"n{i}" for i in range(5)]


def ids(n_queries):
    return [f"q{i:03}" for i in range(n_queries)]


def judged(n_queries):
    """Five relevant and five other documents for each query: nothing is unjudged."""
    grades = {**dict.fromkeys(RELEVANT, 1), **dict.fromkeys(OTHER, 0)}
    return dict.fromkeys(ids(n_queries), grades)


def ranked(hits):
    """A run that finds so many relevant documents among five, query by query."""
    return {q: RELEVANT[:n] + OTHER[: 5 - n] for q, n in zip(ids(len(hits)), hits, strict=True)}


def compared(before, after, measures="P@5", **settings):
    runs = {"baseline": ranked(before), "candidate": ranked(after)}
    return compare(judged(len(before)), runs, measures, bounds=True, **settings)


def decided(before, after, measures="P@5", margin=0.05, **settings):
    return gate(compared(before, after, measures), margin=margin, **settings)


def only(result):
    [guard] = result.guards
    return guard


def test_a_threshold_is_reached_by_equality():
    """The plain mean, unrounded: 0.7 reaches 0.7, 0.69996 does not, however it is printed."""
    result = evaluate(judged(10), ranked([3, 4] * 5), "P@5")
    assert gate(result, at_least={"P@5": 0.7}).verdict == "pass"
    almost = gate(result, at_least={"P@5": 0.700004})
    assert almost.verdict == "fail"
    assert almost.sentence == "P@5 is 0.7000, below 0.700004."
    above = gate(result, at_least={"P@5": 0.699996})
    assert only(above).reason == "is 0.7000, at least 0.699996."
    below = gate(evaluate(judged(3), ranked([3, 4, 3]), "P@5"), at_least={"P@5": 0.66668})
    assert below.sentence == "P@5 is 0.66667, below 0.66668."


@pytest.mark.parametrize("n_queries", range(1, 40))
@pytest.mark.parametrize("hits", [1, 2, 3, 4])
def test_adding_up_does_not_miss_a_threshold(n_queries, hits):
    """Queries that all score 0.6 have a mean of 0.6, whatever the last digit of the sum."""
    result = evaluate(judged(n_queries), ranked([hits] * n_queries), "P@5")
    assert gate(result, at_least={"P@5": hits / 5}).verdict == "pass"


def test_the_margin_of_a_geometric_mean_is_one_of_that_mean():
    """Not of the logarithms that are tested: a drop by 0.1 is one by 0.1, and 10% are 10%."""
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


def test_a_confident_threshold_asks_for_the_lower_end():
    """The mean alone reaches it: inconclusive. The interval does, too: pass. Neither: fail."""
    result = evaluate(judged(40), ranked([3, 4] * 20), "P@5")
    p5 = parse_measure("P@5")

    def verdict(at_least, result=result):
        return gate(result, [ThresholdGuard(p5, at_least, is_confident=True)])

    assert [verdict(limit).verdict for limit in (0.66, 0.7, 0.71)] == [
        "pass",
        "inconclusive",
        "fail",
    ]
    assert "but may be as low as 0.6" in verdict(0.7).sentence
    assert "0.7 %" not in verdict(0.66).sentence
    one = evaluate(judged(1), ranked([4]), "P@5")
    assert verdict(0.7, one).verdict == "inconclusive"
    assert "is 0.8000, but of too few queries to be confident of 0.7." in verdict(0.7, one).sentence


def test_unchanged_rankings_pass_as_identity():
    """No test is needed, even for one query and with other scores."""
    runs = {
        "baseline": {"q000": {"r0": 3.0, "n0": 2.0}},
        "candidate": {"q000": {"r0": 0.9, "n0": 0.1}},
    }
    result = gate(compare(judged(1), runs, ["P@5", "RR"], bounds=True), margin=0.001)
    assert result.verdict == "pass"
    assert all(guard.is_unchanged and guard.p_pass is None for guard in result.guards)
    assert result.sentence == (
        "all 2 guards hold over 1 query, unchanged: the rankings are the same."
    )
    assert result.guards[0].reason == "is unchanged: the rankings are the same within the cutoff."


def test_what_changes_below_the_cutoff_changes_nothing():
    """P@5 does not see rank 6; AP does."""
    before = {q: [*RELEVANT[:2], *OTHER[:3], "r2", "n3"] for q in ids(3)}
    after = {q: [*RELEVANT[:2], *OTHER[:3], "n3", "r2"] for q in ids(3)}
    result = gate(
        compare(judged(3), {"baseline": before, "candidate": after}, ["P@5", "AP"]), margin=0.05
    )
    assert [guard.is_unchanged for guard in result.guards] == [True, False]
    assert [guard.verdict for guard in result.guards] == ["pass", "inconclusive"]


def test_fewer_than_ten_changed_queries_never_fail():
    """Nine queries lost as a whole, of nine and of fifty."""
    for n_queries in (9, 50):
        before, after = [5] * n_queries, [0] * 9 + [5] * (n_queries - 9)
        guard = only(decided(before, after))
        assert (guard.verdict, guard.n_changed, guard.p_pass, guard.p_fail) == (
            "inconclusive",
            9,
            None,
            None,
        )
        assert guard.reason == (
            f"fell by {9 / n_queries:.4f}; 9 of {n_queries} queries changed, too few to test "
            "whether a drop of 0.05 is ruled out."
        )
    assert only(decided([5] * 50, [0] * 10 + [5] * 40)).verdict == "fail"


def test_few_changes_among_many_queries_pass():
    """By the Clopper-Pearson bound: even if each of them were lost."""
    guard = only(decided([5] * 320, [4] * 9 + [5] * 311))
    assert guard.verdict == "pass"
    assert guard.reason.endswith(
        "9 of 320 queries changed, so few that a drop of 0.05 is ruled out."
    )
    assert only(decided([5] * 320, [4] * 9 + [5] * 311, margin=0.04)).verdict == "inconclusive"


def test_changed_rankings_with_equal_scores_are_no_identity():
    """Another relevant document in its place: nothing lost here, but rankings do change."""
    before, after = ranked([1] * 20), {q: ["r1", *OTHER[:4]] for q in ids(20)}
    comparison = compare(judged(20), {"baseline": before, "candidate": after}, "P@5")
    guard = only(gate(comparison, margin=0.05))
    assert (guard.is_unchanged, guard.n_changed, guard.verdict) == (False, 0, "inconclusive")
    assert guard.reason.startswith("has the same mean; 0 of 20 queries changed")


@pytest.mark.parametrize(
    ("margin", "verdict"), [(0.1, "fail"), (0.2, "inconclusive"), (0.3, "pass")]
)
def test_equal_differences_have_a_verdict(margin, verdict):
    """Each query loses 0.2: beyond the margin, at it, within it."""
    result = decided([4] * 12, [3] * 12, margin=margin)
    assert result.verdict == verdict
    assert only(result).queries_needed is None


def test_one_query_has_a_verdict():
    """Inconclusive, with noise or without; and none of its figures is NaN."""
    for settings in ({}, {"noise_sd": {"P@5": 0.1}}):
        guard = only(decided([5], [4], **settings))
        assert (guard.verdict, guard.interval, guard.queries_needed) == ("inconclusive", None, None)
    assert only(decided([5], [4], inference="set")).verdict == "fail"


def test_a_drop_is_shown_or_ruled_out():
    """Pass, fail and in between, with the queries that it would take."""
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
    z = 1.6448536 + 0.8416212
    sd = ((same - before) / 5).std(ddof=1)
    assert guard.queries_needed == math.ceil((z * sd / 0.03) ** 2)
    assert f"About {guard.queries_needed} queries would tell; here are 60." in between.sentence


def test_below_the_margin_more_queries_would_confirm_the_drop():
    """Mean d below -margin, not shown yet."""
    result = decided([3] * 15, [2] * 6 + [4] * 4 + [3] * 5, margin=0.02)
    assert result.verdict == "inconclusive"
    assert result.sentence.endswith("More queries would more likely confirm the drop.")


def test_a_set_may_be_too_even_for_more_queries_to_help():
    """Enough queries by the formula: it is the skewness that keeps the test from deciding."""
    result = decided([3] * 14, [2] * 1 + [4] * 11 + [3] * 2, margin=0.9)
    assert result.verdict == "pass"
    tight = decided([5] * 100, [0] * 2 + [4] * 8 + [5] * 90, margin=0.06)
    guard = only(tight)
    assert guard.verdict == "inconclusive"
    assert guard.queries_needed is not None


def test_a_relative_margin_is_a_share_of_the_baselines_mean():
    """10 % of 0.8 is 0.08."""
    guard = only(decided([4] * 12, [4] * 11 + [3], margin="10%"))
    assert guard.limit == pytest.approx(-0.08)
    with pytest.raises(
        ArgumentError, match="expected a margin above 0, got 2% of a baseline whose"
    ):
        decided([0] * 12, [1] * 12, margin="2%")


def test_failing_is_corrected_over_all_margin_guards():
    """Holm over two measures and four slices of 20; slices of fewer do not count."""
    n = 60
    hits = [2, 1, 3, 1] * 15
    queries = [
        Query(q, "t", category=f"c{i % 3}", difficulty="hard" if i < 5 else "easy")
        for i, q in enumerate(ids(n))
    ]
    comparison = compared([3] * n, hits, ["P@5", "RR"], queries=queries)
    p5 = parse_measure("P@5")
    alone = only(gate(comparison, [MarginGuard(p5, Margin(0.05))]))
    sliced = [MarginGuard(p5, Margin(0.05), ("category", "difficulty"))]
    guards = [*sliced, MarginGuard(parse_measure("RR"), Margin(0.05))]
    result = gate(comparison, guards, seed=3)
    watched = [guard for guard in result.guards if guard.is_watched]
    assert [(str(guard.slice), guard.n_queries) for guard in watched] == [("difficulty=hard", 5)]
    # All queries, the easy ones, and three categories by P@5; all by RR, which did not change.
    counted = [guard for guard in result.guards if not guard.is_watched]
    values = comparison.difference("candidate", "P@5").values
    parts = [values, values[0::3], values[1::3], values[2::3], values[5:]]
    raw = [margin_p_values(part[:, None], np.array([0.05]), seed=3).failing[0] for part in parts]
    assert [guard.p_fail for guard in counted] == pytest.approx(correct_failing([*raw, None]))
    assert counted[0].p_fail > alone.p_fail
    everything = gate(comparison, guards, smallest_slice=5)
    assert not any(guard.is_watched for guard in everything.guards)


def test_a_gate_passes_only_if_all_pass_and_fails_if_any_fails():
    """Whatever the order."""
    comparison = compared([3] * 30, [3, 4] * 15, ["P@5", "P@10"])
    good, bad = {"P@5": 0.1}, {"P@5": 0.9}
    assert gate(comparison, at_least=good, margin={"P@5": 0.05}).verdict == "pass"
    failed = gate(comparison, at_least={**bad, "P@10": 0.9}, margin={"P@5": 0.05})
    assert failed.verdict == "fail"
    assert len(failed.failed) == 2
    assert failed.sentence == "P@5 is 0.7000, below 0.9. 1 more guard fails."
    mixed = gate(compared([3] * 30, [2, 4] * 15), at_least=good, margin={"P@5": 0.05})
    assert mixed.verdict == "inconclusive"
    assert repr(mixed).startswith("<GateResult inconclusive: P@5 has the same mean")


def test_watched_slices_do_not_decide():
    """A small slice that is lost is told, and the gate passes."""
    queries = [Query(q, "t", category="a" if i < 3 else "b") for i, q in enumerate(ids(90))]
    comparison = compared([5] * 90, [0] * 3 + [5] * 87, queries=queries)
    p5 = parse_measure("P@5")
    guards = [ThresholdGuard(p5, 0.9, slices=("category",)),
              MarginGuard(p5, Margin(0.1), ("category",))]  # fmt: skip
    result = gate(comparison, guards)
    assert result.verdict == "pass"
    assert [(g.verdict, g.is_watched, str(g.slice)) for g in result.guards] == [
        ("pass", False, "None"),
        ("fail", True, "category=a"),
        ("pass", False, "category=b"),
        ("pass", False, "None"),
        ("inconclusive", True, "category=a"),
        ("pass", False, "category=b"),
    ]
    assert result.failed == ()
    strict = gate(comparison, guards, smallest_slice=3)
    assert strict.verdict == "fail"
    assert strict.sentence.startswith("P@5 (category=a) is 0.0000, below 0.9.")


def test_inference_on_the_set_is_on_the_point_difference_and_says_so():
    """No p-value, no interval; a drop of exactly the margin is one that is accepted."""
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
    """0.6 - 0.8 is a drop of 0.2, whatever the last digit."""
    before, after = ([n] * n_queries for n in hits)
    assert decided(before, after, margin=0.2, inference="set").verdict == "pass"


def test_where_lower_is_better_a_rise_is_the_drop():
    """More unjudged documents fail; fewer are better, and the words say which."""
    run = {q: [*RELEVANT[:3], "u1", "u2"] for q in ids(30)}
    clean = ranked([3] * 30)
    comparison = compare(judged(30), {"baseline": clean, "candidate": run}, "Unjudged@5")
    worse = gate(comparison, margin=0.1)
    assert worse.verdict == "fail"
    assert only(worse).value == pytest.approx(-0.4)
    assert worse.sentence.startswith("Unjudged@5 rose by 0.4000 (90% interval +0.4000 to +0.4000)")
    other = compare(judged(30), {"baseline": run, "candidate": clean}, "Unjudged@5")
    better = gate(other, margin=0.1)
    assert better.verdict == "pass"
    assert only(better).reason.endswith("; a rise of 0.1 is ruled out.")
    assert "Unjudged@5 -0.4000" in better.suggestion


def test_a_measure_without_a_highest_value_is_inconclusive_when_few_change():
    """DCG can lose any amount: no crash, no pass."""
    result = decided([5] * 200, [4] * 3 + [5] * 197, "DCG@5")
    assert result.verdict == "inconclusive"
    json.loads(gate_to_json(result), parse_constant=pytest.fail)


def test_a_geometric_mean_can_lose_more_than_one():
    """Its logarithms reach from 0 down to that of 0.00001."""
    runs = [[5] * 400, [4] * 3 + [5] * 397]
    assert decided(*runs, "AP").verdict == "pass"
    assert decided(*runs, "GMAP").verdict == "inconclusive"


def unjudged_runs():
    """Half of the queries have an unjudged document where the baseline has a relevant one."""
    before = ranked([5] * 40)
    after = {q: (["u", *RELEVANT[1:]] if i % 2 else RELEVANT) for i, q in enumerate(ids(40))}
    return {"baseline": before, "candidate": after}


def test_a_verdict_that_unjudged_documents_could_turn_is_marked():
    """It fails; were they relevant, nothing would be lost. They are listed."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05)
    guard = only(result)
    assert result.verdict == "fail"
    assert guard.verdicts_by_holes == ("fail", "inconclusive")
    assert guard.depends_on_holes
    assert not guard.is_blocked_by_holes
    assert [hole.query_id for hole in result.holes] == ids(40)[1::2]
    assert {hole.doc_id for hole in result.holes} == {"u"}
    assert result.sentence.endswith("This depends on 20 unjudged documents.")


@pytest.mark.parametrize(
    ("settings", "is_blocked"),
    [
        ({"holes": "inconclusive"}, True),
        ({"holes": "report"}, False),
        ({"pool_depth": 5}, True),
        ({"pool_depth": 4}, False),
        ({"pool_depth": 5, "holes": "report"}, False),
        ({}, False),
    ],
)
def test_such_a_verdict_blocks_where_that_is_asked_or_the_pool_is_deep(settings, is_blocked):
    """The default follows the pool's depth; what is asked for wins."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05, **settings)
    assert only(result).is_blocked_by_holes == is_blocked
    assert result.verdict == ("inconclusive" if is_blocked else "fail")
    assert only(result).depends_on_holes
    if is_blocked:
        assert "whether that is within 0.05 depends on unjudged documents." in result.sentence


def test_on_the_set_unjudged_documents_block_as_well():
    """And the reason is told, not the point difference."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05, holes="inconclusive", inference="set")
    assert result.verdict == "inconclusive"
    assert "depends on unjudged documents" in only(result).reason


def test_without_a_cutoff_no_pool_is_deep_enough():
    """RR looks at whole rankings."""
    comparison = compare(judged(40), unjudged_runs(), "RR", bounds=True)
    assert not only(gate(comparison, margin=0.05, pool_depth=1000)).is_blocked_by_holes


def test_a_verdict_that_is_firm_is_not_said_to_depend():
    """Another guard fails whatever unjudged documents are worth."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05, at_least={"P@5": 0.99})
    assert result.verdict == "fail"
    assert result.guards[1].depends_on_holes
    assert result.holes
    assert "depends on" not in result.sentence


def test_holes_of_watched_slices_and_other_queries_are_not_listed():
    """Only what could turn a guard that counts: here one slice, where the whole is firm."""
    queries = [Query(q, "t", category="a" if i < 30 else "b") for i, q in enumerate(ids(59))]
    holes = [*ids(59)[1:30:2], "q031"]
    after = {q: ["u", *RELEVANT[1:]] if q in holes else RELEVANT for q in ids(59)}
    runs = {"baseline": ranked([5] * 59), "candidate": after}
    comparison = compare(judged(59), runs, "P@5", bounds=True, queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.1), ("category",))
    result = gate(comparison, [guard], smallest_slice=30)
    assert [(g.verdict, g.is_watched, g.depends_on_holes) for g in result.guards] == [
        ("pass", False, False),
        ("inconclusive", False, True),
        ("inconclusive", True, True),
    ]
    assert [hole.query_id for hole in result.holes] == holes[:-1]
    assert result.sentence.endswith("This depends on 15 unjudged documents.")


def test_holes_of_several_measures_are_listed_once():
    """With the larger of their effects, the most decisive first."""
    comparison = compare(judged(40), unjudged_runs(), ["P@5", "P@1", "P@2"], bounds=True)
    result = gate(comparison, margin=0.05)
    assert len(result.holes) == 20
    assert {hole.effect for hole in result.holes} == {1 / 40}


def test_a_watched_slice_is_neither_corrected_nor_corrects():
    """Its p-value of failing is its own, and that of the whole is as if it were not there."""
    queries = [Query(q, "t", category="a" if i < 15 else None) for i, q in enumerate(ids(40))]
    comparison = compared([3] * 40, [1, 2] * 20, queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.05), ("category",))
    whole, watched = gate(comparison, [guard], seed=4).guards
    alone = only(gate(comparison, margin=0.05, seed=4))
    assert watched.is_watched
    assert whole.p_fail == alone.p_fail
    values = comparison.differences[0].values[:15, None]
    assert watched.p_fail == margin_p_values(values, np.array([0.05]), seed=4).failing[0]


def test_the_highest_grade_that_was_told_is_used_for_the_list():
    """A hole of grade 4 could gain more than one of grade 1."""
    effects = []
    for max_grade in (1.0, 4.0):
        comparison = compare(judged(40), unjudged_runs(), "DCG@5", bounds=True, max_grade=max_grade)
        effects.append(gate(comparison, margin=0.05).holes[0].effect)
    assert effects[1] == pytest.approx(4 * effects[0])


def test_rounding_is_no_change_whatever_holes_are_worth():
    """At their lowest these differences are 0, but for the last digit of a sum."""
    grades = {"d1": 2, "d3": 1, "d4": 2, "d5": 1, "d6": 2}
    runs = {
        "baseline": {key: ["d1", "d4", "d5", "d6", "d0"] for key in ids(12)},
        "candidate": {key: ["d5", "d1", "d4", "d6", "d3"] for key in ids(12)},
    }
    comparison = compare(dict.fromkeys(ids(12), grades), runs, "RBP@5", bounds=True)
    low, high = comparison.differences[0].extremes
    assert low.tolist() == [0.0] * 12
    assert (high > 0.08).all()
    assert only(gate(comparison, margin=0.05)).verdicts_by_holes == ("inconclusive", "pass")


def test_noise_of_the_system_makes_verdicts_harder():
    """What passes by itself does not if scores vary from run to run."""
    before, after = [3] * 40, [2, 4, 3, 3] * 10
    assert decided(before, after, margin=0.06).verdict == "pass"
    noisy = decided(before, after, margin=0.06, noise_sd={"P@5": 0.3})
    assert noisy.verdict == "inconclusive"
    assert decided([4] * 12, [3] * 12, margin=0.25).verdict == "pass"
    assert decided([4] * 12, [3] * 12, margin=0.25, noise_sd={"P@5": 0.3}).verdict == "inconclusive"


def test_the_same_seed_gives_the_same_verdict():
    """To the last bit; another seed gives other resamples."""
    before, after = [5] * 40, [0] * 3 + [4] * 9 + [5] * 28
    one, two, other = (decided(before, after, seed=seed, n_resamples=500) for seed in (7, 7, 8))
    assert gate_to_json(one) == gate_to_json(two)
    assert only(one).interval != only(other).interval


def test_a_clearly_better_candidate_suggests_a_higher_baseline():
    """Better beyond chance and nowhere worse; otherwise there is no suggestion."""
    better = decided([3] * 30, [4] * 20 + [3] * 10)
    assert better.suggestion == (
        "The candidate is better (P@5 +0.1333): consider raising the baseline to it "
        "(`berryeval baseline update`)."
    )
    assert decided([3] * 30, [4] * 9 + [3] * 21, margin=0.5).suggestion is None
    assert decided([3] * 30, [3] * 30).suggestion is None
    runs = {
        "baseline": {q: ["r0", *OTHER[:4]] for q in ids(30)},
        "candidate": {q: ["n0", "r0", "r1", "n1", "n2"] for q in ids(30)},
    }
    mixed = compare(judged(30), runs, ["P@5", "RR"])
    result = gate(mixed, margin={"P@5": 0.05, "RR": 0.9})
    assert (result.verdict, result.suggestion) == ("pass", None)


def test_latency_is_held_against_its_limit():
    """The 95th of 100 times, or the next above; equality passes."""
    result = evaluate(judged(1), ranked([5]), "P@5")
    times = [*range(1, 101)]
    guard = LatencyGuard(95, 96)
    assert gate(result, [guard], milliseconds=times).verdict == "pass"
    failed = gate(result, [LatencyGuard(95, 95.96)], milliseconds=np.array(times))
    assert failed.verdict == "fail"
    assert failed.sentence == "latency is 96.0 ms at p95, above 95.96 ms."
    assert only(failed).n_queries == 100


@pytest.mark.parametrize("times", [None, [], np.array([])])
def test_latency_needs_times(times):
    """None were measured: an error, no pass."""
    result = evaluate(judged(1), ranked([5]), "P@5")
    with pytest.raises(ArgumentError, match="expected how long queries took, got no times"):
        gate(result, [LatencyGuard(95, 100)], milliseconds=times)


@pytest.mark.parametrize("times", [[1.0, math.nan], [-1.0], [math.inf]])
def test_times_are_finite(times):
    """A query that never came back is no number."""
    result = evaluate(judged(1), ranked([5]), "P@5")
    with pytest.raises(ArgumentError, match="milliseconds: expected finite numbers from 0"):
        gate(result, [LatencyGuard(95, 100)], milliseconds=times)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "guards: expected at least one, got none"),
        ({"margin": 0.05, "alpha": 0}, "alpha: expected a number between 0 and 0.5, got 0"),
        ({"margin": 0.05, "alpha": 0.5}, "alpha: expected a number between 0 and 0.5, got 0.5"),
        ({"margin": 0.05, "alpha": math.nan}, "alpha: expected a number between 0 and 0.5"),
        ({"margin": 0.05, "inference": "sett"}, "inference: expected 'population' or 'set'"),
        ({"margin": 0.05, "holes": "ignore"}, "holes: expected 'report' or 'inconclusive'"),
        ({"margin": 0.05, "candidate": "x"}, "candidate: expected 'candidate', got 'x'"),
        ({"margin": {"AP": 0.05}}, "expected a measure that was compared, got AP"),
        ({"at_least": {"AP": 0.05}}, "expected a measure that was evaluated, got AP"),
        ({"margin": 0.05, "noise_sd": {"AP": 1}}, "noise_sd: expected measures that a margin"),
        ({"margin": 0.05, "noise_sd": {"P@5": -1}}, "noise_sd of P@5: expected a finite number"),
        ({"margin": 0.05, "seed": -1}, "seed: expected a whole number from 0"),
        ({"margin": 0.05, "n_resamples": 0}, "n_resamples: expected a whole number from 1"),
    ],
)
def test_what_cannot_be_asked_is_an_error(settings, message):
    """Each says what was expected."""
    with pytest.raises(ArgumentError, match=message):
        gate(compared([3] * 12, [2] * 12), **settings)


def test_a_margin_needs_a_comparison():
    """An evaluation alone has thresholds only; anything else has nothing."""
    result = evaluate(judged(3), ranked([3] * 3), "P@5")
    with pytest.raises(ArgumentError, match="expected a comparison with a baseline, got an eval"):
        gate(result, margin=0.05)
    with pytest.raises(InputTypeError, match="result: expected a Comparison or an Evaluation"):
        gate({"P@5": 0.7}, at_least={"P@5": 0.5})


@pytest.mark.parametrize("kind", [ThresholdGuard, MarginGuard])
def test_slices_need_queries_with_the_label(kind):
    """An unknown label, and one that no query has, are errors, never silently nothing."""
    comparison = compared([3] * 12, [2] * 12)
    limit = 0.1 if kind is ThresholdGuard else Margin(0.1)
    guard = kind(parse_measure("P@5"), limit, slices=("category",))
    with pytest.raises(MismatchError, match="expected queries with a category: no queries were"):
        gate(comparison, [guard])
    guard = kind(parse_measure("P@5"), limit, slices=("colour",))
    with pytest.raises(ArgumentError, match="slices: expected 'category' or 'difficulty' or 'tag'"):
        gate(comparison, [guard])


def test_one_of_several_candidates_is_chosen():
    """By its name, which has to be told."""
    runs = {"a": ranked([3] * 12), "b": ranked([3] * 12), "c": ranked([1] * 12)}
    comparison = compare(judged(12), runs, "P@5")
    assert gate(comparison, margin=0.1, candidate="b").verdict == "pass"
    assert gate(comparison, margin=0.1, candidate="c").verdict == "fail"
    with pytest.raises(ArgumentError, match="candidate: expected 'b' or 'c', got None"):
        gate(comparison, margin=0.1)


SCRIPT = Path(__file__).parents[2] / "scripts" / "simulate_gate.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not in a source distribution")
@pytest.mark.parametrize("seed", range(8))
def test_the_simulation_judges_as_the_gate_does(seed):
    """The rates that the docs tell are those of this gate: P@5 and RR of the same two runs."""
    spec = importlib.util.spec_from_file_location("simulate_gate", SCRIPT)
    simulation = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = simulation
    spec.loader.exec_module(simulation)
    random = np.random.default_rng(seed)
    n = int(random.choice([20, 40, 80]))
    share = random.choice([0.1, 0.5, 0.9])
    before, after = {}, {}
    for q in ids(n):
        documents = random.permutation(RELEVANT[: random.integers(1, 5)] + OTHER).tolist()
        before[q] = documents
        is_changed = random.random() < share
        after[q] = random.permutation(documents).tolist() if is_changed else documents
    comparison = compare(judged(n), {"baseline": before, "candidate": after}, ["P@5", "RR"])
    result = gate(comparison, margin=simulation.MARGIN, n_resamples=2000)
    columns = np.stack([d.values for d in comparison.differences], axis=1)
    [verdicts] = simulation.judge_gates(columns, 2, 2000)
    assert [guard.verdict for guard in result.guards] == verdicts


def test_many_slices_are_corrected_once(monkeypatch):
    """Time does not grow with the square of the slices: what cannot fail is not corrected."""
    calls = []

    def counted(p_values):
        calls.append(len(p_values))
        return correct_failing(p_values)

    monkeypatch.setattr(trials, "correct_failing", counted)
    n_queries = 600
    queries = [Query(q, "", category=f"c{i % 30}") for i, q in enumerate(ids(n_queries))]
    hits = [1, 2, 3, 4] * (n_queries // 4)
    found = compared(hits, [n + 1 for n in hits], queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.05), ("category",))
    assert len(gate(found, [guard]).guards) == 31
    assert calls == [31]
