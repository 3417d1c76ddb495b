"""The three routes of E5, with their keys, defaults and responses."""

import sys
import threading
import time

import pytest
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.service.routes import evaluation
from berryeval.service.stores import query_deadline
from berryeval.service.stores import store as store_module
from berryeval.service.stores.engines import build_engine
from berryeval.service.stores.query_deadline import deadline_before
from berryeval.suite.archived_history import read_archived
from berryeval.suite.evaluate_system import evaluate_system
from service_server import application
from waiting import wait_until

TEXTS = {"a": "first thing", "b": "first other thing", "c": "second thing"}
JUDGMENTS = [
    {"query_id": "q1", "doc_id": "a", "relevance": 3},
    {"query_id": "q1", "doc_id": "b", "grade": 1},
    {"query_id": "q2", "doc_id": "c", "relevance": 2},
]
QUERIES = [{"id": "q1", "query": "first"}, {"id": "q2", "query": "second"}]


def answer(query, k):
    """A system that sometimes fails."""
    if query == "broken":
        raise ValueError("no idea")
    if query == "slow":
        time.sleep(0.3)
    return ["c", "a"][:k]


HERE = f"{__name__}:answer"


def fill(client, name="default"):
    client.put(f"/v1/stores/{name}", json={"kind": "bm25"})
    documents = [{"doc_id": doc_id, "text": text} for doc_id, text in TEXTS.items()]
    client.post(f"/v1/stores/{name}/documents", json={"documents": documents})
    assert client.post("/v1/evaluation/judgments", json=JUDGMENTS).status_code == 204
    return client


def test_posting_judgments_returns_204(client):
    """E5: the body is an array of E1's objects, with relevance or grade."""
    answered = client.post("/v1/evaluation/judgments", json=JUDGMENTS)
    assert (answered.status_code, answered.content) == (204, b"")
    assert client.get("/v1/judgments/q1/b").json()["grade"] == 1.0
    assert client.post("/v1/evaluation/judgments", json=[]).status_code == 204


def test_judging_a_pair_again_keeps_its_history(client):
    """E5: the new grade replaces the old one, which stays in the history."""
    for grade in (3, 1):
        body = [{"query_id": "q1", "doc_id": "a", "relevance": grade}]
        assert client.post("/v1/evaluation/judgments", json=body).status_code == 204
    assert client.get("/v1/judgments/q1/a").json()["grade"] == 1.0
    history = client.get("/v1/judgments/q1/a/history").json()
    assert [state["grade"] for state in history] == [3.0, 1.0]


def test_two_grades_for_one_pair_in_one_body_are_an_error(client):
    """E5: nothing in the body is stored."""
    twice = [*JUDGMENTS, {"query_id": "q1", "doc_id": "a", "relevance": 0}]
    refused = client.post("/v1/evaluation/judgments", json=twice)
    assert refused.status_code == 422
    assert "'a'" in refused.json()["detail"]
    assert client.get("/v1/judgments").json()["items"] == []


@pytest.mark.parametrize(
    "entry",
    [
        {"query_id": "q1", "doc_id": "a"},
        {"query_id": "q1", "doc_id": "a", "relevance": 1, "grade": 1},
        {"query_id": "q1", "doc_id": "a", "relevance": "high"},
        {"query_id": "", "doc_id": "a", "relevance": 1},
        {"doc_id": "a", "relevance": 1},
        "q1 0 a 1",
    ],
)
def test_invalid_judgments_are_rejected(client, entry):
    """The message has the position in the body."""
    refused = client.post("/v1/evaluation/judgments", json=[JUDGMENTS[0], entry])
    assert refused.status_code == 422
    assert refused.json()["where"].startswith("body[1]")


def test_ids_may_be_whole_numbers(client):
    """They stand for their decimal text, as in files and in Python."""
    body = [{"query_id": 7, "doc_id": 12, "relevance": 1}]
    assert client.post("/v1/evaluation/judgments", json=body).status_code == 204
    assert client.get("/v1/judgments/7/12").json()["grade"] == 1
    documents = {"documents": [{"doc_id": 12, "text": "berries"}]}
    assert client.post("/v1/stores/default/documents", json=documents).status_code == 200
    asked = {"queries": [{"id": 7, "query": "berries"}]}
    found = client.post("/v1/evaluation/evaluate", json=asked).json()
    assert (found["results"][0]["query_id"], found["results"][0]["mrr"]) == ("7", 1.0)


def test_a_store_is_evaluated_query_by_query(client):
    """E5: results, summary and failed are returned; the keys of k are strings."""
    fill(client)
    body = {"queries": QUERIES, "store": "default", "ks": [1, 5]}
    found = client.post("/v1/evaluation/evaluate", json=body).json()
    assert list(found) == ["results", "summary", "failed", "notes"]
    first, second = found["results"]
    assert list(first) == [
        "query_id", "query", "ndcg", "recall", "precision", "mrr", "ap", "result_count", "unjudged",
    ]  # fmt: skip
    assert (first["query_id"], first["query"], first["result_count"]) == ("q1", "first", 2)
    assert first["recall"] == {"1": 0.5, "5": 1.0}
    assert first["precision"] == {"1": 1.0, "5": 0.4}
    assert (first["mrr"], second["ap"]) == (1.0, 1.0)
    assert list(found["summary"]) == [
        "query_count", "mean_ndcg", "mean_recall", "mean_precision", "mean_mrr", "map",
        "unjudged_count", "failed_count", "effective_queries",
    ]  # fmt: skip
    assert found["summary"]["mean_recall"] == {"1": 0.75, "5": 1.0}
    assert found["summary"]["query_count"] == 2
    assert found["failed"] == found["notes"] == []


def test_store_and_ks_have_defaults(client):
    """E5: the store is "default", and k is 1, 3, 5 and 10."""
    fill(client)
    found = client.post("/v1/evaluation/evaluate", json={"queries": QUERIES}).json()
    assert list(found["summary"]["mean_ndcg"]) == ["1", "3", "5", "10"]


def test_a_query_without_judgments_is_excluded_from_means(client):
    """E2: it has zeros, is marked, and is counted separately."""
    fill(client)
    queries = [*QUERIES, {"id": "q9", "query": "thing"}]
    found = client.post("/v1/evaluation/evaluate", json={"queries": queries}).json()
    assert [one["unjudged"] for one in found["results"]] == [False, False, True]
    assert (found["summary"]["query_count"], found["summary"]["unjudged_count"]) == (2, 1)
    assert found["results"][2]["result_count"] == 3


def test_one_failing_query_does_not_fail_the_others(service):
    """E5: it is listed under failed, left out of the means, and counted."""
    client = fill(service(systems={"own": {"system": HERE}}))
    queries = [{"id": "q1", "query": "broken"}, QUERIES[1]]
    answered = client.post("/v1/evaluation/evaluate", json={"queries": queries, "store": "own"})
    assert answered.status_code == 200
    found = answered.json()
    assert [one["query_id"] for one in found["results"]] == ["q2"]
    assert [one["query_id"] for one in found["failed"]] == ["q1"]
    assert "no idea" in found["failed"][0]["error"]
    assert (found["summary"]["query_count"], found["summary"]["failed_count"]) == (1, 1)
    assert found["summary"]["mean_mrr"] == 1.0
    (run,) = client.get("/v1/runs").json()["items"]
    assert (run["failed"], run["queries"]) == (["q1"], 1)


def test_a_store_that_fails_every_query_has_no_means(service):
    """E5: means are null, in the response and in the stored summary."""
    client = fill(service(systems={"own": {"system": HERE}}))
    queries = [{"id": "q1", "query": "broken"}, {"id": "q2", "query": "broken"}]
    body = {"queries": queries, "store": "own", "ks": [5]}
    found = client.post("/v1/evaluation/evaluate", json=body).json()["summary"]
    assert (found["query_count"], found["failed_count"]) == (0, 2)
    assert (found["mean_mrr"], found["map"], found["mean_ndcg"]) == (None, None, {"5": None})
    kept = client.get("/v1/evaluation/summary", params={"store": "own"})
    assert (kept.status_code, kept.json()) == (200, found)


def test_a_configured_system_without_documents_is_an_error(service):
    """The status is 422 with a fix, not one failure per query, in Elasticsearch's API as well."""
    client = fill(service(systems={"own": {"system": "bm25"}}))
    answered = client.post("/v1/evaluation/evaluate", json={"queries": QUERIES, "store": "own"})
    assert answered.status_code == 422
    assert answered.json()["detail"].startswith(
        "documents: expected some that own can search, got none; set path to the folder of an index"
    )
    assert client.get("/v1/evaluation/summary", params={"store": "own"}).json()["query_count"] == 0


def test_a_system_that_cannot_be_opened_is_reported_by_query(service):
    """E5: it is handled like any other failure of a system."""
    client = fill(service(systems={"own": {"system": "no_such_module:find"}}))
    answered = client.post("/v1/evaluation/evaluate", json={"queries": QUERIES, "store": "own"})
    assert answered.status_code == 200
    assert len(answered.json()["failed"]) == len(QUERIES)


def test_the_summary_is_from_the_latest_evaluation(client):
    """E5: each store has one; query_count is 0 before the first evaluation."""
    assert client.get("/v1/evaluation/summary").json()["query_count"] == 0
    fill(client)
    fill(client, "other")
    body = {"queries": QUERIES[:1], "ks": [1]}
    client.post("/v1/evaluation/evaluate", json={"queries": QUERIES})
    latest = client.post("/v1/evaluation/evaluate", json=body).json()["summary"]
    kept = client.get("/v1/evaluation/summary", params={"store": "default"}).json()
    assert kept == latest
    assert kept["query_count"] == 1
    other = client.get("/v1/evaluation/summary", params={"store": "other"}).json()
    assert (other["query_count"], other["map"], other["mean_ndcg"]) == (0, 0.0, {})


def test_judgments_and_summaries_survive_a_restart(tmp_path):
    """E5: so do stores with their documents."""
    with application(tmp_path) as app, TestClient(app, base_url="http://localhost") as first:
        fill(first).post("/v1/evaluation/evaluate", json={"queries": QUERIES})
    with application(tmp_path) as app, TestClient(app, base_url="http://localhost") as again:
        assert again.get("/v1/evaluation/summary").json()["query_count"] == 2
        found = again.post("/v1/evaluation/evaluate", json={"queries": QUERIES}).json()
        assert found["summary"]["query_count"] == 2


def test_a_new_service_answers_and_suggests_next_steps(client):
    """E5: the default store exists and is empty; notes name the routes to use next."""
    body = {"queries": QUERIES, "store": "default", "ks": [5, 10, 20]}
    answered = client.post("/v1/evaluation/evaluate", json=body)
    assert answered.status_code == 200
    found = answered.json()
    assert [one["unjudged"] for one in found["results"]] == [True, True]
    assert [one["result_count"] for one in found["results"]] == [0, 0]
    assert found["failed"] == []
    assert found["notes"] == [
        "Store 'default' has no documents, so no query has results; add them with "
        "POST /v1/stores/default/documents.",
        "Queries without judgments, excluded from means: 2 of 2; add judgments with "
        "POST /v1/evaluation/judgments.",
    ]
    assert client.get("/v1/evaluation/summary").json()["unjudged_count"] == 2


def test_an_empty_default_store_requires_no_search_engine(client, monkeypatch):
    """E5: it works even if the extra `search` is not installed."""
    for name in ("tantivy", "wordllama", "tokenizers", "safetensors"):
        monkeypatch.setitem(sys.modules, name, None)
    answered = client.post("/v1/evaluation/evaluate", json={"queries": QUERIES})
    assert answered.status_code == 200
    assert [one["result_count"] for one in answered.json()["results"]] == [0, 0]
    refused = fill(client).post("/v1/evaluation/evaluate", json={"queries": QUERIES})
    assert refused.status_code == 415
    assert refused.json()["way_out"] == "pip install 'berryeval[search]'"


def test_a_recreated_store_has_no_summary(client):
    """The old summary was of another index."""
    fill(client).post("/v1/evaluation/evaluate", json={"queries": QUERIES})
    client.delete("/v1/stores/default")
    assert client.get("/v1/evaluation/summary").json()["query_count"] == 0


def test_evaluations_of_a_store_are_its_history(client):
    """E6: each is stored as a run named after the store, and a decline would be found."""
    fill(client).post("/v1/evaluation/evaluate", json={"queries": QUERIES})
    documents = [{"doc_id": "z", "text": "second second second"}]
    client.post("/v1/stores/default/documents", json={"documents": documents})
    client.post("/v1/evaluation/evaluate", json={"queries": QUERIES})
    points = client.get("/v1/history", params={"name": "default", "measure": "RR"}).json()["points"]
    assert [point["mean"] for point in points] == [1.0, 0.75]
    runs = client.get("/v1/runs").json()["items"]
    assert {run["name"] for run in runs} == {"default"}
    assert runs[0]["settings"]["mode"] == "bm25"
    assert runs[0]["corpus_hash"] != runs[1]["corpus_hash"]


@pytest.mark.parametrize("measure", ["nDCG@10", "RR"])
def test_history_agrees_with_summaries(service, tmp_path, measure):
    """E5, E6: each evaluation is a point over the requested queries; failed ones are counted."""
    client = fill(service(systems={"own": {"system": HERE}}))
    judged = [{"query_id": "q3", "doc_id": "a", "relevance": 1}]  # never searched for
    client.post("/v1/evaluation/judgments", json=judged)
    broken = {"id": "q1", "query": "broken"}
    summaries = [
        client.post("/v1/evaluation/evaluate", json={"queries": queries, "store": "own"}).json()
        for queries in (QUERIES, QUERIES, [broken, QUERIES[1]], [QUERIES[1]], [broken])
    ]
    summaries = [one["summary"] for one in summaries]
    name = "mean_mrr" if measure == "RR" else "mean_ndcg"
    means = [one[name] if measure == "RR" else one[name]["10"] for one in summaries]
    counts = [(one["query_count"], one["failed_count"]) for one in summaries]
    assert counts == [(2, 0), (2, 0), (1, 1), (1, 0), (0, 1)]

    history = client.get("/v1/history", params={"name": "own", "measure": measure}).json()
    points = history["points"]
    assert [point["mean"] for point in points] == [*means[:4], None]
    assert [(point["query_count"], point["failed_count"]) for point in points] == counts
    changes = [point["change"] for point in points]
    assert changes == [None, 0.0, None, 0.0, None], "other queries start anew"

    rows = read_archived(str(tmp_path / "berryeval.db"), measure, run="own")
    shown = [(entry.means[measure], entry.n_queries, entry.n_failed) for entry in rows.entries]
    assert shown == [(mean, *count) for mean, count in zip(means, counts, strict=True)][:4]
    (sentence,) = rows.unscored
    assert "own: cannot be scored (1 failed): " in sentence

    keeper = client.app.state.keeper
    run_ids = [point["run_id"] for point in points]
    wait_until(lambda: not keeper.summaries(run_ids).n_waiting)
    kept = keeper.summaries(run_ids)
    shown = [kept.summaries[run_id].means.get(measure) for run_id in run_ids]
    assert [mean and mean.value for mean in shown] == [*means[:4], None]
    page = " ".join(client.get(f"/runs/{run_ids[2]}").text.split())
    assert "1 query not answered; excluded from means" in page
    assert "1 query: those that the store answered, of 3 judged" in page


def test_evaluations_of_a_store_are_exported_and_imported(service, archive, tmp_path):
    """This includes their times and failed queries."""
    client = fill(service(systems={"own": {"system": HERE}}))
    queries = [{"id": "q1", "query": "broken"}, QUERIES[1]]
    client.post("/v1/evaluation/evaluate", json={"queries": queries, "store": "own"})
    archive.export(tmp_path / "exported")
    with Archive.open(tmp_path / "again.db") as again:
        again.import_(tmp_path / "exported")
        (before,), (after,) = archive.runs.page().items, again.runs.page().items
        assert after == before
        assert (after.facts.failed, after.facts.missing) == (("q1",), "skip")
        (point,) = again.trend("RR", name="own")
        assert (point.mean, point.n_queries) == (1.0, 1)


def test_a_batch_that_times_out_returns_finished_queries(service):
    """E5: the time limit of a request fails only the remaining queries."""
    client = fill(service(systems={"own": {"system": HERE}}, timeout=1.0))
    queries = [*QUERIES, *({"id": f"s{n}", "query": "slow"} for n in range(20))]
    answered = client.post("/v1/evaluation/evaluate", json={"queries": queries, "store": "own"})
    assert answered.status_code == 200
    found = answered.json()
    done = [one["query_id"] for one in found["results"]]
    assert done[:2] == ["q1", "q2"]
    assert 0 < len(found["failed"]) < 21
    assert len(done) + len(found["failed"]) == 22
    assert all("own: timeout: no answer within 0." in one["error"] for one in found["failed"])
    assert found["notes"][-1].startswith(
        f"Queries that timed out: {len(found['failed'])} of 22; send fewer at once"
    )
    assert client.get("/v1/evaluation/summary?store=own").json() == found["summary"]


def test_a_job_may_take_longer_than_a_request(service):
    """It has no time limit."""
    client = fill(service(systems={"own": {"system": HERE}}, timeout=0.5))
    queries = [{"id": f"s{n}", "query": "slow"} for n in range(12)]
    body = {"queries": queries, "store": "own"}
    job = client.post("/v1/evaluation/evaluate", json=body, headers={"Prefer": "respond-async"})
    client.get(f"{job.headers['location']}/events")
    found = client.get(f"{job.headers['location']}/result").json()
    assert (len(found["results"]), found["failed"]) == (12, [])


def test_time_is_reserved_for_scoring(service, monkeypatch):
    """E5: the more hits are possible, the earlier the queries end."""
    given = []

    def evaluate(*arguments, limits, **more):
        given.append(limits.total)
        return evaluate_system(*arguments, limits=limits, **more)

    monkeypatch.setattr(evaluation, "evaluate_system", evaluate)
    client = fill(service(systems={"own": {"system": HERE}}, timeout=60.0))
    queries = [{"id": f"q{n}", "query": "first"} for n in range(2_000)]
    body = {"queries": queries, "store": "own", "ks": [1_000]}
    answered = client.post("/v1/evaluation/evaluate", json=body)
    assert answered.status_code == 200
    assert given[0] <= 60 - 2_000 * (2e-4 + 1_000 * 6e-6)


@pytest.mark.parametrize(
    ("n_queries", "k", "seconds"),
    [(1, 100, 54), (7_000, 100, 54), (20_000, 100, 44), (50_000, 10, 47), (50_000, 100, 30)],
)
def test_the_time_for_queries_depends_on_the_possible_hits(n_queries, k, seconds):
    """E5: it is between half and nine tenths of a request's time."""
    begun = time.monotonic()
    deadline = deadline_before(begun + 60, n_queries, k).deadline
    assert deadline - begun == pytest.approx(seconds, abs=0.2)


@pytest.fixture
def slow_index(monkeypatch):
    """Indexes that are built only once the event is set, and requests that do not wait."""
    may_end, built = threading.Event(), []

    def build(*arguments):
        assert may_end.wait(20)
        built.append(arguments[0])
        return build_engine(*arguments)

    monkeypatch.setattr(store_module, "build_engine", build)
    monkeypatch.setattr(query_deadline, "_MIN_RESERVE", 0.995)
    yield may_end, built
    may_end.set()


def test_a_slow_index_fails_the_queries_and_is_still_built(client, monkeypatch, slow_index):
    """E5: the request is answered first, and a later one finds the index ready."""
    may_end, built = slow_index
    fill(client)
    found = client.post("/v1/evaluation/evaluate", json={"queries": QUERIES}).json()
    assert built == [], "the answer did not wait for the index"
    assert found["failed"] == [
        {
            "query_id": query_id,
            "error": "default: timeout: its documents are still being indexed; try again later",
        }
        for query_id in ("q1", "q2")
    ]
    may_end.set()
    monkeypatch.setattr(query_deadline, "_MIN_RESERVE", 0.1)
    found = client.post("/v1/evaluation/evaluate", json={"queries": QUERIES}).json()
    assert (found["failed"], built) == ([], ["bm25"])
    runs = client.get("/v1/runs").json()["items"]
    assert {run["corpus_hash"] is None for run in runs} == {True, False}


def test_all_documents_can_be_listed_while_the_index_is_built(client, slow_index):
    """A ranking that needs no search does not wait."""
    _, built = slow_index
    fill(client)
    request = {"id": "q1", "request": {"query": {"match_all": {}}}, "ratings": []}
    body = {"requests": [request], "metric": {"precision": {"k": 2}}}
    found = client.post("/default/_rank_eval", json=body).json()
    assert [one["hit"]["_id"] for one in found["details"]["q1"]["hits"]] == ["a", "b"]
    assert built == []


def test_many_queries_can_be_a_job(client):
    """The job reports the number of answered queries, and has the same result."""
    fill(client)
    body = {"queries": QUERIES}
    job = client.post("/v1/evaluation/evaluate", json=body, headers={"Prefer": "respond-async"})
    assert job.status_code == 202
    events = client.get(f"{job.headers['location']}/events").text
    assert '"done": 2' in events or '"done":2' in events
    result = client.get(f"{job.headers['location']}/result").json()
    assert result == client.post("/v1/evaluation/evaluate", json=body).json()


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"store": "nowhere"}, 404),
        ({"store": "../default"}, 422),
        ({"ks": []}, 422),
        ({"ks": [0]}, 422),
        ({"ks": [10_001]}, 422),
        ({"ks": list(range(1, 10_001))}, 422),
        ({"ks": ["5"]}, 422),
        ({"queries": []}, 422),
        ({"queries": [QUERIES[0], QUERIES[0]]}, 422),
        ({"queries": [{"id": "q1"}]}, 422),
        ({"k": 5}, 422),
        ({"queries": [{"id": str(n), "query": "x"} for n in range(501)], "ks": [10_000]}, 422),
    ],
)
def test_invalid_requests_are_rejected(client, change, status):
    """Examples are 10,000 values of k, and more hits than memory allows."""
    fill(client)
    body = {"queries": QUERIES, **change}
    assert client.post("/v1/evaluation/evaluate", json=body).status_code == status
