"""Judgments in a real browser: found while one types, followed in a drawer, taken back."""

import pytest
from playwright.sync_api import expect

from browser import small_archive

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys run on both


@pytest.fixture
def filled(new_workbench):
    """A service of one's own over the small archive."""
    started = new_workbench()
    small_archive.fill(started.archive)
    return started


def test_the_list_follows_what_is_typed_and_chosen(visit, filled):
    """In place: the field keeps its focus, and the address can be sent to somebody."""
    page = visit(filled, "/judgments")
    rows = page.locator("#found tbody tr")
    expect(rows).to_have_count(50)
    page.get_by_label("Search judgments").click()
    page.keyboard.type("WATER tomatoes")
    expect(rows).to_have_count(15)
    expect(page.get_by_label("Search judgments")).to_be_focused()
    page.get_by_label("Grade").select_option("3")
    expect(rows).to_have_count(1)
    assert "q=WATER" in page.url
    page.reload()
    expect(rows).to_have_count(1)
    page.locator("#found").get_by_role("link", name="Show all").click()
    expect(rows).to_have_count(50)


def test_a_row_opens_its_history_and_what_is_taken_back_asks_first(visit, filled):
    """The drawer beside the list; Escape closes it."""
    page = visit(filled, "/judgments?show=conflicts")
    page.get_by_role("link", name="when to water tomatoes").click()
    drawer = page.get_by_role("dialog", name="Details")
    expect(drawer.locator(".history li")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    page.get_by_role("link", name="when to water tomatoes").click()
    drawer.get_by_role("button", name="Withdraw", exact=True).click()
    asking = page.locator("#asking")
    asking.get_by_role("button", name="Cancel").click()
    assert filled.archive.judgments.get("q01", "q01-b").grade == 1
    drawer.get_by_role("button", name="Withdraw", exact=True).click()
    asking.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/judgments/q01/q01-b")
    assert filled.archive.judgments.get("q01", "q01-b") is None
    expect(page.get_by_role("heading", name="Not judged")).to_be_visible()


def test_a_conflict_is_settled_in_the_drawer(visit, filled):
    """One click on the grade that counts."""
    page = visit(filled, "/judgments?show=conflicts")
    page.get_by_role("link", name="when to water tomatoes").click()
    page.get_by_role("dialog", name="Details").locator("button[value='1']").click()
    page.wait_for_url("**/judgments/q01/q01-b")
    stored = filled.archive.judgments.get("q01", "q01-b")
    assert (stored.grade, stored.source) == (1, "settled")
    page.goto("/judgments?show=conflicts")
    expect(page.get_by_text("No conflicts")).to_be_visible()


def test_a_file_is_looked_at_and_stored(visit, filled, tmp_path):
    """What fits the kind of file is asked for, and no more."""
    file = tmp_path / "new.run"
    file.write_text(small_archive.run_file(small_archive.candidate(), "new"), encoding="utf-8")
    page = visit(filled, "/import")
    expect(page.get_by_label("Name of the system")).to_be_hidden()
    page.get_by_role("radio", name="A run").check()
    expect(page.get_by_text("Judges and sources named in the file are kept.")).to_be_hidden()
    page.get_by_label("Name of the system").fill("brand new")
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Store the run").click()
    page.get_by_role("link", name="Open").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("brand new")
