"""The page Model judges: whether models count, where they err, draws and proposed queries."""

import re
from dataclasses import replace
from urllib.parse import quote

import pytest

from archive.judged_by_models import model_grade, proposal
from berryeval import Document, Run
from berryeval.archive import RunFacts
from berryeval.evaluation.label_draw import LabelDraw
from berryeval.golden.reading import read_golden_set
from berryeval.suite.archived_judges import disagreements, judges_in
from judges.model_judged import RESTS, fill, write_model_judged
from service.workbench.html import HTML, parse
from service.workbench.judged_archive import ask

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A golden set that a judge graded."""
    return write_model_judged(tmp_path_factory.mktemp("set") / "golden").folder


@pytest.fixture
def runs(archive, folder):
    """The golden set as an archive; the ids of both runs."""
    return fill(archive, read_golden_set(folder))


@pytest.fixture
def open_page(client):
    """Open a page, and return it parsed."""

    def opened(address, status=200):
        found = client.get(address, headers=HTML)
        assert found.status_code == status, found.text
        return parse(found.text)

    return opened


def test_an_empty_archive_says_how_to_upload(open_page):
    """The page shows the upload command with the address of this service."""
    shown = open_page("/judges")
    assert "berryeval judge upload --golden golden/ --archive http://localhost:8765" in shown.text
    assert "No draws yet" in open_page("/judges/draws").text
    assert "berryeval golden queries" in open_page("/judges/proposals").text
    open_page("/judges/0000000000000000", status=404)
    open_page("/judges/proposals?status=lost", status=404)


@pytest.mark.usefixtures("runs")
def test_judges_are_listed_with_status_and_cost(archive, open_page):
    """One is admitted, and one was never checked."""
    archive.model_grades.put([
        replace(model_grade("q1", "d1-1", None, "other"),
                guideline=archive.judging.guideline().digest),
    ])  # fmt: skip
    rows = [row.text for row in open_page("/judges?price=1000,0").find("tbody").find_all("tr")]
    assert re.search(r"errant .* admitted Admitted on 2\d{3}-", rows[1] + rows[0])
    other = next(row for row in rows if row.startswith("other"))
    assert re.search(r"not checked Never checked against people\. 1 1 1 220 0\.20 2026", other)
    assert "Expected one or two prices" in open_page("/judges?price=much").text


@pytest.mark.usefixtures("runs")
def test_an_edited_guideline_expires_a_check(client, open_page):
    """Saving the unchanged text, with the line ends of forms, changes nothing."""

    def save(text):
        data = {"guideline": text.replace("\n", "\r\n")}
        assert client.post("/judgments/policy", data=data, headers=HTML).status_code == 200

    shown = open_page("/judgments/policy").find("textarea", name="guideline").text
    assert shown == "Judge from the text."
    save(f"{shown}\n")
    assert "admitted Admitted on" in open_page("/judges").find("tbody").text
    assert "Judge from the text." in open_page("/judges").find("details", class_="guideline").text
    save("Judge from the title.")
    why = "expired The guideline or the scale has changed"
    assert why in open_page("/judges").find("tbody").text


@pytest.mark.usefixtures("runs")
def test_a_judge_shows_its_check(archive, open_page):
    """The page has kappa with its interval, calibration, confusion, bias, and the checks."""
    [judge] = judges_in(archive)
    result = judge.standing.admission.result
    shown = open_page(f"/judges/{judge.identity}")
    low, high = (result["kappa"]["interval"][end] for end in ("low", "high"))
    assert f"{result['kappa']['value']:.2f} 95% {low:.2f} \N{EN DASH} {high:.2f}" in shown.text
    chart = shown.find("svg", class_="calibration")
    points = chart.find_all("g", class_="s-candidate")
    assert len(points) == len(result["calibration"]) == 4
    assert "people 0: the judge gives" in chart["aria-label"]
    forest = shown.find("svg", class_="forest")
    assert len(forest.find_all("g", class_="row")) == len(result["biases"])
    assert "retrieved by old" in forest["aria-label"]
    cells = shown.find("table", class_="confusion").find("tbody").find_all("td")
    assert [cell.find("strong").text for cell in cells] == [
        f"{100 * one['share']:.0f}%" for one in result["confusion"]
    ]


@pytest.mark.usefixtures("runs")
def test_disagreements_have_both_texts(archive, open_page):
    """They are side by side, with both grades and the judge's reason."""
    [judge] = judges_in(archive)
    found = disagreements(archive, judge.identity)
    first = found[0]
    archive.documents.put([Document(found[1].doc_id, "<b>" + 2000 * "x")])
    shown = open_page(f"/judges/{judge.identity}")
    articles = shown.find_all("article", class_="disagreement")
    assert len(articles) == 10
    text = articles[0].text
    assert archive.queries.get(first.query_id).text in text
    assert archive.documents.get(first.doc_id).text in text
    assert f"People grade {found[0].people:g} Judge grade {first.given:g}" in text
    assert "The judge: as told (confidence 90%)" in text
    assert "<b>xxx" in articles[1].text
    assert "…" in articles[1].text
    last = open_page(f"/judges/{judge.identity}?page=99")
    assert len(last.find_all("article", class_="disagreement")) == len(found) % 10 or 10


@pytest.mark.usefixtures("runs")
def test_a_judge_without_figures_has_a_page(archive, open_page):
    """It was never checked, or by a version with other figures."""
    archive.model_grades.put([model_grade("q1", "d1-1", 1, "other")])
    other = next(one for one in judges_in(archive) if one.name == "other")
    assert "Not checked against people" in open_page(f"/judges/{other.identity}").text
    check = archive.admissions.all()[0]
    archive.admissions.put(
        [replace(check, checked_at="2100-01-01T00:00:00+00:00", result={"kappa": 1})],
        stored_by="ada",
    )
    judge = check.identity.digest
    assert "The stored check has no figures to show." in open_page(f"/judges/{judge}").text


def test_a_comparison_also_rests_on_people_and_model(client, archive, runs):
    """The page requests it; an expired judge is shown with the reason, and does not count."""
    old, new = runs
    address = f"a={old}&b={new}&measure=nDCG%4010"
    assert 'hx-get="/compare/model' in client.get(f"/compare?{address}", headers=HTML).text
    part = parse(client.get(f"/compare/model?{address}").text)
    assert re.search(RESTS, part.text)
    assert "Draw: first." in part.text
    check = archive.admissions.all()[0]
    later = replace(check, checked_at="2100-01-01T00:00:00+00:00", is_admitted=False)
    archive.admissions.put([later], stored_by="ada")
    part = parse(client.get(f"/compare/model?{address}").text)
    assert "the model does not count. No judge is admitted under the current guideline" in part.text
    assert "no draw" in client.get(f"/compare/model?a={old}&b=gone&measure=nDCG%4010").text


@pytest.mark.usefixtures("runs")
def test_people_label_a_drawn_query_completely(client, archive, open_page):
    """The queue has only the documents that the newest runs return for drawn queries."""
    form = {"name": "second", "n": "12", "by": ""}
    assert client.post("/judges/draws", data=form, follow_redirects=False).status_code == 303
    drawn = archive.label_draws.get("second").draw.labelled
    assert len(drawn) == 12
    shown = open_page("/judges/draws").text
    assert "second Every query had the same probability. 12 60 12 local" in shown
    by_kind = LabelDraw({"q1": "easy", "q2": "easy", "q3": "hard"}, frozenset({"q2", "q3"}))
    archive.label_draws.put("third", by_kind, created_by="ada")
    assert "third easy 1 of 2, hard 1 of 1. 2 3" in open_page("/judges/draws").text
    archive.runs.put(Run.from_lists({one: [f"new-{one}"] for one in archive.queries.all()}),
                     RunFacts("newest"))  # fmt: skip
    shown = open_page("/judge?mode=draw&a=second")
    assert "Drawn queries" in shown.text
    assert shown.find("div", id="judge")["data-a"] == "second"
    found = ask(client, "/judge/next?mode=draw&a=second", n=20)
    assert found["cards"]
    assert {card["query_id"] for card in found["cards"]} <= drawn
    open_page("/judge?mode=draw&a=lost", status=404)


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize(
    ("name", "n", "words"),
    [("a b", "5", "Name: expected letters"), ("more", "1", "Number of queries: expected")],
)
def test_a_draw_that_is_not_possible_is_explained(client, archive, name, n, words):
    """The message is next to the form, and nothing is stored."""
    found = client.post("/judges/draws", data={"name": name, "n": n}, headers=HTML)
    assert (found.status_code, words in parse(found.text).text) == (422, True)
    assert [one.name for one in archive.label_draws.page().items] == ["first"]
    offered = client.get("/judges/draws/preview", params={"n": n}, headers=HTML)
    assert (words in parse(offered.text).text) == (name == "more")


def test_people_decide_on_proposed_queries(client, archive, open_page):
    """They accept with an edit, or reject with a reason; both are kept with their author."""
    archive.documents.put([Document("d1", "It takes two days.", "Delivery")])
    archive.proposals.put([proposal("P1"), proposal("P/2", rank=None), proposal("P3")])
    shown = open_page("/judges/proposals")
    text = shown.find("article").text
    assert "It takes two days." in shown.text
    assert "bm25: not found" in shown.text
    assert "qwen: grade 2" in text
    form = {"query": "how long does it take?", "intent": "to know", "decision": "accept"}
    address = f"/judges/proposals/{quote('P/2', safe='')}"
    done = client.post(address, data=form, headers=HTML)
    assert "Added to the queries." in done.text
    assert archive.queries.get("P/2").text == "how long does it take?"
    client.post("/judges/proposals/P1", data={"decision": "reject", "why": "too easy"})
    assert (archive.proposals.get("P1").why, archive.proposals.get("P1").status) == (
        "too easy", "rejected",
    )  # fmt: skip
    wrong = client.post("/judges/proposals/P3", data={**form, "query": " "}, headers=HTML)
    assert wrong.status_code == 422
    assert "Query: expected 1 to 1,000 characters." in parse(wrong.text).text
    assert client.post("/judges/proposals/P1", data=form, headers=HTML).status_code == 409
    added = open_page("/judges/proposals?status=added")
    assert "as “how long?” · added by local" in added.text
