"""Whether two sets of judgments rank systems in the same order."""

import pytest
from scipy import stats

import berryeval as be
from berryeval.errors import ArgumentError, MismatchError

N = 30
QUERIES = [f"q{i:02}" for i in range(N)]


def judged(relevant, n=N):
    """Return judgments in which one document is relevant to every query."""
    return {query: {relevant: 1} for query in QUERIES[:n]}


def run_of(*documents):
    return {query: list(documents) for query in QUERIES}


# By RR with "d" relevant: a 1, b 1/2, c 1/3, e 0. With "x" relevant: c 1, b 1/2, a and e 0.
RUNS = {
    "c": run_of("x", "y", "d"),
    "a": run_of("d", "y", "z"),
    "b": run_of("y", "d"),
    "e": run_of("y", "z"),
}
RUNS["b"] = {query: ["x0", "d", "x"] if i % 2 else ["x", "d"] for i, query in enumerate(QUERIES)}


def test_systems_are_ranked_by_their_means_under_each_set():
    """They are listed in the order of the first set; equal means share a rank."""
    [found] = be.agree({"d": judged("d"), "x": judged("x")}, RUNS, "RR").measures
    ranks = {one.system: one.ranks for one in found.systems}
    assert [*ranks] == ["a", "b", "c", "e"]
    assert ranks == {"a": (1, 3), "b": (2, 2), "c": (3, 1), "e": (4, 3)}
    means = {one.system: one.means for one in found.systems}
    assert means["a"] == (1.0, 0.0)
    assert means["c"] == pytest.approx((1 / 3, 1.0))


def test_swaps_and_ties_are_counted():
    """a-b, a-c and b-c swap; a and e tie under x; b-e and c-e stay."""
    [found] = be.agree({"d": judged("d"), "x": judged("x")}, RUNS, "RR").measures
    assert {(swap.first, swap.second) for swap in found.swaps} == {
        ("c", "a"), ("c", "b"), ("a", "b"),
    }  # fmt: skip
    counts = [found.count(order) for order in ("same", "swapped", "tied")]
    assert counts == [2, 3, 1]
    x, y = zip(*(one.means for one in found.systems), strict=True)
    assert found.tau == pytest.approx(stats.kendalltau(x, y).statistic)
    # By hand (Urbano and Marrero): under d, of those above b, c and e, 0, 0 and 2/3 stay above;
    # under x, of those above b, a and e, 0, 0 and 1, where all above e but a, which ties.
    there = 2 * (0 + 0 + 2 / 3) / 3 - 1
    back = 2 * (0 + 0 + 2 / 2) / 3 - 1
    assert found.tau_ap == pytest.approx((there + back) / 2)


def test_a_swap_is_established_by_the_usual_comparison():
    """Over 30 queries, all differences of a and c are the same under either set."""
    [found] = be.agree({"d": judged("d"), "x": judged("x")}, RUNS, "RR").measures
    swap = next(one for one in found.swaps if {one.first, one.second} == {"a", "c"})
    assert swap.is_established == (True, True)
    assert [one.finding for one in swap.differences] == ["better", "worse"]
    comparison = be.compare(judged("d"), {"c": RUNS["c"], "a": RUNS["a"]}, "RR")
    assert swap.differences[0].mean == comparison.difference("a", "RR").mean


def test_few_queries_establish_nothing():
    """The order changes, and both may be chance."""
    few = {"d": judged("d", 5), "x": judged("x", 5)}
    [found] = be.agree(few, {"a": RUNS["a"], "c": RUNS["c"]}, "RR").measures
    assert [swap.is_established for swap in found.swaps] == [(False, False)]
    assert found.sentence == (
        "RR: 1 of 1 pair of systems changes its order, none with both orders established."
    )


def test_the_same_judgments_agree():
    """Tau is 1, and nothing swaps."""
    found = be.agree({"one": judged("d"), "two": judged("d")}, RUNS, ["RR", "P@1"])
    assert [str(one.measure) for one in found.measures] == ["RR", "P@1"]
    reciprocal, precision = found.measures
    assert (reciprocal.tau, reciprocal.tau_ap, reciprocal.swaps) == (1.0, 1.0, ())
    assert reciprocal.sentence == "RR: none of the 6 pairs of systems changes its order."
    assert precision.sentence.endswith("; 3 of them tie under one set.")
    assert found.notes[0] == "Both sets judge the same 30 queries."
    assert repr(found).startswith("<Agreement of one and two\nRR: none")


def test_less_may_be_better():
    """The system with the fewest unjudged documents is the first."""
    judgments = {"one": judged("d"), "two": judged("d")}
    [found] = be.agree(judgments, {"e": RUNS["e"], "a": RUNS["a"]}, "Unjudged@1").measures
    assert [one.system for one in found.systems] == ["a", "e"]
    assert found.sentence == "Unjudged@1: the pair keeps its order."


def test_different_queries_are_noted():
    """Orders can then differ without any disagreement."""
    found = be.agree({"one": judged("d"), "two": judged("d", 20)}, RUNS, "RR")
    assert found.n_queries == (30, 20)
    assert found.notes[0].startswith(
        "The sets judge different queries (one 30 queries, two 20 queries; 20 in common)"
    )


def test_two_sets_are_required():
    """With more, there would be several answers."""
    with pytest.raises(ArgumentError, match="judgments: expected two sets by name, got 1"):
        be.agree({"one": judged("d")}, RUNS, "RR")


def test_a_mismatch_names_the_set():
    """The other set may be fine."""
    with pytest.raises(MismatchError, match=r"^two: "):
        be.agree({"one": judged("d"), "two": {"other": {"d": 1}}}, RUNS, "RR")


# By RR a 1, b 1/2; by R@3 a 1/2, b 1; both have e last.
BOTH = {query: {"d": 1, "x": 1} for query in QUERIES}
KINDS = {"a": run_of("d", "y", "z"), "b": run_of("y", "d", "x"), "e": run_of("y", "z")}


def test_measures_are_compared_as_judgments_are():
    """Each pair has ranks, swaps, and the order that each measure establishes."""
    found = be.agree_measures(BOTH, KINDS, ["RR", "R@3", "AP"])
    assert found.n_queries == N
    assert [tuple(map(str, pair.measures)) for pair in found.pairs] == [
        ("RR", "R@3"), ("RR", "AP"), ("R@3", "AP"),
    ]  # fmt: skip
    first = found.pairs[0]
    assert {one.system: one.ranks for one in first.systems} == {
        "a": (1, 2),
        "b": (2, 1),
        "e": (3, 3),
    }
    [swap] = first.swaps
    assert (swap.first, swap.second, swap.is_established) == ("a", "b", (True, True))
    assert first.tau == pytest.approx(1 / 3)
    assert first.tau_interval.contains(first.tau)
    assert "RR and R@3: 1 of 3 pairs of systems changes its order" in repr(found)


def test_lower_is_better_for_some_measures():
    """Unjudged@1 orders a before e, as RR does."""
    found = be.agree_measures(BOTH, {"a": KINDS["a"], "e": KINDS["e"]}, ["RR", "Unjudged@1"])
    [pair] = found.pairs
    assert (pair.tau, pair.count("same")) == (1.0, 1)
    assert pair.systems[0].system == "a"


def test_one_measure_is_an_error():
    """There is nothing to compare it with."""
    with pytest.raises(ArgumentError, match="measures: expected at least two, got 1"):
        be.agree_measures(BOTH, KINDS, "RR")


def test_intervals_require_the_same_queries():
    """Otherwise the orders differ for two reasons."""
    few = {"measures": "RR", "n_resamples": 100}
    same = be.agree({"d": judged("d"), "x": judged("x")}, RUNS, **few).measures[0]
    assert same.tau_interval.low <= same.tau <= same.tau_interval.high
    assert same.tau_ap_interval is not None
    other = be.agree({"d": judged("d"), "x": judged("x", 20)}, RUNS, **few).measures[0]
    assert (other.tau_interval, other.tau_ap_interval) == (None, None)
