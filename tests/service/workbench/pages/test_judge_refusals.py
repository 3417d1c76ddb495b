"""Answers that the page Judge rejects: missing roles and invalid input."""

import pytest

from service.workbench.html import HTML, parse
from service.workbench.judged_archive import ORIGIN, ask, fill, graded, say, token

pytestmark = pytest.mark.usefixtures("runs", "patient")


@pytest.fixture
def runs(fill_once):
    """An archive with documents to judge."""
    return fill_once(fill)


def test_a_reader_sees_the_required_role(client, archive):
    """No judgment is stored."""
    eve = token(archive, "eve", "read")
    page = parse(client.get("/judge", headers={**HTML, **eve}).text)
    assert "You do not have permission to judge" in page.text
    body = {"author": "eve", "answers": []}
    assert client.post("/judge/answers", json=body, headers=eve).status_code == 403


def test_answers_are_never_stored_for_another_judge(client, archive):
    """Answers are rejected if another user has logged in since the page was opened."""
    card = ask(client)["cards"][0]
    bob = token(archive, "bob")
    body = {"author": "local", "answers": [graded(card, 2)]}
    answer = client.post("/judge/answers", json=body, headers=bob)
    assert answer.status_code == 409
    assert "this page was opened by 'local', but 'bob' is logged in now" in answer.json()["detail"]
    assert archive.judgments.get(card["query_id"], card["doc_id"]) is None


def test_other_sites_cannot_judge(client):
    """Their Origin is rejected."""
    body = {"author": "local", "answers": []}
    answer = client.post("/judge/answers", json=body, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "shout"}, "kind: expected one of grade, cannot, skip, undo"),
        ({"mode": "none"}, "mode: expected one of holes"),
        ({"grade": "2"}, "grade: expected a number"),
        ({"mode": ["holes"]}, "mode: expected one of holes"),
        ({"grade": True}, "grade: expected a number"),
        ({"grade": 10**400}, "grade: expected a number"),
        ({"query_id": ""}, "query_id: expected a text"),
        ({"doc_id": 7}, "doc_id: expected a text"),
        ({"revision": -1}, "revision: expected a whole number"),
        ({"revision": "1"}, "revision: expected a whole number"),
    ],
)
def test_an_invalid_answer_is_rejected(client, change, message):
    """The status is 422, with the position."""
    card = ask(client)["cards"][0]
    body = {"author": "local", "answers": [graded(card, 1) | change]}
    answer = client.post("/judge/answers", json=body, headers=ORIGIN)
    assert answer.status_code == 422
    assert f"answers[0].{message}" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b"[" * 100_000, b'{"author": "local", "answers": 3}']
)
def test_an_invalid_body_is_rejected(client, body):
    """The status is 422, never 500."""
    answer = client.post("/judge/answers", content=body, headers=ORIGIN)
    assert answer.status_code == 422
    body = {"author": "local", "answers": ["x"]}
    assert client.post("/judge/answers", json=body, headers=ORIGIN).status_code == 422
    for wrong in ({"n": 1000}, {"have": 5}, {"have": None}):
        body = {"author": "local", **wrong}
        assert client.post("/judge/next", json=body, headers=ORIGIN).status_code == 422


@pytest.mark.parametrize("revision", ["-1", "x", "9" * 18, "9" * 5000])
@pytest.mark.parametrize("address", ["/judge", "/judgments/q1/d1"])
def test_an_unknown_revision_stores_nothing(client, archive, address, revision):
    """This holds for any value in a form, and is never a 500."""
    before = archive.judgments.history("q1", "d1")
    form = {"query_id": "q1", "doc_id": "d1", "grade": "1", "revision": revision}
    answer = client.post(address, data=form, headers={**HTML, **ORIGIN}, follow_redirects=False)
    assert answer.status_code in (412, 422)
    assert archive.judgments.history("q1", "d1") == before


def test_only_an_invalid_grade_is_rejected(client):
    """The answers around it are stored."""
    cards = ask(client)["cards"]
    outcomes = say(client, graded(cards[0], 1), graded(cards[1], 1e300), graded(cards[2], 1))
    assert [outcome["status"] for outcome in outcomes] == ["done", "refused", "done"]
    assert "grade" in outcomes[1]["reason"]


def test_a_page_has_a_limited_number_of_documents(client):
    """More are rejected, before they are looked up."""
    have = [["q1", f"d{number}"] for number in range(1001)]
    body = {"author": "local", "session": "one", "n": 1, "have": have}
    answer = client.post("/judge/next", json=body, headers=ORIGIN)
    assert answer.status_code == 422
    assert "have: expected a list of at most 1,000 pairs" in answer.json()["detail"]


def test_invented_pairs_take_no_memory(client):
    """They are neither reserved nor, if their ids are too long, skipped."""
    ask(client, n=1, have=[["q1", f"invented{number}"] for number in range(1000)])
    queues = client.app.state.queues
    assert not [pair for pair in queues._taken if pair[1].startswith("invented")]
    [outcome] = say(client, {"kind": "skip", "query_id": "q1", "doc_id": "d" * 1025})
    assert outcome["status"] == "refused"
    assert "doc_id: expected 1 to 1,024 bytes" in outcome["reason"]
