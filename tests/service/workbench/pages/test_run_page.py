"""The page of one run."""

import pytest

from berryeval import Run
from berryeval.archive import JudgmentEntry, RunFacts
from service.workbench.html import HTML, get_page, parse
from service.workbench.pages.test_overview import settled
from service.workbench.plants import fill, query_ids


@pytest.fixture
def runs(archive, fill_once):
    found = fill_once(fill)
    archive.baselines.put("main", found["c1"])
    return found


def tile(page, measure):
    return next(one for one in page.find_all(class_="tile") if one.find("dt").text == measure)


def rows(page):
    return page.find(id="queries").find("tbody").find_all("tr")


def post(client, run_id, **form):
    headers = {**HTML, "Origin": "http://localhost:8765"}
    return client.post(f"/runs/{run_id}", data=form, headers=headers, follow_redirects=False)


def test_tiles_show_each_measure_with_its_interval_and_difference(client, runs):
    """The difference is from the baseline main, coloured only if it is clear."""
    page = get_page(client, f"/runs/{runs['c3']}")
    assert [one.find("dt").text for one in page.find_all(class_="tile")] == [
        "nDCG@10", "RR", "P@5", "R@100",
    ]  # fmt: skip
    assert "0.833" in tile(page, "RR").text
    assert "+0.333 against main" in tile(page, "RR").text
    assert tile(page, "RR").find("span", class_="finding")["class"] == "finding better"
    assert (
        "24 queries. Intervals: 95%, Student's t with Hall's correction for skewness." in page.text
    )


def test_a_run_is_found_by_the_name_of_its_baseline(client, runs):
    """The page shows that it is one."""
    page = get_page(client, "/runs/main")
    assert "baseline main" in page.find("h1").parent.text
    assert f"/runs/{runs['c1']}" in page.find(id="queries").find("form")["action"]


def test_a_selected_measure_leads_the_page(client, runs):
    """Distribution, slices and the order of queries use it."""
    page = get_page(client, f"/runs/{runs['c3']}?measure=RR")
    assert "is-chosen" in tile(page, "RR")["class"]
    assert "RR per query" in page.text
    head = page.find(id="queries").find("thead")
    assert head.find("th", aria_sort="ascending").text == "RR"
    get_page(client, f"/runs/{runs['c3']}?measure=nonsense", status=422)


def test_the_distribution_links_to_its_queries(client, runs):
    """These are the ones without a relevant document, and those with holes."""
    part = get_page(client, f"/runs/{runs['c3']}").find(aria_labelledby="spread-title")
    assert "A quarter of the queries score at most" in part.text
    assert "Nothing relevant" not in part.text
    assert part.find("a").text == "6 have unjudged documents in the top 10"
    assert len(rows(get_page(client, part.find("a")["href"]))) == 6


def test_facts_include_settings_commit_corpus_and_durations(client, runs):
    """p50 and p95 of 10 to 33 ms match a latency guard: between two values, the higher one."""
    facts = get_page(client, f"/runs/{runs['c3']}").find(aria_labelledby="facts-title").text
    assert "54 for 24 queries" in facts
    assert "p50 22.0 ms, p95 32.0 ms" in facts
    assert "c3c3c3c3" in facts
    assert "docs-1" in facts
    assert '["title", "text"]' in facts


def test_queries_are_shown_worst_first_with_links(client, runs):
    """Rows have text, scores, the rank of the first relevant document, and judged counts."""
    page = get_page(client, f"/runs/{runs['c3']}")
    first = rows(page)[0]
    assert first.find("a")["href"] == f"/queries/q18?b={runs['c3']}"
    assert "when to water plant 18" in first.text
    assert first.find_all("td")[-2].text == "3"
    assert first.find_all("td")[-1].text == "67%"
    assert len(rows(page)) == 24


def test_queries_are_filtered_and_sorted_by_links(client, runs):
    """Each heading sorts by its column, and reverses the order."""
    base = f"/runs/{runs['c3']}"
    assert len(rows(get_page(client, f"{base}?only=holes"))) == 6
    assert len(rows(get_page(client, f"{base}?q=PLANT+1"))) == 11
    assert len(rows(get_page(client, f"{base}?slice=tag%3Drare"))) == 3
    assert "A relevant document was found" in get_page(client, f"{base}?only=nothing").text
    assert "No matching queries" in get_page(client, f"{base}?q=nowhere").text
    page = get_page(client, f"{base}?sort=rank&q=plant")
    heading = page.find(id="queries").find("th", aria_sort="ascending")
    assert heading.text == "First relevant"
    turned = get_page(client, heading.find("a")["href"])
    assert turned.find(id="queries").find("th", aria_sort="descending").text == "First relevant"
    assert turned.find("input", name="q")["value"] == "plant"


def test_scripts_get_only_the_table(client, runs):
    """Typing does not redraw the whole page."""
    headers = {**HTML, "HX-Request": "true", "HX-Target": "queries"}
    answer = client.get(f"/runs/{runs['c3']}?q=plant+7", headers=headers)
    part = parse(answer.text)
    assert part.find_all("html") == []
    assert len(part.find("tbody").find_all("tr")) == 1


def test_queries_are_shown_in_pages(archive, client):
    """There are fifty per page."""
    ids = [f"q{number:03}" for number in range(60)]
    archive.judgments.put([JudgmentEntry(q, "a", 1) for q in ids], author="ada")
    run = archive.runs.put(Run.from_lists({key: ["a"] for key in ids}), RunFacts("bm25"))
    first = get_page(client, f"/runs/{run.run_id}?sort=query")
    assert len(rows(first)) == 50
    second = get_page(client, first.find("a", rel="next")["href"])
    assert [row.find("a").text for row in rows(second)] == ids[50:]
    assert "Page 2 of 2" in second.text


def test_a_run_without_judgments_explains_what_to_do(archive, client):
    """Its metadata is shown anyway."""
    run = archive.runs.put(Run.from_lists({"q": ["a"]}), RunFacts("bm25"))
    page = get_page(client, f"/runs/{run.run_id}")
    assert "cannot be scored" in page.text
    assert page.find("main").find("a", href="/judge")
    assert "1 for 1 query" in page.find(aria_labelledby="facts-title").text


def test_unusual_ids_texts_and_settings_are_shown_literally(archive, client):
    """Examples are invalid UTF-8, markup, right-to-left text, and a slash in an id."""
    query_id = "q/<1>\udcff"
    archive.judgments.put([JudgmentEntry(query_id, "a", 1)], author="ada")
    facts = RunFacts("<i>", {"<u>": "<s>"}, tags=("<em>",), commit="<q>")
    run = archive.runs.put(Run.from_lists({query_id: ["a"]}), facts)
    page = get_page(client, f"/runs/{run.run_id}")
    assert page.find_all("i") == page.find_all("u") == page.find_all("em") == []
    assert rows(page)[0].find("a")["href"].startswith("/queries/q%2F%3C1%3E%FF?b=")


def test_a_removed_run_is_reported(client):
    """The page has a link."""
    page = get_page(client, "/runs/" + "0" * 64, status=404)
    assert "Not found" in page.text


def test_an_admin_sets_the_baseline(archive, client, runs):
    """The page then shows it as such, and no longer offers it."""
    page = get_page(client, f"/runs/{runs['c3']}")
    assert page.find("input", name="seen")["value"] == runs["c1"]
    answer = post(client, runs["c3"], do="baseline", name="main", seen=runs["c1"])
    assert (answer.status_code, answer.headers["location"]) == (303, f"/runs/{runs['c3']}")
    assert archive.baselines.get("main").run_id == runs["c3"]
    page = get_page(client, f"/runs/{runs['c3']}")
    assert page.find_all("input", name="seen") == []
    assert "A baseline cannot be removed" in page.text


def test_a_baseline_that_changed_in_the_meantime_is_kept(archive, client, runs):
    """A caller that saw another baseline gets a conflict."""
    answer = post(client, runs["c3"], do="baseline", name="main", seen=runs["c0"])
    assert answer.status_code == 409
    assert f"found run {runs['c1'][:8]}" in answer.text
    assert archive.baselines.get("main").run_id == runs["c1"]


@pytest.mark.parametrize(
    "form",
    [{"do": "baseline", "name": "a b"}, {"do": "baseline", "name": "a\n"}, {"do": "nonsense"}, {}],
)
def test_invalid_actions_are_rejected(client, runs, form):
    """The name is invalid in an address, or the action is missing or unknown."""
    assert post(client, runs["c3"], **form).status_code == 422


def test_an_admin_removes_a_run_that_is_not_a_baseline(archive, client, runs):
    """The form asks first; a baseline is kept, and removing twice is reported."""
    page = get_page(client, f"/runs/{runs['c3']}")
    asking = [form.attributes.get("data-confirm", "") for form in page.find_all("form")]
    assert any("Permanently" in question for question in asking)
    answer = post(client, runs["c3"], do="remove")
    assert (answer.status_code, answer.headers["location"]) == (303, "/runs")
    assert archive.runs.get(runs["c3"]) is None
    assert post(client, runs["c3"], do="remove").status_code == 404
    assert post(client, runs["c1"], do="remove").status_code == 409
    get_page(client, f"/runs/{runs['c3']}", status=404)


def test_a_judge_sees_the_required_role(archive, service, runs):
    """There are no buttons, and a post is rejected."""
    token = archive.tokens.create("ann", "judge")
    client = service(host="0.0.0.0")  # noqa: S104 - that requires tokens
    headers = {**HTML, "Authorization": f"Bearer {token}"}
    page = parse(client.get(f"/runs/{runs['c3']}", headers=headers).text)
    assert page.find_all("input", name="do") == []
    assert "requires the role admin" in page.text
    answer = client.post(f"/runs/{runs['c3']}", data={"do": "remove"}, headers=headers)
    assert answer.status_code == 403


def test_the_previous_means_are_shown_while_new_judgments_are_counted(archive, client, runs):
    """The page shows a note, and polls until they are counted."""
    address = f"/runs/{runs['c3']}"
    before = settled(client, address)
    archive.judgments.put([JudgmentEntry(q, "hole", 2) for q in query_ids()], author="bob")
    meanwhile = get_page(client, address)
    assert tile(meanwhile, "RR").text == tile(before, "RR").text
    assert "24 newer judgments are being counted" in meanwhile.text
    assert client.get(meanwhile.find(id="live")["hx-get"], headers=HTML).status_code == 204
    assert tile(settled(client, address), "RR").text != tile(before, "RR").text
