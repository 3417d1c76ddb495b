"""The pages of projects: the form, judging in a project, progress, and disagreements."""

from itertools import pairwise

import pytest

from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.errors import NotFoundError
from berryeval.service.workbench.pages.projects import routes, settling
from berryeval.service.workbench.state import project_queues
from service.workbench.html import HTML, get_page, parse
from service.workbench.judged_archive import ORIGIN, ask, fill, say

HEADERS = {**HTML, **ORIGIN}
HOLES = [(query, doc) for query in ("q1", "q2", "q3") for doc in ("d3", "d4", "d5")]


@pytest.fixture
def runs(fill_once):
    """An archive with documents to judge; the ids of its runs."""
    return fill_once(fill)


@pytest.fixture
def start(archive, runs):
    """Start a project over the holes of both runs."""

    def start(name="team", **plan):
        selection = PairSelection("holes", runs)
        return archive.projects.create(name, ProjectPlan(selection, **plan), author="eve")

    return start


def send(client, path, status=303, **fields):
    """Submit a form, and return the page or the address of the next one."""
    answer = client.post(path, data=fields, headers=HEADERS, follow_redirects=False)
    assert answer.status_code == status, answer.text[:2000]
    return answer.headers["Location"] if status == 303 else parse(answer.text)


def entry(card, kind="grade", grade=None, **more):
    """Return an answer to a card of the project, like the page's script."""
    return {
        "key": card["doc_id"], "kind": kind, "grade": grade, "mode": "project", "project": "team",
        "query_id": card["query_id"], "doc_id": card["doc_id"], **more,
    }  # fmt: skip


def cards(client, name="team", **body):
    """Return the next cards of a project."""
    return ask(client, f"/judge/next?project={name}", **body)["cards"]


def test_a_project_is_started_by_a_form(client, archive, runs):
    """All its fields reach the plan."""
    assert "No projects yet" in get_page(client, "/projects").text
    page = get_page(client, "/projects/+new?kind=deciding&a=main&b=" + runs[1])
    assert page.find("input", value="deciding").attributes.keys() >= {"checked"}
    place = send(client, "/projects", name="team", kind="deciding", runs=[runs[1]], baseline="main",
                 depth="3", limit="5", n_opinions="2", judges=["ada", "bob"], shows_systems="on",
                 guideline="Be fair.", verdict="", measure="P@3", seed="0")  # fmt: skip
    assert place == "/projects/team"
    plan = archive.projects.get("team").plan
    assert (plan.pairs.runs, plan.pairs.baseline, plan.pairs.depth) == ((runs[1],), runs[0], 3)
    assert (plan.judges, plan.n_opinions) == (("ada", "bob"), 2)
    assert (plan.shows_systems, plan.shows_grades, plan.guideline) == (True, False, "Be fair.")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"name": ""}, "Enter a name with a letter or a digit."),
        ({"name": "犬"}, "Enter a name with a letter or a digit."),
        ({"runs": []}, "Choose at least one run."),
        ({"runs": ["nothing"]}, "nothing"),
        ({"depth": "x"}, "a whole number"),
        ({"n_opinions": "3", "judges": "ada"}, "the number of judges"),
        ({"kind": "sample"}, "Enter the size of the sample."),
        ({"measure": "nDGC@10"}, "did you mean"),
    ],
)
def test_a_form_with_an_error_is_shown_again(client, archive, runs, fields, message):
    """The form shows the message, and keeps what was entered."""
    given = {"name": "team", "kind": "holes", "runs": [runs[0]], "guideline": "Kept."} | fields
    page = send(client, "/projects", 422, **given)
    assert message in " ".join(one.text for one in page.find_all(role="alert"))
    assert "Kept." in page.find("textarea").text
    assert archive.projects.page().items == ()


def test_a_project_may_have_a_title_for_its_name(client, runs):
    """Its address has hyphens; with few runs, all of them are selected."""
    form = get_page(client, "/projects/+new").find("select", name="runs")
    chosen = [one["value"] for one in form.find_all("option") if "selected" in one.attributes]
    assert sorted(chosen) == sorted(runs)
    given = {"name": "First ten, again", "kind": "holes", "runs": chosen}
    assert send(client, "/projects", **given) == "/projects/First-ten-again"


def test_the_form_offers_those_who_may_judge(client, archive, runs):
    """Boxes are shown for tokens that may judge and for the caller; without tokens, a link."""
    before = get_page(client, "/projects/+new")
    assert before.find_all("input", name="judges") == []
    assert before.find("main").find("a", href="/tokens").text == "create a token"
    roles = {"bob": "read", "ada": "judge", "eve": "admin", "zoe": "judge", "old": "judge"}
    for name, role in roles.items():
        archive.tokens.create(name, role, [] if name == "zoe" else None)
    archive.tokens.revoke("old")
    boxes = get_page(client, "/projects/+new").find_all("input", name="judges")
    assert [one["value"] for one in boxes] == ["ada", "eve", "local"]
    given = {"name": "team", "runs": [runs[0]]}
    for name, message in (
        ("bob", "may only read"),
        ("old", "no token"),
        ("zoe", "this collection"),
    ):
        page = send(client, "/projects", 422, **given, judges=["ada", name])
        [alert] = page.find_all(role="alert")
        assert f"tokens that may judge here (ada, eve, local), got '{name}', " in alert.text
        assert message in alert.text
        assert "checked" in page.find("input", name="judges", value="ada").attributes
    assert archive.projects.page().items == ()
    assert send(client, "/projects", **given, judges=["ada", "local"]) == "/projects/team"


def test_the_form_asks_for_a_seed_only_with_a_sample(client):
    """The field is in a part of the form that styles hide otherwise."""
    page = get_page(client, "/projects/+new")
    assert page.find("div", class_="project-only-sample").find("input", id="seed")


def test_a_judge_who_may_only_read_is_told_why_there_is_no_button(archive, service, start):
    """Projects that were started before the check can name such a judge."""
    start(judges=("bob",))
    start("open")
    token = archive.tokens.create("bob", "read")
    client = service(host="0.0.0.0")  # noqa: S104 - tokens are required
    client.headers["Authorization"] = f"Bearer {token}"
    text = " ".join(get_page(client, "/projects/team").find("main").text.split())
    assert "You are a judge of this project, but your token may only read." in text
    assert "with the role judge and the name bob." in text
    text = " ".join(get_page(client, "/projects/open").find("main").text.split())
    assert "Your token may only read. To judge, ask the administrator for a token" in text


def test_a_judge_stays_with_a_query_until_it_is_done(client, start):
    """For nine documents of three queries, the query changes at most three times."""
    start()
    seen = []
    while found := cards(client, n=2):
        say(client, *(entry(card, grade=1) for card in found))
        seen += [card["query_id"] for card in found]
    assert len(seen) == 9
    assert sum(a != b for a, b in pairwise(seen)) == 2


def test_two_judges_start_with_different_queries_if_one_opinion_is_wanted(archive, start):
    """With two opinions, both get the same."""
    start()
    start("twice", n_opinions=2)
    queues = project_queues.ProjectQueues(archive)
    first, second = (queues.next("team", name, n=2).chosen for name in ("ada", "bob"))
    assert {one.asked.query_id for one in first}.isdisjoint(one.asked.query_id for one in second)
    first, second = (queues.next("twice", name, n=2).chosen for name in ("ada", "bob"))
    assert [one.asked for one in first] == [one.asked for one in second]


def test_reservations_end_after_a_while(archive, start, monkeypatch):
    """The pairs are then offered to the next judge, and the first reservation is forgotten."""
    start()
    queues = project_queues.ProjectQueues(archive)
    monkeypatch.setattr(project_queues, "_TAKEN_SECONDS", 0.0)
    first, second = (queues.next("team", name, n=2).chosen for name in ("ada", "bob"))
    assert first == second
    assert {name for taken in queues._taken["team"].values() for name in taken} == {"bob"}


def test_invented_pairs_are_not_remembered(client, start):
    """A judge could otherwise fill the memory with shown or skipped pairs."""
    start(judges=("local", "ada"))
    invented = [[f"q{number}", "d" * 1000] for number in range(1000)]
    assert len(cards(client, n=2, have=invented)) == 2
    queues = client.app.state.queues.projects
    assert {pair[0] for pair in queues._taken["team"]} == {"q1"}
    skip = {"kind": "skip", "mode": "project", "project": "team"}
    [outcome] = say(client, {**skip, "query_id": "q77", "doc_id": "d1"})
    assert (outcome["status"], "d1 for q77" in outcome["reason"]) == ("refused", True)
    [outcome] = say(client, {**skip, "project": "none", "query_id": "q1", "doc_id": "d3"})
    assert outcome["status"] == "refused"
    assert not queues._skipped.get(("team", "local"))


def test_one_judge_cannot_reserve_everything(archive, start, monkeypatch):
    """A caller who is not a judge of it cannot, either; reservations have a limit."""
    start(judges=("ada", "bob"))
    monkeypatch.setattr(project_queues, "MAX_TAKEN", 4)
    queues = project_queues.ProjectQueues(archive)
    assert queues.next("team", "eve", n=2, have=HOLES).n_left == 0
    assert queues.next("team", "ada", n=9, have=HOLES).n_left == 9
    assert queues.next("team", "bob", n=9).n_left == 5


def test_blind_judges_see_neither_grades_nor_systems(client, archive, start):
    """A project can show them instead."""
    start(n_opinions=2)
    start("open", n_opinions=2, shows_grades=True, shows_systems=True)
    archive.projects.answer("team", "q1", "d3", 2, author="ada")

    def card_of(name):
        return next(one for one in cards(client, name) if one["query_id"] + one["doc_id"] == "q1d3")

    assert (card_of("team")["opinions"], "bm25" in card_of("team")["why"]) == ([], False)
    card = card_of("open")
    assert card["opinions"] == [["ada", 2.0]]
    assert card["why"].startswith("Found by bm25 at rank 1, dense at rank 1. Judging it could move")


def test_answers_of_all_kinds_and_their_undo(client, archive, start):
    """Answers are grades with notes, cannot judge, and skip; each can be undone."""
    start()
    first, second, third = cards(client)[:3]
    [done] = say(client, entry(first, grade=2, note="fits"))
    assert archive.judgments.get(first["query_id"], first["doc_id"]).note == "fits"
    say(client, entry(second, "cannot", note="Greek"), entry(third, "skip"))
    [own] = archive.projects.board("team").judges()
    assert (own.n_graded, own.n_refused) == (1, 1)
    left = [(one["query_id"], one["doc_id"]) for one in cards(client)]
    for card in (first, second, third):
        assert (card["query_id"], card["doc_id"]) not in left
    undone = say(client, entry(first, "undo", revision=done["revision"]), entry(second, "undo"),
                 entry(third, "undo"))  # fmt: skip
    assert {one["status"] for one in undone} == {"done"}
    assert len(cards(client)) == 9
    assert archive.projects.board("team").n_given == 0


def test_an_undo_that_fails_does_not_reveal_other_judges(client, archive, start):
    """After settling, a blind judge learns neither the grade nor its author."""
    start(n_opinions=2)
    [done] = say(client, entry({"query_id": "q1", "doc_id": "d3"}, grade=2))
    archive.projects.answer("team", "q1", "d3", 1, author="ada")
    archive.projects.settle("team", "q1", "d3", 1, author="eve")
    undo = entry({"query_id": "q1", "doc_id": "d3"}, "undo", revision=done["revision"])
    [outcome] = say(client, undo)
    assert (outcome["status"], outcome["there"]) == ("refused", None)
    assert outcome["reason"] == "the judgment has changed since"
    assert archive.judgments.get("q1", "d3").author == "eve"


def test_answers_that_a_project_does_not_accept_are_refused(client, archive, start):
    """The response gives the reason, and nothing is stored."""
    start(judges=("ada",))
    card = {"query_id": "q1", "doc_id": "d3"}
    [outcome] = say(client, entry(card, grade=1))
    assert (outcome["status"], "found local" in outcome["reason"]) == ("refused", True)
    archive.projects.set_state("team", "finished")
    [outcome] = say(client, entry({"query_id": "q1", "doc_id": "d99"}, grade=1))
    assert outcome["status"] == "refused"
    [outcome] = say(client, entry(card, "undo", revision=99))
    assert outcome["status"] == "refused"
    assert archive.projects.board("team").n_given == 0
    page = get_page(client, "/judge?project=team")
    assert "You are not a judge of this project" in page.text


@pytest.mark.parametrize("state", ["paused", "finished"])
def test_a_project_that_does_not_run_offers_nothing(client, archive, start, state):
    """The page explains why."""
    start()
    archive.projects.set_state("team", state)
    assert cards(client) == []
    assert f"This project is {state}" in get_page(client, "/judge?project=team").text


def guidelines(page):
    """Return the guideline of the panel and of the keys."""
    dialog = page.find("dialog", id="judge-help")
    return page.find("details", class_="judge-guideline").text, dialog.find(role="region").text


def test_a_project_has_its_own_guideline_or_that_of_the_collection(client, archive, start):
    """Panel and keys show the same one, and nothing else."""
    archive.judging.adopt_guideline("Be strict.")
    start(guideline="Be fair.")
    start(name="other")
    shown = ("Guideline Be fair.", "Be fair.")
    assert guidelines(get_page(client, "/judge?project=team")) == shown
    assert "Be strict." not in get_page(client, "/judge?project=team").text
    shown = ("Guideline Be strict.", "Be strict.")
    assert guidelines(get_page(client, "/judge?project=other")) == shown
    assert guidelines(get_page(client, "/judge")) == shown
    assert "That of the collection" not in get_page(client, "/projects/team").text
    assert "That of the collection" in get_page(client, "/projects/other").text


def test_judging_in_a_project_works_without_scripts(client, archive, start):
    """The note is a field, and cannot judge is a button of the form."""
    start(guideline="Be fair.")
    page = get_page(client, "/judge?project=team")
    assert "Be fair." in page.find("dialog", id="judge-help").text
    data = {
        one["name"]: one["value"] for one in page.find("form", id="judge-form").find_all("input")
    }
    pair = data["query_id"], data["doc_id"]
    place = send(client, "/judge?project=team", **data, grade="3", note="all of it")
    assert place == "/judge?project=team"
    stored = archive.judgments.get(*pair)
    assert (stored.grade, stored.note, stored.source) == (3, "all of it", "project team")


def test_the_page_shows_progress_agreement_and_what_cannot_be_judged(client, archive, start):
    """The list shows how many are left."""
    start(n_opinions=2, judges=("ada", "bob"))
    for pair, grades in zip(HOLES[:3], ((2, 2), (2, 0), (1, None)), strict=True):
        for judge, grade in zip(("ada", "bob"), grades, strict=True):
            archive.projects.answer("team", *pair, grade, author=judge, note="a note")
    page = get_page(client, "/projects/team")
    assert "3 of 9 documents" in page.text
    rows = [row.text for row in page.find("tbody").find_all("tr")]
    assert [row.split()[:4] for row in rows] == [["ada", "3", "0", "6"], ["bob", "2", "1", "6"]]
    assert "kitchen 2 50%" in page.text
    assert "bob a note" in page.text
    assert "6 of 18 answers on 9 documents" in get_page(client, "/projects").text


def test_a_disagreement_is_settled_on_its_page(client, archive, start):
    """It is rejected if the judgment has changed; the page names who settled it."""
    start(n_opinions=2, judges=("ada", "bob"))
    archive.projects.answer("team", "q1", "d3", 2, author="ada", note="mixes it")
    archive.projects.answer("team", "q1", "d3", 0, author="bob")
    page = get_page(client, "/projects/team/settle")
    assert "mixes it" in page.find("article").text
    form = page.find("article").find("form")
    data = {one["name"]: one.attributes.get("value", "") for one in form.find_all("input")}
    assert "a number" in send(client, "/projects/team/settle", 422, **data, grade="x").text
    send(client, "/projects/team/settle", **data | {"note": "half"}, grade="1")
    stored = archive.judgments.get("q1", "d3")
    assert (stored.grade, stored.author, stored.note) == (1, "local", "half")
    page = get_page(client, "/projects/team/settle")
    assert "All of them are settled" in page.text
    assert "local" in page.find("tbody").text
    assert "local has graded it 1" in send(
        client, "/projects/team/settle", 412, **data, grade="2"
    ).text  # fmt: skip


def test_a_project_is_paused_continued_finished_and_removed(client, archive, start):
    """Buttons on its page pause, continue, finish and remove it."""
    start()
    for action, state in (("pause", "paused"), ("continue", "running"), ("finish", "finished")):
        send(client, "/projects/team", action=action)
        assert archive.projects.get("team").state == state
    send(client, "/projects/team", 422, action="explode")
    assert send(client, "/projects/team", action="remove") == "/projects"
    send(client, "/projects/team", 404, action="remove")


def test_imports_are_listed_and_undone(client, archive, runs):  # noqa: ARG001
    """The page shows what would be kept."""
    assert "No imports yet" in get_page(client, "/judgments/imports").text
    client.post("/v1/judgments/file?file_name=a.txt", content="q1 0 d1 3\nq1 0 d2 0\n")
    archive.judgments.change("q1", "d2", 2, author="ada")
    page = get_page(client, "/judgments/imports/1/undo")
    assert "1 pair has been graded since, and will be kept" in page.text
    assert send(client, "/judgments/imports/1/undo") == "/judgments/imports"
    assert (archive.judgments.get("q1", "d1").grade, archive.judgments.get("q1", "d2").grade) == (
        1, 2
    )  # fmt: skip
    assert "undone by local" in get_page(client, "/judgments/imports").text
    assert "It was undone by local" in get_page(client, "/judgments/imports/1/undo").text


@pytest.mark.parametrize("format", ["opinions-jsonl", "opinions-csv"])
def test_all_opinions_are_exported_with_notes(client, archive, runs, format):  # noqa: ARG001
    """The export includes opinions that were settled."""
    archive.judgments.add_opinion("q1", "d1", 3, author="bob", note="a note")
    archive.judgments.change("q1", "d1", 2, author="eve", source="settled")
    text = client.get(f"/judgments/export?format={format}").text
    assert "a note" in text
    assert all(name in text for name in ("ada", "bob", "eve", "settled"))


def test_the_list_has_pages_of_limited_cost(client, archive, start, monkeypatch):
    """All pairs of a project are read to count its answers; running projects come first."""
    monkeypatch.setattr(routes, "_MAX_PAIRS_AT_ONCE", 2 * len(HOLES))
    for number in range(5):
        start(f"p{number}")
    archive.projects.set_state("p0", "finished")
    seen, address = [], "/projects"
    while address:
        found = get_page(client, address)
        seen.append([one.text.strip() for one in found.find("main").find_all("h2")])
        following = found.find_all("a", rel="next")
        address = following[0].attributes["href"] if following else None
    assert seen == [["p1", "p2"], ["p3", "p4"], ["p0"]]
    monkeypatch.setattr(routes, "_MAX_PAIRS_AT_ONCE", 1)
    assert [
        one.text.strip() for one in get_page(client, "/projects").find("main").find_all("h2")
    ] == ["p1"]


def test_the_form_offers_the_judges_of_the_collection(client, archive, runs):  # noqa: ARG001
    """Tokens belong to the whole service, but may be limited to some collections."""
    archive.collections.create("shop")
    for name, limits in (("ada", None), ("bob", ["shop"]), ("eve", ["default"])):
        archive.tokens.create(name, "judge", limits)
    archive.tokens.create("reader", "read")
    for prefix, expected in (
        ("/c/shop", ["ada", "bob", "local"]),
        ("", ["ada", "eve", "local"]),
    ):
        page = get_page(client, f"{prefix}/projects/+new")
        assert [one["value"] for one in page.find_all("input", name="judges")] == expected


def test_the_page_shows_only_some_settled_disagreements(client, archive, start, monkeypatch):
    """There may be thousands."""
    monkeypatch.setattr(settling, "_MAX_SETTLED", 1)
    start(n_opinions=2)
    for query_id, doc_id in HOLES[:2]:
        for judge, grade in (("ada", 0), ("bob", 2)):
            archive.projects.answer("team", query_id, doc_id, grade, author=judge)
        archive.projects.settle("team", query_id, doc_id, 1, author="eve")
    assert "The first 1 of 2 are shown." in get_page(client, "/projects/team/settle").text


def test_a_removed_project_gets_no_more_answers(archive, start, monkeypatch):
    """An answer in transit is rejected as unknown, not reported as a failure of the archive."""
    start()
    checked = type(archive.projects)._open_pair

    def check(self, name, *pair):
        found = checked(self, name, *pair)
        archive.projects.remove(name)
        return found

    monkeypatch.setattr(type(archive.projects), "_open_pair", check)
    with pytest.raises(NotFoundError):
        archive.projects.answer("team", *HOLES[0], None, author="ada")
    start()
    assert archive.projects.board("team").n_given == 0
