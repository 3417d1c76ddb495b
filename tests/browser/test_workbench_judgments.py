"""Judgments in a real browser: live search, a history drawer, and removal."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # one of the journeys uses both databases


def test_the_list_follows_search_and_filters(visit, workbench):
    """It updates in place, the field keeps its focus, and the URL can be shared."""
    page = visit(workbench, "/judgments")
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


def test_a_row_opens_its_history_and_removal_asks_first(visit, new_workbench):
    """The drawer opens beside the list; Escape closes it."""
    workbench = new_workbench()
    page = visit(workbench, "/judgments?show=conflicts")
    page.get_by_role("link", name="when to water tomatoes").click()
    drawer = page.get_by_role("dialog", name="Details")
    expect(drawer.locator(".history li")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    page.get_by_role("link", name="when to water tomatoes").click()
    drawer.get_by_role("button", name="Withdraw", exact=True).click()
    asking = page.locator("#asking")
    asking.get_by_role("button", name="Cancel").click()
    assert workbench.archive.judgments.get("q01", "q01-b").grade == 1
    drawer.get_by_role("button", name="Withdraw", exact=True).click()
    asking.get_by_role("button", name="Withdraw").click()
    page.wait_for_url("**/judgments/q01/q01-b")
    assert workbench.archive.judgments.get("q01", "q01-b") is None
    expect(page.get_by_role("heading", name="Not judged")).to_be_visible()
