"""The list of runs."""

import pytest

from berryeval import Run
from berryeval.archive import RunFacts
from service.workbench.html import get_page
from service.workbench.pages.test_overview import settled
from service.workbench.plants import fill


@pytest.fixture
def runs(fill_once):
    return fill_once(fill)


def listed(page):
    return [
        row.find("a")["href"].removeprefix("/runs/") for row in page.find("tbody").find_all("tr")
    ]


def test_an_empty_list_explains_how_to_import(client):
    """It has a button, and a command with this service's address."""
    page = get_page(client, "/runs")
    assert page.find("a", href="/import")
    assert "http://localhost:8765/v1/runs" in page.text


def test_runs_are_listed_newest_first_with_their_means(archive, client, runs):
    """The names of baselines are shown."""
    archive.baselines.put("main", runs["c2"])
    page = settled(client, "/runs")
    assert listed(page) == [runs[one] for one in ("bm25", "c3", "c2", "c1", "c0")]
    row = page.find("tbody").find_all("tr")[2]
    assert "baseline main" in row.text
    assert "c2c2c2c2" in row.text
    assert "nightly" in row.text
    assert "0.8889" in row.text  # RR: 20 of 24 first, 4 at rank 3


def test_runs_are_found_by_name_tag_commit_and_series(client, runs):
    """A search without results says so, and links to all runs."""
    assert listed(get_page(client, "/runs?q=c1c1")) == [runs["c1"]]
    assert listed(get_page(client, "/runs?q=BM")) == [runs["bm25"]]
    assert len(listed(get_page(client, "/runs?q=nightly&series=hybrid"))) == 4
    page = get_page(client, "/runs?q=nowhere")
    assert "No run found" in page.text
    assert page.find("a", href="/runs")


def test_a_page_has_fifty_runs(archive, client):
    """Links to other pages keep the search."""
    run = Run.from_lists({"q00": ["good"]})
    for number in range(61):
        archive.runs.put(run, RunFacts("bm25", commit=f"{number:07}"))
    first = get_page(client, "/runs?q=bm25")
    assert len(listed(first)) == 50
    assert "1 to 50 of 61" in first.text
    second = get_page(client, first.find("a", rel="next")["href"])
    assert len(listed(second)) == 11
    assert second.find("input", name="q")["value"] == "bm25"
    assert second.find("a", rel="prev")["href"] == "/runs?q=bm25"
    assert len(listed(get_page(client, "/runs?page=99"))) == 11


def test_runs_are_sorted_by_a_measure(archive, client, runs):
    """The best run comes first, with its change from the baseline and its unjudged documents."""
    archive.baselines.put("main", runs["c2"])
    page = settled(client, "/runs?sort=RR")
    rows = page.find("tbody").find_all("tr")
    figures = [[cell.text.strip() for cell in row.find_all("td")] for row in rows]
    means = [float(row[2]) for row in figures]
    assert means == sorted(means, reverse=True)
    main = next(i for i, row in enumerate(rows) if "baseline main" in row.text)
    assert figures[main][3] == "\N{EN DASH}"
    for other in figures[:main] + figures[main + 1 :]:
        change = float(other[3].replace("\N{MINUS SIGN}", "-"))
        assert change == pytest.approx(float(other[2]) - means[main], abs=1e-4)
    assert all(float(row[4]) >= 0 for row in figures)
    assert page.find("th", aria_sort="descending").text.strip() == "RR"


@pytest.mark.usefixtures("runs")
def test_an_unknown_order_is_by_time(client):
    """An old link still works."""
    assert listed(get_page(client, "/runs?sort=nothing")) == listed(get_page(client, "/runs"))


def test_chosen_runs_are_compared(archive, client, runs):
    """The form names the baseline, and the checkboxes the candidates."""
    archive.baselines.put("main", runs["c2"])
    page = settled(client, "/runs")
    assert page.find("form", id="chosen-runs").find("input", name="a")["value"] == "main"
    boxes = page.find_all("input", form="chosen-runs", name="b")
    assert [box["value"] for box in boxes] == listed(page)
