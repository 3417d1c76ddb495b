"""A live system, scored query by query (E2)."""

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


def test_every_query_has_the_figures_of_its_list():
    """E2: nDCG, recall and precision by k, mrr and ap over the whole list, and the hits."""
    first = evaluate_system(answer, QUERIES, [1, 3], judgments=JUDGMENTS).results[0]
    assert (first.query_id, first.query, first.result_count) == ("q1", "first", 3)
    assert first.recall == {1: 0.5, 3: 1.0}
    assert first.precision == {1: 1.0, 3: pytest.approx(2 / 3)}
    assert first.ndcg[1] == pytest.approx(1 / 3)
    assert first.mrr == 1.0
    assert first.ap == pytest.approx((1 + 2 / 3) / 2)


def test_means_are_over_judged_queries():
    """E2: a query without judgments has zeros, is marked, and is counted by itself."""
    found = evaluate_system(answer, QUERIES, [1, 3], judgments=JUDGMENTS)
    assert [one.unjudged for one in found.results] == [False, False, True]
    assert found.results[2].recall == {1: 0.0, 3: 0.0}
    assert (found.summary.query_count, found.summary.unjudged_count) == (2, 1)
    assert found.summary.mean_mrr == pytest.approx((1 + 0.5) / 2)
    assert found.summary.map == pytest.approx((5 / 6 + 0.5) / 2)
    assert found.summary.mean_recall == {1: 0.25, 3: 1.0}


def test_the_shapes_are_those_of_the_requirement():
    """E2, E5: exactly these keys, and JSON takes them."""
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
def test_a_hundred_hits_are_asked_for_or_more(ks, asked):
    """E2: max(100, the largest k)."""
    seen = []

    def note(_query, k):
        seen.append(k)
        return []

    evaluate_system(note, QUERIES[0], ks, judgments=JUDGMENTS)
    assert seen == [asked]


def test_one_failing_query_does_not_fail_the_others():
    """E5: it is listed under failed, and is in no mean."""

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
    """M10: nothing judged, nothing scored, and no NaN."""
    found = evaluate_system(answer, QUERIES[2], judgments=JUDGMENTS)
    assert (found.summary.query_count, found.summary.mean_mrr, found.summary.map) == (0, 0.0, 0.0)
    assert set(found.summary.mean_ndcg.values()) == {0.0}


def test_ids_that_nobody_judged_are_logged(caplog):
    """A system with other ids than the judgments would score 0 without a word."""
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
    """Every query failed: None, and null in JSON, since 0 would pass for a score."""
    found = evaluate_system(down, QUERIES, [1, 3], judgments=JUDGMENTS, limits=Limits(retries=0))
    summary = found.summary
    assert (summary.query_count, summary.failed_count, summary.unjudged_count) == (0, 3, 0)
    assert summary.mean_ndcg == summary.mean_recall == summary.mean_precision == {1: None, 3: None}
    assert (summary.mean_mrr, summary.map) == (None, None)
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))["summary"]
    assert (written["mean_mrr"], written["map"]) == (None, None)
    assert written["mean_ndcg"] == {"1": None, "3": None}


def test_judged_queries_that_all_failed_have_no_means():
    """A query that nobody judged was answered: there still is no score to average."""

    def moody(query, k):
        return answer(query, k) if query == "nobody judged" else down(query, k)

    found = evaluate_system(moody, QUERIES, [1], judgments=JUDGMENTS, limits=Limits(retries=0))
    summary = found.summary
    assert (summary.query_count, summary.failed_count, summary.unjudged_count) == (0, 2, 1)
    assert summary.mean_mrr is None


def test_no_queries_at_all_have_means_of_zero():
    """M10: nothing was asked, and nothing failed."""
    found = evaluate_system(answer, [], [1], judgments=JUDGMENTS)
    assert (found.summary.query_count, found.summary.mean_mrr) == (0, 0.0)


def test_a_system_that_finds_nothing_scores_zero():
    """An empty list is an answer."""
    found = evaluate_system(lambda _query, _k: [], QUERIES[0], judgments=JUDGMENTS)
    assert (found.summary.query_count, found.summary.mean_mrr) == (1, 0.0)
    assert found.results[0].result_count == 0


def test_a_system_can_be_named(tmp_path):
    """Text is what `berryeval retrieve` takes: here a stored run."""
    run = tmp_path / "stored.json"
    run.write_text('{"q1": {"a": 2.5, "x": 1.5}}')
    found = evaluate_system(f"replay:{run}", QUERIES[0], [1], judgments=JUDGMENTS)
    assert found.results[0].ndcg == {1: 1.0}


@pytest.mark.parametrize("name", ["bm25", "vector", "hybrid"])
def test_an_embedded_system_without_documents_is_an_error(name):
    """One error that names the argument, rather than a failure for each query."""
    message = f"documents: expected some that {name} can search, got none; give documents=…"
    with pytest.raises(ArgumentError, match=message):
        evaluate_system(name, QUERIES, judgments=JUDGMENTS)
    with pytest.raises(ArgumentError, match=message):
        evaluate_system(Embedded(name), QUERIES, judgments=JUDGMENTS)


def test_documents_can_be_given(tmp_path):
    """A folder, as `berryeval retrieve --documents` takes it, or objects."""
    (tmp_path / "a.md").write_text("# First\n\nfirst things\n")
    judgments = {"q1": {"a.md#first": 1, "a": 1}}
    for documents in (tmp_path, str(tmp_path), [be.Document("a", "first things")]):
        found = evaluate_system("bm25", QUERIES[0], judgments=judgments, documents=documents)
        assert found.results[0].mrr == 1.0


def test_no_documents_and_other_things_than_documents_are_errors():
    """Nothing could be found in them, and every mean would be 0."""
    with pytest.raises(ArgumentError, match="documents: expected at least one, got none"):
        evaluate_system("bm25", QUERIES, judgments=JUDGMENTS, documents=[])
    with pytest.raises(InputTypeError, match=r"documents: expected Document objects, .* got str"):
        evaluate_system("bm25", QUERIES, judgments=JUDGMENTS, documents={"a": "first"})


def test_documents_for_a_system_that_takes_none_are_an_error():
    """They would not be searched."""
    with pytest.raises(ArgumentError, match="documents: expected none"):
        evaluate_system(answer, QUERIES, judgments=JUDGMENTS, documents=[be.Document("a", "b")])


def test_a_system_of_the_caller_stays_open():
    """Only what was opened by its name is closed."""
    system = Embedded("bm25")
    system.index([be.Document("a", "first")])
    for _ in range(2):
        assert evaluate_system(system, QUERIES[0], judgments=JUDGMENTS).summary.mean_mrr == 1


@pytest.mark.parametrize("ks", [[], [0]])
def test_a_k_that_cannot_be_is_an_error(ks):
    """M10: at least 1, and at least one."""
    with pytest.raises(ArgumentError, match="k"):
        evaluate_system(answer, QUERIES, ks, judgments=JUDGMENTS)


def test_it_can_be_reached_from_the_top():
    """E2: be.evaluate_system."""
    assert be.evaluate_system is evaluate_system


def test_progress_and_rankings_are_told():
    """How many answers there are, up to all; and the run that was scored."""
    told = []
    found = evaluate_system(
        answer, QUERIES, [1], judgments=JUDGMENTS, progress=lambda *counts: told.append(counts)
    )
    assert (told[0], told[-1]) == ((0, 3), (3, 3))
    assert found.run.ranking("q1") == ["b", "x", "a"]


def test_nothing_judged_at_all_leaves_every_query_unjudged():
    """E2: zeros, and no mean, rather than an error."""
    found = evaluate_system(answer, QUERIES, [1], judgments=be.Judgments.from_dict({}))
    assert [one.unjudged for one in found.results] == [True, True, True]
    assert (found.summary.query_count, found.summary.unjudged_count) == (0, 3)
