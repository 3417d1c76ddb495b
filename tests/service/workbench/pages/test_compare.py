"""The page Compare: verdict, charts, queries by harm, and actions."""

import threading

import pytest

from berryeval.service import shared_work
from service.workbench.compared_runs import BASELINE, CANDIDATE, fill, upload
from service.workbench.html import HTML, get_page, parse
from waiting import wait_until


@pytest.fixture
def pair(client, fill_once):
    """The address of a comparison: main with the candidate."""
    return f"/compare?a=main&b={fill_once(fill, client)[1]}"


def asked(page):
    """Return the ids of the listed queries, in order."""
    table = page.find("section", id="queries")
    return [
        link["href"].split("?")[0].split("/")[-1] for link in table.find_all("a", class_="asked")
    ]


def test_without_runs_the_page_explains_how_to_add_some(client):
    """An empty archive has nothing to compare; the page has a command for it."""
    page = get_page(client, "/compare")
    assert "No runs yet" in page.text
    assert "/v1/runs" in page.find("div", class_="command").text


def test_without_both_runs_they_can_be_chosen(client):
    """The form offers baselines and the newest runs; main is the default baseline."""
    a, b = fill(client)
    page = get_page(client, "/compare")
    choices = page.find("form", class_="choose").find_all("option")
    assert {one["value"] for one in choices} == {"main", a, b}
    chosen = [one["value"] for one in choices if "selected" in one.attributes]
    assert chosen == ["main", b]
    assert any(link["href"] == f"/compare?a=main&b={b}" for link in page.find("main").find_all("a"))


def test_one_run_cannot_be_compared_with_itself(client):
    """The page shows a warning and the form."""
    a, _ = fill(client)
    page = get_page(client, f"/compare?a=main&b={a}")
    assert "Both are the same run" in page.text


def test_the_verdict_is_a_sentence_with_a_word(client, pair):
    """E3: the difference is stated in words with its figures; two changed queries are too few."""
    page = get_page(client, pair)
    heading = page.find("h1").text
    assert heading.startswith(
        "hybrid differs from bm25 in too few queries to decide: nDCG@10 is 0."
    )
    assert heading.endswith("only 2 of 6 queries changed.")
    assert page.find("span", class_="badge").text == "Too few changes to decide"
    tiles = page.find("dl", class_="tiles").text
    assert "0 · 4 · 2" in tiles
    assert "no interval: fewer than 10 queries changed" in tiles


@pytest.mark.parametrize(
    ("n_better", "badge", "heading"),
    [
        (0, "Worse", "new is worse than old: nDCG@10 falls from "),
        (6, "Not clearly different", "new is not clearly different from old: nDCG@10 is "),
        (12, "Better", "new is better than old: nDCG@10 rises from "),
    ],
)
def test_a_difference_has_the_word_of_its_interval(client, n_better, badge, heading):
    """Some or all of twelve changed queries improved."""
    ids = [f"r{number:02}" for number in range(12)]
    client.post("/v1/judgments", json={"judgments": [
        {"query_id": query_id, "doc_id": doc_id, "grade": grade}
        for query_id in ids for doc_id, grade in (("d1", 3), ("d2", 1))
    ]})  # fmt: skip
    first, second = ["d1", "d2"], ["d2", "d1"]
    old = {q: second if i < n_better else first for i, q in enumerate(ids)}
    new = {q: first if i < n_better else second for i, q in enumerate(ids)}
    a, b = upload(client, old, "old"), upload(client, new, "new")
    page = get_page(client, f"/compare?a={a}&b={b}")
    assert page.find("span", class_="badge").text == badge
    assert page.find("h1").text.startswith(heading)


def test_every_measure_has_a_row_in_the_forest_plot(client, pair):
    """Its link selects the measure, and a table has the same figures."""
    page = get_page(client, pair)
    rows = page.find(class_="wide").find("svg", class_="forest").find_all("a")
    assert [row["aria-label"].split()[0] for row in rows] == ["nDCG@10", "RR", "P@5", "R@100"]
    assert "aria-current" in rows[0].attributes
    figures = page.find("details", class_="figures").find_all("th", scope="row")
    assert [one.text for one in figures] == ["nDCG@10", "RR", "P@5", "R@100"]
    other = get_page(client, rows[1]["href"])
    assert "RR is" in other.find("h1").text


def test_queries_are_sorted_by_harm(client, pair):
    """The greatest loss comes first; sorting by gain or id is possible."""
    assert asked(get_page(client, pair))[:2] == ["q0", "q1"]
    assert asked(get_page(client, f"{pair}&sort=gain"))[-2:] == ["q1", "q0"]
    assert asked(get_page(client, f"{pair}&sort=query")) == [f"q{i}" for i in range(6)]


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        ("different=1", ["q0", "q1", "q2"]),
        ("outcome=worse", ["q0", "q1"]),
        ("outcome=better", []),
        ("slice=category%3Dodd", ["q1", "q3", "q5"]),
        ("slice=category%3Dnone", []),
        ("q=IS+%3Cb%3E4", ["q4"]),
        ("q=q3", ["q3"]),
        ("cell=49.49", ["q2", "q3", "q4", "q5"]),
        ("page=99&sort=query", [f"q{i}" for i in range(6)]),
        ("page=x&sort=x&outcome=x&cell=x&slice=x", ["q0", "q1", "q2", "q3", "q4", "q5"]),
    ],
)
def test_queries_are_filtered(client, pair, wish, found):
    """Filters are change, outcome, slice, words and plot position; invalid ones are ignored."""
    assert asked(get_page(client, f"{pair}&{wish}")) == found


def test_a_row_shows_both_scores_and_the_main_move(client, pair):
    """It has the most relevant moved document with both ranks, and holes."""
    page = get_page(client, pair)
    row = page.find("section", id="queries").find("tbody").find("tr")
    assert "what is <b>0</b>?" in row.text
    assert "1.0000" in row.text
    moved = row.find("td", class_="moved").text
    assert "d1" in moved
    assert "1 → 4" in moved
    assert "1 new, 3 shifted" in moved
    assert row.find_all("td")[-1].text == "2", "x1 and x9"


def test_a_point_with_one_query_opens_it(client, pair):
    """It is the only query at that position of the plot."""
    answer = client.get(f"{pair}&cell=31.31", headers=HTML, follow_redirects=False)
    page = parse(answer.text)
    assert asked(page) == []
    links = page.find("svg", class_="scatter").find_all("a")
    alone = next(link for link in links if "/queries/" in link["href"])
    assert alone["href"].startswith("/queries/q0?a=main&b=")
    cell = alone.find("circle")["data-c"]
    answer = client.get(f"{pair}&cell={cell}", headers=HTML, follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"] == alone["href"]


def test_scripts_get_only_the_list(client, pair):
    """Filtering does not redraw the charts."""
    answer = client.get(
        f"{pair}&q=q3", headers={**HTML, "HX-Request": "true", "HX-Target": "found"}
    )
    part = parse(answer.text)
    assert part.find("div", id="found")
    assert not part.find_all("svg", class_="forest")


def test_the_possible_effect_of_unjudged_documents_is_shown(client, pair):
    """The page has the bounds of the difference, and whether they could change the verdict."""
    part = get_page(client, pair.replace("/compare?", "/compare/holes?"))
    assert "7 documents within the cutoff of nDCG@10 in 6 queries" in part.text
    assert "the difference is between" in part.text
    assert part.find("a", class_="button")["href"].startswith("/judge?a=main&b=")
    assert "The verdict is the same at both extremes" in part.text
    below = part.find("div", id="doubt").text
    assert below.strip() == "Unjudged documents cannot change this verdict."


def test_if_everything_is_judged_the_verdict_cannot_change(client):
    """There are no holes, and no button to judge them."""
    fill(client)
    runs = [{f"q{i}": order for i in range(6)} for order in (["d1", "d2"], ["d2", "d1"])]
    a, b = (upload(client, run, name) for run, name in zip(runs, ("one", "two"), strict=True))
    part = get_page(client, f"/compare/holes?a={a}&b={b}")
    assert "every document that nDCG@10 considers is judged" in part.text
    assert not part.find_all("a")
    below = part.find("div", id="doubt").text
    assert below.strip() == "Every document that nDCG@10 considers is judged."


def test_other_documents_and_depths_are_cautions(client):
    """Other explanations of a difference are shown under the verdict."""
    fill(client)
    a = upload(client, BASELINE, "here", corpus_hash="1")
    b = upload(client, {q: ids[:2] for q, ids in CANDIDATE.items()}, "there", corpus_hash="2")
    page = get_page(client, f"/compare?a={a}&b={b}")
    cautions = [one.text for one in page.find_all("p", class_="banner")]
    assert any("differ in depth" in text for text in cautions)
    assert any("searched different documents" in text for text in cautions)


def test_a_gate_can_be_run_from_the_page(client, pair):
    """Its verdict is then shown on the page."""
    gate = {"guards": [{"measure": "nDCG@10", "at_least": 0.99}], "baseline": "main"}
    assert client.put("/v1/gates/release", json=gate).status_code == 201
    form = get_page(client, pair).find("form", action="/compare/gate")
    fields = {one["name"]: one["value"] for one in form.find_all("input")}
    answer = client.post("/compare/gate", data={**fields, "gate": "release"}, headers=HTML)
    assert answer.status_code == 200
    decide = parse(answer.text).find("section", id="decide")
    assert "fail" in decide.find("span", class_="badge").text
    assert "below 0.99" in decide.text
    assert "earlier judgments" not in decide.text
    client.put("/v1/judgments/q0/x9", json={"grade": 0}, headers={"If-None-Match": "*"})
    # Until its scores are current, the page shows the ones that the verdict is based on.
    wait_until(lambda: "Based on earlier judgments" in get_page(client, pair).text)


def test_a_verdict_on_another_run_is_not_shown(client, pair):
    """Its number in the address is ignored."""
    client.put("/v1/gates/release", json={"guards": [{"measure": "RR", "at_least": 0.1}]})
    client.post("/v1/gates/release/verdicts", json={"run": "main"})
    decide = get_page(client, f"{pair}&verdict=1").find("section", id="decide")
    assert not decide.find_all("span", class_="badge")


def test_a_missing_gate_is_reported(client, pair):
    """The response is a 404 page."""
    given = {"a": "main", "b": pair.rpartition("=")[2], "gate": "gone"}
    answer = client.post("/compare/gate", data=given, headers=HTML)
    assert answer.status_code == 404
    assert "gone" in parse(answer.text).find("main").text


def test_the_candidate_becomes_the_baseline(client, pair, archive):
    """The page still compares the same two runs."""
    b = pair.rpartition("=")[2]
    answer = client.post("/compare/baseline", data={"a": "main", "b": b, "name": "main"},
                         headers=HTML, follow_redirects=False)  # fmt: skip
    assert answer.status_code == 303
    assert "a=main" not in answer.headers["location"]
    assert archive.baselines.get("main").run_id == b
    assert get_page(client, answer.headers["location"]).find("h1")


@pytest.mark.parametrize("name", ["", "no spaces", "f" * 64])
def test_a_baseline_requires_a_valid_name(client, pair, name):
    """It has letters and digits, and is shorter than an id."""
    given = {"a": "main", "b": pair.rpartition("=")[2], "name": name}
    assert client.post("/compare/baseline", data=given, headers=HTML).status_code == 422


def test_a_reader_sees_the_required_role(service, archive):
    """The page has no form, and a post is rejected."""
    client = service()
    address = f"/compare?a=main&b={fill(client)[1]}"
    client.put("/v1/gates/release", json={"guards": [{"measure": "RR", "at_least": 0.1}]})
    token = archive.tokens.create("rita", "read")
    reader = {**HTML, "Authorization": f"Bearer {token if isinstance(token, str) else token[0]}"}
    answer = client.get(address, headers=reader)
    decide = parse(answer.text).find("section", id="decide")
    assert "requires the role judge; your role is read" in decide.text
    assert not decide.find_all("form")
    for place in ("gate", "baseline"):
        assert client.post(f"/compare/{place}", data={}, headers=reader).status_code == 403


@pytest.mark.parametrize("gone", ["nobody", "0" * 64, "%FF", "<b>"])
@pytest.mark.usefixtures("pair")
def test_a_removed_run_is_reported(client, gone):
    """The response is a 404 page with a link."""
    page = get_page(client, f"/compare?a={gone}&b=main", status=404)
    assert "removed" in page.find("main").text
    part = get_page(client, f"/compare/holes?a={gone}&b=main")
    assert "has been removed" in part.text


def test_an_unknown_measure_is_rejected_with_the_known_ones(client, pair):
    """It is not computed for a whole run."""
    page = get_page(client, f"{pair}&measure=P@7", status=422)
    assert "nDCG@10 or RR" in page.find("main").text


def test_runs_of_other_queries_are_rejected(client):
    """There is nothing to compare; the page names the runs."""
    a, _ = fill(client)
    client.post("/v1/judgments", json={"judgments": [{"query_id": "z", "doc_id": "d", "grade": 1}]})
    b = upload(client, {"z": ["d"]}, "other")
    page = get_page(client, f"/compare?a={a}&b={b}", status=422)
    assert "no judged query in common" in page.find("main").text


@pytest.fixture
def slow(client, monkeypatch):
    """Let no comparison finish until the test allows it."""
    may_go_on = threading.Event()
    comparisons = client.app.state.comparisons
    whole = comparisons.compare
    monkeypatch.setattr(comparisons, "compare", lambda *runs: may_go_on.wait(20) and whole(*runs))
    yield may_go_on
    may_go_on.set()


def test_a_page_without_a_comparison_polls(client, pair, slow, monkeypatch):
    """It is not an error, and needs no script."""
    monkeypatch.setattr(shared_work, "FIRST_WAIT_SECONDS", 0.01)
    page = get_page(client, pair, status=202)
    assert page.find("section", class_="problem")["hx-get"] == pair
    assert page.find("noscript") is not None
    slow.set()
    monkeypatch.setattr(shared_work, "FIRST_WAIT_SECONDS", 20.0)
    assert "Comparing both runs" not in get_page(client, pair).text


def test_a_page_shows_the_last_comparison_with_its_time(client, pair, slow, monkeypatch):
    """While newer judgments are scored, it does not wait."""
    slow.set()
    heading = get_page(client, pair).find("h1").text
    slow.clear()
    client.post(
        "/v1/judgments", json={"judgments": [{"query_id": "q1", "doc_id": "new", "grade": 1}]}
    )
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 0.01)
    page = get_page(client, pair)
    assert page.find("h1").text == heading
    banner = page.find("p", class_="quiet")
    assert "newer judgments are being scored" in banner.text
    assert banner.find("time")["title"].endswith("UTC")


def test_moved_documents_have_their_titles(client, pair):
    """The id remains as a tooltip."""
    document = {"doc_id": "d1", "text": "about", "title": "The first document"}
    client.post("/v1/documents", json={"documents": [document]})
    moved = get_page(client, pair).find("td", class_="moved")
    [name] = [one for one in moved.find_all("span", class_="id") if one["title"] == "d1"]
    assert name.text == "The first document"
