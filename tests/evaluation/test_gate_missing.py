"""A gate over runs with missing judged queries reports them first."""

import json

import pytest

from berryeval import Query, compare, evaluate, gate
from berryeval.evaluation.guards import Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.notes import missing_queries, retrieved_by_all
from berryeval.measures import parse_measure
from berryeval.reports.gate import gate_to_json
from evaluation.gating_cases import ids, judged, only, ranked

P5 = parse_measure("P@5")


def lacking(hits, n_missing):
    """Return a run without its first queries."""
    run = ranked(hits)
    return {query_id: run[query_id] for query_id in ids(len(hits))[n_missing:]}


def compared(before, after, **settings):
    runs = {"baseline": before, "candidate": after}
    return compare(judged(30), runs, "P@5", bounds=True, **settings)


def test_queries_missing_from_the_baseline_do_not_decide_unnoticed():
    """Without five of thirty queries it is better overall, but unclear over the common ones."""
    same, other = [3, 4] * 15, [4, 3] * 15
    whole = gate(compared(ranked(same), ranked(other)), margin=0.05)
    assert (whole.verdict, whole.missing, whole.common) == ("inconclusive", {}, None)
    assert "missing" not in whole.sentence
    found = gate(compared(lacking(same, 5), ranked(other)), margin=0.05)
    assert found.verdict == "pass"
    assert found.missing == {"baseline": 5}
    assert (found.common.n_queries, found.common.verdict) == (25, "inconclusive")
    assert found.sentence == (
        "5 of 30 judged queries are missing from the baseline, and scored as 0; over the 25 "
        "queries that are not missing, the verdict is inconclusive. P@5 rose by 0.1133; 1 guard "
        "holds over 30 queries. "
        "Small set: below 50 queries, verdicts may be wrong more often than alpha."
    )
    message = json.loads(gate_to_json(found))
    assert message["missing"] == {"baseline": 5}
    assert message["common"] == {"queries": 25, "verdict": "inconclusive"}


def test_the_verdict_over_common_queries_is_that_of_these_alone():
    """It is as if the others did not exist, with slices and a threshold."""
    before, after = [3] * 30, [4] * 10 + [1] * 10 + [3] * 10
    queries = [Query(q, "t", category="ab"[i % 2]) for i, q in enumerate(ids(30))]
    guards = [
        MarginGuard(P5, Margin(0.3), ("category",)),
        ThresholdGuard(P5, 0.55, slices=("category",)),
    ]
    found = gate(compared(ranked(before), lacking(after, 10), queries=queries), guards)
    kept = {q: judged(30)[q] for q in ids(30)[10:]}
    runs = {"baseline": lacking(before, 10), "candidate": lacking(after, 10)}
    alone = gate(compare(kept, runs, "P@5", bounds=True, queries=queries), guards)
    assert found.common.n_queries == alone.evaluation.n_queries == 20
    assert found.common.verdict == alone.verdict
    assert alone.common is None


def test_both_sides_may_lack_queries():
    """Each run is named with its number; common queries are in both."""
    found = gate(compared(lacking([3] * 30, 5), lacking([3] * 30, 1)), margin=0.05)
    assert found.missing == {"baseline": 5, "candidate": 1}
    assert found.common.n_queries == 25
    assert found.sentence.startswith(
        "5 of 30 judged queries are missing from the baseline, and 1 from the candidate, and "
        "scored as 0; over "
    )


def test_a_candidate_alone_may_lack_queries():
    """Without a baseline it is called the run; latency uses its own queries."""
    result = evaluate(judged(2), lacking([3] * 2, 1), "P@5")
    found = gate(result, at_least={"P@5": 0.5})
    assert found.verdict == "fail"
    assert found.sentence == (
        "1 of 2 judged queries is missing from the run, and scored as 0; over the 1 query that "
        "is not missing, the verdict is pass. P@5 is 0.3000, below 0.5."
    )


def test_queries_that_are_left_out_are_reported():
    """With `missing="skip"` the verdict is already over the common queries."""
    found = gate(compared(lacking([3] * 30, 5), ranked([3] * 30), missing="skip"), margin=0.05)
    assert found.common is None
    assert only(found).n_queries == 25
    assert found.sentence.startswith(
        "5 of 30 judged queries are missing from the baseline, and left out. "
    )


def test_a_slice_that_is_missing_entirely_is_left_out():
    """The common verdict has no such slice."""
    queries = [Query(q, "t", category="a" if i < 5 else "b") for i, q in enumerate(ids(30))]
    comparison = compared(lacking([3] * 30, 5), ranked([3] * 30), queries=queries)
    guards = [
        MarginGuard(P5, Margin(0.05), ("category",)),
        ThresholdGuard(P5, 0.5, slices=("category",)),
    ]
    found = gate(comparison, guards, smallest_slice=1)
    assert found.common.verdict == "pass"


@pytest.mark.parametrize("n_missing", [0, 3])
def test_missing_queries_are_named_by_run(n_missing):
    """The text is empty if nothing is missing."""
    runs = {
        "a": evaluate(judged(5), ranked([3] * 5), "P@5"),
        "b": evaluate(judged(5), lacking([3] * 5, n_missing), "P@5"),
    }
    expected = "3 of 5 judged queries are missing from b" if n_missing else ""
    assert missing_queries([*runs.items()]) == expected
    assert retrieved_by_all(runs.values()) == ids(5)[n_missing:]
