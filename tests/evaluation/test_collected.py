"""Comparisons of scores without their rankings."""

import random
import re

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.collected import compare_scores
from berryeval.evaluation.partitions import ScoringPlan, gather_scores, score_partition
from spark.cases import figures

MEASURES = ["nDCG@10", "RR", "P@5"]


def cases(seed=1, n_queries=60):
    """Return judgments and three runs; the second differs from the first, the third does not."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    documents = [f"d{i}" for i in range(30)]
    judgments = {
        f"q{i}": {one: draw.choice([0, 1, 2]) for one in draw.sample(documents, 8)}
        for i in range(n_queries)
    }
    old = {query: {one: draw.random() for one in draw.sample(documents, 12)} for query in judgments}
    new = {
        query: {one: score + draw.random() / 2 for one, score in found.items()}
        for query, found in old.items()
    }
    return judgments, {"old": old, "new": new, "copy": dict(old)}


def collected(judgments, runs, **options):
    """Score each run as one partition, and gather the scores."""
    plan = ScoringPlan(MEASURES)
    frame = be.Judgments.from_dict(judgments).to_arrow()
    return {
        name: gather_scores(
            score_partition(frame, be.Run.from_dict(run).to_arrow(), plan), **options
        )
        for name, run in runs.items()
    }


def test_numbers_are_those_of_a_comparison_of_runs():
    """Differences, intervals, p-values, notes and the sentence do not need the rankings.

    Only the shares of judged documents do, and what other grades could change.
    """
    judgments, runs = cases()
    del runs["new"]["q7"]
    for query_id in runs["copy"]:
        runs["copy"][query_id] = dict([*runs["copy"][query_id].items()][:4])
    expected = be.compare(judgments, runs, MEASURES, tests=["wilcoxon"], risk=[1.0])
    found = compare_scores(collected(judgments, runs), tests=["wilcoxon"], risk=[1.0])
    assert figures(found) == figures(expected)
    assert found.sentence == expected.sentence
    *notes, unjudged = found.notes
    *expected_notes, judged_shares, reversals = expected.notes
    assert notes == expected_notes
    assert unjudged == re.sub(r" of \d+ \(.*?\)", "", judged_shares)
    assert reversals.startswith("Grades for them could reverse the difference")
    assert found.risks == expected.risks
    assert found.candidates == expected.candidates
    assert any("differ in depth" in note for note in found.notes)


def test_slices_come_from_the_queries_of_the_evaluations():
    """They are labels of queries, not of rankings."""
    judgments, runs = cases()
    queries = [be.Query(query_id, "?", category=f"c{len(query_id)}") for query_id in judgments]
    expected = be.compare(judgments, runs, MEASURES, queries=queries, slices=["category"])
    found = compare_scores(collected(judgments, runs, queries=queries), slices=["category"])
    assert figures(found) == figures(expected)


def test_a_gate_decides_as_on_rankings():
    """Margins, thresholds and verdicts are the same."""
    judgments, runs = cases()
    rules = {"margin": {"nDCG@10": 0.1}, "at_least": {"P@5": 0.1}, "candidate": "new"}
    expected = be.gate(be.compare(judgments, runs, MEASURES), **rules)
    found = be.gate(compare_scores(collected(judgments, runs)), **rules)
    assert found.verdict == expected.verdict
    assert found.sentence == expected.sentence
    assert [vars(one) for one in found.guards] == [vars(one) for one in expected.guards]


@pytest.mark.parametrize("is_same", [True, False])
def test_unchanged_is_said_only_if_the_rankings_are_known_to_be_the_same(is_same):
    """Equal scores may come from other documents."""
    judgments, runs = cases(n_queries=400)
    asked = []

    def same(baseline, system, k, query_ids):
        asked.append((baseline, system, k, len(query_ids)))
        return is_same

    scores = collected(judgments, runs)
    comparison = compare_scores(scores, same_rankings=same)
    found = be.gate(comparison, margin={"nDCG@10": 0.1}, candidate="copy")
    assert found.guards[0].is_unchanged is is_same
    assert asked == [("old", "copy", 10, 400)]
    unknown = be.gate(compare_scores(scores), margin={"nDCG@10": 0.1}, candidate="copy")
    assert not unknown.guards[0].is_unchanged
    assert unknown.verdict == "pass"


def test_rankings_are_not_known():
    """Reports show no rankings."""
    judgments, runs = cases()
    comparison = compare_scores(collected(judgments, runs), baseline="new")
    assert comparison.baseline == "new"
    assert comparison.ranking("old", "q1") == []


def test_what_cannot_be_compared_is_refused():
    """This covers runs with other queries, and with other measures."""
    judgments, runs = cases()
    scores = collected(judgments, runs)
    half = {query: found for query, found in runs["old"].items() if query < "q3"}
    other = {query: found for query, found in runs["old"].items() if query >= "q3"}
    apart = collected(judgments, {"half": half, "other": other})
    with pytest.raises(MismatchError, match="half and other have no judged query in common"):
        compare_scores(apart)
    with pytest.raises(ArgumentError, match="evaluations: expected AP of every run"):
        compare_scores(scores, ["AP"])
    with pytest.raises(ArgumentError, match="baseline: expected the name of a run"):
        compare_scores(scores, baseline="none")


def test_depths_are_noted_only_if_they_are_known():
    """Evaluations of files do not count documents."""
    judgments, runs = cases()
    plain = {name: be.evaluate(judgments, run, MEASURES) for name, run in runs.items()}
    assert not any("depth" in note for note in compare_scores(plain).notes)
