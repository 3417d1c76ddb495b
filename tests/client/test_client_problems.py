"""Rejections by the service are raised as errors of the library."""

import copy
import json

import pytest

from berryeval.client.problems import error_of
from berryeval.core.run import Run
from berryeval.errors import (
    ArchiveError,
    ArgumentError,
    ConflictError,
    FormatError,
    InputError,
    InputTypeError,
    MeasureSyntaxError,
    MismatchError,
    MissingExtraError,
    NotFoundError,
    ServiceError,
    SizeError,
    SystemTimeoutError,
    SystemUnderTestError,
    UnknownMeasureError,
)
from berryeval.service.problems import problem_of, problem_response
from client.contents import OTHER

ERRORS = [
    ArgumentError("k", "at least 1", "0"),
    MismatchError("no query in common"),
    MeasureSyntaxError("P@x", "a cutoff", "'x'", "P@10"),
    UnknownMeasureError("ndgc", "nDCG", ()),
    NotFoundError("run", "3f6b"),
    NotFoundError("document", "it's [\ud800]"),
    ConflictError("baseline 'main'", "version 3", "version 4"),
    MissingExtraError("Reading zstd", "zstd"),
    FormatError.unexpected("6 columns", "5", "c:a.run", 3),
    FormatError.unexpected("a, found in b", "c, found none", "a.run", way_out="fetch it; retry"),
    FormatError("a.run: is: odd", "a.run", expected="ids", found="''"),
    SizeError.unexpected("at most 2 rows", "3 or more", "a.run"),
    FormatError("is empty", "a.run:7"),
    SystemUnderTestError("own", "busy", transient=True),
    SystemTimeoutError("own", "late"),
    ArchiveError("a.db", "locked", transient=True),
    ArchiveError("a.db", "of a newer version"),
]


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_errors_are_transmitted(error):
    """The class, the message and every attribute equal those of the original error."""
    body = json.loads(problem_response(problem_of(error)).body)
    found = error_of("http://x", body["status"], body)
    assert type(found) is type(error)
    assert str(found) == str(error)
    assert vars(found) == vars(error)


def test_an_invalid_request_is_an_input_error():
    """This is the default if the service gives no further details."""
    assert type(error_of("http://x", 400, {"detail": "not so"})) is InputError


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (401, {"type": "urn:berryeval:problem:unauthorized", "detail": "a token"}, "a token"),
        (404, {"detail": "no such route: GET /x", "where": "GET /x"}, "no such route: GET /x"),
        (500, {}, "answered 500"),
        (413, {"type": "urn:berryeval:problem:too-large", "detail": "too long"}, "too long"),
    ],
)
def test_other_responses_are_service_errors(status, body, message):
    """They have the address, the status and the service's own description."""
    found = error_of("http://x", status, body)
    assert type(found) is ServiceError
    assert (found.status, str(found)) == (status, f"http://x: {message}")
    assert found.kind == {401: "unauthorized", 413: "too-large"}.get(status)


def test_an_error_in_an_upload_names_file_and_line(client, tmp_path):
    """The error equals that of `read_run`, with the name of the file."""
    path = tmp_path / "bad.run"
    path.write_text("q1 Q0 d1 1 2.0 x\nq1 Q0 d2\n")
    with pytest.raises(FormatError) as error:
        client.runs.upload(path, name="bad")
    assert (error.value.path, error.value.line) == ("bad.run", 2)
    assert error.value.expected.startswith("6 columns (")
    assert error.value.found == "3"


def test_a_string_is_one_run_or_measure(client, run_id):
    """It is not split into letters."""
    other = client.runs.upload(Run.from_dict(OTHER), name="other")["run_id"]
    assert client.compare(run_id, other, "RR") == client.compare(run_id, [other], ["RR"])
    assert client.holes(run_id, "RR") == client.holes([run_id], ["RR"])
    assert list(client.evaluations.create(run_id, "RR")["means"]) == ["RR"]


@pytest.mark.parametrize(
    "judgments", [[("q1", "d1")], ["q1 d1 2"], [("q1", "d1", float("nan"))], [("q1", "d1", {2})]]
)
def test_data_that_cannot_be_sent_is_an_input_error(client, judgments):
    """Nothing is sent."""
    with pytest.raises(InputTypeError, match=r"^(judgments|body): expected "):
        client.judgments.put(judgments)


def test_a_conflict_includes_the_message_of_the_service(client, run_id):
    """It suggests what to do, and has the attributes."""
    client.baselines.set("told", run_id)
    with pytest.raises(ConflictError, match=r"^baseline 'told' was changed in the meantime"):
        client.baselines.set("told", run_id, if_match='"other"')
    client.judgments.set("told", "d1", 1)
    with pytest.raises(ConflictError, match="send its ETag: If-Match") as error:
        client.judgments.set("told", "d1", 2)
    assert (error.value.what, error.value.found) == ("If-Match", "nothing")
    again = copy.copy(error.value)
    assert (str(again), again.expected) == (str(error.value), error.value.expected)
