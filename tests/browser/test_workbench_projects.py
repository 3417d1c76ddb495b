"""Judging as a team in a browser: two judges, agreement, and a settled disagreement."""

import re

import pytest
from playwright.sync_api import expect

from browser import small_archive
from browser.judging import judge_all, shown_pair, wait_for_queue, wait_until_saved

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)


def log_in(page, token):
    """Enter a token, and return the page."""
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r":\d+/(judge|projects)"))
    return page


def start_project(page, run_id):
    """Fill in the form: ten documents of a run, for ada and bob."""
    page.get_by_role("link", name="New project").click()
    page.get_by_label("Runs", exact=True).select_option(run_id)
    page.get_by_label("At most").fill("10")
    page.get_by_label("Opinions per document").fill("2")
    page.get_by_role("checkbox", name="ada").check()
    page.get_by_role("checkbox", name="bob").check()
    page.get_by_label("Name", exact=True).fill("team")
    page.get_by_label("Guideline").fill("3 answers the question.")
    page.get_by_role("button", name="Start the project").click()


def test_two_judges_judge_the_same_ten_documents(new_workbench, visit):
    """An administrator starts it, both judges answer, the disagreement is settled."""
    workbench = new_workbench(is_token_required=True)
    tokens = {
        name: workbench.archive.tokens.create(name, role)
        for name, role in (("ada", "judge"), ("bob", "judge"), ("eve", "admin"))
    }
    admin = log_in(visit(workbench, "/projects"), tokens["eve"])
    start_project(admin, workbench.runs["hybrid"])
    expect(admin.get_by_role("main")).to_contain_text("0 of 10 documents")

    first = wait_for_queue(log_in(visit(workbench, "/judge?project=team"), tokens["ada"]))
    first.keyboard.press("?")
    expect(first.get_by_role("dialog")).to_contain_text("3 answers the question.")
    first.keyboard.press("Escape")
    disputed = shown_pair(first)
    first.keyboard.press("n")
    first.keyboard.type("names 3 remedies")
    first.keyboard.press("Escape")
    first.keyboard.press("3")
    refused = shown_pair(first)
    first.keyboard.press("x")
    first.keyboard.press("u")
    assert shown_pair(first) == refused
    first.keyboard.press("x")
    seen = [disputed, refused, *judge_all(first, "2")]
    expect(first.get_by_role("main")).to_contain_text("Nothing left for you")

    second = wait_for_queue(log_in(visit(workbench, "/judge?project=team"), tokens["bob"]))
    assert shown_pair(second) == disputed, "both judges get the same documents in the same order"
    second.keyboard.press("0")
    assert [disputed, *judge_all(second, "2")] == seen
    wait_until_saved(second)

    admin.reload()
    expect(admin.get_by_role("main")).to_contain_text("10 of 10 documents")
    row = admin.get_by_role("row", name=re.compile("^ada"))
    expect(row.get_by_role("cell").nth(0)).to_have_text("9")
    expect(row.get_by_role("cell").nth(1)).to_have_text("1")
    expect(admin.get_by_role("region", name="Agreement by category")).to_be_visible()
    admin.get_by_role("link", name="Settle them").click()
    dispute = admin.get_by_role("article")
    expect(dispute).to_have_count(1)
    expect(dispute).to_contain_text("names 3 remedies")
    dispute.get_by_label("Note").fill("2 of them are wrong")
    admin.keyboard.press("Tab")
    admin.keyboard.press("1")
    expect(admin.get_by_role("row", name=re.compile("eve$"))).to_be_visible()
    stored = workbench.archive.judgments.get(*disputed)
    assert (stored.grade, stored.author, stored.note) == (1, "eve", "2 of them are wrong")
    board = workbench.archive.projects.board("team")
    assert (board.n_done, board.conflicts) == (10, [])


def test_a_golden_set_is_exported_changed_and_imported_again(new_workbench, visit, tmp_path):
    """Opinions as a file, a grade changed in it, imported, and undone as a whole."""
    workbench = new_workbench()
    page = visit(workbench, "/judgments")
    page.get_by_role("main").get_by_text("Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="All opinions and notes (CSV)").click()
    path = tmp_path / "opinions.csv"
    lines = download.value.path().read_text().splitlines()
    columns = lines[0].split(",")
    fields = lines[1].split(",")
    pair = tuple(fields[columns.index(name)] for name in ("query_id", "doc_id"))
    before = workbench.archive.judgments.get(*pair)
    fields[columns.index("relevance")] = str(int(before.grade) + 1)
    path.write_text("\n".join([lines[0], ",".join(fields), *lines[2:]]))
    page.goto("/import")
    page.get_by_label("File").set_input_files(path)
    page.get_by_role("button", name="Preview").click()
    changed = page.locator(".tile", has_text=re.compile(r"^\s*Changed"))
    expect(changed.locator(".figure")).to_have_text("1")
    page.get_by_role("button", name="Store").click()
    expect(page.get_by_role("main")).to_contain_text("1 judgment is new or changed")
    assert workbench.archive.judgments.get(*pair).grade == before.grade + 1
    page.get_by_role("link", name="Open").click()
    page.get_by_role("link", name="Undo…").click()
    page.get_by_role("button", name="Undo the import").click()
    expect(page.get_by_role("row", name=re.compile("opinions.csv"))).to_contain_text("undone by")
    after = workbench.archive.judgments.get(*pair)
    assert (after.grade, after.author) == (before.grade, before.author)


def test_several_files_are_stored_together(new_workbench, visit, tmp_path):
    """The kind of each is detected, and a run among judgments is offered as a run."""
    workbench = new_workbench(is_empty=True)
    contents = {
        "qrels.txt": small_archive.judgments_file(),
        "bm25.run": small_archive.run_file(small_archive.baseline(), "bm25"),
        "notes.txt": "not a file of ours",
    }
    paths = [tmp_path / name for name in contents]
    for path in paths:
        path.write_text(contents[path.name], encoding="utf-8")
    page = visit(workbench, "/import")
    page.get_by_label("File").set_input_files(paths)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("listitem").filter(has_text="bm25.run")).to_contain_text("A run")
    page.get_by_role("button", name="Store the selected files").click()
    expect(page.get_by_role("main")).to_contain_text("The run bm25 is stored.")
    counts = workbench.archive.check(deep=True).counts
    assert (counts["judgments"], counts["runs"]) == (len(small_archive.judgments()), 1)
    page.goto("/import?kind=judgments")
    page.get_by_label("File").set_input_files(paths[1])
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("main")).to_contain_text("bm25.run is a run, not judgments.")
