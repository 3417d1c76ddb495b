"""The main tasks in a browser, from an empty archive to a new baseline."""

import re

import pytest
from playwright.sync_api import expect

from browser import small_archive
from browser.judging import judge_all, judged_by, shown_pair, wait_for_queue, wait_until_saved
from depth import IS_DEEP

pytestmark = pytest.mark.browser
# The service's own tests use both databases for every route.
DATABASES = ("sqlite", "postgresql") if IS_DEEP else ("sqlite",)

MAX_SHIFT = 0.02


@pytest.fixture
def files(tmp_path):
    """Files on a user's disk."""
    contents = {
        "qrels.txt": small_archive.judgments_file(),
        "bm25.run": small_archive.run_file(small_archive.baseline(), "bm25"),
        "hybrid.run": small_archive.run_file(small_archive.candidate(), "hybrid"),
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def import_file(page, kind, path):
    """Choose a file, preview its changes, and store it; only runs have a name."""
    page.goto("/import")
    page.get_by_role("radio", name=re.compile(kind)).check()
    expect(page.get_by_label("Name of the system")).to_be_visible(visible=kind == "A run")
    page.get_by_label("File").set_input_files(path)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name=path.name)).to_be_visible()
    page.get_by_role("button", name=re.compile("^Store")).click()
    expect(page.get_by_role("heading", name="Stored")).to_be_visible()


def test_from_files_to_a_comparison(new_workbench, visit, files):
    """An empty archive suggests what to do; judgments and runs are imported from files."""
    workbench = new_workbench(is_empty=True)
    page = visit(workbench, "/")
    expect(page.get_by_role("main")).to_contain_text("No runs yet")
    page.get_by_role("link", name="Import files").click()
    page.wait_for_url("**/import?kind=judgments")
    import_file(page, "Judgments", files / "qrels.txt")
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


def test_a_gate_is_set_up_and_run(new_workbench, visit):
    """The form proposes guards, replays them, and runs the gate."""
    workbench = new_workbench()
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
    """Return the badge beside the headline of a comparison."""
    return page.locator("main .verdict .badge").first


def run_gate(page):
    """Run the gate, and return the URL of its verdict."""
    page.get_by_role("button", name="Run the gate").click()
    return page.locator("#decide .badge").first


def test_judging_holes_changes_the_verdict(new_workbench, visit):
    """A user judges twenty holes by keyboard, sees the verdict change, and sets a baseline."""
    workbench = new_workbench()
    page = visit(workbench, f"/compare?a=main&b={workbench.runs['hybrid']}")
    expect(verdict_of(page)).to_contain_text("Worse")
    doubt = page.get_by_role("region", name="Verdict").locator(".doubt")
    expect(doubt).to_contain_text(
        "Extreme grades for 20 unjudged documents could change this. Judge now"
    )
    expect(doubt.get_by_role("link")).to_have_attribute("href", re.compile("^/judge.a=main&b="))
    expect(run_gate(page)).to_have_text("fail")
    page.get_by_role("link", name="Judge those that could change it").click()
    wait_for_queue(page)
    expect(page.locator("#judge-count")).to_contain_text("20 to go")
    asked = judge_all(page, "3")
    assert page.evaluate("window.shifted") < MAX_SHIFT
    assert sorted(asked) == sorted(small_archive.holes())
    assert judged_by(workbench.archive, asked) == dict.fromkeys(asked, ("local", 3))
    page.get_by_role("link", name="See the comparison").click()
    expect(verdict_of(page)).to_contain_text("Better")
    expect(run_gate(page)).to_have_text("pass")
    page.get_by_role("button", name="Set candidate as baseline").click()
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.locator("#asking").get_by_role("button", name="Set candidate").click()
    page.wait_for_load_state()
    expect(page.get_by_role("main")).to_contain_text("baseline")
    assert workbench.archive.baselines.get("main").run_id == workbench.runs["hybrid"]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"], scope="module")
def test_two_judges_at_once_lose_nothing(new_workbench, visit):
    """No document is assigned to both, and every grade is stored with its author."""
    workbench = new_workbench(is_token_required=True)
    pages, seen = {}, {"carol": [], "dave": []}
    for name in seen:
        pages[name] = visit(workbench, "/judge")
        pages[name].get_by_label("Token").fill(workbench.archive.tokens.create(name, "judge"))
        pages[name].keyboard.press("Enter")
        wait_for_queue(pages[name])
    grades = {"carol": 3, "dave": 2}
    while (before := sum(map(len, seen.values()))) < small_archive.N_HOLES:
        for name, page in pages.items():
            if page.locator("#judge-form").is_visible():
                seen[name].append(shown_pair(page))
                page.keyboard.press(str(grades[name]))
        assert sum(map(len, seen.values())) > before, seen
    for page in pages.values():
        wait_until_saved(page)
    assert sorted(seen["carol"] + seen["dave"]) == sorted(small_archive.holes())
    assert judged_by(workbench.archive, small_archive.holes()) == {
        pair: (name, grades[name]) for name, pairs in seen.items() for pair in pairs
    }
