"""The main jobs, from an empty archive to a new baseline, as a person does them in a browser."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser import small_archive
from browser.judging import judge_all, judged_by

pytestmark = pytest.mark.browser


@pytest.fixture
def files(tmp_path):
    """What somebody has on their disk."""
    contents = {
        "qrels.txt": small_archive.judgments_file(),
        "bm25.run": small_archive.run_file(small_archive.baseline(), "bm25"),
        "hybrid.run": small_archive.run_file(small_archive.candidate(), "hybrid"),
        "queries.jsonl": "".join(
            json.dumps({"id": one.query_id, "query": one.text, "category": one.category}) + "\n"
            for one in small_archive.queries()
        ),
        "documents.jsonl": "".join(
            json.dumps({"_id": one.doc_id, "title": one.title, "text": one.text}) + "\n"
            for one in small_archive.documents()
        ),
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def import_file(page, kind, path):
    """Choose a file, look at what it would change, and store it."""
    page.goto("/import")
    page.get_by_role("radio", name=re.compile(kind)).check()
    page.get_by_label("File").set_input_files(path)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name=path.name)).to_be_visible()
    page.get_by_role("button", name=re.compile("^Store")).click()
    expect(page.get_by_role("heading", name="Stored")).to_be_visible()


def test_from_files_to_a_comparison(new_workbench, visit, files):
    """An empty archive says what to do; judgments, runs, queries and documents come as files."""
    workbench = new_workbench()
    page = visit(workbench, "/")
    expect(page.get_by_role("main")).to_contain_text("No runs yet")
    page.get_by_role("link", name="Import files").click()
    page.wait_for_url("**/import")
    import_file(page, "Judgments", files / "qrels.txt")
    import_file(page, "Queries", files / "queries.jsonl")
    import_file(page, "Documents", files / "documents.jsonl")
    import_file(page, "A run", files / "bm25.run")
    import_file(page, "A run", files / "hybrid.run")
    page.get_by_role("link", name="Open").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("hybrid")
    runs = {run.facts.name: run.run_id for run in workbench.archive.runs.page().items}
    assert runs.keys() == {"bm25", "hybrid"}
    counts = workbench.archive.check(deep=True).counts
    assert counts["judgments"] == len(small_archive.judgments())
    page.goto("/compare")
    page.get_by_label("Baseline").select_option(runs["bm25"])
    page.get_by_label("Candidate").select_option(runs["hybrid"])
    page.get_by_role("button", name="Compare").click()
    expect(verdict_of(page)).to_contain_text("Worse")


def test_a_gate_is_set_up_and_decides(new_workbench, visit):
    """The form proposes guards, replays them, and lets them decide."""
    workbench = new_workbench()
    workbench.runs = small_archive.fill(workbench.archive)
    page = visit(workbench, "/gates")
    page.get_by_role("link", name="New gate").click()
    page.get_by_label("Name", exact=True).fill("nightly")
    expect(page.locator("#strip")).to_contain_text("Of the last 2 runs")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url(re.compile("/gates/nightly"))
    assert workbench.archive.gates.get("nightly").settings["baseline"] == "main"
    page.get_by_role("button", name="Check the newest run").click()
    page.wait_for_url(re.compile(r"/verdicts/\d+"))
    expect(page.locator(".verdict-card .badge")).to_have_text("fail")


def verdict_of(page):
    """The badge beside the sentence at the top of a comparison."""
    return page.locator("main .verdict .badge").first


def run_gate(page):
    """Let the gate decide, and return where its verdict stands."""
    page.get_by_role("button", name="Run the gate").click()
    return page.locator("#decide .badge").first


def test_judging_what_nobody_judged_turns_the_verdict(new_workbench, visit):
    """Compare, judge twenty holes by keyboard, see the verdict change, set a baseline."""
    workbench = new_workbench()
    workbench.runs = small_archive.fill(workbench.archive)
    page = visit(workbench, f"/compare?a=main&b={workbench.runs['hybrid']}")
    expect(verdict_of(page)).to_contain_text("Worse")
    expect(run_gate(page)).to_have_text("fail")
    page.get_by_role("link", name="Judge those that could change it").click()
    expect(page.locator("#judge[data-started=yes]")).to_be_attached()
    expect(page.locator("#judge-count")).to_contain_text("20 to go")
    asked = judge_all(page, "3")
    assert sorted(asked) == sorted(small_archive.holes())
    assert judged_by(workbench.archive, asked) == dict.fromkeys(asked, ("local", 3))
    page.get_by_role("link", name="See the comparison").click()
    expect(verdict_of(page)).to_contain_text("Better")
    expect(run_gate(page)).to_have_text("pass")
    page.get_by_role("button", name="Set candidate as baseline").click()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_load_state()
    expect(page.get_by_role("main")).to_contain_text("baseline")
    assert workbench.archive.baselines.get("main").run_id == workbench.runs["hybrid"]


def test_a_query_is_judged_where_it_is_seen(new_workbench, visit):
    """In the drawer of a document: the scores above follow, and the grade is in the list."""
    workbench = new_workbench()
    workbench.runs = small_archive.fill(workbench.archive)
    page = visit(workbench, f"/queries/q01?a=main&b={workbench.runs['hybrid']}")
    score = page.get_by_role("row", name=re.compile("nDCG@10")).first.get_by_role("cell").nth(1)
    # q01-b counts with grade 1: bob's second opinion of 2 stands beside it.
    expect(score).to_have_text("0.6278")
    page.get_by_role("link", name=re.compile("part 0")).first.click()
    drawer = page.get_by_role("dialog", name="Details")
    expect(drawer).to_contain_text("Begin in the morning")
    drawer.get_by_role("button", name=re.compile("3")).first.click()
    expect(score).to_have_text("0.9790")
    assert judged_by(workbench.archive, [("q01", "q01-new")]) == {("q01", "q01-new"): ("local", 3)}


def test_a_run_that_was_deleted_is_told(new_workbench, visit):
    """Its page says what happened, and so does each page that would show it."""
    workbench = new_workbench()
    workbench.runs = small_archive.fill(workbench.archive)
    gone = workbench.runs["hybrid"]
    page = visit(workbench, f"/compare?a=main&b={gone}")
    page.wait_for_load_state("networkidle")
    workbench.archive.runs.remove(gone)
    visit.expect("status of 404")
    for path in (f"/runs/{gone}", f"/compare?a=main&b={gone}", f"/queries/q01?a=main&b={gone}"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text(gone[:8])
        expect(page.get_by_role("main").get_by_role("link").first).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("main")).not_to_contain_text(gone[:8])
