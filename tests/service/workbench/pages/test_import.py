"""The page Import: a preview of the changes of a file, stored completely or not at all."""

import gzip
import io
import json
import re
import threading
import zipfile

import pytest

from berryeval import Document, Query
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.archive.records import JudgingPolicy
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.service.workbench.pages.imports import routes
from berryeval.service.workbench.state import memory
from service.workbench.html import HTML, get_page, parse
from service.workbench.judged_archive import ORIGIN

HEADERS = {**HTML, **ORIGIN}


def look(client, kind, content, name="file.txt", status=200, **fields):
    """Upload a file for preview, and return the page."""
    files = {"file": (name, content if isinstance(content, bytes) else content.encode())}
    answer = client.post("/import", data={"kind": kind, **fields}, files=files, headers=HEADERS)
    assert answer.status_code == status, answer.text[:2000]
    return parse(answer.text)


def confirm(client, page):
    """Confirm a preview, and return the page with the result."""
    form = page.find("form", action="/import/store")
    data = {}
    for one in form.find_all("input"):
        data.setdefault(one["name"], []).append(one["value"])
    answer = client.post("/import/store", data=data, headers=HEADERS)
    return parse(answer.text)


def tiles(page):
    """Return the numbers of new, changed and equal entries."""
    return [int(re.sub(r"\D", "", one.text)) for one in page.find_all("span", class_="figure")]


def test_judgments_are_previewed_and_then_stored(client, archive):
    """The preview has new, changed and equal judgments, with both grades of a change."""
    archive.queries.put([Query("q1", "bake bread")])
    old = [JudgmentEntry("q1", "d1", 1), JudgmentEntry("q1", "d2", 2)]
    archive.judgments.put(old, author="ada")
    page = look(client, "judgments", "q1 0 d1 3\nq1 0 d2 2\nq2 0 d1 0\n", "pool.qrels")
    assert tiles(page) == [1, 1, 1]
    (row,) = page.find("tbody").find_all("tr")
    assert row.text == "bake bread d1 grade 1 grade 3"
    assert "3" in page.find("dl", class_="facts").text
    assert archive.judgments.get("q1", "d1").grade == 1, "nothing is stored yet"
    done = confirm(client, page)
    assert "Stored 2 judgments are new or changed." in done.text
    stored = archive.judgments.get("q1", "d1")
    assert (stored.grade, stored.author, stored.source) == (3, "imported", "file pool.qrels")
    assert archive.judgments.get("q1", "d2").author == "ada", "the same grade stays with its judge"


def test_grades_outside_the_scale_in_use_are_announced(client, archive):
    """Without a declared scale, a higher grade would give judges other buttons."""
    old = [JudgmentEntry("q1", "d1", 1), JudgmentEntry("q1", "d2", 2)]
    archive.judgments.put(old, author="ada")
    archive.judgments.put(old[:1], author="bob", as_opinion=True)
    page = look(client, "judgments", "q1 0 d1 7\nq1 0 d2 -1\n", "bad.qrels")
    warnings = [one.text for one in page.find_all("p", class_="warning")]
    assert warnings == [
        "1 grade is below 0, which means not judged.",
        "7 is above 3, 'Answers it', the highest grade that judges can give: they would see 8 "
        "buttons, from 'Grade 0' to 'Grade 7'. To keep the labels, declare them under Rule and "
        "scale, and change the file.",
        "The file replaces 2 grades that were given by ada, bob: a file corrects judgments, "
        "whichever of several opinions counts. The history keeps them, and Imports can undo it.",
    ]
    confirm(client, page)
    rows = get_page(client, "/judgments").find("tbody").find_all("tr")
    assert ["imported also graded by ada, bob" in row.text for row in rows] == [False, True]


def test_a_file_within_the_scale_in_use_has_no_warning(client, archive):
    """New grades on the scale that judges see replace nothing."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    page = look(client, "judgments", "q1 0 d1 1\nq1 0 d2 3\n")
    assert not page.find_all("p", class_="warning")


def test_a_file_that_changes_only_subtopics_is_a_change(client, archive):
    """Files without subtopics leave them as they are."""
    old = JudgmentEntry("q1", "d1", 2, subtopics={"animal": 2, "car": 0})
    archive.judgments.put([old, JudgmentEntry("q1", "d2", 1, subtopics={"car": 1})], author="ada")
    assert tiles(look(client, "judgments", "q1 0 d1 2\nq1 0 d2 1\n")) == [0, 0, 2]
    page = look(client, "judgments", "q1 animal d1 2\nq1 car d1 1\nq1 car d2 1\n")
    assert tiles(page) == [0, 1, 1]
    confirm(client, page)
    assert archive.judgments.get("q1", "d1").subtopics == {"animal": 2.0, "car": 1.0}
    assert archive.judgments.get("q1", "d2").author == "ada"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("q1 0 d1 3\nq1 0 d2\n", "file.txt:2: expected 4 columns"),
        ("q1 0 d1 3\nq1 0 d1 2\n", "file.txt:2: "),
        ("q1 0 d1 good\n", "file.txt:1: "),
        ("", "file.txt"),
        ("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n", "found a file that is not text"),
    ],
)
def test_an_invalid_file_is_reported_with_its_line(client, archive, content, message):
    """Nothing is stored."""
    page = look(client, "judgments", content, status=422)
    assert message in page.find("div", role="alert").text
    assert archive.judgments.revision() == 0


def test_imported_judgments_keep_their_judge_and_source(client, archive):
    """The first of several judges gave the judgment, the others second opinions."""
    archive.judgments.put([JudgmentEntry("q2", "d1", 1)], author="ada")
    rows = (
        "query_id,doc_id,relevance,judge,source\n"
        "q1,d1,1,ada,first pass\nq1,d1,3,bob,\nq1,d2,0,,\nq2,d1,1,bob,\n"
    )
    page = look(client, "judgments", rows, "x.csv")
    assert tiles(page) == [2, 0, 1]
    assert "ada, bob" in page.find("dl", class_="facts").text
    assert "on 1 documents" in page.find("dl", class_="facts").text
    confirm(client, page)

    def shown(pair):
        states = archive.judgments.history(*pair)
        return [(one.kind, one.grade, one.author, one.source) for one in states]

    assert shown(("q1", "d1")) == [
        ("judgment", 1, "ada", "first pass"),
        ("opinion", 3, "bob", "file x.csv"),
    ]
    assert shown(("q1", "d2")) == [("judgment", 0, "imported", "file x.csv")]
    assert shown(("q2", "d1")) == [
        ("judgment", 1, "ada", None),
        ("opinion", 1, "bob", "file x.csv"),
    ]
    again = confirm(client, look(client, "judgments", rows, "x.csv"))
    assert "Stored 0 judgments are new or changed." in again.text


LABELS = ["None", "A little", "All"]


def golden(**declared):
    """The judgments of a golden set."""
    relevant = [{"chunk_id": "d1", "grade": 2}]
    return json.dumps({**declared, "judgments": [{"query_id": "q1", "relevant": relevant}]})


def notes_of(page):
    """Return the notes of the preview on scale and rule."""
    return [one.text for one in page.find_all("p", class_="quiet")]


def test_the_declarations_of_a_golden_set_are_previewed_and_adopted(client, archive):
    """Judges then see its labels, and its rule applies."""
    archive.judgments.put([JudgmentEntry("q2", "d1", 1)], author="ada")
    archive.judgments.add_opinion("q2", "d1", 2, author="bob")
    page = look(client, "judgments", golden(scale=2, labels=LABELS, judges="max"), "golden.json")
    assert notes_of(page) == [
        "This archive declares no scale. It adopts the scale of the file: "
        "0 None, 1 A little, 2 All.",
        "This archive adopts the rule of the file. If judges disagree, the highest grade counts. "
        "1 grade changes.",
    ]
    assert archive.judging.get() == JudgingPolicy(), "nothing is stored yet"
    confirm(client, page)
    assert archive.judging.get() == JudgingPolicy("max", tuple(LABELS))
    assert archive.judgments.get("q2", "d1").grade == 2


@pytest.mark.parametrize(
    ("own", "declared", "notes"),
    [
        (None, {}, []),
        (LABELS, {"labels": LABELS}, []),
        (LABELS, {"scale": 2}, []),
        (
            ["No", "Yes", "Very"],
            {"labels": LABELS},
            ["The file declares another scale. This archive keeps its own."],
        ),
        (
            None,
            {"scale": 100},
            [
                "This archive does not adopt the scale of the file: a scale has two to ten "
                "grades, and no judgment exceeds it."
            ],
        ),
    ],
)
def test_a_preview_shows_what_happens_to_a_scale(client, archive, own, declared, notes):
    """This includes the cases in which the archive does not adopt it."""
    if own is not None:
        archive.judging.put(JudgingPolicy(labels=tuple(own)))
    before = archive.judging.get()
    page = look(client, "judgments", golden(**declared))
    assert notes_of(page) == notes
    confirm(client, page)
    assert archive.judging.get() == before


def test_a_grade_above_the_scale_names_its_line(client, archive):
    """The form shows the file and line; several files are listed with the same words."""
    archive.judging.put(JudgingPolicy(labels=LABELS))
    page = look(client, "judgments", "q1 0 d1 2\nq1 0 d2 7\n", "pool.qrels", status=422)
    expected = f"pool.qrels:2: expected a grade of at most {len(LABELS) - 1}, "
    assert expected in page.text
    files = [
        ("file", ("a.qrels", b"q1 0 d1 2\n")),
        ("file", ("pool.qrels", b"q2 0 d1 1\nq1 0 d2 7")),
    ]
    answer = client.post("/import", data={"kind": "judgments"}, files=files, headers=HEADERS)
    assert expected in parse(answer.text).text


def test_only_an_admin_can_import_a_scale(client, archive):
    """A judge's import stores the judgments, and states what is left to do."""
    token = archive.tokens.create("bob", "judge")
    client.headers["Authorization"] = f"Bearer {token}"
    page = look(client, "judgments", golden(scale=2, labels=LABELS))
    assert notes_of(page) == [
        "The file declares a scale or a rule; this archive has none. Only an admin can declare "
        "them, under Rule and scale."
    ]
    confirm(client, page)
    assert archive.judgments.get("q1", "d1").grade == 2
    assert archive.judging.get() == JudgingPolicy()


def test_a_compressed_file_is_read(client):
    """Its name does not matter."""
    assert tiles(look(client, "judgments", gzip.compress(b"q1 0 d1 3\n"), "x.gz")) == [1, 0, 0]


def test_a_run_is_stored_under_its_name(client, archive):
    """The default is the name of the file."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    rows = "q1 Q0 d1 1 0.9 t\nq9 Q0 d2 1 0.5 t\n"
    page = look(client, "runs", rows, "bm25.run.txt")
    assert "Name bm25 Queries 2, 1 of them judged Results 2 Series starts" in page.text
    done = confirm(client, page)
    (run,) = archive.runs.page().items
    assert run.facts.name == "bm25"
    assert done.find("a", href=f"/runs/{run.run_id}").text == "Open"
    page = look(client, "runs", "q7 Q0 d1 1 0.9 t\n", run_name="bm25", commit="abc")
    assert f"continues from {run.run_id[:8]}" in page.text
    assert "None of its queries is judged" in page.text
    confirm(client, page)
    newest = archive.runs.page(newest_first=True).items[0]
    assert (newest.facts.name, newest.facts.commit) == ("bm25", "abc")


def test_queries_are_stored(client, archive):
    """The preview shows both versions of changed ones."""
    archive.queries.put([Query("q1", "old"), Query("q2", "same")])
    lines = [
        {"_id": "q1", "text": "new"},
        {"_id": "q2", "text": "same"},
        {"_id": "q3", "text": "x"},
    ]
    page = look(client, "queries", "\n".join(map(json.dumps, lines)), "queries.jsonl")
    assert tiles(page) == [1, 1, 1]
    assert page.find("tbody").text == "q1 old new"
    assert "2 queries are new or changed." in confirm(client, page).text
    assert archive.queries.get("q1").text == "new"


def test_documents_are_stored_and_judgments_of_changed_ones_become_stale(client, archive):
    """The preview warns about it."""
    archive.documents.put([Document("d1", "old"), Document("d2", "same", title="T")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    lines = [
        {"_id": "d1", "text": "new"},
        {"_id": "d2", "text": "same", "title": "T"},
        {"_id": "d3", "text": "<script>"},
    ]
    page = look(client, "documents", "\n".join(map(json.dumps, lines)), "corpus.jsonl")
    assert tiles(page) == [1, 1, 1]
    assert "Judgments of changed documents become stale" in page.text
    confirm(client, page)
    assert archive.judgments.get("q1", "d1").is_stale
    assert archive.documents.get("d3").text == "<script>"


def test_judgments_made_after_the_preview_are_shown_before_replacing_them(client, archive):
    """An outdated preview stores nothing."""
    page = look(client, "judgments", "q1 0 d1 3\n")
    assert tiles(page) == [1, 0, 0]
    archive.judgments.change("q1", "d1", 2, author="bob")
    page = confirm(client, page)
    assert "Judgments have changed since the preview" in page.text
    assert tiles(page) == [0, 1, 0]
    assert archive.judgments.get("q1", "d1").grade == 2
    assert "Stored" in confirm(client, page).text
    assert archive.judgments.get("q1", "d1").grade == 3


def test_an_expired_preview_must_be_uploaded_again(client, archive, monkeypatch):
    """A preview expires, and belongs to the user who uploaded it."""
    page = look(client, "judgments", "q1 0 d1 3\n")
    monkeypatch.setattr("berryeval.service.lru_cache.time.monotonic", lambda: 1e12)
    assert "The file is no longer available" in confirm(client, page).text
    monkeypatch.undo()
    page = look(client, "judgments", "q1 0 d1 3\n")
    bob = {"Authorization": f"Bearer {archive.tokens.create('bob', 'judge')}"}
    data = {"staged": page.find("input", name="staged")["value"]}
    answer = client.post("/import/store", data=data, headers={**HEADERS, **bob})
    assert answer.status_code == 409
    assert archive.judgments.revision() == 0


def test_only_the_latest_previews_are_kept(monkeypatch, service):
    """They are in memory, which is limited; the latest one is always kept."""
    monkeypatch.setattr(memory, "_STAGED_BYTES", 100)
    client = service()
    pages = [look(client, "judgments", f"q1 0 d{n} 3\n") for n in range(4)]
    assert "The file is no longer available" in confirm(client, pages[0]).text
    assert "Stored" in confirm(client, pages[3]).text


def test_a_long_import_continues_in_the_background(client, archive, monkeypatch):
    """The page polls, and shows the result."""
    monkeypatch.setattr(routes, "_WAIT_SECONDS", 0.05)
    go_on = threading.Event()
    store = routes.store

    def store_slowly(*arguments, **options):
        go_on.wait(10)
        return store(*arguments, **options)

    monkeypatch.setattr(routes, "store", store_slowly)
    page = look(client, "judgments", "q1 0 d1 3\n")
    form = page.find("form", action="/import/store")
    data = {one["name"]: one["value"] for one in form.find_all("input")}
    answer = client.post("/import/store", data=data, headers=HEADERS, follow_redirects=False)
    address = answer.headers["location"]
    assert "Storing" in get_page(client, address).text
    go_on.set()
    while "Stored" not in get_page(client, address).text:
        pass
    assert archive.judgments.get("q1", "d1").grade == 3
    get_page(client, "/import/jobs/nothing", status=404)


QUERY_FILES = {
    "queries.csv": 'query_id,text\nq1,bake bread\nq2,"salt, or none"\n',
    "queries.txt": "id,query,category\nq1,bake bread,easy\nq2,salt,easy\n",
    "queries.tsv": "q1\tbake bread\nq2\tsalt\n",
    "topics.txt": "<top>\n<num> Number: 1\n<title> bake bread\n</top>\n"
    "<top>\n<num> Number: 2\n<title> salt\n</top>\n",
}


def look_at_several(client, files):
    """Upload several files for preview, and return the page."""
    content = [("file", (name, text.encode())) for name, text in files.items()]
    answer = client.post("/import", data={"kind": "judgments"}, files=content, headers=HEADERS)
    assert answer.status_code == 200, answer.text[:2000]
    return parse(answer.text)


@pytest.mark.parametrize("name", QUERY_FILES)
def test_queries_are_detected_among_several_files(client, archive, name):
    """Tables with and without a header, and TREC topics, whatever their names."""
    page = look_at_several(client, {name: QUERY_FILES[name], "a.run": "q1 Q0 d1 1 0.9 t\n"})
    kinds = [one.text for one in page.find_all("label", class_="import-file")]
    assert kinds == [f"{name} Queries", "a.run A run"]
    confirm(client, page)
    assert len(archive.queries.all()) == 2


def test_the_files_of_an_exported_golden_set_are_imported_together(client, archive, tmp_path):
    """Queries, judgments and documents are detected; its guideline, a sentence, is not a run."""
    archive.queries.put([Query("q1", "bake bread")])
    archive.documents.put([Document("d1", "Knead it.", title="Bread")])
    archive.judgments.put([JudgmentEntry("q1", "d1", 3)], author="ada")
    guideline = "3 answers the question, 2 answers part of it, 1 touches on it."
    archive.judging.put(JudgingPolicy(guideline=guideline))
    exported = client.get("/judgments/export?format=golden", headers=HTML)
    with zipfile.ZipFile(io.BytesIO(exported.content)) as packed:
        packed.extractall(tmp_path)
    files = {one.name: one.read_text("utf-8") for one in (tmp_path / "golden").iterdir()}
    files["relevance-judgments.json"] = files["relevance-judgments.json"].replace(
        '"grade": 3', '"grade": 2'
    )
    page = look_at_several(client, files)
    kinds = {one.text for one in page.find_all("label", class_="import-file")}
    assert kinds == {
        "relevance-judgments.json Judgments",
        "test-queries.json Queries",
        "documents.jsonl Documents",
    }
    [alert] = page.find_all("p", role="alert")
    assert alert.text.startswith("GUIDELINE.md: expected judgments")
    confirm(client, page)
    assert archive.judgments.get("q1", "d1").grade == 2
    assert not archive.runs.page().items


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ('{"q1": {"d1": 2}}', "Judgments"),
        ('{"q1": {"d1": 0.5}}', "A run"),
        ('{"judgments": {"d1": 2}}', "Judgments"),
        ('{"queries": {"d1": 0.5}}', "A run"),
    ],
)
def test_objects_of_numbers_are_detected_by_them(client, content, kind):
    """Whole numbers are grades; queries may be called as the parts of a golden set are."""
    page = look_at_several(client, {"a.json": content, "b.json": content})
    kinds = [one.text for one in page.find_all("label", class_="import-file")]
    assert kinds == [f"a.json {kind}", f"b.json {kind}"]


MARKDOWN = "# Bread\n\nKnead it for ten long minutes.\n"


@pytest.mark.parametrize("kind", ["judgments", "runs", "queries", "documents"])
def test_markdown_is_refused_with_the_shape_of_documents(client, kind):
    """Instead of the columns that it lacks; one file, and among several."""
    example = '{"_id": "guide.md", "title": "Guide", "text": "…"}'
    page = look(client, kind, MARKDOWN, "bread.md", status=422)
    alert = page.find("div", role="alert").text
    assert "bread.md: expected judgments, a run, queries or documents, found" in alert
    assert example in alert
    page = look_at_several(client, {"bread.md": MARKDOWN, "a.txt": "Salt is optional.\n"})
    assert [example in one.text for one in page.find_all("p", role="alert")] == [True, True]


@pytest.mark.parametrize("name", ["docs.csv", "docs.txt"])
def test_documents_in_another_shape_are_not_taken_for_something_else(client, name):
    """A table of documents looks like one of queries."""
    page = look(client, "documents", "id,title,text\nd1,Bread,Knead it.\n", name, status=422)
    alert = page.find("div", role="alert").text
    assert f"{name}:1: expected documents as JSON lines, found 'id,title,text'" in alert


def test_documents_with_the_keys_of_other_tools_are_detected(client):
    """Lucene calls the text contents."""
    row = json.dumps({"id": "d1", "contents": "Knead it."})
    page = look_at_several(client, {"docs.jsonl": row, "q.jsonl": '{"_id": "q1", "text": "x"}'})
    kinds = [one.text for one in page.find_all("label", class_="import-file")]
    assert kinds == ["docs.jsonl Documents", "q.jsonl Queries"]


@pytest.fixture
def _in_dispute(archive):
    """Two judges of a project agree on d1 and disagree on d2."""
    archive.queries.put([Query("q1", "bake bread")])
    archive.runs.put(Run.from_lists({"q1": ["d1", "d2"]}), RunFacts("bm25"))
    (run,) = archive.runs.page().items
    plan = ProjectPlan(PairSelection("holes", (run.run_id,)), 2, ("ada", "bob"))
    archive.projects.create("team", plan, author="eve")
    for judge, grades in (("ada", (2, 2)), ("bob", (2, 0))):
        for doc_id, grade in zip(("d1", "d2"), grades, strict=True):
            archive.projects.answer("team", "q1", doc_id, grade, author=judge)


@pytest.mark.usefixtures("_in_dispute")
def test_a_preview_names_the_rows_that_a_project_has_to_settle(client, archive):
    """It promises nothing that Store refuses, and becomes storable once they are settled."""
    rows = "q1 0 d1 1\nq1 0 d2 1\nq1 0 d3 1\n"
    before = archive.judgments.revision()
    page = look(client, "judgments", rows, "pool.qrels")
    assert "Judges disagree on the document of 1 row," in page.find("p", class_="fail").text
    (row,) = page.find("table").find("tbody").find_all("tr")
    assert row.text == "bake bread d2 team"
    assert row.find("a")["href"] == "/projects/team/settle"
    button = page.find("form", action="/import/store").find("button")
    assert "disabled" in button.attributes
    assert "The project team settles this disagreement" in confirm(client, page).text
    several = look_at_several(client, {"pool.qrels": rows, "other.qrels": "q1 0 d1 1\n"})
    boxes = [one.attributes for one in several.find_all("input", name="staged")]
    assert ["disabled" in one for one in boxes] == [True, False]
    assert several.find("a", href="/projects/team/settle")
    assert archive.judgments.revision() == before, "a preview stores nothing"
    archive.projects.settle("team", "q1", "d2", 1, author="eve")
    page = look(client, "judgments", rows, "pool.qrels")
    assert not page.find_all("p", class_="fail")
    assert "2 judgments are new or changed." in confirm(client, page).text


@pytest.mark.usefixtures("_in_dispute")
def test_a_file_that_leaves_a_disagreement_as_it_is_can_be_stored(client, archive):
    """The same grade by no judge, and second opinions by judges, settle nothing."""
    rows = "query_id,doc_id,relevance,judge\nq1,d2,2,ada\nq1,d2,0,bob\nq1,d2,1,cem\n"
    for content, name in ((rows, "opinions.csv"), ("q1 0 d2 2\n", "same.qrels")):
        page = look(client, "judgments", content, name)
        assert not page.find_all("p", class_="fail"), name
        assert "Stored" in confirm(client, page).text
    assert archive.judgments.get("q1", "d2").grade == 2


def test_an_import_that_fails_stores_nothing(client, archive):
    """The page shows the error of the archive."""
    page = look(client, "judgments", f"q1 0 d1 3\nq1 0 {'d' * 2000} 3\n")
    done = confirm(client, page)
    assert "Nothing was stored" in done.text
    assert archive.judgments.revision() == 0


def test_a_form_without_a_file_is_rejected(client):
    """The page asks for one."""
    answer = client.post("/import", data={"kind": "runs"}, headers=HEADERS)
    assert answer.status_code == 422
    page = parse(answer.text)
    assert "Choose a file first." in page.text
    assert page.find("input", value="runs").attributes.get("checked", "no") != "no"


def test_a_reader_cannot_import(client, archive):
    """The page names the required role."""
    eve = {"Authorization": f"Bearer {archive.tokens.create('eve', 'read')}", **HTML}
    page = parse(client.get("/import", headers=eve).text)
    assert "You do not have permission to import" in page.text
    files = {"file": ("x", b"q1 0 d1 1\n")}
    assert client.post("/import", files=files, headers=eve).status_code == 403


@pytest.mark.parametrize(
    ("kind", "content"),
    [("judgments", b"{}"), ("runs", b"{}"), ("queries", b'{"queries": []}'), ("documents", b"")],
)
def test_an_empty_file_is_reported(client, kind, content):
    """There is nothing to store."""
    answer = client.post("/import", data={"kind": kind}, files={"file": ("empty.json", content)})
    assert answer.status_code == 422
    assert "found none" in answer.text or "empty" in answer.text


def test_a_file_cannot_settle_conflicts_by_its_name(client, archive):
    """The source of an imported judgment is a file, whatever its name."""
    stored = client.post(
        "/import",
        data={"kind": "judgments"},
        files={"file": ("settled", b"q1 0 d1 1\n")},
    )
    name = parse(stored.text).find("input", name="staged")["value"]
    client.post("/import/store", data={"staged": name})
    assert archive.judgments.get("q1", "d1").source == "file settled"


RUN = "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 1.5 bm25\n"
CORPUS = '{"_id": "d1", "title": "One", "text": "first"}\n'
QUERIES = '{"_id": "q1", "text": "bake bread"}\n'


def test_a_run_among_judgments_is_offered_as_a_run(client, archive):
    """The preview says so, and storing it stores a run."""
    page = look(client, "judgments", RUN, "bm25.run")
    assert "bm25.run is a run, not judgments." in page.text
    assert "The run bm25 is stored." in confirm(client, page).text
    assert archive.runs.page().items[0].facts.name == "bm25"


def test_several_files_are_listed_with_their_kinds_and_stored(client, archive):
    """Each is stored after those it refers to; files that cannot be read are explained."""
    contents = {
        "qrels": "bake bread\t0\td1\t3\n", "bm25.run": RUN, "corpus.jsonl": CORPUS,
        "queries.jsonl": QUERIES, "notes.md": "nothing of ours",
    }  # fmt: skip
    contents["qrels"] = '{"query_id": "bake bread", "doc_id": "d1", "relevance": 3}\n'
    files = [("file", (name, text.encode())) for name, text in contents.items()]
    answer = client.post("/import", data={"kind": "judgments"}, files=files, headers=HEADERS)
    page = parse(answer.text)
    kinds = [one.text for one in page.find("form").find_all("span", class_="chip")]
    assert kinds == ["Judgments", "A run", "Documents", "Queries"]
    assert len(page.find_all(role="alert")) == 1
    data = {
        "several": "yes",
        "staged": [one["value"] for one in page.find_all("input", name="staged")],
    }
    done = parse(client.post("/import/store", data=data, headers=HEADERS).text)
    assert "4 files" in done.text
    assert archive.judgments.get("q1", "d1").grade == 3, "the text of the query is known by then"
    counts = archive.check(deep=True).counts
    assert (counts["documents"], counts["queries"], counts["runs"]) == (1, 1, 1)
    again = client.post("/import/store", data=data, headers=HEADERS)
    assert (again.status_code, "no longer available" in again.text) == (409, True)


def test_one_of_several_files_may_fail_on_its_own(client, archive, monkeypatch):
    """The others are stored, and the page says which one was not."""
    files = [
        ("file", (name, text.encode())) for name, text in (("a.run", RUN), ("q.jsonl", QUERIES))
    ]
    page = parse(client.post("/import", files=files, headers=HEADERS).text)

    def fail(*_content, **_facts):
        raise ArgumentError("run", "another", "this")

    monkeypatch.setattr(archive.runs, "put", fail)
    data = {"staged": [one["value"] for one in page.find_all("input", name="staged")]}
    done = parse(client.post("/import/store", data=data, headers=HEADERS).text)
    assert "a.run: not stored." in done.text
    assert archive.queries.get("q1").text == "bake bread"
