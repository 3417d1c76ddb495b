"""The client against a real server, for every route."""

import gzip
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace

import pytest

import berryeval as be
from archive.judged_by_models import admission, model_grade, proposal
from berryeval.client.connection import Connection
from berryeval.client.runs import Runs
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import (
    ConflictError,
    InputError,
    NotFoundError,
    UnknownMeasureError,
)
from client.contents import DOCUMENTS, JUDGMENTS, OTHER, QUERIES, RUN

PROPOSAL = proposal("P1")
CHECK = replace(admission(), guideline="0f1e2d3c4b5a6978")
GRADE = model_grade(
    "q1", "d1", 2.0, identity=CHECK.identity.digest, guideline=CHECK.guideline, reason="yes"
)


def test_queries(client):
    """They are stored in bulk or one by one; a lost update is a conflict."""
    assert client.queries.put(QUERIES) == {"received": 2}
    found = client.queries.get("q1")
    assert (found["text"], found["tags"]) == ("first", ["a"])
    stored = client.queries.set(Query("q1", "changed"), if_match=found.etag)
    assert client.queries.get("q1") == stored
    with pytest.raises(ConflictError):
        client.queries.set(Query("q1", "again"), if_match=found.etag)
    assert [one["query_id"] for one in client.queries] == ["q1", "q2"]
    client.queries.remove("q2")
    with pytest.raises(NotFoundError) as error:
        client.queries.get("q2")
    assert (error.value.kind, error.value.name) == ("query", "q2")
    client.queries.put(QUERIES)


def test_an_interrupted_download_keeps_the_existing_file(tmp_path):
    """A good file is replaced only by a complete one."""

    class Broken:
        @contextmanager
        def stream(self, *_arguments):
            yield (row or 1 / 0 for row in (b"q1 Q0 d1 1 2.0 x\n", b""))

    path = tmp_path / "good.run"
    path.write_text("good")
    with pytest.raises(ZeroDivisionError):
        Runs(Broken()).download("r", path)
    assert {file.name: file.read_text() for file in tmp_path.iterdir()} == {"good.run": "good"}


def test_judgments(client):
    """They are stored in bulk, or one by one with ETags, and have a history."""
    assert client.judgments.put([("j1", "d/ä", 1)], source="pool")["received"] == 1
    found = client.judgments.get("j1", "d/ä")
    assert (found["grade"], found["source"]) == (1.0, "pool")
    with pytest.raises(ConflictError):
        client.judgments.set("j1", "d/ä", 2)
    changed = client.judgments.set("j1", "d/ä", 2, if_match=found.etag, source="again")
    assert changed.etag != found.etag
    assert [one["grade"] for one in client.judgments.history("j1", "d/ä")] == [1.0, 2.0]
    assert [one["doc_id"] for one in client.judgments.list(query_id="j1")] == ["d/ä"]
    assert not [*client.judgments.list(query_id="j1", is_stale=True)]
    second = client.judgments.set("j1", "d/ä", 0, second_opinion=True)
    assert (second["kind"], client.judgments.get("j1", "d/ä")["grade"]) == ("opinion", 2.0)
    counts = client.judgments.undo("j1", "d/ä", revision=second["revision"])
    assert counts["grade"] == 2.0
    assert client.judgments.put([("j1", "d/ä", 0)], second_opinion=True)["changed"] == 1
    assert client.judgments.set_policy("latest", ["no", "some", "all"])["changed"] >= 1
    assert client.judgments.policy()["labels"] == ["no", "some", "all"]
    assert client.judgments.set_policy()["rule"] == "first"
    new = client.judgments.set("j1", "new", 1)
    assert client.judgments.undo("j1", "new", revision=new["revision"]) is None
    client.judgments.remove("j1", "d/ä", if_match="*")
    assert "j1" not in {one["query_id"] for one in client.judgments}


def test_documents(client):
    """They are stored, listed and removed."""
    assert client.documents.put([Document("x1", "text", "title")])["received"] == 1
    assert client.documents.get("x1")["title"] == "title"
    assert "x1" in {one["doc_id"] for one in client.documents}
    client.documents.remove("x1")
    with pytest.raises(NotFoundError):
        client.documents.get("x1")


def test_judgments_are_uploaded_and_downloaded(client, tmp_path):
    """Files may have any format; anything that the archive cannot store is noted."""
    path = tmp_path / "ratings.csv"
    path.write_text("query,docid,rating\nj9,d1,2\nj9,d2,\n")
    stored = client.judgments.upload(path)
    assert (stored["received"], stored["changed"]) == (1, 1)
    assert "1 row without a rating was left out." in stored["notes"]
    client.judgments.download(tmp_path / "qrels", format="trec")
    assert be.read_judgments(tmp_path / "qrels").to_dict()["j9"] == {"d1": 2.0}


def test_imports_are_listed_and_undone(client, tmp_path):
    """An upload names its import."""
    path = tmp_path / "qrels"
    path.write_text("j8 0 d1 2\n")
    client.judgments.put([("j1", "d1", 1)])
    number = client.judgments.upload(path)["import_id"]
    assert next(iter(client.imports)) == client.imports.get(number)
    undone = client.imports.undo(number)
    assert (undone["file_name"], undone["n_kept"]) == ("qrels", 0)
    client.judgments.download(tmp_path / "out", format="jsonl", with_settled=True)
    assert be.read_judgments(tmp_path / "out").to_dict() == {"j1": {"d1": 1.0}}


def test_projects(client, run_id):
    """They are created, judged, settled and removed."""
    made = client.projects.create("team", runs=run_id, guideline="Be fair.", seed=1)
    assert (made["n_pairs"], made["guideline"]) == (1, "Be fair.")
    [pair] = client.projects.pairs("team", "open")
    ids = pair["query_id"], pair["doc_id"]
    assert client.projects.answer("team", [(*ids, 2)])["progress"]["n_graded"] == 1
    given = {"query_id": ids[0], "doc_id": ids[1], "grade": 1, "note": "on reflection"}
    client.projects.answer("team", [given])
    assert client.projects.settle("team", *ids, 1, note="so be it")["grade"] == 1
    assert client.projects.agreement("team")["n_shared"] == 0
    assert client.projects.set_state("team", "finished")["state"] == "finished"
    assert [one["name"] for one in client.projects] == [client.projects.get("team")["name"]]
    client.projects.remove("team")
    with pytest.raises(NotFoundError):
        client.projects.get("team")


def test_runs_are_uploaded_and_downloaded(client, tmp_path):
    """This covers files of any format, plain or compressed, and objects; ids are unchanged."""
    path = tmp_path / "bm25.run.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\nq2 Q0 d3 1 1.0 x\n"))
    stored = client.runs.upload(
        path, name="bm25", tags=["nightly", "b"], commit="abc", corpus_hash="c1", settings={"k": 1}
    )
    assert (stored["tags"], stored["settings"], stored["rows"]) == (["nightly", "b"], {"k": 1}, 3)
    assert client.runs.get(stored["run_id"]) == stored
    assert client.runs.load(stored["run_id"]).to_dict() == RUN
    client.runs.download(stored["run_id"], tmp_path / "out", format="trec")
    assert be.read_run(tmp_path / "out").to_dict() == RUN
    same = client.runs.upload(Run.from_dict(RUN), name="bm25", format="jsonl")
    assert same["content_hash"] == stored["content_hash"]
    ranking = client.runs.ranking(stored["run_id"], "q1", depth=1)
    assert [one["doc_id"] for one in ranking["documents"]] == ["d1"]
    assert stored["run_id"] in {one["run_id"] for one in client.runs}
    assert not [*client.runs.list(name="nobody")]
    timed = Run.from_dict(RUN).with_timings({"q1": 12.5})
    assert client.runs.upload(timed, name="bm25", format="jsonl")["run_id"] == same["run_id"]
    again = client.runs.set_timings(same["run_id"], {"q1": 12.5})
    assert again == {"received": 1, "changed": False}
    client.runs.remove(stored["run_id"])
    with pytest.raises(NotFoundError):
        client.runs.get(stored["run_id"])


def test_evaluations(client, run_id):
    """They are scored, listed and reported; unknown measures are named."""
    scored = client.evaluations.create(run_id, ["RR", "P@1"], missing="skip")
    assert scored["means"]["RR"] == 1.0
    assert client.evaluations.get(scored["evaluation_id"])["means"] == scored["means"]
    assert scored["evaluation_id"] in {one["evaluation_id"] for one in client.evaluations}
    assert [*client.evaluations.list(run_id=run_id)]
    report = client.evaluations.report(scored["evaluation_id"], per_query=True, intervals=True)
    assert report["per_query"]["q1"]["RR"] == 1.0
    assert report["intervals"].keys() == {"RR", "P@1"}
    with pytest.raises(UnknownMeasureError) as error:
        client.evaluations.create(run_id, ["ndgc@10"])
    assert (error.value.name, error.value.suggestion) == ("ndgc@10", "nDCG@10")
    assert client.evaluations.create(run_id)["means"]


def test_comparisons_holes_and_history(client, run_id):
    """They return the same as the commands of the same names."""
    other = client.runs.upload(Run.from_dict(OTHER), name="other")["run_id"]
    compared = client.compare(run_id, [other], ["RR"], resamples=100)
    assert compared["kind"] == "comparison"
    holes = client.holes([run_id], ["P@2"], against=other)
    assert [one["doc_id"] for one in holes["holes"]] == ["d2"]
    assert client.history("RR", name="bm25")["points"]


def test_baselines_gates_and_verdicts(client, run_id):
    """A gate decides against a baseline, and its verdict is stored."""
    assert client.baselines.set("main", run_id)["run_id"] == run_id
    assert client.baselines.get("main").etag == f'"{run_id}"'
    assert [one["name"] for one in client.baselines] == ["main"]
    with pytest.raises(ConflictError):
        client.runs.remove(run_id)
    gate = {"guards": [{"measure": "RR", "at_least": 0.5}]}
    stored = client.gates.set("release", gate)
    assert client.gates.set("release", gate, if_match=stored.etag)
    assert client.gates.get("release")["settings"]["guards"]
    assert [one["name"] for one in client.gates] == ["release"]
    verdict = client.gates.decide("release", "main", baseline=run_id, milliseconds={"q1": 3})
    assert verdict["verdict"] == "pass"
    assert client.gates.verdict("release", verdict["verdict_id"]) == verdict
    assert [one["verdict_id"] for one in client.gates.verdicts("release")] == [
        verdict["verdict_id"]
    ]
    client.gates.remove("release")
    client.baselines.remove("main")
    with pytest.raises(NotFoundError):
        client.baselines.get("main")


def test_jobs(client, run_id):
    """A background job is followed, waited for, and its result fetched."""
    means = client.evaluations.create(run_id, ["AP"])["means"]
    job = client.evaluations.create(run_id, ["AP"], as_job=True)
    states = [one["state"] for one in client.jobs.events(job["id"])]
    assert states[-1] == "done"
    assert client.jobs.result(job["id"])["means"] == means
    assert client.jobs.wait(job["id"])["means"] == means
    assert client.jobs.get(job["id"])["state"] == "done"
    assert job["id"] in {one["id"] for one in client.jobs}
    with pytest.raises(ConflictError):
        client.jobs.cancel(job["id"])


def test_stores(client):
    """A store is created, filled in pieces, searched and evaluated."""
    assert client.stores.create("docs", "bm25", title_weight=2)["kind"] == "bm25"
    many = (Document(f"n{number}", "padding") for number in range(1001))
    assert client.stores.index("docs", DOCUMENTS) == 2
    assert client.stores.index("docs", many) == 1001
    assert client.stores.get("docs")["n_documents"] == 1003
    assert [one["name"] for one in client.stores] == ["default", "docs"]
    assert "has no documents" in client.evaluate_store({"q1": "first"})["notes"][0]
    assert len([*client.stores.documents("docs")]) == 1003
    client.stores.remove_document("docs", "n7")
    hits = client.stores.search("docs", "first", k=1)["hits"]
    assert [(hit["doc_id"], hit["title"]) for hit in hits] == [("d1", "One")]
    [setting] = client.stores.settings("docs")
    assert (setting["name"], setting["value"]) == ("title_weight", "2.0")
    tuned = client.stores.search("docs", "one", settings={"title_weight": 0})
    assert tuned["hits"] == []
    client.judge([{"query_id": "q1", "doc_id": "d1", "relevance": 3}])
    assert client.evaluate_store({"q1": "one"}, "docs", settings={"title_weight": 0})["results"]
    found = client.evaluate_store({"q1": "first"}, "docs", [1])
    assert found["summary"]["mean_mrr"] == 1.0
    assert client.evaluate_store(QUERIES, "docs")["summary"]["mean_recall"].keys() == {
        "1", "3", "5", "10",
    }  # fmt: skip
    assert client.summary("docs")["query_count"] > 0
    ratings = [{"_index": "docs", "_id": "d1", "rating": 1}]
    requests = [{"id": "q", "request": {"query": {"match": {"t": "first"}}}, "ratings": ratings}]
    for store in ("docs", None):
        ranked = client.rank_eval(requests, {"precision": {}}, store=store)
        assert ranked["metric_score"] == 1.0
    with pytest.raises(InputError, match="no evaluation metric"):
        client.rank_eval(requests, {})
    client.stores.remove("docs")
    with pytest.raises(NotFoundError, match="there is no store 'docs'"):
        client.stores.get("docs")


def test_registered_systems(client):
    """A host that the operator has not allowed is rejected, by the library's own error."""
    with pytest.raises(InputError, match="--search-host"):
        client.systems.set("shop", "http://search.example/?q={query}", secrets={"header X": "y"})
    with pytest.raises(NotFoundError):
        client.systems.get("shop")
    with pytest.raises(NotFoundError):
        client.systems.remove("shop")
    assert [*client.systems] == []


def test_a_client_of_a_collection(client):
    """Every request names it, including those for further pages."""
    assert client.collections.create("shop", "Shop")["title"] == "Shop"
    assert [one["name"] for one in client.collections] == ["default", "shop"]
    with be.Client(client.url, collection="shop") as shop:
        shop.queries.put([Query(f"q{number}", "how?") for number in range(1001)])
        assert len([*shop.queries]) == 1001
        shop.runs.upload(Run.from_dict(RUN), name="x")
        job = shop.history("RR", as_job=True)
        assert [*shop.jobs.events(job["id"])][-1]["state"] == "done"
        assert shop.jobs.result(job["id"])["measure"] == "RR"
    assert not any(query.query_id == "q1000" for query in client.queries)
    assert client.collections.get("shop")["name"] == "shop"
    client.collections.remove("shop")
    expected = pytest.raises(NotFoundError, match="there is no collection 'shop'")
    with be.Client(client.url, collection="shop") as shop, expected:
        shop.queries.get("q1")


def test_operations(client):
    """Health, metrics and the API description are available."""
    assert client.health()["version"] == be.__version__
    assert client.readiness()["database"] == "sqlite"
    assert "berryeval" in client.metrics()
    assert client.reference_page().lower().startswith("<!doctype html>")
    assert repr(client) == f"<Client of {client.url}>"


def test_judges_are_uploaded_and_downloaded(client):
    """Grades and checks are stored under a guideline; a judge without grades is not listed."""
    client.judgments.set_policy(labels=["a", "b", "c", "d"], guideline="Judge.")
    assert client.judges.put_checks([CHECK]) == {"received": 1, "new": 1}
    assert [*client.judges] == []
    assert client.judges.put_grades([GRADE, GRADE]) == {"received": 2, "new": 1}
    [judge] = client.judges
    assert (judge["judge"], judge["calls"], judge["standing"]["state"]) == ("qwen", 1, "expired")
    assert client.judges.get(judge["identity"])["checks"] == client.judges.checks()
    assert client.judges.checks() == [{**asdict(CHECK), "models": [], "reasons": []}]
    assert [*client.judges.grades(judge["identity"])] == [asdict(GRADE)]
    assert [*client.judges.grades("0" * 16)] == []
    with pytest.raises(NotFoundError):
        client.judges.get("0" * 16)


def test_label_draws_never_change(client):
    """The service draws queries, or stores a draw made elsewhere."""
    client.queries.put([Query(f"q{n}", f"query {n}", category="ab"[n % 2]) for n in range(30)])
    drawn = client.label_draws.create("first", 20, by="category")
    assert (drawn["n_queries"], drawn["n_labelled"], drawn["created_by"]) == (30, 20, "local")
    why = "In proportion to the number of queries: there are no two runs to compare."
    assert {**client.label_draws.get("first"), "why": why} == drawn
    assert {row["stratum"] for row in drawn["queries"].values()} == {"a", "b"}
    draw = be.draw_labels(drawn["queries"], 12)
    assert client.label_draws.put("second", draw)["n_labelled"] == 12
    with pytest.raises(ConflictError):
        client.label_draws.put("first", draw)
    assert [one["name"] for one in client.label_draws] == ["first", "second"]
    client.label_draws.remove("first")
    with pytest.raises(NotFoundError):
        client.label_draws.remove("first")


def test_proposals_become_queries_when_accepted(client):
    """A proposal can be accepted with edited texts; a decision is final."""
    assert client.proposals.put([PROPOSAL, replace(PROPOSAL, query_id="P2")])["new"] == 2
    assert [*client.queries] == []
    added = client.proposals.accept("P1", query="how long is it?")
    assert (added["status"], added["original"]) == ("added", "how long?")
    assert client.queries.get("P1")["text"] == "how long is it?"
    assert client.proposals.reject("P2", "too easy")["why"] == "too easy"
    assert [one["query_id"] for one in client.proposals.list(status="added")] == ["P1"]
    assert client.proposals.get("P2")["status"] == "rejected"
    with pytest.raises(ConflictError):
        client.proposals.accept("P2")


def test_every_route_is_covered(client, run_id, tmp_path, monkeypatch):
    """Each route of the API description is called by a method of the client."""
    asked = set()
    filled = Connection._answer

    def noting(self, method, path, *rest):
        asked.add((method, path.partition("?")[0]))
        return filled(self, method, path, *rest)

    paths = client.description()["paths"]
    monkeypatch.setattr(Connection, "_answer", noting)
    monkeypatch.setattr("berryeval.client.connection.quoted", lambda _id: "{}")
    (tmp_path / "qrels").write_text("q 0 d 1\n")
    calls = [
        lambda: client.queries.put(QUERIES), lambda: client.queries.get("q"),
        lambda: client.queries.set(QUERIES[0]), lambda: client.queries.remove("q"),
        lambda: [*client.queries], lambda: [*client.judgments],
        lambda: client.judgments.put(JUDGMENTS), lambda: client.judgments.get("q", "d"),
        lambda: client.judgments.set("q", "d", 1), lambda: client.judgments.history("q", "d"),
        lambda: client.judgments.remove("q", "d", if_match="*"), lambda: [*client.documents],
        lambda: client.judgments.undo("q", "d", revision=1), client.judgments.policy,
        client.judgments.set_policy, lambda: client.judgments.upload(tmp_path / "qrels"),
        lambda: client.judgments.download(tmp_path / "judgments"),
        lambda: [*client.imports], lambda: client.imports.get(1), lambda: client.imports.undo(1),
        lambda: [*client.projects], lambda: client.projects.create("p"),
        lambda: client.projects.get("p"), lambda: client.projects.set_state("p", "paused"),
        lambda: client.projects.remove("p"), lambda: [*client.projects.pairs("p")],
        lambda: client.projects.answer("p", []), lambda: client.projects.settle("p", "q", "d", 1),
        lambda: client.projects.agreement("p"),
        lambda: client.documents.put(DOCUMENTS), lambda: client.documents.get("d"),
        lambda: client.documents.remove("d"), lambda: [*client.runs],
        lambda: client.runs.upload(Run.from_dict(RUN), name="x"), lambda: client.runs.get("r"),
        lambda: client.runs.download("r", tmp_path / "r"), lambda: client.runs.ranking("r", "q"),
        lambda: client.runs.remove("r"), lambda: client.runs.set_timings("r", {"q": 1.0}),
        lambda: [*client.evaluations],
        lambda: client.evaluations.create(run_id), lambda: client.evaluations.get("e"),
        lambda: client.evaluations.report("e"), lambda: client.compare("r", ["r"]),
        lambda: client.holes(["r"]), client.history, lambda: [*client.baselines],
        lambda: client.baselines.get("n"), lambda: client.baselines.set("n", "r"),
        lambda: client.baselines.remove("n"), lambda: [*client.gates],
        lambda: client.gates.get("n"), lambda: client.gates.set("n", {}),
        lambda: client.gates.remove("n"), lambda: client.gates.decide("n", "r"),
        lambda: [*client.gates.verdicts("n")], lambda: client.gates.verdict("n", 1),
        lambda: [*client.jobs], lambda: client.jobs.get("j"), lambda: [*client.jobs.events("j")],
        lambda: client.jobs.result("j"), lambda: client.jobs.cancel("j"), lambda: [*client.stores],
        lambda: client.stores.create("s"), lambda: client.stores.get("s"),
        lambda: client.stores.remove("s"), lambda: client.stores.index("s", DOCUMENTS),
        lambda: [*client.stores.documents("s")], lambda: client.stores.remove_document("s", "d"),
        lambda: client.stores.search("s", "x"), lambda: client.judge([]),
        lambda: client.stores.settings("s"), lambda: client.stores.search("s", "q", settings={}),
        lambda: [*client.systems], lambda: client.systems.get("s"),
        lambda: client.systems.set("s", "http://h/{query}"), lambda: client.systems.remove("s"),
        lambda: client.evaluate_store({"q": "x"}), client.summary,
        lambda: client.rank_eval([], {}), lambda: client.rank_eval([], {}, store="s"),
        client.health, client.readiness, client.metrics, client.description,
        client.reference_page, lambda: [*client.judges], lambda: client.judges.get("i"),
        lambda: [*client.judges.grades()], lambda: client.judges.put_grades([GRADE]),
        client.judges.checks, lambda: client.judges.put_checks([CHECK]),
        lambda: [*client.label_draws],
        lambda: client.label_draws.get("n"), lambda: client.label_draws.create("n", 2),
        lambda: client.label_draws.remove("n"), lambda: [*client.proposals],
        lambda: client.proposals.get("p"), lambda: client.proposals.put([PROPOSAL]),
        lambda: client.proposals.reject("p"),
        lambda: [*client.collections],
        lambda: client.collections.create("c"), lambda: client.collections.get("c"),
        lambda: client.collections.remove("c"),
    ]  # fmt: skip
    for call in calls:
        with suppress(be.BerryEvalError):  # the ids do not exist; only the route matters here
            call()
    described = {
        (method.upper(), "/".join("{}" if "{" in part else part for part in path.split("/")))
        for path, operations in paths.items()
        for method in operations
        if not (path.endswith("_rank_eval") and method == "get")  # the same as by POST
    }
    assert described - asked == set()
    assert asked - described == set()


def test_ids_with_any_characters_are_transmitted(client):
    """They may contain slashes, spaces, percent signs and letters of any language."""
    for doc_id in ("a/b c", "ä%2F", "文書?#"):
        client.judgments.put([("ids", doc_id, 1)])
        assert client.judgments.get("ids", doc_id)["doc_id"] == doc_id
    assert len([*client.judgments.list(query_id="ids")]) == 3
