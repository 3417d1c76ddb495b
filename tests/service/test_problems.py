"""Problems: every error has a status, a type, and details."""

import errno
import json
import logging
import tempfile

import pytest

from berryeval import errors
from berryeval.service.problems import Problem, problem_of
from service_data import judgments

PREFIX = "urn:berryeval:problem:"

ERRORS = [
    (errors.InputError("no"), 422, "input", {}),
    (errors.ArgumentError("k", "a number", "'x'"), 422, "input",
     {"where": "k", "expected": "a number", "found": "'x'"}),
    (errors.InputTypeError("k", "a number", "str"), 422, "input",
     {"where": "k", "expected": "a number", "found": "str"}),
    (errors.FormatError.unexpected("6 columns", "5", "a.run", 7), 422, "format",
     {"where": "a.run:7", "path": "a.run", "line": 7, "expected": "6 columns", "found": "5",
      "message": "expected 6 columns, found 5"}),
    (errors.FormatError.unexpected("one", "two", "a.run", way_out="fetch one"), 422, "format",
     {"where": "a.run", "path": "a.run", "expected": "one", "found": "two",
      "message": "expected one, found two; fetch one", "way_out": "fetch one"}),
    (errors.FormatError("expected x, found y", "a.run"), 422, "format",
     {"where": "a.run", "path": "a.run", "message": "expected x, found y"}),
    (errors.SizeError.unexpected("at most 9 rows", "10", "a.run"), 413, "too-large",
     {"where": "a.run", "path": "a.run", "expected": "at most 9 rows", "found": "10",
      "message": "expected at most 9 rows, found 10"}),
    (errors.MismatchError("other queries"), 422, "mismatch", {}),
    (errors.UnknownMeasureError("ndgc", "nDCG", ()), 422, "unknown-measure",
     {"where": "measures", "found": "ndgc", "way_out": "nDCG"}),
    (errors.MeasureSyntaxError("P@", "a number", "nothing", "P@5"), 422, "measure-syntax",
     {"where": "measure 'P@'", "measure": "P@", "expected": "a number", "found": "nothing",
      "way_out": "P@5"}),
    (errors.NotFoundError("job", "x"), 404, "not-found",
     {"where": "job", "found": "'x'", "name": "x"}),
    (errors.NotFoundError("store", "x"), 404, "not-found",
     {"where": "store", "found": "'x'", "name": "x",
      "way_out": "create it with PUT /v1/stores/{name}"}),
    (errors.ConflictError("gate", "1", "2"), 409, "conflict",
     {"where": "gate", "expected": "1", "found": "2"}),
    (errors.DisagreementError("q", "d", "p"), 409, "conflict",
     {"where": "judgment of 'd' for 'q'", "expected": "judges to agree",
      "found": "a disagreement"}),
    (errors.ScaleError("q", "d", 9, 3), 422, "input",
     {"where": "grade of document 'd' for query 'q'",
      "expected": "at most 3, the highest grade of the declared scale", "found": "9"}),
    (errors.MissingExtraError("Parquet", "frames"), 415, "not-installed",
     {"where": "Parquet", "extra": "frames", "way_out": "pip install 'berryeval[frames]'"}),
    (errors.ArchiveError("a.db", "the disk is full"), 503, "archive",
     {"where": "a.db", "message": "the disk is full", "transient": False}),
    (errors.SystemUnderTestError("bm25", "busy", transient=True), 502, "system-failed",
     {"where": "bm25", "message": "busy", "transient": True}),
    (errors.SystemTimeoutError("bm25", "slow"), 504, "system-timeout",
     {"where": "bm25", "message": "slow", "transient": False}),
]  # fmt: skip


@pytest.mark.parametrize(("error", "status", "kind", "facts"), ERRORS)
def test_every_error_of_the_library_has_its_status_and_details(error, status, kind, facts):
    """The detail is the line that the command line prints."""
    content = problem_of(error).content("r1")
    assert content.pop("title")
    assert content == {"type": PREFIX + kind, "status": status, "detail": str(error),
                       "request_id": "r1", **facts}  # fmt: skip


def test_every_error_class_is_tested():
    """The base class and the errors of trec_eval, answers, the client and Spark are excluded."""
    kinds = {
        getattr(errors, name)
        for name in errors.__all__
        if issubclass(getattr(errors, name), errors.BerryEvalError)
    }
    untried = {errors.BerryEvalError, errors.TrecEvalError, errors.AnswerError}
    untried |= {errors.ServiceError, errors.SparkError}
    assert {type(error) for error, *_ in ERRORS} == kinds - untried


def test_a_busy_archive_returns_when_to_retry(client, monkeypatch):
    """503 has Retry-After if the problem is temporary, and not otherwise."""
    for transient in (True, False):
        error = errors.ArchiveError("a.db", "others write", transient=transient)

        def fail(error=error):
            raise error

        monkeypatch.setattr(client.app.state.archive.judgments, "page", lambda **_more: fail())
        answer = client.get("/v1/judgments")
        assert (answer.status_code, "retry-after" in answer.headers) == (503, transient)


@pytest.mark.parametrize(
    ("content", "headers", "status", "kind"),
    [
        (b"{", {"Content-Type": "application/json"}, 400, "not-json"),
        (b"", {"Content-Type": "application/json"}, 422, "shape"),
        (b"\xff\xfe", {"Content-Type": "application/json"}, 400, None),
        (b"[" * 100_000, {"Content-Type": "application/json"}, 400, None),
        (b'{"judgments": 9' + b"9" * 5000 + b"}", {"Content-Type": "application/json"}, 400, None),
        (b"{}", {}, 415, "unsupported-media-type"),
        (b"a=b", {"Content-Type": "application/xml"}, 415, "unsupported-media-type"),
    ],
)
def test_a_body_that_is_not_json_is_reported(client, content, headers, status, kind):
    """400 if it cannot be parsed, 415 for another content type."""
    answer = client.post("/v1/judgments", content=content, headers=headers)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    if kind is not None:
        assert answer.json()["type"] == PREFIX + kind


@pytest.mark.parametrize(
    ("entry", "where", "found"),
    [
        ({"grade": "2"}, "body.judgments[0].grade", "'2'"),
        ({"grade": True}, "body.judgments[0].grade", "True"),
        ({"grade": float("nan")}, "body.judgments[0].grade", "nan"),
        ({"grade": 1e300}, "body.judgments[0].grade", "1e+300"),
        ({"doc_id": ""}, "body.judgments[0].doc_id", "''"),
        ({"doc_id": "x" * 2000}, "body.judgments[0].doc_id", None),
        ({"doc_id": "\ud800"}, "body.judgments[0].doc_id", None),
        ({"doc_id": 7.5}, "body.judgments[0].doc_id", "7.5"),
        ({"grades": 7}, "body.judgments[0].grades", "'grades'"),
    ],
)
def test_an_invalid_body_is_reported_with_its_position(client, entry, where, found):
    """The message has the field, what was expected, and what was found, shortened to a line."""
    content = json.dumps({"judgments": [{**judgments(1, 1)[0], **entry}]})
    answer = client.post(
        "/v1/judgments", content=content, headers={"Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json()["where"]) == (422, where)
    assert found is None or answer.json()["found"] == found
    assert len(answer.json()["detail"]) < 300


def test_all_errors_are_listed(client):
    """The first is in the detail, and up to twenty are listed."""
    answer = client.post("/v1/comparisons", json={f"k{n}": 1 for n in range(30)})
    assert answer.json()["detail"].endswith("found nothing (and 31 more)")
    assert len(answer.json()["errors"]) == 20


def test_the_errors_of_the_first_invalid_record_are_listed(client):
    """Errors of later records are not, since a client usually makes the same error in all."""
    answer = client.post("/v1/judgments", json={"judgments": [{} for _ in range(30)]})
    places = [error["where"] for error in answer.json()["errors"]]
    assert places == [f"body.judgments[0].{name}" for name in ("query_id", "doc_id", "grade")]


def test_an_unknown_route_or_method_is_reported(client):
    """404 and 405 are problems, too."""
    lost = client.get("/v2/judgments")
    assert (lost.status_code, lost.json()["way_out"]) == (404, "GET /docs lists them")
    assert client.get("/v1/judgments/").status_code == 404
    assert lost.json()["detail"] == "no such route: GET /v2/judgments; GET /docs lists them"
    for path, methods in (
        ("/v1/judgments", ["GET", "HEAD", "POST"]),
        ("/v1/judgments/q%2F1/d1", ["DELETE", "GET", "HEAD", "PUT"]),
    ):
        wrong = client.patch(path)
        assert (wrong.status_code, wrong.headers["allow"]) == (405, ", ".join(methods))
        assert wrong.json()["detail"] == f"PATCH {path}: expected {' or '.join(methods)}"


@pytest.mark.parametrize(
    ("path", "body", "reported"),
    [
        ("holes", {"runs": []}, "body.runs: expected at least 1 item, found []"),
        ("holes", {"runs": ["m"] * 21}, "body.runs: expected at most 20 items, found ['m'"),
        ("holes", {"runs": ["/"]}, "body.runs[0]: expected pattern '^[A-Za-z0-9]"),
        ("holes", {"runs": "m"}, "body.runs: expected a valid list, found 'm'"),
    ],
)
def test_constraints_are_described_in_a_sentence(client, path, body, reported):
    """It says expected at most 20 items, not: expected have at most."""
    detail = client.post(f"/v1/{path}", json=body).json()["detail"]
    assert detail.startswith(reported), detail


def test_invalid_json_is_reported_with_its_position(client):
    """The message has the position of the invalid character."""
    headers = {"Content-Type": "application/json"}
    answer = client.post("/v1/judgments", content='{"judgments": [1,}', headers=headers)
    assert (answer.status_code, answer.json()["title"]) == (400, "Not JSON")
    assert answer.json()["detail"].endswith(" at character 17")


def test_a_bug_is_logged_and_not_shown_to_the_caller(client, monkeypatch, caplog):
    """500 has the id of the log entry."""

    def fail(**_more):
        raise RuntimeError("a secret")

    monkeypatch.setattr(client.app.state.archive.judgments, "page", fail)
    with caplog.at_level(logging.ERROR, "berryeval.service"):
        answer = client.get("/v1/judgments", headers={"X-Request-ID": "abc"})
    assert (answer.status_code, answer.json()["request_id"]) == (500, "abc")
    assert "a secret" not in answer.text
    assert "a secret" in caplog.text
    assert caplog.records[0].request_id == "abc"
    assert caplog.records[0].message == "bug request_id=abc"


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        (errno.ENOSPC, 503, "disk-full"),
        (errno.EFBIG, 503, "disk-full"),
        (errno.EACCES, 500, "bug"),
    ],
)
def test_a_full_disk_is_not_a_bug(client, monkeypatch, code, status, kind):
    """It is a 503, wherever it is detected; other file errors are bugs."""

    def fail(*_arguments, **_more):
        raise OSError(code, "a secret")

    monkeypatch.setattr(tempfile, "mkdtemp", fail)
    answer = client.post("/v1/runs?name=a", content="q1 Q0 d1 1 1 t\n")
    assert (answer.status_code, answer.json()["type"]) == (status, PREFIX + kind)
    assert "secret" not in answer.text


def test_a_problem_can_be_raised_with_its_headers():
    """It works like HTTPException."""
    problem = Problem(418, "no coffee", headers={"X-Pot": "tea"})
    assert (problem.headers, problem.kind) == ({"X-Pot": "tea"}, "i'm-a-teapot")


def test_a_body_that_is_no_object_is_named_so(client):
    """The message does not have the words of the validator."""
    answer = client.post("/v1/judgments", json=["x"])
    assert answer.json()["detail"] == "body: expected an object, found ['x']"
