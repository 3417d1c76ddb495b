"""The page Try: settings, rankings with grades, scores of all queries, and saved runs."""

import re
import sys

import pytest

from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.service.middleware.access import COOKIE
from search.json_server import serving
from service.workbench.html import HTML, parse
from waiting import wait_until

SEARCH_COMMAND = "pip install 'berryeval[search]'"
DOCUMENTS = [
    Document("d1", "Renew tokens hourly.", "OAuth"),
    Document("d2", "OAuth, OAuth and bananas.", "Fruit"),
    Document("d3", "Bananas are ripe.", "Bananas"),
]


@pytest.fixture
def tried(client, archive):
    """A service with a store, two queries and judgments."""
    archive.queries.put([Query("q1", "oauth"), Query("q2", "bananas")])
    archive.judgments.put(
        [JudgmentEntry("q1", "d1", 3), JudgmentEntry("q1", "d2", 0), JudgmentEntry("q2", "d3", 1)],
        author="ada",
    )
    archive.stores.create("docs", "bm25", {})
    archive.stores.put_documents("docs", DOCUMENTS)
    return client


def get(client, address):
    answer = client.get(address, headers=HTML)
    assert answer.status_code == 200, answer.text
    return parse(answer.text)


def titles(page, side):
    [ranks] = page.find_all("ol", class_=f"side-{side}")
    return [one.text for one in ranks.find_all("span", class_="title")]


def scores(page):
    rows = page.find("div", id="scores").find("tbody").find_all("tr")
    return [cell.text for cell in rows[0].find_all("td")]


def finished(client, answer):
    """Follow a job to its result."""

    def complete():
        page = client.get(answer.url.path, headers=HTML)
        return None if "searches" in page.text or "Waiting" in page.text else page

    return wait_until(complete)


def test_a_changed_setting_changes_the_ranking_and_the_score(tried):
    """Both sides are the same store; only the candidate has a changed setting."""
    page = get(tried, "/try?q=oauth&a=docs&b.title_weight=50")
    assert (titles(page, 0), titles(page, 1)) == (["Fruit", "OAuth"], ["OAuth", "Fruit"])
    before, after, difference = scores(page)
    assert (before, after) == ("0.6309", "1.0000")
    assert difference == "+0.3691"
    assert "Changed: title_weight 50" in page.find("main").text
    assert page.find("input", id="b-title_weight")["value"] == "50"
    assert "q1/d2" in str([one.attributes for one in page.find_all("a", class_="doc")])


def test_one_system_is_enough(tried):
    """Without a candidate, there is one list."""
    page = get(tried, "/try?id=q1&a=docs&b=-")
    assert titles(page, 0) == ["Fruit", "OAuth"]
    assert not page.find_all("ol", class_="side-1")
    assert page.find("input", id="try-q")["value"] == "oauth"


def test_a_new_query_is_judged_after_it_was_added(tried, archive):
    """Until then it has no grades and no buttons, so that no judgment is lost."""
    page = get(tried, "/try?q=ripe+oauth&a=docs")
    assert "not in the golden set" in page.find("main").text
    assert not page.find_all("button", data_judge="1")
    added = tried.post("/try/queries", data={"q": "ripe oauth", "a": "docs"}, headers=HTML)
    page = parse(added.text)
    assert page.find_all("button", data_judge="1")
    [made] = [one for one in archive.queries.all().values() if one.text == "ripe oauth"]
    assert made.query_id.startswith("try-")
    again = tried.post("/try/queries", data={"q": "ripe  oauth", "a": "docs"}, headers=HTML)
    assert again.status_code == 200
    assert len(archive.queries.all()) == 3
    assert tried.post("/try/queries", data={"a": "docs"}, headers=HTML).status_code == 422


def test_an_invalid_setting_is_reported_next_to_its_side(tried):
    """The other side is still shown, and all queries are not scored."""
    page = get(tried, "/try?q=oauth&a=docs&b.title_weight=-1")
    [alert] = page.find_all("p", role="alert")
    assert "from 0 to 1000" in alert.text
    assert titles(page, 0) == ["Fruit", "OAuth"]
    form = {"q": "oauth", "a": "docs", "b.title_weight": "-1"}
    assert tried.post("/try/score", data=form, headers=HTML).status_code == 422
    broken = {"q": "oauth", "a": "docs", "b": "-", "a.title_weight": "x"}
    page = get(tried, "/try?" + "&".join(f"{name}={value}" for name, value in broken.items()))
    assert not page.find_all("ol", class_="side-0")
    for part in ("scores", "ranks"):
        assert tried.get(f"/try/{part}?q=oauth&a=docs&b=-&a.title_weight=x").status_code == 422


@pytest.mark.usefixtures("tried")
def test_a_system_that_fails_does_not_hide_the_other(service):
    """Its error is shown on its side."""
    with serving(lambda _request: (500, {})) as url:
        client = service(systems={"broken": {"system": f"{url}/?q={{query}}"}})
        page = get(client, "/try?q=oauth&a=docs&b=broken")
        assert titles(page, 0) == ["Fruit", "OAuth"]
        [alert] = page.find_all("p", role="alert")
        assert "500" in alert.text
        answer = client.post("/try/score", data={"a": "broken", "b": "-"}, headers=HTML)
        assert "500" in finished(client, answer).text


def test_parts_follow_a_judgment(tried, archive):
    """The list and the scores show a new grade without a new search."""
    address = "q=oauth&a=docs&b=-"
    before = scores(get(tried, f"/try?{address}"))
    archive.judgments.put([JudgmentEntry("q1", "d2", 2)], author="bo")
    part = parse(tried.get(f"/try/scores?{address}", headers=HTML).text)
    assert scores(part) != before
    ranks = parse(tried.get(f"/try/ranks?{address}", headers=HTML).text)
    assert ranks.find("a", class_="doc")["data-grade"] == "2.0"


def test_a_document_of_a_store_can_be_read(tried):
    """The drawer has the text that only the store knows."""
    page = get(tried, "/try?q=oauth&a=docs&b=-")
    link = page.find("a", class_="doc")["href"].replace("&amp;", "&")
    assert "bananas" in tried.get(link, headers=HTML).text
    path = link.partition("?")[0]
    assert "only the id" in tried.get(f"{path}?store=nothing", headers=HTML).text
    assert "only the id" in tried.get(path.replace("d2", "d9") + "?store=docs", headers=HTML).text


def test_queries_are_suggested(tried):
    """The field suggests queries that contain the typed text."""
    assert 'value="bananas"' in tried.get("/try/suggestions?q=nana").text
    assert "oauth" not in tried.get("/try/suggestions?q=nana").text


def test_all_queries_are_scored_saved_and_compared(tried, archive):
    """The difference is that of the comparison, and a run has the changed settings."""
    form = {"q": "oauth", "a": "docs", "b": "docs", "b.title_weight": "50"}
    done = finished(tried, tried.post("/try/score", data=form, headers=HTML))
    page = parse(done.text)
    row = page.find("div", class_="scored").find("tbody").find("tr")
    cells = [cell.text for cell in row.find_all("td")]
    assert cells[:3] == ["0.8155", "1.0000", "+0.1845"]
    name = page.find("input", name="scored")["value"]
    saved = tried.post("/try/save", data={"scored": name, "save": "both", "name_b": "heavier"},
                       headers=HTML, follow_redirects=False)  # fmt: skip
    assert re.fullmatch(r"/compare\?a=[0-9a-f]{64}&b=[0-9a-f]{64}", saved.headers["location"])
    runs = {run.facts.name: run for run in archive.runs.page().items}
    assert runs["heavier"].facts.settings["title_weight"] == "50"
    assert runs["docs"].facts.settings["title_weight"] == "1"
    compared = tried.get(saved.headers["location"], headers=HTML)
    assert "0.1845" in compared.text
    archive.baselines.put("main", runs["docs"].run_id)
    for wanted, place in (("b", "/runs/"), ("against", "/compare?a=main&b=")):
        form = {"scored": name, "save": wanted, "against": "main"}
        found = tried.post("/try/save", data=form, headers=HTML, follow_redirects=False)
        assert found.headers["location"].startswith(place)
    for form in ({"scored": name, "save": "all"}, {"scored": "x", "save": "a"}):
        assert tried.post("/try/save", data=form, headers=HTML).status_code in (404, 422)


def test_one_side_is_scored_and_saved(tried):
    """There is no difference, and one run."""
    form = {"a": "docs", "b": "-"}
    done = finished(tried, tried.post("/try/score", data=form, headers=HTML))
    page = parse(done.text)
    assert "Difference" not in page.find("div", class_="scored").text
    name = page.find("input", name="scored")["value"]
    saved = tried.post("/try/save", data={"scored": name, "save": "a"}, headers=HTML,
                       follow_redirects=False)  # fmt: skip
    assert saved.headers["location"].startswith("/runs/")


def test_scoring_without_queries_or_judgments_is_explained(client, archive):
    """The page states what is missing."""
    archive.stores.create("docs", "bm25", {})
    archive.stores.put_documents("docs", DOCUMENTS)
    form = {"a": "docs", "b": "-"}
    done = finished(client, client.post("/try/score", data=form, headers=HTML))
    assert "import them first" in done.text
    archive.queries.put([Query("q1", "oauth")])
    done = finished(client, client.post("/try/score", data=form, headers=HTML))
    assert "judge some documents first" in done.text
    assert client.get("/try/jobs/nothing", headers=HTML).status_code == 404


def test_an_empty_service_offers_what_to_do(client, archive):
    """Documents of the archive can be indexed; without any, they can be imported."""
    page = get(client, "/try")
    assert page.find("a", class_="primary")["href"] == "/import?kind=documents"
    archive.documents.put(DOCUMENTS)
    page = get(client, "/try")
    assert page.find("form", action="/try/store").find("button")
    client.post("/try/store", headers=HTML)

    def indexed():
        found = get(client, "/try?q=bananas")
        return found if found.find_all("ol", class_="side-0") else None

    assert "Bananas" in titles(wait_until(indexed), 0)


@pytest.fixture
def _no_engine(monkeypatch):
    """The extra `search` is not installed."""
    monkeypatch.setitem(sys.modules, "tantivy", None)


@pytest.mark.usefixtures("_no_engine")
def test_without_the_search_engine_the_page_says_what_to_install(client, archive):
    """It offers what works without it, also if a store has documents."""
    page = get(client, "/try")
    assert page.find("div", class_="command").find("code").text == SEARCH_COMMAND
    assert page.find("a", class_="primary")["href"] == "/try/systems"
    assert page.find("a", href="/import?kind=runs")
    archive.stores.create("docs", "bm25", {})
    archive.stores.put_documents("docs", DOCUMENTS)
    archive.runs.put(Run.from_lists({"q1": ["d1"]}), RunFacts("bm25"))
    page = get(client, "/try?q=oauth")
    assert page.find("div", class_="command")
    assert page.find("a", href="/compare")
    assert not page.find_all("form", id="try")


@pytest.mark.usefixtures("tried", "_no_engine")
def test_without_the_search_engine_other_systems_can_be_tried(service):
    """A store of the service is named with what to install, in place of a page of its own."""
    with serving(lambda _request: (200, {"hits": [{"id": "d1"}]})) as url:
        client = service(systems={"shop": {"system": f"{url}/?q={{query}}", "ids": "hits[*].id"}})
        page = get(client, "/try?q=oauth&b=-")
        assert titles(page, 0) == ["d1"]
        assert [one.text for one in page.find("select", id="a-system").find_all("option")] == [
            "shop"
        ]
        assert "not installed: docs." in page.find("p", class_="quiet").text
        page = get(client, "/try?q=oauth&a=shop&b=docs")
        assert titles(page, 0) == ["d1"]
        [alert] = page.find_all("p", role="alert")
        assert SEARCH_COMMAND in alert.text


def test_the_first_button_of_the_form_searches(tried):
    """Enter in any field presses the first button, which must not score all queries."""
    first, *others = get(tried, "/try?q=oauth&a=docs").find("form", id="try").find_all("button")
    assert first.text == "Search"
    assert "formaction" not in first.attributes
    assert [one["formaction"] for one in others] == ["/try/score"]


def test_readers_search_but_change_nothing(service, archive):
    """Fields are disabled, and a changed setting in an address is rejected."""
    archive.stores.create("docs", "bm25", {})
    archive.stores.put_documents("docs", DOCUMENTS)
    client = service("http://quality.example", host="0.0.0.0")  # noqa: S104
    token = archive.tokens.create("reader", "read")
    client.cookies.set(COOKIE, archive.sessions.start(token))
    page = get(client, "/try?q=oauth&a=docs")
    assert titles(page, 0) == ["Fruit", "OAuth"]
    assert "disabled" in page.find("input", id="b-title_weight").attributes
    changed = client.get("/try?q=oauth&a=docs&b.title_weight=50", headers=HTML)
    assert changed.status_code == 403
    assert client.get("/try/systems", headers=HTML).status_code == 403


def test_systems_are_registered_on_a_page(service):
    """Credentials are not shown again; an error keeps what was typed, except for them."""
    with serving(lambda _request: (200, {"hits": [{"id": "d1"}]})) as url:
        client = service(search_hosts=(url.removeprefix("http://"),))
        form = {"name": "shop", "place": f"{url}/?q={{query}}", "settings": "ids = hits[*].id\n",
                "secrets": "header X-Key = sk-very-secret"}  # fmt: skip
        page = client.post("/try/systems", data=form, headers=HTML)
        assert "very-secret" not in page.text
        assert "header X-Key" in page.text
        assert titles(get(client, "/try?q=a&a=shop&b=-"), 0) == ["d1"]
        for wrong in (
            {"place": "http://127.0.0.1:1/{query}"},
            {"settings": "ids"},
            {"name": "a b"},
        ):
            refused = client.post("/try/systems", data={**form, **wrong}, headers=HTML)
            assert refused.status_code == 422
            assert "very-secret" not in refused.text
        client.post("/try/systems/remove", data={"name": "shop"}, headers=HTML)
        assert client.get("/try?q=a&a=shop", headers=HTML).status_code == 404


def test_without_allowed_hosts_the_page_says_how_to_allow_one(client):
    """There is no form that could only fail."""
    page = get(client, "/try/systems")
    assert "--search-host" in page.find("main").text
    assert not page.find_all("form", action="/try/systems")


def test_a_long_query_and_an_unknown_system_are_rejected(tried):
    """The first is an invalid request, and the second is not found."""
    assert tried.get(f"/try?q={'x' * 10_001}&a=docs", headers=HTML).status_code == 422
    assert tried.get("/try?a=nothing", headers=HTML).status_code == 404
