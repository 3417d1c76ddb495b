"""berryeval golden queries and golden review, against a chat API of our own."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.golden.reading import read_golden_set
from berryeval.judges.proposals import read_proposals, write_proposals
from judges.judged_set import write_judged_set


@pytest.fixture
def model(chat_server, tmp_path, monkeypatch):
    """A model that writes two queries per document: a good one, and one that already exists."""
    monkeypatch.chdir(tmp_path)
    write_judged_set(tmp_path / "golden", n_queries=10)
    chat_server[0].reset()
    chat_server[0].write = lambda document: [
        {"query": f"what is on {_page(document)}?", "intent": "Its content.", "difficulty": "easy"},
        {"query": "Topic 3", "intent": "About 3."},
    ]
    chat_server[0].grade = lambda _query, _document: 3
    return chat_server[0]


def _page(document):
    words = document.split()
    return f"sheet{words[1]}of{words[4].rstrip('.')}"


@pytest.fixture
def propose(chat_server):
    """Run the command."""

    def run(*arguments):
        words = ["golden", "queries", "golden", "--model", chat_server[1], *arguments]
        return CliRunner().invoke(main, words)

    return run


def review(*arguments, answers=""):
    """Review the proposals."""
    return CliRunner().invoke(main, ["golden", "review", "golden", *arguments], input=answers)


def statuses():
    """Return the status of each proposal."""
    return [one.status for one in read_proposals("golden")]


def test_proposals_are_checked_and_do_not_enter_the_set(model, propose):
    """Duplicates are set aside; the rank of the document and its grade are stored."""
    before = Path("golden/test-queries.json").read_bytes()
    result = propose("-n", "3", "--price", "1")
    assert result.exit_code == 0, result.output
    assert "3 chunks read, 6 calls, cost 0." in result.stdout
    assert "3 queries proposed, 3 almost the same as others, 0 not answered" in result.stdout
    assert statuses() == ["proposed", "duplicate"] * 3
    one, twin, *_ = read_proposals("golden")
    assert (one.grade, one.system, one.difficulty) == (3.0, "bm25", "easy")
    assert one.judge.startswith("tiny@")
    assert one.model == "tiny-2026-01-01"
    assert twin.why == "almost the same as 'topic 3'"
    assert Path("golden/test-queries.json").read_bytes() == before
    assert propose("-n", "100", "--system", "none").exit_code == 0
    assert len({one.doc_id for one in read_proposals("golden")}) > 3
    n_requests = model.n_requests
    assert "0 chunks read, 0 calls" in propose("-n", "100").stdout
    assert model.n_requests == n_requests


def test_what_a_document_does_not_answer_is_set_aside(model, propose):
    """The judge's grade decides, and its reason is kept."""
    model.grade = lambda *_: {"grade": 0, "reason": "says nothing about it"}
    result = propose("-n", "2", "--system", "none")
    assert "0 queries proposed, 2 almost the same as others, 2 not answered" in result.stdout
    assert [one.why for one in read_proposals("golden") if one.status == "unanswered"] == [
        "says nothing about it"
    ] * 2
    assert "review" not in result.stdout


def test_a_document_without_queries_is_not_read_again(model, propose):
    """A document for which the model wrote no queries is recorded, too."""
    model.write = lambda _document: []
    assert "2 not answered" in propose("-n", "2").stdout
    assert {one.why for one in read_proposals("golden")} == {"the model wrote no query"}


def test_people_accept_edit_and_reject(model, propose):
    """Accepted queries are added; the file records who decided, and the original text."""
    propose("-n", "4")
    answers = "a\ne\nmy words\nmy intent\nr\ntoo easy\nq\n"
    result = review("--reviewer", "ada", answers=answers)
    assert result.exit_code == 0, result.output
    assert "Added: 2 queries. Waiting for review: 1." in result.stdout
    assert "grade 3" in result.stdout
    golden = read_golden_set("golden")
    assert len(golden.queries) == 12
    edited = golden.queries[-1]
    assert (edited.text, edited.description) == ("my words", "my intent")
    found = [one for one in read_proposals("golden") if one.status != "duplicate"]
    assert [one.status for one in found] == ["added", "added", "rejected", "proposed"]
    assert found[1].original.startswith("what is on")
    assert found[1].query_id == edited.query_id
    assert (found[2].why, found[2].reviewed_by) == ("too easy", "ada")
    assert model.n_requests == 8


@pytest.mark.usefixtures("model")
def test_the_file_can_be_edited_instead(propose):
    """A status that a person set to accepted is applied; nothing is asked."""
    propose("-n", "2")
    edited = [
        replace(one, status="accepted") if one.status == "proposed" else one
        for one in read_proposals("golden")
    ]
    write_proposals("golden", edited[:1] + edited[1:])
    result = review("--apply")
    assert "Added: 2 queries. Waiting for review: 0." in result.stdout
    assert "Added: 0 queries." in review("--apply").stdout
    assert "Added: 0 queries." in review().stdout


@pytest.mark.usefixtures("model")
def test_skipped_proposals_wait(propose):
    """Skipping a proposal decides nothing."""
    propose("-n", "2")
    assert "Waiting for review: 2." in review(answers="s\ns\n").stdout
    review(answers="s\n")
    assert "accepted" not in statuses()


@pytest.mark.usefixtures("model")
def test_queries_in_another_file_are_not_rewritten(propose):
    """Other formats may have keys of their own, which would be lost."""
    records = json.loads(Path("golden/test-queries.json").read_text())["queries"]
    Path("golden/queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    Path("golden/test-queries.json").unlink()
    propose("-n", "1")
    result = review(answers="a\n")
    assert (result.exit_code, "test-queries.json" in result.stderr) == (2, True)


def test_a_dry_run_sends_nothing(model, propose):
    """It shows calls, tokens and the cost."""
    result = propose("-n", "5", "--dry-run", "--price", "1")
    assert "5 calls to write queries: about " in result.stdout
    assert "at most 2,000 output tokens, cost at most 0." in result.stdout
    assert model.n_requests == 0


def test_budget_and_failures_have_exit_codes(model, propose):
    """The exit codes are 6 and 4, and queries that were written are kept."""
    result = propose("-n", "8", "--concurrency", "1", "--max-calls", "5")
    assert (result.exit_code, "Stopped: the budget of 5 calls" in result.stderr) == (6, True)
    assert "proposed" in statuses()
    model.key = "sk-right"
    result = propose("-n", "8", "--concurrency", "1")
    assert result.exit_code == 4
    assert "(1 times)" in result.stderr


@pytest.mark.usefixtures("model")
def test_a_set_without_documents_has_nothing_to_read(propose):
    """The error states what is missing."""
    Path("golden/documents.jsonl").unlink()
    result = propose()
    assert (result.exit_code, "expected documents" in result.stderr) == (2, True)
