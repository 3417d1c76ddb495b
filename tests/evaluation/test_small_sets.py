"""Sets that are too small for a margin, before there is a candidate."""

import pytest

from berryeval.core.query import Query
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.small_sets import fewest_for_margin, small_set_note
from berryeval.measures import parse_measure
from evaluation.gating_cases import OTHER, ids, judged, only, ranked

NDCG = parse_measure("nDCG@10")


def note(n_queries, queries=(), mean=0.8, **rules):
    """Return the note for a guard with a margin."""
    known = {query.query_id: query for query in queries}
    rules = {"guards": [MarginGuard(NDCG, Margin(0.05))], **rules}
    return small_set_note(GateRules(**rules), {"nDCG@10": mean}, ids(n_queries), known)


@pytest.mark.parametrize(("measure", "margin"), [("P@5", 0.05), ("P@5", 0.1), ("RR", 0.02)])
def test_one_query_less_is_inconclusive(measure, margin):
    """A gate agrees: with the number, equal scores pass."""
    from berryeval import compare, gate

    fewest = fewest_for_margin(parse_measure(measure), margin)
    for n_queries, verdict in ((fewest - 1, "inconclusive"), (fewest, "pass")):
        after = {q: ["r1", *OTHER[:4]] for q in ids(n_queries)}
        runs = {"baseline": ranked([1] * n_queries), "candidate": after}
        found = gate(compare(judged(n_queries), runs, measure), margin=margin)
        assert (only(found).n_changed, found.verdict) == (0, verdict)


def test_a_small_set_is_reported():
    """The note has the number that is needed, and the number there is."""
    assert note(58) == (
        "Small set: with fewer than 59 queries, a margin of 0.05 is inconclusive even if no score "
        "changes; this set has 58."
    )
    assert note(59) is None


def test_groups_count_instead_of_queries():
    """Paraphrases of one question are one."""
    queries = [Query(q, "t", group=f"g{i % 30}") for i, q in enumerate(ids(90))]
    assert note(90, queries).startswith("Small set: with fewer than 59 groups")
    assert note(90) is None


def test_only_tested_margins_require_queries():
    """Neither thresholds, nor a verdict on the set, nor a measure without a highest score."""
    assert note(5, inference="set") is None
    assert note(5, guards=[ThresholdGuard(NDCG, 0.5)]) is None
    assert fewest_for_margin(parse_measure("DCG@10"), 0.5) is None
    relative = [MarginGuard(NDCG, Margin.parse("10%"))]
    assert note(30, guards=relative, mean=0.5).startswith("Small set: with fewer than 59 queries")
    assert note(30, guards=relative, mean=1.0) is None
