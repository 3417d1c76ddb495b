"""The client against a real server: every route, and every error."""

import copy
import gzip
import http.server
import socket
import threading
from contextlib import suppress

import pytest

import berryeval as be
from berryeval.archive import Archive
from berryeval.client.connection import Connection
from berryeval.client.problems import error_of
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import (
    ArchiveError,
    ArgumentError,
    BackendError,
    BackendTimeout,
    ConflictError,
    FormatError,
    InputError,
    InputTypeError,
    MeasureSyntaxError,
    MismatchError,
    MissingExtraError,
    NotFoundError,
    ServiceError,
    UnknownMeasureError,
)
from service_server import application, listening

RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 1.0}}
OTHER = {"q1": {"d2": 2.0, "d1": 1.0}, "q2": {"d3": 1.0}}
JUDGMENTS = {"q1": {"d1": 2, "d9": 0}, "q2": {"d3": 1}}
QUERIES = [Query("q1", "first", category="easy", tags=("a",)), Query("q2", "second")]
DOCUMENTS = [Document("d1", "first thing", "One"), Document("d3", "second thing")]


@pytest.fixture
def url(tmp_path):
    with application(tmp_path) as app, listening(app) as address:
        yield address


@pytest.fixture
def client(url):
    with be.Client(url) as opened:
        yield opened


@pytest.fixture
def run_id(client):
    client.judgments.put(JUDGMENTS)
    return client.runs.upload(Run.from_dict(RUN), name="bm25")["run_id"]


def test_queries(client):
    """Stored together or one by one; a lost update is a conflict."""
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


def test_judgments(client):
    """In bulk, one by one with ETags, and what they were."""
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
    client.judgments.remove("j1", "d/ä", if_match="*")
    assert "j1" not in {one["query_id"] for one in client.judgments}


def test_documents(client):
    """Told of, listed and forgotten."""
    assert client.documents.put([Document("x1", "text", "title")])["received"] == 1
    assert client.documents.get("x1")["title"] == "title"
    assert "x1" in {one["doc_id"] for one in client.documents}
    client.documents.remove("x1")
    with pytest.raises(NotFoundError):
        client.documents.get("x1")


def test_runs_go_up_and_come_down(client, tmp_path):
    """As files in any format, plain or compressed, and as objects; ids survive."""
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
    client.runs.remove(stored["run_id"])
    with pytest.raises(NotFoundError):
        client.runs.get(stored["run_id"])


def test_evaluations(client, run_id):
    """Scored, listed and reported; measures that nobody knows are named."""
    scored = client.evaluations.create(run_id, ["RR", "P@1"], missing="skip")
    assert scored["means"]["RR"] == 1.0
    assert client.evaluations.get(scored["evaluation_id"])["means"] == scored["means"]
    assert scored["evaluation_id"] in {one["evaluation_id"] for one in client.evaluations}
    assert [*client.evaluations.list(run_id=run_id)]
    report = client.evaluations.report(scored["evaluation_id"], per_query=True, interval="t")
    assert report["per_query"]["q1"]["RR"] == 1.0
    with pytest.raises(UnknownMeasureError) as error:
        client.evaluations.create(run_id, ["ndgc@10"])
    assert (error.value.name, error.value.suggestion) == ("ndgc@10", "nDCG@10")
    assert client.evaluations.create(run_id)["means"]


def test_comparisons_holes_and_history(client, run_id):
    """What the commands of the same names tell."""
    other = client.runs.upload(Run.from_dict(OTHER), name="other")["run_id"]
    compared = client.compare(run_id, [other], ["RR"], resamples=100)
    assert compared["kind"] == "comparison"
    holes = client.holes([run_id], ["P@2"], against=other)
    assert [one["doc_id"] for one in holes["holes"]] == ["d2"]
    assert client.history("RR", name="bm25")["points"]


def test_baselines_gates_and_verdicts(client, run_id):
    """From a baseline to a verdict that is kept."""
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
    """Long work in the background: followed, waited for, and its result fetched."""
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
    """Made, filled in pieces, searched and evaluated."""
    assert client.stores.create("docs", "bm25", title_weight=2)["kind"] == "bm25"
    many = (Document(f"n{number}", "padding") for number in range(1001))
    assert client.stores.index("docs", DOCUMENTS) == 2
    assert client.stores.index("docs", many) == 1001
    assert client.stores.get("docs")["n_documents"] == 1003
    assert [one["name"] for one in client.stores] == ["docs"]
    assert len([*client.stores.documents("docs")]) == 1003
    client.stores.remove_document("docs", "n7")
    hits = client.stores.search("docs", "first", k=1)["hits"]
    assert [(hit["doc_id"], hit["title"]) for hit in hits] == [("d1", "One")]
    client.judge([{"query_id": "q1", "doc_id": "d1", "relevance": 3}])
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


def test_operations(client):
    """For whoever runs the service."""
    assert client.health()["version"] == be.__version__
    assert client.readiness()["backend"] == "sqlite"
    assert "berryeval" in client.metrics()
    assert client.reference_page().lower().startswith("<!doctype html>")
    assert repr(client) == f"<Client of {client.url}>"


def test_every_route_is_covered(client, run_id, tmp_path, monkeypatch):
    """Whatever the description has, a method of the client asks for."""
    asked = set()
    filled = Connection._answer

    def noting(self, method, path, *rest):
        asked.add((method, path.partition("?")[0]))
        return filled(self, method, path, *rest)

    paths = client.description()["paths"]
    monkeypatch.setattr(Connection, "_answer", noting)
    monkeypatch.setattr("berryeval.client.connection.quoted", lambda _id: "{}")
    calls = [
        lambda: client.queries.put(QUERIES), lambda: client.queries.get("q"),
        lambda: client.queries.set(QUERIES[0]), lambda: client.queries.remove("q"),
        lambda: [*client.queries], lambda: [*client.judgments],
        lambda: client.judgments.put(JUDGMENTS), lambda: client.judgments.get("q", "d"),
        lambda: client.judgments.set("q", "d", 1), lambda: client.judgments.history("q", "d"),
        lambda: client.judgments.remove("q", "d", if_match="*"), lambda: [*client.documents],
        lambda: client.documents.put(DOCUMENTS), lambda: client.documents.get("d"),
        lambda: client.documents.remove("d"), lambda: [*client.runs],
        lambda: client.runs.upload(Run.from_dict(RUN), name="x"), lambda: client.runs.get("r"),
        lambda: client.runs.download("r", tmp_path / "r"), lambda: client.runs.ranking("r", "q"),
        lambda: client.runs.remove("r"), lambda: [*client.evaluations],
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
        lambda: client.evaluate_store({"q": "x"}), client.summary,
        lambda: client.rank_eval([], {}), lambda: client.rank_eval([], {}, store="s"),
        client.health, client.readiness, client.metrics, client.description,
        client.reference_page,
    ]  # fmt: skip
    for call in calls:
        with suppress(be.BerryEvalError):  # the ids are none; only the route counts here
            call()
    described = {
        (method.upper(), "/".join("{}" if "{" in part else part for part in path.split("/")))
        for path, operations in paths.items()
        for method in operations
        if not (path.endswith("_rank_eval") and method == "get")  # the same as by POST
    }
    assert described - asked == set()
    assert asked - described == set()


PROBLEMS = [
    (422, {"type": "input", "where": "k", "expected": "at least 1", "found": "0"}, ArgumentError),
    (422, {"type": "mismatch", "detail": "no query in common"}, MismatchError),
    (422, {"type": "measure-syntax", "where": "measure 'P@x'", "expected": "a cutoff",
           "found": "'x'", "way_out": "P@10"}, MeasureSyntaxError),
    (400, {"detail": "not so"}, InputError),
    (404, {"where": "run", "found": "'3f6b'"}, NotFoundError),
    (404, {"where": "route", "found": "3f6b["}, NotFoundError),
    (404, {"where": "verdict", "found": "7"}, NotFoundError),
    (409, {"detail": "a baseline"}, ConflictError),
    (415, {"type": "not-installed", "where": "Reading zstd",
           "way_out": "pip install 'berryeval[zstd]'"}, MissingExtraError),
    (422, {"type": "format", "where": "a.run:3", "detail": "a.run:3: expected 6"}, FormatError),
    (422, {"type": "format", "where": "a.run", "detail": "a.run: empty"}, FormatError),
    (502, {"type": "system-failed", "where": "own", "detail": "own: no line"}, BackendError),
    (503, {"type": "archive", "where": "a.db", "detail": "a.db: locked"}, ArchiveError),
    (504, {"type": "system-timeout", "where": "own", "detail": "own: late"}, BackendTimeout),
    (401, {"type": "unauthorized", "detail": "a token"}, ServiceError),
    (500, {}, ServiceError),
]  # fmt: skip


@pytest.mark.parametrize(("status", "problem", "kind"), PROBLEMS)
def test_problems_are_the_errors_of_the_library(status, problem, kind):
    """Of the same class, and with the same facts."""
    said = {**problem, "type": f"urn:berryeval:problem:{problem.get('type', '')}"}
    assert type(error_of("http://x", status, said)) is kind


def test_the_facts_come_along():
    """Nobody has to read them out of a sentence."""
    argument = error_of("x", *PROBLEMS[0][:2])
    assert (argument.argument, argument.expected, argument.got) == ("k", "at least 1", "0")
    line = error_of("x", 422, {**PROBLEMS[9][1], "type": "urn:berryeval:problem:format"})
    assert (line.path, line.line, line.message) == ("a.run", 3, "expected 6")
    missing = error_of("x", 404, {"where": "run", "found": "'3f6b'"})
    assert (missing.kind, missing.name, str(missing)) == ("run", "3f6b", "there is no run '3f6b'")
    extra = error_of("x", 415, {**PROBLEMS[8][1], "type": "urn:berryeval:problem:not-installed"})
    assert extra.extra == "zstd"
    refused = error_of("http://x", 401, {"detail": "a token", "type": "urn:berryeval:problem:u"})
    assert (refused.status, refused.kind, str(refused)) == (401, "u", "http://x: a token")


def test_a_line_of_an_upload_is_blamed_by_its_file(client, tmp_path):
    """The same error as from `read_run`, with the name of the file."""
    path = tmp_path / "bad.run"
    path.write_text("q1 Q0 d1 1 2.0 x\nq1 Q0 d2\n")
    with pytest.raises(FormatError) as error:
        client.runs.upload(path, name="bad")
    assert (error.value.path, error.value.line) == ("bad.run", 2)


def test_a_text_is_one_run_or_measure(client, run_id):
    """And not as many as it has letters."""
    other = client.runs.upload(Run.from_dict(OTHER), name="other")["run_id"]
    assert client.compare(run_id, other, "RR") == client.compare(run_id, [other], ["RR"])
    assert client.holes(run_id, "RR") == client.holes([run_id], ["RR"])
    assert list(client.evaluations.create(run_id, "RR")["means"]) == ["RR"]


@pytest.mark.parametrize(
    "judgments", [[("q1", "d1")], ["q1 d1 2"], [("q1", "d1", float("nan"))], [("q1", "d1", {2})]]
)
def test_what_cannot_be_sent_is_an_error_of_ours(client, judgments):
    """Before anything is sent."""
    with pytest.raises(InputTypeError, match=r"^(judgments|body): expected "):
        client.judgments.put(judgments)


def test_a_conflict_tells_what_the_service_said(client, run_id):
    """With the way out; the facts are there, too."""
    client.baselines.set("told", run_id)
    with pytest.raises(ConflictError, match=r"^baseline 'told' was changed meanwhile; read it"):
        client.baselines.set("told", run_id, if_match='"other"')
    client.judgments.set("told", "d1", 1)
    with pytest.raises(ConflictError, match="send its ETag back: If-Match") as error:
        client.judgments.set("told", "d1", 2)
    assert (error.value.what, error.value.found) == ("If-Match", "nothing")
    again = copy.copy(error.value)
    assert (str(again), again.expected) == (str(error.value), error.value.expected)


def test_a_token_is_sent(tmp_path):
    """And without one the service says how to get it."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        token = archive.tokens.create("ci", "read")
    with application(tmp_path, is_token_required=True) as app, listening(app) as url:
        with be.Client(url) as client, pytest.raises(ServiceError, match="token") as error:
            list(client.queries)
        assert error.value.status == 401
        with be.Client(url, token) as client:
            assert [*client.queries] == []
            with pytest.raises(ServiceError, match="needs judge"):
                client.judgments.put(JUDGMENTS)


def test_a_token_from_a_file_may_end_with_a_line(tmp_path):
    """What no header can carry is refused before it is sent, and not shown."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        token = archive.tokens.create("ci", "read")
    with application(tmp_path, is_token_required=True) as app, listening(app) as url:
        with be.Client(url, f"{token}\n") as client:
            assert list(client.queries) == []
        for wrong in ("", "secret\nHost: x", "secret two", "sécret"):
            with pytest.raises(ArgumentError, match=r"^token: expected") as error:
                be.Client(url, wrong)
            assert "secret" not in str(error.value)


def test_an_address_with_a_password_is_refused_without_showing_it():
    """The service asks for tokens, and addresses are shown in messages."""
    with pytest.raises(ArgumentError, match="give a token instead") as error:
        be.Client("http://ada:secret@localhost:8765")
    assert "secret" not in str(error.value)


def test_a_program_with_many_open_files_can_use_a_client(client):
    """Sockets numbered beyond 1024 are looked at, too."""
    import os

    resource = pytest.importorskip("resource")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if most < 1200:
        pytest.skip("too few files may be open")
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        for _ in range(2):
            assert client.health()["status"] == "ok"
    finally:
        for number in opened:
            os.close(number)


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8765", "ftp://x", "http://", "http://x:99999", "http://x:y", "http://[::1"],
)
def test_an_address_has_to_be_one(url):
    """http or https, and a host."""
    with pytest.raises(ArgumentError, match="http://"):
        be.Client(url)


class _Scripted(http.server.BaseHTTPRequestHandler):
    """A server that answers strangely, and closes connections whenever it likes."""

    protocol_version = "HTTP/1.1"
    seen: list = []  # noqa: RUF012

    def do_GET(self):
        self.seen.append(id(self.connection))
        status, body = {
            "/healthz": (200, b'{"status": "ok"}'),
            "/readyz": (500, b"<html>no JSON</html>"),
            "/openapi.json": (500, b"[]"),
            "/metrics": (200, b""),
        }[self.path]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.path == "/metrics"

    def do_POST(self):
        self.seen.append("POST")
        self.rfile.read(int(self.headers["Content-Length"]))
        self.close_connection = True  # without a word

    def log_message(self, *_arguments):
        """Be quiet."""


@pytest.fixture
def scripted():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Scripted)
    _Scripted.seen.clear()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with be.Client(f"http://127.0.0.1:{server.server_port}", timeout=5) as client:
        yield client
    server.shutdown()
    server.server_close()


def test_a_connection_is_kept_open(scripted):
    """One for many requests, also after an error; a new one when the server hung up."""
    for _ in range(3):
        scripted.health()
    with pytest.raises(ServiceError, match="answered 500"):
        scripted.readiness()
    with pytest.raises(ServiceError, match="answered 500"):
        scripted.description()
    assert len(set(_Scripted.seen)) == 1
    scripted.metrics()
    assert scripted.health() == {"status": "ok"}


def test_a_connection_that_ends_on_the_way_is_made_anew(scripted, monkeypatch):
    """What can be sent twice is sent again; what cannot is told."""
    monkeypatch.setattr("berryeval.client.connection._is_closed", lambda _connection: False)
    scripted.metrics()
    assert scripted.health() == {"status": "ok"}
    with pytest.raises(ServiceError, match="cannot be reached"):
        scripted.judge([])
    assert _Scripted.seen.count("POST") == 1


def test_a_service_that_is_not_there_is_told():
    """Without a traceback of the socket."""
    client = be.Client("http://127.0.0.1:1")
    with pytest.raises(ServiceError, match="cannot be reached") as error:
        client.health()
    assert (error.value.status, error.value.kind) == (None, "unreachable")
    with pytest.raises(ServiceError, match="cannot be reached"):
        be.Client("https://127.0.0.1:1").health()


def test_a_service_that_does_not_answer_is_left():
    """After the timeout."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = be.Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1)
        with pytest.raises(ServiceError, match=r"no answer within 0\.1 s") as error:
            client.health()
    assert error.value.kind == "timeout"


def test_ids_of_any_letters_travel(client):
    """Slashes, spaces, percent signs and letters of any language."""
    for doc_id in ("a/b c", "ä%2F", "文書?#"):
        client.judgments.put([("ids", doc_id, 1)])
        assert client.judgments.get("ids", doc_id)["doc_id"] == doc_id
    assert len([*client.judgments.list(query_id="ids")]) == 3
