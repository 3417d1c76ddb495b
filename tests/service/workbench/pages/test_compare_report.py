"""Comparisons shared as a file and as a link."""

import pytest

from berryeval.service import shared_work
from berryeval.service.workbench.pages.compare import report
from service.workbench.compared_runs import BASELINE, fill, upload
from service.workbench.html import HTML, get_page

WORST = {query_id: ["x1", "x2", "x3"] for query_id in BASELINE}


@pytest.fixture
def runs(client, fill_once):
    """The ids of both runs; the first is the baseline main."""
    return fill_once(fill, client)


def shared(page):
    """Return the link to copy, and the address of the report."""
    link = next(one for one in page.find_all("button") if one.text == "Copy link")
    file = next(one for one in page.find_all("a") if one.text == "Report")
    return link["data-copy"], file["href"]


def test_two_runs_are_downloaded_as_the_report(client, runs):
    """The file has the sentence of the page, all measures, slices, titles, runs and judgments."""
    client.post("/v1/documents", json={"documents": [
        {"doc_id": "d1", "title": "The first document", "text": "text"}
    ]})  # fmt: skip
    page = get_page(client, f"/compare?a=main&b={runs[1]}&measure=RR")
    answer = client.get(shared(page)[1])
    assert answer.headers["content-disposition"] == 'attachment; filename="bm25-vs-hybrid.html"'
    assert answer.headers["content-type"].startswith("text/html")
    assert page.find("h1").text in answer.text
    for part in ("nDCG@10", "even", "The first document", runs[0][:12], runs[1][:12]):
        assert part in answer.text
    assert f"judgments {page.find('section', class_='method').find('code').text}" in answer.text


def test_several_runs_are_downloaded_as_one_report(client, runs):
    """The page of several has the link and the file, too."""
    third = upload(client, WORST, "worst")
    page = get_page(client, f"/compare?a=main&b={runs[1]}&b={third}")
    link, file = shared(page)
    assert f"/compare?a={runs[0]}&b={runs[1]}&b={third}&measure=nDCG%4010&at=" in link
    text = client.get(file).text
    assert all(name in text for name in ("bm25", "hybrid", "worst"))


def test_the_link_names_runs_by_id_and_keeps_filters(client, runs):
    """A baseline may later be another run; the filters are those of the page."""
    link, _ = shared(get_page(client, f"/compare?a=main&b={runs[1]}&outcome=worse&sort=gain"))
    assert f"/compare?a={runs[0]}&b={runs[1]}&" in link
    assert "outcome=worse" in link
    assert "sort=gain" in link


def judge_otherwise(client):
    """Change judgments so that every query scores differently."""
    entries = [
        {"query_id": query_id, "doc_id": doc_id, "grade": 3 if doc_id.startswith("x") else 0}
        for query_id, ranking in (BASELINE | WORST).items()
        for doc_id in (*ranking, "x1")
    ]
    assert client.post("/v1/judgments", json={"judgments": entries}).status_code == 200


def seen(page):
    """Return what a comparison shows: its sentence, its figures, and every query."""
    figures = [one.text for one in page.find_all("dd")]
    return page.find("h1").text, figures, [one.text for one in page.find_all("td")]


@pytest.mark.parametrize("n_candidates", [1, 2])
def test_a_copied_link_opens_what_was_seen(client, runs, n_candidates, monkeypatch):
    """Later judgments do not count there; the page says so and links to the newest."""
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 60.0)
    candidates = [runs[1], upload(client, WORST, "worst")][:n_candidates]
    here = "/compare?a=main&" + "&".join(f"b={one}" for one in candidates)
    before = get_page(client, here)
    assert not before.find_all(id="pinned")
    link = shared(before)[0].removeprefix("http://testserver")
    judge_otherwise(client)
    after, pinned = get_page(client, here), get_page(client, link)
    assert seen(pinned) == seen(before)
    assert seen(after) != seen(before)
    line = pinned.find(id="pinned")
    assert "Later judgments do not count here" in line.text
    assert seen(get_page(client, line.find("a")["href"])) == seen(after)
    assert shared(pinned)[0].endswith(link)
    assert seen(get_page(client, here)) == seen(after)
    again = get_page(client, shared(after)[0].removeprefix("http://testserver"))
    assert "still the newest" in again.find(id="pinned").text


def test_parts_of_a_pinned_page_are_pinned(client, runs):
    """These are its report, filters, other measures and the effect of unjudged documents."""
    before = get_page(client, f"/compare?a=main&b={runs[1]}")
    link = shared(before)[0].removeprefix("http://testserver")
    at = link.partition("at=")[2]
    judge_otherwise(client)
    pinned = get_page(client, link)
    report_of_it = client.get(shared(pinned)[1]).text
    assert before.find("h1").text in report_of_it
    assert pinned.find("input", name="at")["value"] == at
    parts = [pinned.find(id="holes")["hx-get"], *(
        one["href"] for one in pinned.find("ul", class_="tabs").find_all("a")
    )]  # fmt: skip
    assert all(f"at={at}" in one for one in parts)
    assert get_page(client, pinned.find(id="holes")["hx-get"])


@pytest.mark.parametrize(("at", "status"), [("999999", 404), ("x", 422), ("-1", 422)])
def test_a_revision_that_does_not_exist_is_refused(client, runs, at, status):
    """The page does not show other judgments instead."""
    answer = client.get(f"/compare?a=main&b={runs[1]}&at={at}", headers=HTML)
    assert answer.status_code == status
    assert "revision of the judgments" in answer.text


@pytest.mark.parametrize(
    ("given", "status"),
    [("a=main", 422), ("a=main&b=main", 422), ("a=main&b=missing", 404), ("", 422)],
)
@pytest.mark.usefixtures("runs")
def test_a_report_needs_two_runs(client, given, status):
    """Anything else is a page that says so."""
    answer = client.get(f"/compare/report?{given}", headers=HTML)
    assert answer.status_code == status
    assert "content-disposition" not in answer.headers


def test_a_report_that_is_too_expensive_is_refused(client, runs, monkeypatch):
    """The limit on comparisons applies here, too."""
    monkeypatch.setattr(report, "_PRICE_PER_QUERY", 1e12)
    answer = client.get(f"/compare/report?a=main&b={runs[1]}", headers=HTML)
    assert answer.status_code == 422
    assert "too expensive" in answer.text
