"""Judging during failures and with other judges: nothing is lost or overwritten."""

import re

import pytest
from playwright.sync_api import expect

from browser import small_archive
from browser.judging import judged_by, shown_pair, wait_for_queue, wait_until_saved

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # two concurrent judges are one of the journeys, which use both databases

# Console messages of the browser itself about a server that is down or rejects a request.
AWAY = r"ERR_CONNECTION|ERR_EMPTY|ERR_NETWORK|ERR_SOCKET"
NOT_LOGGED_IN = "status of 401"
KEEPS_NOTHING = """() => !Object.keys(localStorage).some(
  (name) => JSON.parse(localStorage[name] || "{}").entries?.length)"""


def test_a_conflicting_grade_asks_the_judge(new_workbench, visit):
    """The other judge is named, and their grade stays until the judge replaces it."""
    workbench = new_workbench()
    page = wait_for_queue(visit(workbench, "/judge"))
    for pair in small_archive.holes():
        workbench.archive.judgments.change(*pair, 1, author="dave", source="workbench")
    given = []
    for _ in range(2):
        given.append(shown_pair(page))
        page.keyboard.press("3")
    lines = page.locator(".judge-trouble")
    expect(lines).to_have_count(2)
    expect(lines.first).to_have_text(re.compile("dave has graded “.*” 1; you graded it 3."))
    assert judged_by(workbench.archive, given) == dict.fromkeys(given, ("dave", 1))
    lines.first.get_by_role("button", name="Keep dave").click()
    lines.first.get_by_role("button", name="Replace with my 3").click()
    expect(lines).to_have_count(0)
    wait_until_saved(page)
    kept, replaced = given
    found = judged_by(workbench.archive, given)
    assert found == {kept: ("dave", 1), replaced: ("local", 3)}
    states = workbench.archive.judgments.history(*replaced)
    assert sorted((one.author, one.grade) for one in states) == [("dave", 1), ("local", 3)]


def test_a_session_that_expires_while_judging_loses_nothing(new_workbench, visit, monkeypatch):
    """The page keeps the grades, explains why, and sends them after a login in another tab."""
    monkeypatch.setattr("berryeval.service.middleware.access._REMEMBERED_SECONDS", 0.0)
    visit.expect(NOT_LOGGED_IN)
    workbench = new_workbench(is_token_required=True)
    tokens = workbench.archive.tokens
    page = visit(workbench, "/judge")
    log_in(page, tokens.create("carol", "judge"))
    wait_for_queue(page)
    tokens.revoke("carol")
    given = []
    for _ in range(3):
        given.append(shown_pair(page))
        page.keyboard.press("3")
    trouble = page.locator("#judge-trouble")
    expect(trouble).to_contain_text("no longer logged in as carol")
    expect(trouble).to_contain_text("3 answers are kept in this browser")
    assert judged_by(workbench.archive, given) == {}
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Log in (opens a new tab)").click()
    log_in(opened.value, tokens.create("carol", "judge"))
    opened.value.close()
    page.bring_to_front()
    wait_until_saved(page)
    assert judged_by(workbench.archive, given) == dict.fromkeys(given, ("carol", 3))
    expect(trouble).to_have_count(0)


def log_in(page, token):
    """Enter a token, and return to the requested page."""
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r":\d+/judge"))


def test_a_server_restart_loses_nothing(new_workbench, visit):
    """Judging continues meanwhile; grades are stored when the server is back."""
    visit.expect(AWAY)
    workbench = new_workbench()
    page = wait_for_queue(visit(workbench, "/judge"))
    given = [shown_pair(page)]
    page.keyboard.press("2")
    wait_until_saved(page)
    workbench.stop()
    for _ in range(4):
        given.append(shown_pair(page))
        page.keyboard.press("1")
    expect(page.locator("#judge-troubles")).to_contain_text("is not responding")
    expect(page.locator("#judge-troubles")).to_contain_text("4 answers are kept in this browser")
    expect(page.locator("#judge-saved")).to_contain_text("4 to save")
    workbench.start()
    wait_until_saved(page)
    found = judged_by(workbench.archive, given)
    assert found == {given[0]: ("local", 2)} | dict.fromkeys(given[1:], ("local", 1))


def test_grades_survive_closing_the_page(new_workbench, visit):
    """The next page of the queue sends the grades kept by the browser."""
    visit.expect(AWAY)
    workbench = new_workbench()
    page = wait_for_queue(visit(workbench, "/judge"))
    pair = shown_pair(page)
    workbench.stop()
    page.keyboard.press("3")
    expect(page.locator("#judge-troubles")).to_contain_text("1 answer is kept")
    context = page.context
    page.close()
    workbench.start()
    again = context.new_page()
    again.goto("/judge")
    again.wait_for_function(KEEPS_NOTHING)
    assert judged_by(workbench.archive, [pair]) == {pair: ("local", 3)}


def test_judging_works_without_scripts(new_workbench, visit):
    """Each grade is a form button, and the next document is a new page."""
    workbench = new_workbench()
    page = visit(workbench, "/judge", java_script_enabled=False)
    given = []
    for grade in ("3", "0"):
        given.append(next_without_scripts(page))
        press(page, page.locator(f"button[data-grade='{grade}']"))
    assert judged_by(workbench.archive, given) == {given[0]: ("local", 3), given[1]: ("local", 0)}
    assert next_without_scripts(page) not in given


def next_without_scripts(page):
    """Return the pair on the page, reloading it while the server looks for documents to judge."""
    while page.locator("#judge-looking").is_visible():
        press(page, page.get_by_role("link", name="Reload"))
    return shown_pair(page)


def press(page, control):
    """Click a control, and wait for the next page, which a click alone does not."""
    with page.expect_navigation():
        control.click()
