"""Every system compared with every other, and their similarity."""

import csv
import json

import numpy as np
import pytest

from berryeval import compare
from berryeval.evaluation.all_pairs import (
    all_pairs,
    order_similarity,
    run_similarity,
    with_pairs,
)
from berryeval.reports.all_pairs import pairs_table
from berryeval.reports.wording import pairs_note
from berryeval.stats import rank_biased_overlap, simultaneous_intervals

DEPTHS = (0, 1, 2, 0, 3, 1, 0, 2)
JUDGMENTS = {f"q{i}": {"d": 1} for i in range(8)}
A = {f"q{i}": [f"x{j}" for j in range(depth)] + ["d"] for i, depth in enumerate(DEPTHS)}
B = {**A, "q1": ["d"], "q2": ["x0", "d"], "q3": ["x0", "d"], "q4": ["x0", "x1", "d"]}
C = {query: ["y", *ranking] for query, ranking in A.items()}

MANY = {f"q{i:02}": {"d": 1} for i in range(24)}
RANKS = {  # the rank of the relevant document, by query
    "a": [2, 3, 1, 2, 4, 2] * 4,
    "b": [1, 2, 1, 1, 2, 3] * 4,
    "c": [3, 4, 2, 2, 5, 3, 3, 4, 2, 3, 5, 3] * 2,
}


def run_at(ranks):
    return {
        query: [*(f"x{i}" for i in range(rank - 1)), "d"]
        for query, rank in zip(MANY, ranks, strict=True)
    }


def three():
    return compare(JUDGMENTS, {"a": A, "b": B, "c": C}, ["RR", "P@2"], n_resamples=500)


def many(measures="RR", **settings):
    runs = {name: run_at(ranks) for name, ranks in RANKS.items()}
    return compare(MANY, runs, measures, **settings)


def test_the_pairs_of_a_measure_are_one_family():
    """It is max-t over one column per pair, second minus first."""
    found = all_pairs(many(n_resamples=700, seed=4))
    assert [(pair.first, pair.second) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    rr = {name: 1 / np.array(ranks) for name, ranks in RANKS.items()}
    columns = [rr[pair.second] - rr[pair.first] for pair in found]
    expected = simultaneous_intervals(np.column_stack(columns), n_flips=700, seed=4)
    for pair, column, member in zip(found, columns, expected, strict=True):
        assert pair.difference.mean == pytest.approx(column.mean())
        assert (pair.difference.interval.low, pair.difference.interval.high) == pytest.approx(
            (member.interval.low, member.interval.high)
        )
        assert pair.difference.p_value == member.p_value
    assert [pair.difference.finding for pair in found] == ["better", "worse", "worse"]


def test_each_measure_is_a_separate_family():
    """Other measures do not affect the pairs of a measure."""
    alone = all_pairs(many("RR"))
    both = all_pairs(many(["P@1", "RR"]))
    assert [str(pair.difference.measure) for pair in both] == ["P@1"] * 3 + ["RR"] * 3
    assert [pair.difference.interval for pair in both[3:]] == [
        pair.difference.interval for pair in alone
    ]


@pytest.mark.parametrize("measure", ["GMAP", "NumRet", "Unjudged@2"])
def test_differences_of_pairs_match_the_comparison(measure):
    """This includes geometric means, sums, and measures for which lower is better."""
    comparison = many(measure)
    found = {(pair.first, pair.second): pair.difference for pair in all_pairs(comparison)}
    for difference in comparison.differences:
        same = found["a", difference.system]
        assert same.mean == pytest.approx(difference.mean)
        assert (same.wins, same.losses) == (difference.wins, difference.losses)
    if measure == "Unjudged@2":  # b has fewer unjudged documents than a, and c more
        assert found["a", "b"].wins > found["a", "b"].losses
        assert found["a", "c"].losses > found["a", "c"].wins == 0


def test_two_systems_give_the_comparison_itself():
    """A family of one pair has the same interval, p-value and word."""
    runs = {name: run_at(RANKS[name]) for name in ("a", "b")}
    comparison = compare(MANY, runs, "RR")
    [pair] = all_pairs(comparison)
    [difference] = comparison.differences
    assert (pair.difference.interval, pair.difference.p_value, pair.difference.finding) == (
        difference.interval,
        difference.p_value,
        "better",
    )


def test_pairs_that_hardly_differ_are_untested():
    """With fewer than ten changed queries they have no interval, and do not affect others."""
    nearly = run_at([9, *RANKS["b"][1:]])
    runs = {"a": run_at(RANKS["a"]), "b": run_at(RANKS["b"]), "d": nearly}
    found = {(pair.first, pair.second): pair.difference for pair in all_pairs(
        compare(MANY, runs, "RR"))}  # fmt: skip
    assert (found["b", "d"].finding, found["b", "d"].p_value) == ("untested", None)
    assert found["b", "d"].reason == "fewer than 10 queries changed"
    assert found["a", "b"].finding == found["a", "d"].finding == "better"
    [*few] = all_pairs(three())
    assert {pair.difference.finding for pair in few} == {"untested"}


def test_noise_of_each_system_counts_in_its_pairs():
    """One run of b is much worse, so every pair with b is less certain."""
    runs = {name: run_at(ranks) for name, ranks in RANKS.items()}
    worse = run_at([rank + 1 for rank in RANKS["b"]])
    comparison = compare(
        MANY, runs, "RR", repeats={"b": [worse], "a": [runs["a"]], "c": [runs["c"]]}
    )
    noise = {(pair.first, pair.second): pair.difference.noise_sd for pair in all_pairs(comparison)}
    assert noise["a", "c"] == 0.0
    assert noise["a", "b"] == noise["b", "c"] > 0.1


def test_the_table_of_pairs_has_words_and_intervals():
    """There is one row per pair, and a note on the intervals."""
    table = pairs_table(with_pairs(many()))
    assert table.header[-3:] == ("interval", "p", "second is")
    assert [row[-1] for row in table.rows] == ["better", "worse", "worse"]
    untested = pairs_table(with_pairs(three()))
    assert {row[-1] for row in untested.rows} == {"too few changes to decide"}
    assert "one family" in table.notes[0]


def test_the_note_names_both_families():
    """Three pairs, and two differences from the baseline: their intervals differ."""
    note = pairs_note(many())
    assert "simultaneous over 3 comparisons. Those of the differences from a are" in note
    assert "simultaneous over 2 in RR. So their intervals differ" in note
    assert "over 2 in RR, and over 2 in the other measures." in pairs_note(three())
    alone = compare(JUDGMENTS, {"a": A, "b": B}, "RR")
    assert pairs_note(alone) == (
        "The pairs of a measure form one family: intervals and p-values are simultaneous."
    )
    runs = {name: run_at(ranks) for name, ranks in RANKS.items()}
    del runs["c"]["q00"]
    assert pairs_note(compare(MANY, runs, "RR")).endswith(
        "All are over 24 queries; the result in words is over the 23 in every run."
    )


def test_every_report_has_the_pairs(tmp_path):
    """A comparison that was made with all pairs shows them, whatever the format."""
    runs = {name: run_at(ranks) for name, ranks in RANKS.items()}
    found = compare(MANY, runs, "RR", all_pairs=True)
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("a", "b"), ("a", "c"), ("b", "c"),
    ]  # fmt: skip
    shown = found.pairs[2].difference
    for ending in ("txt", "md", "html", "tex", "json"):
        found.save(tmp_path / f"pairs.{ending}")
        text = (tmp_path / f"pairs.{ending}").read_text()
        assert "simultaneous over 3 comparisons" in text, ending
        many().save(tmp_path / f"plain.{ending}")
        assert "over 3 comparisons" not in (tmp_path / f"plain.{ending}").read_text()
    [*_, last] = json.loads((tmp_path / "pairs.json").read_text())["pairs"]
    assert (last["first"], last["second"], last["difference"]) == ("b", "c", shown.mean)
    assert last["interval"]["low"] == shown.interval.low
    assert last["first_mean"] - last["second_mean"] == pytest.approx(-shown.mean)
    found.save(tmp_path / "pairs.csv")
    rows = [*csv.DictReader((tmp_path / "pairs.csv").read_text().splitlines())]
    assert [(row["paired_with"], row["system"]) for row in rows] == [
        ("", "b"), ("", "c"), ("a", "b"), ("a", "c"), ("b", "c"),
    ]  # fmt: skip
    assert "paired_with" not in many().to_frame().columns
    assert found.to_frame()["paired_with"].tolist()[2:] == ["a", "a", "b"]


def test_similarity_is_the_mean_overlap():
    """It is the mean of rank-biased overlaps, with taus of common documents."""
    found = {(one.first, one.second): one for one in run_similarity(three())}
    expected = sum(rank_biased_overlap(A[q], B[q]) for q in A) / len(A)
    assert found["a", "b"].overlap == pytest.approx(expected)
    assert found["a", "c"].tau == pytest.approx(1.0)  # one new document in front of each
    assert found["a", "c"].tau_ap == pytest.approx(1.0)


def test_rankings_without_two_common_documents_have_no_tau():
    """They are None, and an overlap of nothing is 0."""
    runs = {"a": {"q1": ["x"]}, "b": {"q1": ["y"]}}
    [one] = run_similarity(compare({"q1": {"d": 1}}, runs, "RR"))
    assert (one.overlap, one.tau, one.tau_ap) == (0.0, None, None)


def test_measures_may_order_systems_in_the_same_way():
    """Both order them as b, a, c."""
    [one] = order_similarity(three())
    assert (str(one.first), str(one.second)) == ("RR", "P@2")
    assert -1 <= one.tau <= 1
    assert -1 <= one.tau_ap <= 1
