"""Scoring a run with judgments."""

import math

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import score
from berryeval.errors import MismatchError
from berryeval.measures import (
    NDCG,
    AveragePrecision,
    HitRate,
    Hole,
    Measure,
    Precision,
    Recall,
    ReciprocalRank,
    parse_measures,
)
from depth import examples

JUDGMENTS = Judgments.from_dict(
    {"b": {"d1": 2, "d2": 0}, "a": {"d1": 1, "d3": 1}, "z": {"d1": 0}, "m": {"d1": 1}}
)
RUN = Run.from_dict(
    {"a": {"d3": 1.0, "d1": 1.0}, "b": {"d2": 3.0, "d1": 2.0}, "z": {"d1": 1.0}, "x": {"d1": 1.0}}
)


def test_each_judged_query_is_scored_in_the_order_of_bytes():
    """The order is a, b, m, z; ties in the run are by document id descending."""
    scores = score(JUDGMENTS, RUN, [ReciprocalRank(), Precision(2)])
    assert list(scores.query_ids) == ["a", "b", "m", "z"]
    assert list(scores.values["RR"]) == [1.0, 0.5, 0.0, 0.0]
    assert list(scores.values["P@2"]) == [1.0, 0.5, 0.0, 0.0]
    assert list(scores.is_missing) == [False, False, True, False]
    assert list(scores.lacks_relevant) == [False, False, False, True]


def test_queries_are_counted():
    """Judged, missing and ignored queries, and those without a relevant document, are counted."""
    counts = score(JUDGMENTS, RUN, []).counts
    assert (counts.judged, counts.missing, counts.ignored, counts.no_relevant) == (4, 1, 1, 1)


def test_missing_queries_can_be_left_out():
    """The mean is then over the queries of the run."""
    scores = score(JUDGMENTS, RUN, [ReciprocalRank()], missing="skip")
    assert list(scores.query_ids) == ["a", "b", "z"]
    assert (list(scores.values["RR"]), scores.counts.missing) == ([1.0, 0.5, 0.0], 1)
    assert list(scores.is_missing) == [False, False, False]
    assert list(scores.lacks_relevant) == [False, False, True]


def test_a_subset_of_queries_can_be_scored():
    """Only these are counted."""
    part = score(JUDGMENTS, RUN, [ReciprocalRank()]).take([1, 2])
    assert list(part.query_ids) == ["b", "m"]
    assert list(part.values["RR"]) == [0.5, 0.0]
    counts = part.counts
    assert (counts.judged, counts.missing, counts.ignored, counts.no_relevant) == (2, 1, 0, 0)


def test_missing_queries_can_be_an_error():
    """The message names the first one."""
    with pytest.raises(MismatchError, match="query 'm' is judged but missing from the run"):
        score(JUDGMENTS, RUN, [ReciprocalRank()], missing="error")


def test_queries_without_a_relevant_document_can_be_left_out():
    """They are still counted."""
    scores = score(JUDGMENTS, RUN, [ReciprocalRank()], no_relevant="skip")
    assert list(scores.query_ids) == ["a", "b", "m"]
    assert scores.counts.no_relevant == 1


def test_nothing_to_score_is_not_an_error():
    """The result has no queries."""
    scores = score(Judgments.from_dict({}), RUN, [ReciprocalRank()])
    assert (len(scores.query_ids), scores.counts.ignored) == (0, 4)


class Seen(Measure):
    """A measure that records its input."""

    name = "Seen"
    shown: list

    def score(self, grades, judged):
        self.shown.append((list(grades), list(judged)))
        return 0.0


def test_two_kinds_of_unjudged_documents_are_distinguished():
    """-1 was not in the pool, -2 has a negative grade; neither counts as judged."""
    Seen.shown = []
    judgments = Judgments.from_dict({"q": {"a": 2, "b": 0, "c": -3, "e": 1}})
    score(judgments, Run.from_lists({"q": ["x", "c", "b", "a"]}), [Seen()])
    assert Seen.shown == [([-1.0, -2.0, 0.0, 2.0], [2.0, 1.0, 0.0])]


def test_only_documents_that_no_query_judges_are_holes_across_queries():
    """q1 has one document of q2, one that q2 graded below 0, and one that is nowhere."""
    judgments = Judgments.from_dict({"q1": {"a": 1}, "q2": {"b": 0, "c": -1}, "q3": {"d": 1}})
    run = Run.from_lists({"q1": ["b", "x", "c", "a", "y"], "q2": ["x", "z", "d"]})
    found = score(judgments, run, parse_measures("Hole@4 Unjudged@4 Hole infAP")).values
    assert list(found["Hole@4"]) == [1 / 4, 2 / 4, 0.0]
    assert list(found["Unjudged@4"]) == [3 / 4, 3 / 4, 0.0]
    assert list(found["Hole"]) == [2 / 5, 2 / 3, 0.0]
    alone = score(judgments, run, parse_measures("infAP")).values
    assert list(found["infAP"]) == list(alone["infAP"])  # sees the pool of its own query


def hole_of_beir(judgments: dict, run: dict, k: int) -> float:
    """Follow BEIR's definition, without its rounding."""
    annotated = {doc_id for documents in judgments.values() for doc_id in documents}
    total = 0.0
    for query_id in sorted(judgments, key=str.encode):
        ranked = sorted(run.get(query_id, {}).items(), key=lambda d: (d[1], d[0].encode()))[::-1]
        total += sum(doc_id not in annotated for doc_id, _ in ranked[:k]) / k
    return total / len(judgments)


ids = st.sampled_from(["d", "D", "é", "z", "10", "9", "d1", "d10", "d2", "\U0001f353"])
queries = st.sampled_from(["1", "10", "2", "é"])
graded = st.dictionaries(ids, st.integers(-1, 3), min_size=1, max_size=8)
# Few distinct scores, to get many ties; exact in the 32 bits of trec_eval 9.
retrieved = st.dictionaries(ids, st.sampled_from([0.0, 1.0, 0.5, -2.0]), min_size=1, max_size=8)

SAME = {
    "map": AveragePrecision(),
    "recip_rank": ReciprocalRank(),
    "ndcg": NDCG(),
    "ndcg_cut_5": NDCG(5),
    "P_5": Precision(5),
    "recall_5": Recall(5),
    "success_5": HitRate(5),
}


@examples(300)
@given(
    judgments=st.dictionaries(queries, graded.filter(lambda g: max(g.values()) >= 0), min_size=1),
    run=st.dictionaries(queries, retrieved, min_size=1),
)
def test_scores_match_trec_eval(judgments, run):
    """Ties, byte order of ids, missing and extra queries, and negative grades agree."""
    theirs = pytrec_eval.RelevanceEvaluator(
        judgments, {"map", "recip_rank", "ndcg", "ndcg_cut.5", "P.5", "recall.5", "success.5"}
    ).evaluate(run)
    ours = score(
        Judgments.from_dict(judgments), Run.from_dict(run), list(SAME.values()), missing="skip"
    )
    assert set(ours.query_ids) == set(theirs)
    for i, query_id in enumerate(ours.query_ids):
        for name, measure in SAME.items():
            value = ours.values[str(measure)][i]
            assert value == pytest.approx(theirs[query_id][name], abs=1e-12), (query_id, name)


@given(
    judgments=st.dictionaries(queries, graded, min_size=1),
    run=st.dictionaries(queries, retrieved, min_size=1),
    k=st.integers(1, 10),
)
def test_hole_matches_the_definition_of_beir(judgments, run, k):
    """The mean over judged queries, of documents that no query judges."""
    scores = score(Judgments.from_dict(judgments), Run.from_dict(run), [Hole(k)])
    mean = math.fsum(scores.values[f"Hole@{k}"]) / len(judgments)
    assert mean == pytest.approx(hole_of_beir(judgments, run, k), abs=1e-12)
