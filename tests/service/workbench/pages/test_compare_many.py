"""The page Compare with several candidates."""

import pytest

from service.workbench.compared_runs import BASELINE, fill, upload
from service.workbench.html import get_page

WORST = {query_id: ["x1", "x2", "x3"] for query_id in BASELINE}
BEST = {query_id: ["d1", "d2", "d3"] for query_id in BASELINE}


@pytest.fixture
def runs(client):
    """Store four runs; the first is the baseline main."""
    a, b = fill(client)
    return [a, b, upload(client, WORST, "worst"), upload(client, BEST, "best")]


def address(a, *others):
    return "&".join([f"/compare?a={a}", *(f"b={one}" for one in others)])


def ranked(page):
    table = page.find("section", aria_labelledby="leaderboard-heading").find("tbody")
    return [row.find("a").text for row in table.find_all("tr")]


def test_runs_are_ranked_with_the_baseline_among_them(client, runs):
    """Each candidate leads to its own comparison with the baseline."""
    page = get_page(client, address("main", *runs[1:]))
    assert ranked(page)[-1] == "worst"
    assert set(ranked(page)) == {"bm25", "hybrid", "worst", "best"}
    links = [link["href"] for link in page.find("main").find_all("a")]
    assert f"/compare?a=main&b={runs[2]}&measure=nDCG%4010" in links
    assert "3 runs compared with bm25" in page.text


def test_every_pair_and_the_disputed_queries_are_drawn(client, runs):
    """All three charts are there for wide and for narrow screens, and queries are links."""
    page = get_page(client, address("main", *runs[1:]))
    for kind in ("forest", "pair-matrix", "heat-map"):
        assert len(page.find_all("svg", class_=kind)) == 2
    [rows, _] = page.find_all("svg", class_="heat-map")
    assert {link["href"].split("?")[0] for link in rows.find_all("a")} == {
        f"/queries/q{i}" for i in range(6)
    }


def test_slices_have_a_column_per_candidate(client, runs):
    """Differences of each slice are side by side."""
    page = get_page(client, address("main", *runs[1:]))
    table = page.find("section", aria_labelledby="slices-heading")
    assert len(table.find("thead").find_all("th")) == 2 + 3
    assert "even" in table.text


def test_another_measure_keeps_the_runs(client, runs):
    """Tabs lead to the same runs in another measure."""
    page = get_page(client, address("main", *runs[1:]))
    tabs = page.find("ul", class_="tabs").find_all("a")
    other = get_page(client, tabs[1]["href"])
    assert set(ranked(other)) == set(ranked(page))
    assert other.find("ul", class_="tabs").find("a", aria_current="true").text == tabs[1].text


def test_without_a_baseline_the_oldest_run_is_it(client, runs):
    """Runs can be selected in the list in any order."""
    answer = client.get(address("", *reversed(runs)), follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith(f"/compare?a={runs[0]}&b=")


def test_a_run_named_twice_is_compared_once(client, runs):
    """This holds even if a baseline is given by name and by id; two runs have another page."""
    answer = client.get(address("main", *runs[:2]), follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (
        303,
        f"/compare?a=main&b={runs[1]}",
    )


def test_too_many_runs_are_refused(client, runs):
    """The message states the limit."""
    answer = client.get(address("main", *(runs[1:] * 8)))
    assert answer.status_code == 422
    assert "at most 20 runs" in answer.text
