"""The page Judgments: search, history, conflicts, agreement, export."""

import io
import threading
import zipfile

import numpy as np
import pytest

from berryeval import Document, Query
from berryeval.archive import JudgmentEntry
from berryeval.archive.judgments.opinions import SETTLED, history_of
from berryeval.archive.records import JudgingPolicy
from berryeval.golden import read_golden_set
from berryeval.service import shared_work
from berryeval.service.workbench.state import agreement as agreement_module
from berryeval.service.workbench.state.agreement import agreement_of
from berryeval.stats import alpha_interval, kappa_interval
from service.workbench.html import HTML, get_page, parse
from service.workbench.judged_archive import ORIGIN

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def judged(archive):
    """Judgments of two judges, with one conflict and one stale judgment."""
    archive.queries.put([Query("q1", "bake <i>bread</i>"), Query("q2", "سيارة")])
    archive.documents.put([Document("d1", "text", title="Dough"), Document("d2", "old")])

    def put(author, *rows, **more):
        archive.judgments.put([JudgmentEntry(*row) for row in rows], author=author, **more)

    put("ada", ("q1", "d2", 0), source="file")
    put("bob", ("q1", "d1", 3), ("q2", "d1", 1), ("q3", "d9", 1.5), source="workbench")
    put("ada", ("q1", "d1", 2), ("q2", "d1", 1), source="file", as_opinion=True)
    archive.documents.put([Document("d2", "new")])
    return archive


def rows(page):
    """Return the cells of each row of the list."""
    body = page.find("table", class_="judged").find("tbody")
    return [
        [cell.text for cell in row.inside if not isinstance(cell, str)]
        for row in body.find_all("tr")
    ]


def listed(client, address):
    """Return the first two columns of a list."""
    return [(row[0].removeprefix("grade "), row[1]) for row in rows(get_page(client, address))]


@pytest.mark.usefixtures("judged", "everything_is_recent")
def test_judgments_are_listed_with_query_and_document(client):
    """They are listed newest first; markup is escaped, and ids replace missing texts."""
    page = get_page(client, "/judgments")
    found = rows(page)
    assert [row[1] for row in found] == ["q3", "سيارة", "bake <i>bread</i>", "bake <i>bread</i>"]
    assert found[0][0] == "grade 1.5"
    assert found[1][2] == "Dough d1"
    assert found[2][3:] == ["bob also graded by ada", "just now", "workbench conflict"]
    assert found[3][3:] == ["ada", "just now", "file stale"]
    assert "4 judged pairs of query and document" in page.text
    link = page.find("a", class_="clip")
    assert link["href"] == "/judgments/q3/d9"
    assert "data-drawer" in link.attributes


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("q=bread", ["3", "0"]),
        ("q=DOUGH", ["1", "3"]),
        ("q=d9", ["1.5"]),
        ("q=سيا", ["1"]),
        ("author=ada", ["1", "3", "0"]),
        ("grade=3", ["3"]),
        ("grade=1.5", ["1.5"]),
        ("grade=any", ["1.5", "1", "3", "0"]),
        ("source=file", ["0"]),
        ("source=any&q=", ["1.5", "1", "3", "0"]),
        ("show=stale", ["0"]),
        ("show=conflicts", ["3 grade 2"]),
        ("author=bob&q=bread", ["3"]),
        ("page=99", ["1.5", "1", "3", "0"]),
    ],
)
def test_judgments_are_found_by_text_and_by_filters(client, query, found):
    """Each filter works alone and combined."""
    assert [grade for grade, _ in listed(client, f"/judgments?{query}")] == found


@pytest.mark.usefixtures("judged")
def test_a_search_without_results_is_reported(client):
    """The page has a link back."""
    page = get_page(client, "/judgments?q=nothing")
    assert "Nothing found" in page.text
    assert page.find("section", id="found").find("a", href="/judgments")
    assert "Nothing found" in get_page(client, "/judgments?grade=7&show=stale").text
    get_page(client, "/judgments?show=none", status=404)


def test_an_empty_archive_explains_how_to_start(client):
    """It suggests importing or judging."""
    page = get_page(client, "/judgments")
    assert "No judgments yet" in page.text
    assert "No document has two judges yet" in get_page(client, "/judgments/agreement").text


def test_a_long_list_has_pages(client, archive):
    """There are fifty per page, and links keep the filters."""
    many = [JudgmentEntry("q1", f"d{n}", 1) for n in range(120)]
    archive.judgments.put(many, author="ada", source="x y")
    page = get_page(client, "/judgments?author=ada&source=x+y&page=2")
    assert len(rows(page)) == 50
    assert page.find("nav", class_="pager").text == "Previous Page 2 of 3 Next"
    assert page.find("a", rel="next")["href"] == "/judgments?author=ada&source=x+y&page=3"
    assert len(rows(get_page(client, "/judgments?page=3"))) == 20


@pytest.mark.usefixtures("judged", "everything_is_recent")
def test_a_judgment_shows_its_history(client, archive):
    """It is a page, and a part for the drawer."""
    archive.judgments.change("q1", "d1", 2, author="ada", source=SETTLED)
    archive.judgments.remove("q1", "d1", author="bob")
    page = get_page(client, "/judgments/q1/d1")
    history = [entry.text for entry in page.find("ol", class_="history").find_all("li")]
    assert [line.partition(" just now")[0] for line in history] == [
        "\N{EN DASH} bob withdrew it",
        "grade 2 ada settled it",
        "grade 2 ada from file second opinion",
        "grade 3 bob from workbench",
    ]
    assert "Not judged" in page.text
    part = client.get("/judgments/q1/d1", headers={**HTML, "HX-Request": "true"})
    assert "<html" not in part.text
    assert "bake &lt;i&gt;" in part.text
    get_page(client, "/judgments/q1/nothing", status=404)


def send(client, address, **data):
    """Send the form of a judgment."""
    headers = {**HTML, **ORIGIN}
    return client.post(address, data=data, headers=headers, follow_redirects=False)


@pytest.mark.usefixtures("judged")
def test_a_grade_applies_to_the_displayed_document(client, archive):
    """If the document changes before the judge answers, the judgment is stale at once."""
    archive.documents.put([Document("d1", "Title", "as it was seen")])
    page = get_page(client, "/judgments/q1/d1")
    form = {one["name"]: one["value"] for one in page.find_all("input", type="hidden")}
    archive.documents.put([Document("d1", "Title", "as it is now")])
    assert send(client, "/judgments/q1/d1", **form, grade="1").status_code == 303
    assert archive.judgments.get("q1", "d1").is_stale


@pytest.mark.usefixtures("judged")
def test_a_judgment_is_changed_settled_and_removed(client, archive):
    """Each change requires the current state."""
    seen = archive.judgments.get("q1", "d1").revision
    answer = send(client, "/judgments/q1/d1", grade="1", revision=seen, settle="yes")
    assert (answer.status_code, answer.headers["location"]) == (303, "/judgments/q1/d1")
    stored = archive.judgments.get("q1", "d1")
    assert (stored.grade, stored.author, stored.source) == (1, "local", SETTLED)
    answer = send(client, "/judgments/q1/d1", grade="0", revision=seen)
    assert answer.status_code == 412
    assert "local has graded it 1" in parse(answer.text).text
    assert archive.judgments.get("q1", "d1") == stored
    answer = send(client, "/judgments/q1/d1", grade="take-back", revision=stored.revision)
    assert answer.status_code == 303
    assert archive.judgments.get("q1", "d1") is None
    answer = send(client, "/judgments/q1/d1", grade="take-back", revision=stored.revision)
    assert answer.status_code == 412
    assert send(client, "/judgments/q1/d1", grade="much", revision=0).status_code == 422
    assert send(client, "/judgments/q1/d1", grade="2", revision="x").status_code == 422
    assert send(client, "/judgments/q1/d1", grade="2", revision="").status_code == 303


def buttons(client):
    """Return the buttons on the page of a judgment, except for grades."""
    page = get_page(client, "/judgments/q1/d1")
    shown = page.find("form", class_="regrade").find_all("button", name="grade")
    return {one["value"]: one.text for one in shown if "aria-pressed" not in one.attributes}


def undo(client):
    """Press Undo on the page of a judgment."""
    page = get_page(client, "/judgments/q1/d1")
    return send(
        client, "/judgments/q1/d1", grade="undo", undo=page.find("input", name="undo")["value"]
    )


def test_a_judge_can_undo_on_the_page_of_the_judgment(client, archive):
    """This works for a correction, a removal and an opinion; the earlier author is restored."""
    archive.judgments.change("q1", "d1", 3, author="ada", source="file")
    assert buttons(client) == {"take-back": "Withdraw"}
    for step in ("1", "take-back"):
        seen = archive.judgments.get("q1", "d1").revision
        send(client, "/judgments/q1/d1", grade=step, revision=seen)
        assert buttons(client)["undo"] == "Undo: grade 3 by ada"
        assert undo(client).status_code == 303
        again = archive.judgments.get("q1", "d1")
        assert (again.grade, again.author, again.source) == (3, "ada", "file")
    archive.judgments.add_opinion("q1", "d1", 0, author="local")
    assert buttons(client)["undo"] == "Withdraw your opinion"
    undo(client)
    assert buttons(client) == {"take-back": "Withdraw"}
    assert history_of(archive.judgments.history("q1", "d1")).independent == {"ada": 3}
    assert send(client, "/judgments/q1/d1", grade="undo", undo="1").status_code == 412


def test_a_combined_grade_is_rounded_and_can_be_filtered(client, archive):
    """Every page shows two digits; the filter accepts the exact value."""
    archive.judging.put(JudgingPolicy("mean"))
    for number, grade in enumerate((1, 2, 2)):
        archive.judgments.add_opinion("q1", "d1", grade, author=f"judge {number}")
    page = get_page(client, "/judgments")
    assert rows(page)[0][0] == "grade 1.67"
    (option,) = page.find("select", name="grade").find_all("option")[1:]
    assert (option.text, option["value"]) == ("1.67 (1)", repr(5 / 3))
    assert listed(client, f"/judgments?grade={option['value']}") == [("1.67", "q1")]
    history = get_page(client, "/judgments/q1/d1").find("ol", class_="history").text
    assert history.startswith("grade 1.67 mean of 3 judges by the rule counts")


@pytest.mark.usefixtures("judged")
def test_a_reader_cannot_change_anything(client, archive):
    """There is no form, and a post is rejected."""
    eve = {"Authorization": f"Bearer {archive.tokens.create('eve', 'read')}"}
    page = parse(client.get("/judgments/q1/d1", headers={**HTML, **eve}).text)
    assert page.find_all("button", name="grade") == []
    answer = client.post("/judgments/q1/d1", data={"grade": "1"}, headers={**HTML, **eve})
    assert answer.status_code == 403


@pytest.mark.usefixtures("judged")
def test_agreement_is_shown_per_pair_of_judges_and_for_all(client):
    """Both judged two pairs, and agree on one."""
    page = get_page(client, "/judgments/agreement")
    tiles = page.find("dl", class_="tiles").text
    assert "Judged by two or more 2 of 4 pairs" in tiles
    assert "Same grade from all judges 50% 1 of them" in tiles
    matrix = page.find("table", class_="matrix")
    assert [cell.text for cell in matrix.find_all("td")[1:]] == ["·", "0.50 2", "0.50 2", "·"]
    assert "ada 3 2 1.00 1 1 0 1 0" in page.text


def test_agreement_without_variation_has_a_reason(client, archive):
    """X9: a dash with the reason is shown, not NaN."""
    for author in ("ada", "bob"):
        archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author=author, as_opinion=True)
    page = get_page(client, "/judgments/agreement")
    assert "all gave the same grade everywhere" in page.text
    assert "nan" not in page.find("main").text.lower()
    cell = page.find("td", class_="knone")
    assert (cell.text, cell["title"]) == (
        "\N{EN DASH} 1",
        "both gave the same grade everywhere",
    )


def test_only_judges_with_most_in_common_are_shown(archive, monkeypatch):
    """The page shows how many are omitted."""
    monkeypatch.setattr("berryeval.service.agreement.MAX_JUDGES", 2)
    for author in ("ada", "bob", "cy"):
        archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author=author, as_opinion=True)
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="cy")
    found = agreement_of(archive.judgment_index.table(), {})
    assert [judge.name for judge in found.judges] == ["cy", "ada"]
    assert found.n_more == 1
    assert found.kappa("cy", "ada").coefficient.n == 1
    assert found.kappa("ada", "ada") is None


def give_opinions(archive, *authors, n_queries=30):
    """Let each judge grade two documents of every query slightly differently."""
    random = np.random.default_rng(3)
    truth = random.integers(0, 4, (n_queries, 2))
    for author in authors:
        seen = np.clip(truth + random.integers(-1, 2, truth.shape), 0, 3)
        entries = [
            JudgmentEntry(f"q{query}", f"d{i}", int(grade))
            for query, grades in enumerate(seen)
            for i, grade in enumerate(grades)
        ]
        archive.judgments.put(entries, author=author, as_opinion=True)


def test_agreement_has_intervals(client, archive):
    """Queries are resampled; with fewer than five judges, it applies only to these judges."""
    give_opinions(archive, "ada", "bob", "cy")
    found = agreement_of(archive.judgment_index.table(), {})
    table = archive.judgment_index.table()
    units = [[*opinions.values()] for opinions in table.opinions.values()]
    queries = [query for query in range(30) for _ in range(2)]
    assert found.interval == alpha_interval(units, groups=queries)
    pairs = [(opinions["ada"], opinions["bob"]) for opinions in table.opinions.values()]
    kappa = found.kappa("bob", "ada")
    assert kappa.interval == kappa_interval(pairs, groups=queries)
    page = get_page(client, "/judgments/agreement")
    low, high = kappa.interval.low, kappa.interval.high
    cell = f"{kappa.coefficient.value:.2f} {low:.2f} \N{EN DASH} {high:.2f} 60"
    assert cell in [one.text for one in page.find("table", class_="matrix").find_all("td")]
    shown = f"95% {found.interval.low:.2f} \N{EN DASH} {found.interval.high:.2f}"
    assert shown in page.find("dl", class_="tiles").text
    assert "graded by the same judges; with five or more judges, also to other judges" in page.text
    row = next(row for row in page.find_all("tr") if row.text.startswith("ada 60 60"))
    assert f"{found.judges[0].alpha_without:.2f}" in row.text


def test_alpha_generalises_to_other_judges_from_five_judges(client, archive):
    """With five or more judges, judges are resampled too, and the page says so."""
    give_opinions(archive, "ada", "bob", "cy", "di", "eve")
    found = agreement_of(archive.judgment_index.table(), {})
    units = [[*one.values()] for one in archive.judgment_index.table().opinions.values()]
    alone = alpha_interval(units, groups=[query for query in range(30) for _ in range(2)])
    assert found.is_for_other_judges
    assert found.interval.low < alone.low
    page = get_page(client, "/judgments/agreement")
    assert "Its interval generalises to other queries and other judges." in page.text


@pytest.mark.usefixtures("judged")
@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("trec", ["q1 0 d1 3", "q1 0 d2 0", "q2 0 d1 1", "q3 0 d9 1.5"]),
        ("csv", ["query_id,doc_id,relevance", "q1,d1,3", "q1,d2,0", "q2,d1,1", "q3,d9,1.5"]),
        ("jsonl", None),
    ],
)
def test_judgments_are_exported_as_files(client, name, lines):
    """Exported files can be imported again."""
    answer = client.get("/judgments/export", params={"format": name})
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    found = answer.text.splitlines()
    assert found == lines if lines else len(found) == 4
    preview = client.post(
        "/import", data={"kind": "judgments"}, files={"file": (f"x.{name}", answer.content)},
        headers={**HTML, **ORIGIN},
    )  # fmt: skip
    assert "Unchanged 4" in parse(preview.text).find("dl", class_="tiles").text


@pytest.mark.usefixtures("judged")
def test_a_golden_set_is_exported_as_a_zip_file(client, archive, tmp_path):
    """It has the queries, judgments and documents of the archive, and its folder can be read."""
    archive.documents.put([Document(f"d{n}", "Text.") for n in (1, 2, 9)])
    answer = client.get("/judgments/export", params={"format": "golden"})
    assert answer.status_code == 200
    assert 'filename="golden.zip"' in answer.headers["content-disposition"]
    zipfile.ZipFile(io.BytesIO(answer.content)).extractall(tmp_path)
    golden = read_golden_set(tmp_path / "golden", strict=False)
    assert golden.n_judgments == 4
    assert {chunk.chunk_id for chunk in golden.chunks} >= {"d1", "d2", "d9"}


def test_judgments_that_a_format_cannot_represent_are_rejected_first(client, archive):
    """The status is 422, and no partial file is sent."""
    archive.judgments.put([JudgmentEntry("q1", "d 1", 1)], author="ada")
    answer = client.get("/judgments/export", params={"format": "trec"})
    assert answer.status_code == 422
    assert "cannot hold the id" in answer.json()["detail"]
    assert client.get("/judgments/export", params={"format": "csv"}).status_code == 200
    assert client.get("/judgments/export", params={"format": "docx"}).status_code == 422


def test_a_list_that_is_loading_is_refreshed(client, monkeypatch):
    """Reading a million judgments takes seconds, once."""
    monkeypatch.setattr(type(client.app.state.judgment_table), "get", lambda *_: None)
    for address in ("/judgments", "/judgments/agreement"):
        page = get_page(client, address)
        assert "Reading the judgments" in page.text
        assert page.find("section", class_="empty")["hx-get"] == address


def test_the_previous_agreement_is_shown_while_it_is_recomputed(client, archive, monkeypatch):
    """The page shows the previous result with a note, then the new one."""
    for author, grade in (("ada", 2), ("bob", 2)):
        archive.judgments.put([JudgmentEntry("q1", "d1", grade)], author=author)
    assert not get_page(client, "/judgments/agreement").find_all("p", class_="banner")
    may_count = threading.Event()
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(
        agreement_module, "agreement_of", lambda *of: may_count.wait(60) and agreement_of(*of)
    )
    archive.judgments.put([JudgmentEntry("q1", "d1", 0)], author="bob")
    page = get_page(client, "/judgments/agreement")
    assert "being processed" in page.find("p", class_="banner").text
    may_count.set()
    for _ in range(100):
        page = get_page(client, "/judgments/agreement")
        if not page.find_all("p", class_="banner"):
            break
    assert not page.find_all("p", class_="banner")
