"""What a service refuses, as the errors of the library."""

import copy

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
    SystemTimeoutError,
    SystemUnderTestError,
)
from client.contents import OTHER

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
    (502, {"type": "system-failed", "where": "own", "detail": "own: no"}, SystemUnderTestError),
    (503, {"type": "archive", "where": "a.db", "detail": "a.db: locked"}, ArchiveError),
    (504, {"type": "system-timeout", "where": "own", "detail": "own: late"}, SystemTimeoutError),
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
