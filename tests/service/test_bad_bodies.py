"""Invalid request bodies, tried on every route that takes a body."""

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from starlette.testclient import TestClient

from berryeval.archive import Archive
from service.described_routes import PATHS
from service_data import fill
from service_server import application

JSON = {"Content-Type": "application/json"}
ROUTES = [
    (method.upper(), path, "_rank_eval" in path)
    for path, operations in PATHS.items()
    for method, operation in operations.items()
    if "application/json" in operation.get("requestBody", {}).get("content", {})
]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A service with some data."""
    with (
        application(tmp_path_factory.mktemp("service")) as app,
        TestClient(app, base_url="http://localhost") as client,
    ):
        fill(client)
        client.put("/v1/stores/x", json={"kind": "bm25"})
        yield client


@pytest.fixture
def filled(stored):
    """A service with some data, which must stay the same."""
    archive = stored.app.state.archive
    before = archive.check(deep=True).counts
    yield stored
    assert archive.check(deep=True).counts == before, "nothing was stored"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A service that accepts only small bodies."""
    with (
        application(tmp_path_factory.mktemp("small"), max_body=100) as app,
        TestClient(app, base_url="http://localhost") as client,
    ):
        yield client


def ask(client, method, path, content):
    for name in ("store", "index", "name", "query_id", "doc_id", "run_id"):
        path = path.replace(f"{{{name}}}", "x")
    assert "{" not in path
    return client.request(method, path, content=content, headers=JSON)


@pytest.mark.parametrize(("method", "path", "is_elastic"), ROUTES)
def test_invalid_bodies_are_rejected_by_every_route(filled, method, path, is_elastic):
    """The status is 400 for invalid JSON, 422 for invalid fields, and 400 as in Elasticsearch."""
    for content in (b"{", b'{"a": ', b"\xff", b"nul", b"[" * 10_000):
        answer = ask(filled, method, path, content)
        assert answer.status_code == 400, (content[:10], answer.text)
    for wrong in ("text", 7, True, None, [7], [[]], {"nobody knows": 1}):
        answer = ask(filled, method, path, json.dumps(wrong))
        assert answer.status_code == (400 if is_elastic else 422), (wrong, answer.text)
        message = answer.json()["error"]["reason"] if is_elastic else answer.json()["detail"]
        assert message
        assert "\n" not in message


@pytest.mark.parametrize(("method", "path", "is_elastic"), ROUTES)
def test_a_body_that_is_too_large_is_rejected_by_every_route(small, method, path, is_elastic):
    """The status is 413, whatever the content."""
    answer = ask(small, method, path, b'"' + b"x" * 200 + b'"')
    assert answer.status_code == 413
    assert ("error" in answer.json()) == is_elastic


def test_ten_thousand_ks_are_rejected(filled):
    """E5's route returns 422; ranking evaluation limits both k and the number of metrics."""
    asked = {"queries": [{"id": "q", "query": "a"}], "store": "x", "ks": list(range(1, 10_001))}
    answer = filled.post("/v1/evaluation/evaluate", json=asked)
    assert (answer.status_code, answer.json()["where"]) == (422, "body.ks")
    requests = [{"id": "q", "request": {"query": {"match": {"text": "a"}}}, "ratings": []}]
    for k in (10_001, list(range(1, 10_001))):
        metric = {"precision": {"k": k}}
        answer = filled.post("/x/_rank_eval", json={"requests": requests, "metric": metric})
        assert answer.status_code == 400, k
        assert len(answer.text) < 3000
    metrics = {f"precision{number}": {"k": number} for number in range(10_000)}
    answer = filled.post("/x/_rank_eval", json={"requests": requests, "metric": metrics})
    assert answer.status_code == 400
    assert len(answer.text) < 3000
    many = {"run": "bm25", "measures": [f"P@{k}" for k in range(1, 10_001)]}
    assert filled.post("/v1/evaluations", json=many).status_code == 422


def test_the_second_of_two_concurrent_changes_gets_412(client, tmp_path):
    """E5: the first grade is stored, and the second is not."""
    pair = "/v1/judgments/q/d"
    seen = client.put(pair, json={"grade": 0}).headers["etag"]
    together = Barrier(2)

    def change(grade):
        together.wait()
        return client.put(pair, json={"grade": grade}, headers={"If-Match": seen})

    with ThreadPoolExecutor(2) as people:
        answers = {answer.status_code: answer.json() for answer in people.map(change, (1, 2))}
    assert set(answers) == {200, 412}
    with Archive.open(tmp_path / "berryeval.db") as archive:
        grades = [state.grade for state in archive.judgments.history("q", "d")]
    assert grades == [0, answers[200]["grade"]]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/projects", "application/x-www-form-urlencoded"),
        ("/import", "multipart/form-data; boundary=x"),
        ("/v1/comparisons", "application/json"),
    ],
)
def test_a_body_that_is_cut_off_is_not_a_bug(filled, caplog, path, kind):
    """A second click on the button of a form ends the first request."""
    sent = []
    pieces = [{"type": "http.request", "body": b"--x", "more_body": True}]

    async def receive():
        return pieces.pop() if pieces else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    headers = {"host": "localhost", "origin": "http://localhost", "content-type": kind}
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    filled.portal.call(filled.app, scope, receive, send)
    assert sent[0]["status"] == 400
    assert b"cut-off" in b"".join(one.get("body", b"") for one in sent)
    assert not [one for one in caplog.records if one.message == "bug"]
