"""Try in a browser: from a query to a saved comparison."""

import re

import pytest
from playwright.sync_api import expect

from browser import small_archive

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # one of the journeys uses both databases


def test_a_setting_is_tuned_judged_scored_and_saved(workbench, visit):
    """A user tries a query with another setting, grades in place, scores, saves and compares."""
    small_archive.index(workbench.archive)
    page = visit(workbench, "/try")
    page.get_by_label("Query", exact=True).fill("when to prune basil")
    expect(page.locator(".side-1 .result")).to_have_count(20)
    expect(page).to_have_url(re.compile("id=q04"))

    def titles():
        return page.locator(".ranks .side-1 .title").all_text_contents()

    before = titles()
    mode = page.locator("#b-mode")
    mode.focus()
    mode.select_option("vector")
    page.get_by_text("Changed: mode vector").wait_for()
    assert titles() != before
    expect(page).to_have_url(re.compile("b.mode=vector"))
    expect(mode).to_be_focused()

    score = page.locator("#scores .chosen td").nth(1)
    was = score.text_content()
    page.locator(".ranks .side-1 .unjudged .doc").first.focus()
    page.keyboard.press("3")
    page.wait_for_function(
        "was => document.querySelectorAll('#scores .chosen td')[1].textContent !== was", arg=was
    )
    assert workbench.archive.judgments.history("q04", "q04-new")[-1].grade == 3.0

    page.get_by_role("button", name="Score all queries").click()
    expect(page.locator("#all table tbody tr")).not_to_have_count(0)
    difference = page.locator("#all tbody tr").first.locator("td").nth(2).text_content()
    page.get_by_role("button", name="Save both and compare").click()
    page.wait_for_url(re.compile("/compare\\?a="))
    expect(page.locator("main")).to_contain_text(difference.strip())


def test_enter_searches_one_query(workbench, visit):
    """In the query and in a setting: only a click on its button scores all queries."""
    visit.expect("htmx:(afterRequest|sendAbort)")  # Enter replaces a search under way
    small_archive.index(workbench.archive)
    page = visit(workbench, "/try")
    posted = []
    page.on("request", lambda request: request.method == "POST" and posted.append(request.url))
    page.get_by_label("Query", exact=True).fill("when to prune basil")
    page.keyboard.press("Enter")
    expect(page.locator(".side-1 .result")).to_have_count(20)
    page.get_by_label("Results", exact=True).fill("5")
    page.keyboard.press("Enter")
    expect(page.locator(".side-1 .result")).to_have_count(5)
    expect(page.locator("#all")).to_be_empty()
    assert posted == []


def test_settings_that_few_change_are_folded_and_stay_as_they_were_left(workbench, visit):
    """They open by themselves if one of them is changed, and stay open while others change."""
    small_archive.index(workbench.archive)
    page = visit(workbench, "/try?q=basil")
    depth, more = page.locator("#b-depth"), page.locator("#b-more")
    expect(page.locator("#b-weights")).to_be_visible()
    expect(depth).to_be_hidden()
    more.locator("summary").click()
    expect(depth).to_be_visible()
    page.locator("#b-mode").select_option("vector")
    page.get_by_text("Changed: mode vector").wait_for()
    expect(depth).to_be_visible()
    expect(page.locator("#a-depth")).to_be_hidden()
    page.reload()
    expect(depth).to_be_visible()
    more.locator("summary").click()
    page.reload()
    expect(depth).to_be_hidden()
    changed = visit(workbench, "/try?q=basil&a.depth=7")
    expect(changed.locator("#a-depth")).to_be_visible()
