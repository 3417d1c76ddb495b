"""The page Query: both rankings, grades, effects of moves, documents, and judging."""

from types import SimpleNamespace

import pytest

from berryeval import Run
from berryeval.core.documents import Document
from berryeval.measures import parse_measure
from berryeval.service.workbench.pages.query.answers import Answers, Side
from service.workbench.compared_runs import BASELINE, fill, upload
from service.workbench.html import HTML, get_page, parse


@pytest.fixture
def runs(client, fill_once):
    """The ids of baseline and candidate."""
    return fill_once(fill, client)


@pytest.fixture
def address(runs):
    """The address of the query that lost most."""
    return f"/queries/q0?a=main&b={runs[1]}"


def rows(page, side):
    """Return the rows of one list."""
    return page.find("ol", class_=f"side-{side}").find_all("li", class_="result")


def figure(text):
    """Parse a figure of a page."""
    return float(text.replace("\N{MINUS SIGN}", "-"))


def test_both_lists_are_side_by_side(client, address):
    """Each has ranks and grades in words; the labels of the query are above them."""
    page = get_page(client, address)
    assert page.find("h1").text == "what is <b>0</b>?"
    assert page.find("p", class_="lead").text == "about 0"
    labels = page.find("p", class_="labels").text
    assert labels == "q0 even easy tag 3 judged"
    before, after = rows(page, 0), rows(page, 1)
    assert [row.find("span", class_="title").text for row in before] == ["d1", "d2", "d3", "x1"]
    assert [row.find("span", class_="title").text for row in after] == ["d3", "x9", "d2", "d1"]
    assert before[0].find("span", class_="grade").text == "grade 3"
    assert "not judged" in after[1].text
    assert "unjudged" in after[1]["class"]


def test_lines_connect_the_same_documents(client, address):
    """Each common document has a line, coloured by the effect of its move; others have stubs."""
    page = get_page(client, address)
    lines = page.find("svg", class_="links").find_all("path")
    assert len(lines) == 5
    assert [line["class"] for line in lines].count("link s-worse") == 2
    assert sum("is-stub" in line["class"] for line in lines) == 2
    number = rows(page, 0)[0]["data-n"]
    assert rows(page, 1)[3]["data-n"] == number
    assert any(line["data-n"] == number and "s-worse" in line["class"] for line in lines)


def test_moves_are_described_in_words(client, address):
    """The baseline's list shows the rank in the candidate, and the other list the change."""
    page = get_page(client, address)
    assert [row.find("span", class_="move").text for row in rows(page, 0)] == [
        "→ 4 , down to rank 4 in the candidate",
        "→ 3 , down to rank 3 in the candidate",
        "→ 1 , up to rank 1 in the candidate",
        "gone , missing from the candidate",
    ]
    assert [row.find("span", class_="move").text.split(" ,")[0] for row in rows(page, 1)] == [
        "↑ 2", "new", "↓ 1", "↓ 3",
    ]  # fmt: skip


def test_contributions_add_up_to_the_difference(client, address):
    """X9: there is no residual."""
    page = get_page(client, address)
    moves = page.find("table", class_="moves")
    worth = [figure(row.find("td", class_="n").text) for row in moves.find("tbody").find_all("tr")]
    total = figure(moves.find("tfoot").find("td", class_="n").text)
    assert sum(worth) == pytest.approx(total, abs=0.0002)
    scores = page.find("div", id="scores").find("tbody").find("tr")
    before, after, change = (figure(cell.text) for cell in scores.find_all("td"))
    assert after - before == pytest.approx(total, abs=0.0002)
    assert change == total
    assert page.find("div", class_="why").find("h2").text == f"nDCG@10 fell by {-total:.3f}"


@pytest.mark.parametrize(
    ("measure", "words"), [("RR", "depend on each other"), ("P@5", "did not change")]
)
def test_another_measure_is_explained_on_request(client, address, measure, words):
    """If a measure is not a sum over documents, the page explains how effects are shared."""
    page = get_page(client, f"{address}&measure={measure}")
    assert words in page.find("div", class_="why").text


def test_one_run_is_one_list(client, runs):
    """There are no lines, moves or differences."""
    for given in (f"b={runs[1]}", "a=main", f"a=main&b={runs[0]}"):
        page = get_page(client, f"/queries/q0?{given}")
        assert len(page.find_all("ol", class_="list")) == 1
        assert not page.find_all("svg", class_="links")
        assert "nDCG@10 is" in page.find("div", class_="why").text


@pytest.mark.usefixtures("runs")
def test_by_default_the_newest_run_is_compared_with_main(client):
    """A link to a query alone is useful."""
    page = get_page(client, "/queries/q0")
    heads = page.find("div", class_="heads").text
    assert "Baseline bm25" in heads
    assert "Candidate hybrid" in heads


def test_a_query_without_any_run_explains_what_to_do(client):
    """The page shows its text and a link to import a run."""
    client.put("/v1/queries/q1", json={"text": "what?"})
    page = get_page(client, "/queries/q1")
    assert page.find("h1").text == "what?"
    assert "No results yet" in page.text


@pytest.mark.parametrize("gone", ["b=nobody", f"b={'0' * 64}", "a=main&b=gone"])
@pytest.mark.usefixtures("runs")
def test_a_removed_run_is_reported(client, gone):
    """The response is a 404 page."""
    page = get_page(client, f"/queries/q0?{gone}", status=404)
    assert "removed" in page.find("main").text


def test_an_id_that_is_not_valid_text_is_reported(client):
    """No address can contain it; the page explains why, and has a link."""
    page = get_page(client, "/queries/%FF%FE?a=main", status=422).find("main")
    assert "unable to parse raw data as a unicode string" in page.text
    assert page.find("a", href="/").text == "Overview"


@pytest.mark.usefixtures("runs")
def test_an_unknown_query_is_not_found(client):
    """It has no text, no judgments, and is in no run."""
    get_page(client, "/queries/nothing", status=404)
    get_page(client, "/queries/nothing?b=main", status=404)


@pytest.mark.usefixtures("runs")
def test_a_query_that_only_a_run_has_is_shown(client):
    """Without a text and judgments, there is no score, and the page explains how to get one."""
    run = upload(client, {**BASELINE, "odd/\u00e9": ["d1"]}, "more")
    page = get_page(client, f"/queries/odd%2F%C3%A9?b={run}")
    assert page.find("h1").text == "odd/\u00e9"
    assert "Nothing is judged yet" in page.text
    assert "only its id" in page.text


@pytest.mark.usefixtures("runs")
def test_a_query_missing_from_a_run_is_reported(client):
    """It scores 0, like everywhere else."""
    b = upload(client, {q: ids for q, ids in BASELINE.items() if q != "q0"}, "short")
    page = get_page(client, f"/queries/q0?a=main&b={b}")
    assert "short has no results for this query and scores 0" in page.text


@pytest.mark.usefixtures("runs")
def test_ten_thousand_results_are_shown_in_fifties(client):
    """The first page has fifty rows per list, and a link to the next fifty."""
    many = {**BASELINE, "q0": [f"d{n}" for n in range(10_000)]}
    b = upload(client, many, "deep")
    page = get_page(client, f"/queries/q0?a=main&b={b}")
    assert (len(rows(page, 0)), len(rows(page, 1))) == (4, 50)
    more = page.find("p", class_="more").find("a")
    assert more.text == "Show ranks 51 to 100 of 10,000"
    part = get_page(client, more["hx-get"])
    assert [row.find("span", class_="rank").text for row in rows(part, 1)][::49] == ["51", "100"]
    assert "No more results" in part.find("ol", class_="side-0").text
    whole = get_page(client, more["href"])
    assert rows(whole, 1)[0].find("span", class_="rank").text == "51"
    last = get_page(client, more["hx-get"].replace("from=51", "from=9951"))
    assert not last.find_all("p", class_="more")
    assert get_page(client, more["hx-get"].replace("from=51", "from=x"))


def test_next_and_previous_queries_are_sorted_by_harm(client, address):
    """The order is known once the comparison was opened, and requested otherwise."""
    page = get_page(client, address)
    assert page.find("nav", id="neighbours")["hx-get"].startswith("/queries/q0/neighbours?")
    part = get_page(client, page.find("nav", id="neighbours")["hx-get"])
    assert part.text.startswith("k 1 of 6 by loss")
    onward = part.find("a", rel="next")
    assert onward["href"].startswith("/queries/q1?a=main&b=")
    page = get_page(client, onward["href"])
    assert page.find("a", rel="prev")["href"].startswith("/queries/q0?")
    assert "hx-get" not in page.find("nav", id="neighbours").attributes


def test_with_one_run_queries_are_sorted_worst_first(client, runs):
    """The score of that run is used."""
    page = get_page(client, f"/queries/q1?b={runs[1]}")
    assert "2 of 6 worst first" in page.find("nav", id="neighbours").text
    page = get_page(
        client, f"/queries/{'never'}?b={upload(client, {'never': ['d'], **BASELINE}, 'n')}"
    )
    assert "not scored" in page.find("nav", id="neighbours").text


def test_a_judgment_is_shown_at_once(client, address):
    """Scores and ranks are current, and rows have the data needed to judge."""
    row = rows(get_page(client, address), 1)[1].find("a")
    assert (row["data-grade"], row["data-revision"]) == ("", "")
    answer = client.put(row["data-judgment"], json={"grade": 3}, headers={"If-None-Match": "*"})
    assert answer.status_code == 201
    row = rows(get_page(client, address), 1)[1].find("a")
    assert (row["data-grade"], row["data-revision"]) == ("3.0", str(answer.json()["revision"]))
    part = get_page(client, address.replace("?", "/scores?"))
    assert part.find("tr", class_="chosen").find_all("td")[0].text != "1.0000"


def test_relevant_documents_that_no_run_has_are_listed(client, address, archive):
    """The best comes first, with titles."""
    archive.documents.put([Document("d11", "text", "Eleven")])
    given = [{"query_id": "q0", "doc_id": f"d{n}", "grade": n % 4} for n in range(7, 30)]
    client.post("/v1/judgments", json={"judgments": given})
    missed = get_page(client, address).find("section", class_="missed")
    assert missed.find("li").text == "grade 3 Eleven"
    assert len(missed.find_all("li")) == 12
    assert "and 5 more" in missed.text


def test_rows_show_the_beginning_of_documents(client, address, archive):
    """They have title and text; an id replaces a missing title."""
    archive.documents.put([Document("d1", "Text of\n one " * 100, "One <b>")])
    title, below = (
        rows(get_page(client, address), 0)[0].find("span", class_=name).text
        for name in ("title", "below")
    )
    assert title == "One <b>"
    assert "One <b>" in get_page(client, address).find("table", class_="moves").text
    assert below.startswith("d1 Text of one")
    assert below.endswith("…")


def test_a_stale_judgment_is_marked(client, address, archive):
    """The document changed after it was judged."""
    archive.documents.put([Document("d1", "first")])
    client.put("/v1/judgments/q0/d1", json={"grade": 2}, headers={"If-Match": "*"})
    archive.documents.put([Document("d1", "second")])
    assert "changed since it was judged" in rows(get_page(client, address), 0)[0].text


def test_a_reader_cannot_judge(client, address, archive):
    """There are no buttons and no keys."""
    token = archive.tokens.create("rita", "read")
    token = token if isinstance(token, str) else token[0]
    answer = client.get(address, headers={**HTML, "Authorization": f"Bearer {token}"})
    page = parse(answer.text)
    assert not page.find_all("button", data_judge="0")
    assert page.find("section", class_="answer")["data-may-judge"] == ""


@pytest.mark.usefixtures("runs", "everything_is_recent")
def test_a_document_shows_its_text_and_judgments(client, archive):
    """It has every state of its judgment, and the available grades."""
    archive.documents.put([Document("d1", "All of <it>.", "One")])
    archive.judgments.change("q0", "d1", 2, author="bob", source="workbench")
    archive.judgments.remove("q0", "d1", author="eve")
    page = get_page(client, "/queries/q0/documents/d1")
    assert page.find("article").find("h1").text == "One"
    assert page.find("div", class_="document-text").text == "All of <it>."
    history = [one.text for one in page.find("ul", class_="history").find_all("li")]
    assert history == [
        "withdrawn eve just now",
        "grade 2 bob just now workbench",
        "grade 3 local just now",
    ]
    pressed = [one["aria-pressed"] for one in page.find("div", class_="grading").find_all("button")]
    assert pressed == ["false"] * 4
    assert page.find("article")["data-revision"] == ""


@pytest.mark.usefixtures("runs")
def test_a_document_without_a_text_is_explained(client):
    """It shows the id, and how to add the text."""
    part = parse(
        client.get("/queries/q0/documents/x9", headers={**HTML, "HX-Request": "true"}).text
    )
    assert "only the id of this document" in part.text
    assert "Not judged for this query yet" in part.text
    assert not part.find_all("html")


@pytest.mark.usefixtures("runs")
def test_five_megabytes_are_loaded_in_pieces(client, archive):
    """The last piece has no link to a next one."""
    archive.documents.put([Document("book", "0123456789" * 500_000, "Book")])
    answer = client.get("/queries/q0/documents/book", headers=HTML)
    assert len(answer.content) < 100_000
    more = parse(answer.text).find("p", class_="more").find("a")
    assert "40,000 of 5,000,000 characters" in more.text
    part = parse(client.get(more["hx-get"], headers={**HTML, "HX-Request": "true"}).text)
    assert len(part.find("div", class_="document-text").text) == 40_000
    last = more["hx-get"].replace("from=40000", "from=4999990")
    part = parse(client.get(last, headers={**HTML, "HX-Request": "true"}).text)
    assert part.find("div", class_="document-text").text == "0123456789"
    assert not part.find_all("a")
    assert parse(client.get(more["href"], headers=HTML).text).find("html")
    assert get_page(client, "/queries/q0/documents/book?from=x")


@pytest.mark.usefixtures("runs")
def test_all_queries_are_listed_and_searched(client):
    """They are sorted by id, with labels and judged counts; judged ones without text are listed."""
    client.post("/v1/judgments", json={"judgments": [{"query_id": "z", "doc_id": "d", "grade": 1}]})
    client.put("/v1/queries/new", json={"text": "not judged", "category": "odd"})

    def found(wish):
        page = get_page(client, f"/queries?{wish}")
        links = [one["href"].partition("?")[0] for one in page.find_all("a", class_="asked")]
        return [link.rpartition("/")[2] for link in links]

    assert found("") == ["new", "q0", "q1", "q2", "q3", "q4", "q5", "z"]
    assert found("category=odd") == ["new", "q1", "q3", "q5"]
    assert found("difficulty=easy&category=even") == ["q0", "q2", "q4"]
    assert found("q=ABOUT+3") == ["q3"]
    assert found("unjudged=1") == ["new"]
    assert found("q=z&page=x") == ["z"]
    assert found("q=nobody+asks+this") == []
    row = get_page(client, "/queries?q=q1").find("tbody").find("tr").text
    assert row == "what is <b>1</b>? q1 · odd · easy odd easy 3"


def listed_ids(client, address):
    """Return the ids of a list of queries, and its page."""
    page = get_page(client, address)
    links = [one["href"].partition("?")[0] for one in page.find_all("a", class_="asked")]
    return [link.rpartition("/")[2] for link in links], page


def test_queries_are_in_the_natural_order_of_their_ids(client):
    """Query 2 comes before query 10; a click on the heading reverses the order."""
    queries = [{"query_id": str(n), "text": f"query {n}"} for n in (10, 1, 2)]
    client.post("/v1/queries", json={"queries": queries})
    ids, page = listed_ids(client, "/queries")
    assert ids == ["1", "2", "10"]
    heading = page.find("th", aria_sort="ascending").find("a")
    assert listed_ids(client, heading["href"])[0] == ["10", "2", "1"]


def test_queries_are_sorted_by_the_score_of_a_run_and_by_judgments(client):
    """The worst come first; queries without a score are last in both directions."""
    _, candidate = fill(client)
    client.put("/v1/queries/new", json={"text": "not judged"})
    ids, page = listed_ids(client, f"/queries?run={candidate}&sort=score")
    assert (ids[:2], ids[-1]) == (["q0", "q1"], "new")
    scores = [row.find_all("td")[-1].text for row in page.find("tbody").find_all("tr")]
    assert scores[:-1] == sorted(scores[:-1])
    assert scores[-1] == "\N{EN DASH}"
    ids, _ = listed_ids(client, f"/queries?run={candidate}&sort=score&order=desc")
    assert (ids[-3:-1], ids[-1]) == (["q1", "q0"], "new")
    assert listed_ids(client, "/queries?sort=judged")[0][0] == "new"
    assert listed_ids(client, "/queries?sort=judged&order=desc")[0][-1] == "new"


def test_keys_stay_within_the_filter_of_the_list(client):
    """The next query of a page opened from a filtered list is the next one of that list."""
    _, candidate = fill(client)
    ids, page = listed_ids(client, f"/compare?a=main&b={candidate}&slice=category%3Dodd&sort=query")
    assert ids == ["q1", "q3", "q5"]
    first = page.find("a", class_="asked")["href"]
    second = get_page(client, first).find("a", rel="next")["href"]
    assert second.startswith("/queries/q3?")
    opened = get_page(client, second)
    assert "2 of 3" in opened.find("nav", id="neighbours").text
    assert "filtered, by id" in opened.find("nav", id="neighbours").text
    outside = get_page(client, second.replace("/queries/q3", "/queries/q2"))
    assert "not among the 3" in outside.find("nav", id="neighbours").text


def test_the_list_of_queries_passes_its_filter_on(client):
    """A search or a category remains for the keys on the page of a query."""
    fill(client)
    _, page = listed_ids(client, "/queries?category=odd")
    link = page.find("a", class_="asked")["href"]
    later = get_page(client, link).find("nav", id="neighbours")["hx-get"]
    assert "1 of 3" in client.get(later).text


def test_many_queries_are_shown_in_pages(client):
    """There are fifty per page; scripts get only the list."""
    queries = [{"query_id": f"q{n:03}", "text": f"query {n}"} for n in range(120)]
    client.post("/v1/queries", json={"queries": queries})
    page = get_page(client, "/queries?page=2")
    assert len(page.find_all("a", class_="asked")) == 50
    pager = page.find("nav", class_="pager")
    assert "Page 2 of 3" in pager.text
    assert [link["href"] for link in pager.find_all("a")] == ["/queries", "/queries?page=3"]
    answer = client.get("/queries", headers={**HTML, "HX-Request": "true", "HX-Target": "found"})
    assert not parse(answer.text).find_all("h1")


def test_without_queries_the_page_explains_how_to_add_them(client):
    """It has a command and a button."""
    page = get_page(client, "/queries")
    assert "No queries yet" in page.text


def test_documents_that_other_queries_judge_are_no_holes_of_beir():
    """The page of one query knows what is judged for others, in scores and explanations."""
    judged = {"a": SimpleNamespace(grade=1.0, revision=1, subtopics=None, stratum=None)}
    runs = [Run.from_lists({"q": ["a", "b"]}), Run.from_lists({"q": ["b", "x"]})]
    sides = tuple(
        Side(SimpleNamespace(), str(number), run.ranking("q"), is_missing=False)
        for number, run in enumerate(runs)
    )
    hole, unjudged = parse_measure("Hole@2"), parse_measure("Unjudged@2")
    measures = (hole, unjudged)
    answers = Answers("q", sides, judged, measures, hole, runs, frozenset([b"a", b"b"]))
    assert [one.scores for one in answers.scores] == [(0.0, 0.5), (0.5, 1.0)]
    assert answers.contributions == {"a": 0.0, "b": 0.0, "x": 0.5}
