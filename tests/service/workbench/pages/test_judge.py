"""The page Judge: which documents it shows, and how answers are handled."""

import threading
import time
from dataclasses import replace

import pytest
from starlette.testclient import TestClient

from berryeval import Document, Query, Run
from berryeval.archive import Archive, JudgmentEntry, RunFacts
from berryeval.archive.judgments.opinions import SETTLED
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.archive.records import JudgingPolicy
from berryeval.service.workbench.state import judging_queues
from service.workbench.html import HTML, get_page, parse
from service.workbench.judged_archive import ORIGIN, ask, fill, graded, say, token
from service_server import new_app
from waiting import wait_until

HOLES = {(query, doc) for query in ("q1", "q2", "q3") for doc in ("d3", "d4", "d5")}


@pytest.fixture
def runs(fill_once):
    """An archive with documents to judge; the ids of its runs."""
    return fill_once(fill)


pytestmark = pytest.mark.usefixtures("runs", "patient")


def pairs(found):
    """Return the query and document of each card."""
    return [(card["query_id"], card["doc_id"]) for card in found["cards"]]


def test_a_page_shows_a_document_its_query_and_the_reason(client):
    """It names no system or rank, which would influence the judge."""
    page = get_page(client, "/judge")
    assert page.find("h2", id="judge-query").text == "bake bread"
    assert page.find("p", id="judge-intent").text == "How to bake it at home"
    assert page.find("h3", id="judge-title").text == "Dough"
    why = page.find("p", id="judge-why").text
    assert why.startswith("In the top 10 of 2 of 2 systems; judging it could move nDCG@10 by up")
    assert "bm25" not in page.find("form", id="judge-form").text
    assert [one["data-grade"] for one in page.find_all("button", name="grade")[:4]] == [*"0123"]


def test_markup_in_texts_is_escaped(client):
    """Queries and titles are shown literally."""
    answer = client.post("/judge", headers={**HTML, **ORIGIN}, follow_redirects=False)
    assert answer.status_code == 422
    found = ask(client)
    card = next(card for card in found["cards"] if card["query_id"] == "q2")
    assert card["query"] == "<script>alert(1)</script>"
    for _ in range(9):
        text = client.get("/judge", headers=HTML).text
        assert "<script>alert" not in text
        assert "<b>Long" not in text
        parse(text)
        say(client, graded(ask(client, n=1)["cards"][0], 0))


def test_every_hole_is_shown_once(client):
    """Holes are those of the newest runs and the baselines, to a depth of ten."""
    found = ask(client)
    assert set(pairs(found)) == HOLES
    assert found["n_left"] == len(HOLES)
    queries = [query for query, _ in pairs(found)]
    assert queries == sorted(queries, key=queries.index), "those of a query come together"


def test_a_comparison_shows_documents_that_affect_it(client, runs):
    """d3 is first in both runs, so it does not change their difference."""
    a, b = runs
    found = ask(client, f"/judge/next?a={a}&b={b}", n=6)
    assert {doc for _, doc in pairs(found)} == {"d4", "d5"}
    assert "the difference in nDCG@10 by up to 0." in found["cards"][0]["why"]
    assert "1 of 2 systems" in found["cards"][0]["why"]
    assert pairs(ask(client, "/judge/next?mode=compare&a=main&b=main")) == []
    page = get_page(client, f"/judge?a=main&b={b}")
    assert page.find("nav", aria_label="What to judge").text.startswith("Unjudged Decisive")


def test_a_comparison_with_a_removed_run_is_reported(client):
    """The response is a 404 page."""
    page = get_page(client, f"/judge?a=main&b={'0' * 64}", status=404)
    assert "Not found" in page.text
    get_page(client, "/judge?mode=none", status=404)


def test_a_grade_is_stored_with_its_judge_and_document_hash(client, archive):
    """The source is the workbench, and the hash is that of the displayed text."""
    card = next(card for card in ask(client)["cards"] if card["doc_id"] == "d3")
    archive.documents.put([Document("d3", "Another text.", title="Dough")])
    (outcome,) = say(client, graded(card, 2))
    stored = archive.judgments.get(card["query_id"], "d3")
    assert (outcome["status"], outcome["revision"]) == ("done", stored.revision)
    assert (stored.grade, stored.author, stored.source) == (2, "local", "workbench")
    assert stored.document_hash == card["hash"]
    assert stored.is_stale


def test_a_judged_document_is_not_shown_again(client, archive):
    """This includes judgments by others through the API."""
    cards = ask(client)["cards"]
    say(client, graded(cards[0], 2))
    archive.judgments.change(cards[1]["query_id"], cards[1]["doc_id"], 0, author="bob")
    found = ask(client)
    assert set(pairs(found)) == HOLES - {*pairs({"cards": cards[:2]})}
    assert found["n_left"] == len(HOLES) - 2


def test_a_repeated_answer_is_stored_once(client, archive):
    """A browser repeats answers that were not acknowledged."""
    card = ask(client)["cards"][0]
    first, again = say(client, graded(card, 2), graded(card, 2))
    assert first["status"] == again["status"] == "done"
    assert first["revision"] == again["revision"]
    assert len(archive.judgments.history(card["query_id"], card["doc_id"])) == 1


def test_the_second_judge_is_shown_the_first_grade(client, archive):
    """Nothing is overwritten unseen; the judge may replace it knowingly."""
    card = ask(client)["cards"][0]
    pair = card["query_id"], card["doc_id"]
    theirs = archive.judgments.change(*pair, 1, author="bob")
    (outcome,) = say(client, graded(card, 3))
    assert outcome["status"] == "conflict"
    assert outcome["there"] == {"grade": 1.0, "author": "bob"}
    assert archive.judgments.get(*pair) == theirs
    (outcome,) = say(client, graded(card | {"revision": outcome["revision"]}, 3))
    assert outcome["status"] == "done"
    assert archive.judgments.get(*pair).grade == 3
    archive.judgments.remove(*pair, author="bob")
    (outcome,) = say(client, graded(card | {"revision": theirs.revision}, 3))
    assert (outcome["status"], outcome["there"]) == ("conflict", None)


def test_undo_restores_the_previous_state(client, archive):
    """The document is shown again."""
    card = ask(client)["cards"][0]
    pair = card["query_id"], card["doc_id"]
    (done,) = say(client, graded(card, 2))
    undo = graded(card, None, kind="undo", revision=done["revision"])
    for _ in range(2):
        (outcome,) = say(client, undo)
        assert (outcome["status"], outcome["revision"]) == ("done", 0)
    assert archive.judgments.get(*pair) is None
    assert pair in pairs(ask(client))
    archive.judgments.change(*pair, 1, author="bob")
    (outcome,) = say(client, undo)
    assert outcome["status"] == "done", "it is undone already"
    (outcome,) = say(client, graded(card, None, kind="undo", revision=done["revision"] + 99))
    assert outcome["status"] == "conflict"


def test_a_skipped_document_is_shown_to_others(client, archive):
    """It is shown again when the skip is undone."""
    card = ask(client)["cards"][0]
    pair = card["query_id"], card["doc_id"]
    say(client, graded(card, None, kind="skip"))
    found = ask(client)
    assert pair not in pairs(found)
    assert found["n_left"] == len(HOLES) - 1
    bob = token(archive, "bob")
    body = {"author": "bob", "session": "two", "n": 20, "have": []}
    assert pair in pairs(client.post("/judge/next", json=body, headers=bob).json())
    say(client, graded(card, None, kind="undo", revision=0))
    client.app.state.queues.done(pair)
    assert pair in pairs(ask(client))


def test_two_judges_get_different_documents(client):
    """A document is reserved for one judge for some minutes."""
    first, second = ask(client, n=4), ask(client, n=4, session="two")
    assert len({*pairs(first), *pairs(second)}) == 8
    rest = ask(client, n=10, session="three")
    assert len(rest["cards"]) == 1
    assert pairs(ask(client, n=4)) == pairs(first), "a page that is opened again gets its own"
    have = [[*pair] for pair in pairs(first)]
    assert pairs(ask(client, n=4, have=have)) == []


def test_an_unanswered_document_becomes_free_again(client, monkeypatch):
    """A judge may close the page."""
    taken = ask(client, n=9)
    assert ask(client, n=9, session="two")["cards"] == []
    now = time.monotonic() + judging_queues._TAKEN_SECONDS + 1
    monkeypatch.setattr(judging_queues.time, "monotonic", lambda: now)
    assert set(pairs(ask(client, n=9, session="two"))) == set(pairs(taken))


def test_many_judges_at_once_lose_nothing(client, archive):
    """Every acknowledged grade is stored, and each pair is judged once."""
    done = []

    def judge(name):
        while cards := ask(client, n=2, session=name)["cards"]:
            for card in cards:
                (outcome,) = say(client, graded(card, 1))
                done.append((card["query_id"], card["doc_id"], outcome["status"]))

    threads = [threading.Thread(target=judge, args=(f"s{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == sorted((*pair, "done") for pair in HOLES)
    assert all(archive.judgments.get(*pair).source == "workbench" for pair in HOLES)


def test_a_second_opinion_is_blind(client, archive):
    """Neither the page nor the response contains the grades of others."""
    found = ask(client, "/judge/next?mode=second")
    assert set(pairs(found)) == {(q, d) for q in ("q1", "q2", "q3") for d in ("d1", "d2")}
    for card in found["cards"]:
        assert "ada" not in card["why"]
        assert card["opinions"] == []
    card = found["cards"][0]
    (outcome,) = say(client, graded(card, 3, mode="second"))
    assert outcome["status"] == "done"
    history = archive.judgments.history(card["query_id"], card["doc_id"])
    assert [(state.author, state.grade) for state in history] == [("ada", 1), ("local", 3)]
    assert len(ask(client, "/judge/next?mode=second")["cards"]) == 5
    undo = graded(card, None, kind="undo", mode="second", revision=outcome["revision"])
    (outcome,) = say(client, undo)
    assert archive.judgments.get(card["query_id"], card["doc_id"]).author == "ada"
    assert outcome["revision"] == archive.judgments.get(card["query_id"], card["doc_id"]).revision
    (outcome,) = say(client, dict(undo, revision=outcome["revision"]))
    assert (outcome["status"], outcome["there"]) == ("refused", None)


def test_a_changed_document_is_judged_again(client, archive):
    """The judge sees the previous grade."""
    archive.documents.put([Document("d1", "old")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="bob")
    archive.documents.put([Document("d1", "new")])
    found = ask(client, "/judge/next?mode=stale")
    assert pairs(found) == [("q1", "d1")]
    assert found["cards"][0]["why"].startswith("bob graded it 2 on ")
    say(client, graded(found["cards"][0], 1, mode="stale"))
    assert ask(client, "/judge/next?mode=stale")["cards"] == []
    assert not archive.judgments.get("q1", "d1").is_stale


def test_a_conflict_is_settled(client, archive):
    """Both opinions are shown; the judge's grade counts, and is not an opinion."""
    archive.judgments.add_opinion("q1", "d1", 3, author="bob")
    assert archive.judgments.get("q1", "d1").grade == 1, "an opinion alone changes no grade"
    found = ask(client, "/judge/next?mode=conflicts")
    assert pairs(found) == [("q1", "d1")]
    assert found["cards"][0]["opinions"] == [["ada", 1.0], ["bob", 3.0]]
    page = get_page(client, "/judge?mode=conflicts")
    assert page.find("p", id="judge-opinions").text == "ada grade 1 bob grade 3"
    (outcome,) = say(client, graded(found["cards"][0], 2, mode="conflicts"))
    assert outcome["status"] == "done"
    assert archive.judgments.get("q1", "d1").source == SETTLED
    assert ask(client, "/judge/next?mode=conflicts")["cards"] == []


def test_a_conflict_of_a_project_is_settled_there(client, archive):
    """Neither the queue nor the judgment offers or accepts it until the project is finished."""
    archive.judgments.add_opinion("q1", "d1", 3, author="bob")
    seen = archive.judgments.get("q1", "d1").revision
    card = {"query_id": "q1", "doc_id": "d1", "revision": seen, "hash": None}
    plan = ProjectPlan(PairSelection("sample", (), limit=100), n_opinions=2)
    archive.projects.create("team", plan, author="ada")
    assert archive.projects.settling("q1", "d1") == "team"
    assert ask(client, "/judge/next?mode=conflicts")["cards"] == []
    (outcome,) = say(client, graded(card, 2, mode="conflicts"))
    assert outcome["status"] == "refused"
    assert "The project team settles this disagreement" in outcome["reason"]
    page = get_page(client, "/judgments/q1/d1")
    assert page.find("p", class_="banner").find("a")["href"] == "/projects/team/settle"
    assert not page.find_all("form", class_="regrade")
    form = {"grade": "2", "revision": str(seen), "settle": "yes"}
    answer = client.post("/judgments/q1/d1", data=form, headers={**HTML, **ORIGIN})
    assert answer.status_code == 409
    assert "The project team settles this disagreement" in answer.text
    assert archive.judgments.get("q1", "d1").grade == 1
    archive.projects.set_state("team", "finished")
    (outcome,) = say(client, graded(card, 2, mode="conflicts"))
    assert outcome["status"] == "done"


@pytest.mark.parametrize(
    ("mode", "title"),
    [
        ("holes", "Everything is judged"),
        ("second", "No second opinions needed from you"),
        ("stale", "No stale judgments"),
        ("conflicts", "No conflicts"),
    ],
)
def test_an_empty_queue_suggests_what_to_do_next(client, archive, mode, title):
    """The page has a link to the next step."""
    every = [JudgmentEntry(query, doc, 1) for query, doc in HOLES]
    archive.judgments.put(every, author="local")
    others = [JudgmentEntry(q, d, 1) for q in ("q1", "q2", "q3") for d in ("d1", "d2")]
    archive.judgments.put(others, author="local")
    page = get_page(client, f"/judge?mode={mode}")
    assert title in page.find("div", id="judge-done").text
    assert page.find("form", id="judge-form").attributes.get("hidden", "") is not False
    assert "hidden" in page.find("form", id="judge-form").attributes


def test_a_form_works_without_a_script(client, archive):
    """There is one page per document; skipping works, too."""

    def send(grade):
        page = get_page(client, "/judge")
        form = {one["name"]: one["value"] for one in page.find_all("input", type="hidden")}
        answer = client.post(
            "/judge?mode=holes", data={**form, "grade": grade}, headers={**HTML, **ORIGIN},
            follow_redirects=False,
        )  # fmt: skip
        return form, answer

    form, answer = send("2")
    assert (answer.status_code, answer.headers["location"]) == (303, "/judge?mode=holes")
    assert archive.judgments.get(form["query_id"], form["doc_id"]).grade == 2
    skipped, answer = send("skip")
    assert answer.status_code == 303
    assert archive.judgments.get(skipped["query_id"], skipped["doc_id"]) is None
    again, _ = send("0")
    assert again != skipped
    again["revision"] = "77"
    answer = client.post(
        "/judge", data={**again, "grade": "3"}, headers={**HTML, **ORIGIN}, follow_redirects=False
    )
    assert answer.status_code == 412
    assert "local has graded it 0" in parse(answer.text).text


def test_ids_that_are_not_valid_text_can_be_judged(client, archive):
    """This works by script and by form."""
    lists = {"q\udcff/é": ["d\udcfe 1", "d&2"]}
    archive.runs.put(Run.from_lists(lists), RunFacts("odd"))
    archive.judgments.put([JudgmentEntry(query, doc, 1) for query, doc in HOLES], author="somebody")
    page = get_page(client, "/judge")
    form = {one["name"]: one["value"] for one in page.find_all("input", type="hidden")}
    data = {**form, "grade": "2"}
    answer = client.post("/judge", data=data, headers=ORIGIN, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    cards = ask(client)["cards"]
    assert [outcome["status"] for outcome in say(client, graded(cards[0], 1))] == ["done"]
    assert {archive.judgments.get("q\udcff/é", doc).grade for doc in lists["q\udcff/é"]} == {1, 2}


def test_a_long_document_is_loaded_in_pieces(client, archive):
    """The first piece is in the page, the others are loaded on request."""
    card = next(card for card in ask(client)["cards"] if card["doc_id"] == "d4")
    assert (card["n_shown"], card["n_characters"]) == (20_000, 30_000)
    more = client.get("/judge/text/d4", params={"start": 20_000}).json()
    shown = card["html"].replace("<mark>", "").replace("</mark>", "")
    assert shown + more["text"] == archive.documents.get("d4").text
    assert client.get("/judge/text/nothing").status_code == 404


def test_a_document_without_a_text_can_be_judged_by_its_id(client):
    """The page explains how to add texts."""
    card = next(card for card in ask(client)["cards"] if card["doc_id"] == "d5")
    assert not card["has_text"]
    assert card["hash"] is None
    assert say(client, graded(card, 0))[0]["status"] == "done"


def test_the_declared_scale_and_its_labels_are_used(client, archive):
    """Five grades have five keys, on every page where a grade can be given."""
    labels = ("None", "A little", "Half", "Most", "All of it")
    archive.judging.put(JudgingPolicy(labels=labels))
    page = get_page(client, "/judge")
    buttons = page.find_all("button", name="grade")
    assert [button["value"] for button in buttons] == ["0", "1", "2", "3", "4", "skip"]
    assert "4: All of it" in buttons[4].text
    for address in ("/judgments/q1/d1", "/queries/q1/documents/d1"):
        shown = get_page(client, address).find_all("button", class_="grade-button")
        assert [button.find_all("span")[-1].text for button in shown] == [*labels]
    card = ask(client)["cards"][0]
    assert say(client, graded(card, 4))[0]["status"] == "done"


def test_the_default_scale_follows_the_grades_in_use(client, archive):
    """It is 0 to 3, unless judgments have higher grades."""
    assert len(get_page(client, "/judge").find_all("button", name="grade")) == 5
    archive.judgments.change("q1", "d1", 5, author="ada")
    assert len(get_page(client, "/judge").find_all("button", name="grade")) == 7
    archive.judgments.change("q1", "d1", 1, author="ada")
    many = [JudgmentEntry("q1", f"other{n}", n % 2) for n in range(120)]
    archive.judgments.put(many, author="ada")
    buttons = get_page(client, "/judge").find_all("button", name="grade")
    assert [button["value"] for button in buttons] == ["0", "1", "skip"]


def test_a_slow_list_does_not_block_a_page(client, monkeypatch):
    """The page reports the search, and polls."""
    monkeypatch.setattr(judging_queues, "_WAIT_SECONDS", 0.01)
    slow = threading.Event()
    make = judging_queues.list_pairs

    def list_slowly(*arguments):
        slow.wait(10)
        return make(*arguments)

    monkeypatch.setattr(judging_queues, "list_pairs", list_slowly)
    page = get_page(client, "/judge?mode=conflicts")
    assert page.find("div", id="judge")["data-ready"] == "no"
    assert ask(client)["is_ready"] is False
    slow.set()
    wait_until(lambda: ask(client)["is_ready"])
    assert len(ask(client)["cards"]) == 9


def test_a_failed_list_is_built_again(client, monkeypatch):
    """An error is shown once, and the list is built again."""
    make = judging_queues.list_pairs

    def fail(*_):
        raise LookupError("once")

    monkeypatch.setattr(judging_queues, "list_pairs", fail)
    body = {"author": "local", "session": "one"}
    assert client.post("/judge/next", json=body, headers=ORIGIN).status_code == 500
    monkeypatch.setattr(judging_queues, "list_pairs", make)
    assert len(ask(client)["cards"]) == 9


def test_a_very_small_effect_is_not_shown_as_zero(client, archive):
    """Among many queries each judgment changes little."""
    many = [JudgmentEntry(f"other{n}", "d1", 1) for n in range(3000)]
    archive.judgments.put(many, author="ada")
    assert "could move nDCG@10 by less than 0.001." in ask(client)["cards"][0]["why"]


def test_new_runs_are_included_at_once(client, archive):
    """A new run or baseline rebuilds the list."""
    assert len(ask(client)["cards"]) == 9
    archive.runs.put(Run.from_lists({"q1": ["d9"]}), RunFacts("third"))
    assert ("q1", "d9") in pairs(ask(client, n=20))


def test_a_list_is_rebuilt_after_a_while(client, archive, monkeypatch):
    """Judgments change which documents matter most."""
    address = "/judge/next?mode=second"
    assert len(ask(client, address)["cards"]) == 6
    archive.judgments.change("q1", "d9", 1, author="ada")
    assert ("q1", "d9") not in pairs(ask(client, address))
    monkeypatch.setitem(judging_queues._OLD_SECONDS, "second", 0.0)
    assert ("q1", "d9") in pairs(ask(client, address))


def test_without_any_run_the_page_explains_how_to_start(tmp_path):
    """A new user sees the command and the button."""
    with (
        Archive.open(tmp_path / "new.db") as empty,
        TestClient(new_app(empty), base_url=ORIGIN["Origin"]) as client,
    ):
        page = get_page(client, "/judge")
        assert "Nothing to judge yet" in page.text
        assert page.find("a", href="/import").text


def test_the_help_mentions_descriptions_only_if_the_query_has_one(client, archive):
    """The sentence would otherwise point to something that is not there."""

    def is_hidden():
        page = get_page(client, "/judge")
        return "hidden" in page.find("span", id="judge-help-intent").attributes

    queries = [Query(f"q{n}", "bread") for n in (1, 2, 3)]
    archive.queries.put(queries)
    assert is_hidden()
    archive.queries.put([replace(one, description="How to bake it.") for one in queries])
    assert not is_hidden()
