"""Queries that a model proposes for a document."""

import pytest

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError, FormatError
from berryeval.judges.answers import InvalidAnswerError
from berryeval.judges.opening import open_chat
from berryeval.judges.proposals import PROPOSALS, Proposal, read_proposals, write_proposals
from berryeval.judges.proposing import Draft, Proposer, read_drafts

DOCUMENT = Document("d1", "Use a token to sign in. It expires after 90 days.", "OAuth")
WRITTEN = {"query": "sign in", "intent": "To sign in.", "category": "procedural",
           "difficulty": "easy"}  # fmt: skip


def proposer(place, **how):
    """Return a proposer of two queries."""
    return Proposer(open_chat(place), n=2, categories=["procedural"], **how)


def test_a_model_writes_queries(model, place):
    """They have an intent, category and difficulty; surplus ones are dropped."""
    model.write = lambda _document: [WRITTEN, {**WRITTEN, "query": "log in"}, WRITTEN]
    drafts, answered = proposer(place).propose(DOCUMENT)
    assert drafts == [
        Draft("sign in", "To sign in.", "procedural", "easy"),
        Draft("log in", "To sign in.", "procedural", "easy"),
    ]
    assert answered == "tiny-2026-01-01"
    sent = model.requests[0]["body"]["messages"]
    assert "with 2 queries" in sent[0]["content"]
    assert "OAuth\n\nUse a token" in sent[1]["content"]


def test_an_invalid_answer_is_asked_for_again_and_then_dropped(model, place):
    """A document that the model cannot write for has no queries."""
    model.faults = ["no", '{"queries": []}', '{"code": "CODE", "queries": [{"query": "x"}]}']
    assert proposer(place).propose(DOCUMENT)[0] == []
    assert model.n_requests == 3
    assert "not valid" in model.requests[1]["body"]["messages"][2]["content"]


@pytest.mark.parametrize(
    "text",
    ["", '{"code": "c", "queries": "none"}', '{"code": "d", "queries": []}',
     '{"code": "c", "queries": [3]}', '{"code": "c", "queries": [{"query": " ", "intent": "x"}]}'],
)  # fmt: skip
def test_what_is_no_list_of_queries_is_invalid(text):
    """Text and intent are required."""
    with pytest.raises(InvalidAnswerError):
        read_drafts(text, "c", 2, [])


def test_labels_that_are_unknown_are_dropped():
    """A category outside the set's own, or a difficulty in other words, is no label."""
    entry = '{"query": "a\\u200b\\n b", "intent": "i", "category": "x", "difficulty": "so-so"}'
    answer = f'{{"code": "c", "queries": [{entry}]}}'
    assert read_drafts(answer, "c", 2, ["y"]) == [Draft("a b", "i")]


def test_what_drafts_depend_on(place):
    """Another document, model or number of queries requires a new call."""
    one = proposer(place)
    others = [proposer(place.replace("tiny", "big")), Proposer(one.chat, n=3, categories=["x"])]
    contents = {each.content(DOCUMENT) for each in (one, *others)}
    contents.add(one.content(Document("d1", "Another text.")))
    assert len(contents) == 4
    assert one.estimate(DOCUMENT)[0] > 100
    with pytest.raises(ArgumentError, match="at least 1"):
        Proposer(one.chat, n=0, categories=[])


def test_only_models_write(place):
    """A function can judge, but has no prompt to write by."""
    with pytest.raises(ArgumentError, match="openai:MODEL"):
        open_chat("module:function")
    assert open_chat(place, {"tries": "2"}).name.startswith("tiny@")


def test_proposals_survive_a_round_trip(tmp_path):
    """Everything about where a query comes from is kept."""
    one = Proposal(
        "P1", "proposed", "a", "b", None, "easy", "d1", "hash", "m", "1:x", "2026", rank=3
    )
    write_proposals(tmp_path, [one])
    assert read_proposals(tmp_path) == [one]
    assert one.to_query().description == "b"
    assert read_proposals(tmp_path / "elsewhere") == []


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"query_id": "P1", "status": "perhaps", "query": "a", "intent": "b", "doc_id": "d"}',
    ],
)
def test_a_line_that_is_no_proposal_is_reported(tmp_path, line):
    """The file is edited by hand, so mistakes are named with their line."""
    (tmp_path / PROPOSALS).write_text(f"\n{line}\n")
    with pytest.raises(FormatError, match=f"{PROPOSALS}:2"):
        read_proposals(tmp_path)
    (tmp_path / PROPOSALS).unlink()
    (tmp_path / PROPOSALS).mkdir()
    with pytest.raises(FormatError, match="cannot be read"):
        read_proposals(tmp_path)
