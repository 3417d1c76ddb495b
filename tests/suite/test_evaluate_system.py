"""Scoring a live system, query by query (E2)."""

import json
import logging

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.search.collect import Limits
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.function import Function
from berryeval.suite.evaluate_system import evaluate_system

QUERIES = [be.Query("q1", "first"), be.Query("q2", "second"), be.Query("q3", "nobody judged")]
JUDGMENTS = {"q1": {"a": 3, "b": 1}, "q2": {"c": 2}, "elsewhere": {"z": 1}}
ANSWERS = {"first": ["b", "x", "a"], "second": ["x", "c"], "nobody judged": ["x"]}


def answer(query, k):
    return ANSWERS[query][:k]


def test_every_query_has_its_scores():
    """E2: nDCG, recall and precision by k, MRR and AP over the whole list, and the hits."""
    first = evaluate_system(answer, QUERIES, [1, 3], judgments=JUDGMENTS).results[0]
    assert (first.query_id, first.query, first.result_count) == ("q1", "first", 3)
    assert first.recall == {1: 0.5, 3: 1.0}
    assert first.precision == {1: 1.0, 3: pytest.approx(2 / 3)}
    assert first.ndcg[1] == pytest.approx(1 / 3)
    assert first.mrr == 1.0
    assert first.ap == pytest.approx((1 + 2 / 3) / 2)


def test_means_are_over_judged_queries():
    """E2: a query without judgments has zeros, is marked, and is counted separately."""
    found = evaluate_system(answer, QUERIES, [1, 3], judgments=JUDGMENTS)
    assert [one.unjudged for one in found.results] == [False, False, True]
    assert found.results[2].recall == {1: 0.0, 3: 0.0}
    assert (found.summary.query_count, found.summary.unjudged_count) == (2, 1)
    assert found.summary.mean_mrr == pytest.approx((1 + 0.5) / 2)
    assert found.summary.map == pytest.approx((5 / 6 + 0.5) / 2)
    assert found.summary.mean_recall == {1: 0.25, 3: 1.0}


def test_results_have_the_required_keys():
    """E2, E5: exactly these keys, which can be written as JSON."""
    found = evaluate_system(answer, QUERIES, judgments=JUDGMENTS).to_dict()
    assert list(found) == ["results", "summary", "failed"]
    assert list(found["results"][0]) == [
        "query_id", "query", "ndcg", "recall", "precision", "mrr", "ap", "result_count", "unjudged",
    ]  # fmt: skip
    assert list(found["summary"])[:6] == [
        "query_count", "mean_ndcg", "mean_recall", "mean_precision", "mean_mrr", "map",
    ]  # fmt: skip
    assert list(found["summary"]["mean_ndcg"]) == [1, 3, 5, 10]
    assert json.loads(json.dumps(found))["summary"]["mean_ndcg"].keys() == {"1", "3", "5", "10"}


@pytest.mark.parametrize(("ks", "asked"), [([1, 5], 100), ([5, 250], 250)])
def test_at_least_a_hundred_hits_are_requested(ks, asked):
    """E2: the number is max(100, the largest k)."""
    seen = []

    def note(_query, k):
        seen.append(k)
        return []

    evaluate_system(note, QUERIES[0], ks, judgments=JUDGMENTS)
    assert seen == [asked]


def test_one_failing_query_does_not_fail_the_others():
    """E5: it is listed under failed, and left out of the means."""

    def moody(query, k):
        if query == "second":
            raise ValueError("no such index")
        return answer(query, k)

    found = evaluate_system(Function(moody, name="moody"), QUERIES, judgments=JUDGMENTS)
    assert [one.query_id for one in found.results] == ["q1", "q3"]
    assert (found.summary.query_count, found.summary.failed_count) == (1, 1)
    assert found.summary.mean_mrr == 1.0
    assert found.to_dict()["failed"] == [
        {"query_id": "q2", "error": "moody: ValueError: no such index"}
    ]


def test_means_over_no_queries_are_zero():
    """M10: without judgments the means are 0, not NaN."""
    found = evaluate_system(answer, QUERIES[2], judgments=JUDGMENTS)
    assert (found.summary.query_count, found.summary.mean_mrr, found.summary.map) == (0, 0.0, 0.0)
    assert set(found.summary.mean_ndcg.values()) == {0.0}


def test_unknown_ids_are_logged(caplog):
    """A system with other ids than the judgments would otherwise score 0 silently."""
    caplog.set_level(logging.WARNING, "berryeval")
    evaluate_system(lambda _query, _k: ["page-7"], QUERIES, [1], judgments=JUDGMENTS)
    (record,) = [r for r in caplog.records if "no document that was found is judged" in r.message]
    assert (record.levelname, record.query_id, record.doc_id) == ("WARNING", "q1", "page-7")
    caplog.clear()
    evaluate_system(answer, QUERIES, [1], judgments=JUDGMENTS)
    assert not [r for r in caplog.records if r.levelname == "WARNING"]


def down(_query, _k):
    raise ConnectionRefusedError("refused")


def test_a_system_that_answers_nothing_has_no_means():
    """If every query failed, the means are None, and null in JSON, since 0 looks like a score."""
    found = evaluate_system(down, QUERIES, [1, 3], judgments=JUDGMENTS, limits=Limits(retries=0))
    summary = found.summary
    assert (summary.query_count, summary.failed_count, summary.unjudged_count) == (0, 3, 0)
    assert summary.mean_ndcg == summary.mean_recall == summary.mean_precision == {1: None, 3: None}
    assert (summary.mean_mrr, summary.map) == (None, None)
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))["summary"]
    assert (written["mean_mrr"], written["map"]) == (None, None)
    assert written["mean_ndcg"] == {"1": None, "3": None}


def test_judged_queries_that_all_failed_have_no_means():
    """An answered query without judgments does not count."""

    def moody(query, k):
        return answer(query, k) if query == "nobody judged" else down(query, k)

    found = evaluate_system(moody, QUERIES, [1], judgments=JUDGMENTS, limits=Limits(retries=0))
    summary = found.summary
    assert (summary.query_count, summary.failed_count, summary.unjudged_count) == (0, 2, 1)
    assert summary.mean_mrr is None


def test_no_queries_at_all_have_means_of_zero():
    """M10: nothing was sent, and nothing failed."""
    found = evaluate_system(answer, [], [1], judgments=JUDGMENTS)
    assert (found.summary.query_count, found.summary.mean_mrr) == (0, 0.0)


def test_a_system_that_finds_nothing_scores_zero():
    """An empty list is an answer."""
    found = evaluate_system(lambda _query, _k: [], QUERIES[0], judgments=JUDGMENTS)
    assert (found.summary.query_count, found.summary.mean_mrr) == (1, 0.0)
    assert found.results[0].result_count == 0


def test_a_system_can_be_opened_by_name(tmp_path):
    """Any name of `berryeval retrieve` works, here a stored run."""
    run = tmp_path / "stored.json"
    run.write_text('{"q1": {"a": 2.5, "x": 1.5}}')
    found = evaluate_system(f"replay:{run}", QUERIES[0], [1], judgments=JUDGMENTS)
    assert found.results[0].ndcg == {1: 1.0}


@pytest.mark.parametrize("name", ["bm25", "vector", "hybrid"])
def test_an_embedded_system_without_documents_is_an_error(name):
    """There is one error that names the argument, not one per query."""
    message = f"documents: expected some that {name} can search, got none; give documents=…"
    with pytest.raises(ArgumentError, match=message):
        evaluate_system(name, QUERIES, judgments=JUDGMENTS)
    with pytest.raises(ArgumentError, match=message):
        evaluate_system(Embedded(name), QUERIES, judgments=JUDGMENTS)


def test_documents_can_be_passed(tmp_path):
    """A folder, as in `berryeval retrieve --documents`, or objects are accepted."""
    (tmp_path / "a.md").write_text("# First\n\nfirst things\n")
    judgments = {"q1": {"a.md#first": 1, "a": 1}}
    for documents in (tmp_path, str(tmp_path), [be.Document("a", "first things")]):
        found = evaluate_system("bm25", QUERIES[0], judgments=judgments, documents=documents)
        assert found.results[0].mrr == 1.0


def test_empty_or_invalid_documents_are_errors():
    """Otherwise every mean would be 0."""
    with pytest.raises(ArgumentError, match="documents: expected at least one, got none"):
        evaluate_system("bm25", QUERIES, judgments=JUDGMENTS, documents=[])
    with pytest.raises(InputTypeError, match=r"documents: expected Document objects, .* got str"):
        evaluate_system("bm25", QUERIES, judgments=JUDGMENTS, documents={"a": "first"})


def test_documents_for_a_system_with_its_own_are_an_error():
    """They would not be searched."""
    with pytest.raises(ArgumentError, match="documents: expected none"):
        evaluate_system(answer, QUERIES, judgments=JUDGMENTS, documents=[be.Document("a", "b")])


def test_a_system_passed_by_the_caller_stays_open():
    """Only a system that was opened by name is closed."""
    system = Embedded("bm25")
    system.index([be.Document("a", "first")])
    for _ in range(2):
        assert evaluate_system(system, QUERIES[0], judgments=JUDGMENTS).summary.mean_mrr == 1


@pytest.mark.parametrize("ks", [[], [0]])
def test_an_invalid_k_is_an_error(ks):
    """M10: there must be at least one k, and each must be at least 1."""
    with pytest.raises(ArgumentError, match="k"):
        evaluate_system(answer, QUERIES, ks, judgments=JUDGMENTS)


def test_the_function_is_exported_at_the_top_level():
    """E2: it is be.evaluate_system."""
    assert be.evaluate_system is evaluate_system


def test_progress_and_rankings_are_returned():
    """Progress counts all answers, and the run is the one that was scored."""
    shown = []
    found = evaluate_system(
        answer, QUERIES, [1], judgments=JUDGMENTS, progress=lambda *counts: shown.append(counts)
    )
    assert (shown[0], shown[-1]) == ((0, 3), (3, 3))
    assert found.run.ranking("q1") == ["b", "x", "a"]


def test_without_judgments_every_query_is_unjudged():
    """E2: scores are zeros, not an error."""
    found = evaluate_system(answer, QUERIES, [1], judgments=be.Judgments.from_dict({}))
    assert [one.unjudged for one in found.results] == [True, True, True]
    assert (found.summary.query_count, found.summary.unjudged_count) == (0, 3)
