"""Parts of all pages: layout, security policy, static files, search, and error pages."""

import re

import pytest

from berryeval import Query, Run
from berryeval.archive import RunFacts
from berryeval.service.workbench.assets import HTMX, address_of, assets
from berryeval.service.workbench.rendering import PAGES, environment, since
from service.workbench.html import HTML, get_page, parse
from service_data import upload


@pytest.fixture
def filled(archive):
    """An archive with a run, queries and a gate; ids and texts are malicious."""
    archive.queries.put(
        [
            Query("q1", "how do I configure OAuth?", "procedural"),
            Query("q/2\udcff", "<script>alert(1)</script>"),
        ]
    )
    run = Run.from_dict({"q1": {"d1": 1.0}})
    archive.runs.put(run, RunFacts("bm25", commit="c0ffee1", tags=["nightly"]))
    guard = {"measure": "nDCG@10", "at_least": 0.5}
    archive.gates.put("release", {"guards": [guard]})
    return archive


def test_every_page_has_a_strict_security_policy(client):
    """Only the service's own scripts, styles and frames are allowed, and nothing inline."""
    answer = client.get("/search", headers=HTML)
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "style-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["cache-control"] == "private, no-cache"


def test_templates_contain_nothing_that_the_policy_forbids():
    """They have no inline script, style or handler, and never mark data as safe."""
    loader = environment().loader
    names = environment().list_templates()
    assert "base.html" in names
    for name in names:
        source = loader.get_source(environment(), name)[0]
        markup = re.sub(r"\{[{%#].*?[}%#]\}", "", source, flags=re.DOTALL)
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", markup), name
        for tag in re.findall(r"<script[^>]*>", source):
            assert "src=" in tag or 'type="application/json"' in tag, name  # data is never executed
        marked = re.findall(r"\{\{[^}]*\|\s*safe", source)
        assert marked == (["{{ drawings[name]|safe"] if name == "icons.html" else []), name


def test_the_menu_links_to_every_page_and_marks_the_current_one(client):
    """Screen readers announce it, too."""
    page = get_page(client, "/search")
    (menu, _small) = page.find("header").find_all("nav")
    managed = ["/collections", "/tokens"]
    places = [place.address for place in PAGES]
    assert [link["href"] for link in menu.find_all("a")] == places + managed
    assert not menu.find_all("a", aria_current="page")


def test_static_files_are_cached_by_content(client):
    """The address contains a hash of the content; without it a browser revalidates."""
    answer = client.get(address_of("workbench.css"))
    assert answer.headers["content-type"] == "text/css; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]
    again = client.get("/assets/workbench.css")
    assert again.headers["cache-control"] == "no-cache"
    known = {"If-None-Match": again.headers["etag"]}
    assert client.get("/assets/workbench.css", headers=known).status_code == 304


@pytest.mark.parametrize("name", ["nothing.css", "../base.html", "..%2F..%2F__init__.py", ""])
def test_no_other_file_can_be_requested(client, name):
    """Only files that existed when the service started are served."""
    assert client.get(f"/assets/{name}").status_code == 404


def test_pages_work_without_the_third_party_script(client, monkeypatch):
    """If the build could not fetch it, links and forms still work."""
    assert HTMX in assets()
    assert "htmx.min.js" in client.get("/search", headers=HTML).text
    monkeypatch.setitem(environment().globals, "has_htmx", 0)
    environment().cache.clear()
    try:
        assert "htmx.min.js" not in client.get("/search", headers=HTML).text
    finally:
        environment().cache.clear()


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize(
    ("text", "kind", "address"),
    [
        ("OAUTH", "Query", "/queries/q1"),
        ("alert(1)", "Query", "/queries/q%2F2%FF"),
        ("c0ffee", "Run", "/runs/"),
        ("nightly", "Run", "/runs/"),
        ("relea", "Gate", "/gates/release"),
        ("judge", "Page", "/judge"),
    ],
)
def test_search_finds_pages_runs_queries_and_gates(client, text, kind, address):
    """Any part matches in any case, on the search page and in the palette."""
    page = get_page(client, f"/search?q={text}")
    palette = parse(client.get(f"/palette?q={text}").text)
    for links in (page.find("ul", class_="found").find_all("a"), palette.find_all("a")):
        found = [link["href"] for link in links if link.find("span", class_="kind").text == kind]
        assert any(href.startswith(address) for href in found)


def test_the_newest_runs_come_first_and_any_commit_is_found(client):
    """A short form is shown; the search also matches the full commit."""
    commits = [letter * 40 for letter in "abcdefgh"]
    for seed, commit in enumerate(commits):
        upload(client, seed, "bm25", commit=commit)
    palette = parse(client.get("/palette").text)
    pages = [link for link in palette.find_all("a") if "Page" in link.text]
    runs = [link for link in palette.find_all("a") if "Run" in link.text and "bm25" in link.text]
    assert len(pages) == len(PAGES)
    assert [commit for run in runs for commit in "abcdefgh" if commit * 8 in run.text] == [
        *"hgfedc"
    ]
    assert commits[0] not in palette.text
    found = parse(client.get(f"/palette?q={commits[0]}").text).find_all("a")
    assert len(found) == 1


@pytest.mark.usefixtures("filled")
def test_a_search_without_results_is_reported(client):
    """The search text is shown escaped."""
    answer = client.get("/search?q=<b>nothing</b>", headers=HTML)
    assert "<b>nothing" not in answer.text
    assert "Nothing found" in parse(answer.text).find("main").text
    assert "No results for" in client.get("/palette?q=zzz").text


def test_an_unknown_address_is_an_error_page(client):
    """It has a link back; programs and scripts get their own formats."""
    page = get_page(client, "/nowhere", status=404)
    assert "no such page: /nowhere" in page.find("main").text
    assert page.find("main").find("a", href="/")
    assert client.get("/nowhere").json()["status"] == 404
    part = client.get("/nowhere", headers={"HX-Request": "true"})
    assert parse(part.text).find("p", role="alert")
    assert client.get("/v1/runs/nowhere", headers=HTML).json()["status"] == 422


@pytest.mark.parametrize(
    ("minutes", "expected"),
    [(0, "just now"), (5, "5 min ago"), (130, "2 h ago"), (1500, "yesterday"),
     (3000, "2 days ago"), (20000, "2026-11-02")],
)  # fmt: skip
def test_times_are_shown_in_readable_form(minutes, expected):
    """Older ones are shown as a date."""
    from datetime import datetime, timedelta, timezone

    now = datetime(2026, 11, 16, 12, tzinfo=timezone.utc)
    assert since(now - timedelta(minutes=minutes), now) == expected


def test_figures_are_formatted_consistently():
    """Missing values are a dash, differences have a sign, and there is no minus zero."""
    template = environment().from_string(
        "{{ 0.41236|score }} {{ none|score }} {{ 0.012|signed(3) }} {{ -0.5|signed(1) }} "
        "{{ -0.00001|signed }} {{ none|signed }} {{ 12345|count }} {{ 0.123|percent }} "
        "{{ none|percent }} {{ none|when }} {{ 'abcdefghij'|short }}"
    )
    found = template.render().replace("\N{EN DASH}", "-").replace("\N{MINUS SIGN}", "-")
    assert found == "0.4124 - +0.012 -0.5 0.0000 - 12,345 12% - - abcdefgh"


def test_pages_are_compressed_and_data_is_not(client):
    """A client that accepts it gets a fraction of the bytes; the content is the same."""
    plain = client.get("/runs", headers={**HTML, "Accept-Encoding": "identity"})
    small = client.get("/runs", headers={**HTML, "Accept-Encoding": "gzip"})
    assert small.headers["content-encoding"] == "gzip"
    assert int(small.headers["content-length"]) < len(plain.content) / 2
    assert small.text == plain.text
    assert "content-encoding" not in plain.headers
    for seed in range(8):
        upload(client, seed)
    data = client.get("/v1/runs", headers={"Accept-Encoding": "gzip"})
    assert len(data.content) > 2_000
    assert "content-encoding" not in data.headers


@pytest.mark.parametrize("path", ["/", "/runs", "/healthz", "/v1/runs", "/nowhere"])
def test_head_has_the_headers_of_get(client, path):
    """Only the content is missing."""
    got, head = client.get(path), client.head(path)
    assert (head.status_code, head.content) == (got.status_code, b"")
    assert head.headers["content-type"] == got.headers["content-type"]
