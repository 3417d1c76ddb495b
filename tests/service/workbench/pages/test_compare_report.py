"""Compare as a file and as a link: what was seen, for others."""

import pytest

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
    assert answer.headers["content-disposition"] == 'attachment; filename="report.html"'
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
    assert link.endswith(f"/compare?a={runs[0]}&b={runs[1]}&b={third}&measure=nDCG%4010")
    text = client.get(file).text
    assert all(name in text for name in ("bm25", "hybrid", "worst"))


def test_the_link_names_runs_by_id_and_keeps_filters(client, runs):
    """A baseline may later be another run; the filters are what was seen."""
    link, _ = shared(get_page(client, f"/compare?a=main&b={runs[1]}&outcome=worse&sort=gain"))
    assert f"/compare?a={runs[0]}&b={runs[1]}&" in link
    assert "outcome=worse" in link
    assert "sort=gain" in link


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
    """The limit of comparisons counts here, too."""
    monkeypatch.setattr(report, "_PRICE_PER_QUERY", 1e12)
    answer = client.get(f"/compare/report?a=main&b={runs[1]}", headers=HTML)
    assert answer.status_code == 422
    assert "too expensive" in answer.text
