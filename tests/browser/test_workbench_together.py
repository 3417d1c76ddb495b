"""Judging in bad moments and in company: nothing is lost, nobody is overwritten."""

import re

import pytest
from playwright.sync_api import expect

from browser import small_archive
from browser.judging import judge_all, judged_by, shown_pair, wait_until_saved

pytestmark = pytest.mark.browser

# What a browser says by itself about a server that is away, or that says no.
AWAY = r"ERR_CONNECTION|ERR_EMPTY|ERR_NETWORK|ERR_SOCKET"
NOT_LOGGED_IN = "status of 401"
KEEPS_NOTHING = """() => !Object.keys(localStorage).some(
  (name) => JSON.parse(localStorage[name] || "{}").entries?.length)"""


@pytest.fixture
def shared(new_workbench):
    """A service that asks for tokens, with two who may judge."""
    workbench = new_workbench(is_token_required=True)
    workbench.runs = small_archive.fill(workbench.archive)
    workbench.tokens = {
        name: workbench.archive.tokens.create(name, "judge") for name in ("carol", "dave")
    }
    return workbench


def log_in(page, token):
    """Give a token, and come to the page that was asked for."""
    page.get_by_label("Token").fill(token)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r":\d+/judge"))


def open_queue(visit, workbench, name):
    page = visit(workbench, "/judge")
    log_in(page, workbench.tokens[name])
    expect(page.locator("#judge[data-started=yes]")).to_be_attached()
    expect(page.locator("#judge-form")).to_be_visible()
    page.wait_for_load_state("networkidle")  # the next documents are there
    return page


def test_two_judge_at_once_and_nothing_is_lost(shared, visit):
    """Nobody is asked for what the other has open, and every grade is kept with its author."""
    carol, dave = (open_queue(visit, shared, name) for name in ("carol", "dave"))
    seen = {"carol": [], "dave": []}
    while len(seen["carol"]) + len(seen["dave"]) < small_archive.N_HOLES:
        before = len(seen["carol"]) + len(seen["dave"])
        for name, page in (("carol", carol), ("dave", dave)):
            if page.locator("#judge-form").is_visible():
                seen[name].append(shown_pair(page))
                page.keyboard.press("3" if name == "carol" else "2")
        assert len(seen["carol"]) + len(seen["dave"]) > before, seen
    for page in (carol, dave):
        wait_until_saved(page)
    assert sorted(seen["carol"] + seen["dave"]) == sorted(small_archive.holes())
    assert judged_by(shared.archive, small_archive.holes()) == {
        **dict.fromkeys(seen["carol"], ("carol", 3)),
        **dict.fromkeys(seen["dave"], ("dave", 2)),
    }


def test_a_grade_that_came_second_is_a_question(shared, visit):
    """Whoever was quicker is named, and their grade stays until somebody decides."""
    page = open_queue(visit, shared, "carol")
    pair = shown_pair(page)
    shared.archive.judgments.change(*pair, 1, author="dave", source="workbench")
    page.keyboard.press("3")
    trouble = page.locator("#judge-troubles")
    expect(trouble).to_contain_text("dave has graded")
    assert judged_by(shared.archive, [pair]) == {pair: ("dave", 1)}
    trouble.get_by_role("button", name=re.compile("Replace with my 3")).click()
    wait_until_saved(page)
    assert judged_by(shared.archive, [pair]) == {pair: ("carol", 3)}
    states = shared.archive.judgments.history(*pair)
    assert sorted((one.author, one.grade) for one in states) == [("carol", 3), ("dave", 1)]


def test_a_login_that_ends_while_judging_loses_nothing(shared, visit):
    """The page keeps the grades, says why, and sends them once somebody has logged in again."""
    visit.expect(NOT_LOGGED_IN)
    page = open_queue(visit, shared, "carol")
    page.context.clear_cookies()
    given = []
    for _ in range(3):
        given.append(shown_pair(page))
        page.keyboard.press("3")
    expect(page.locator("#judge-troubles")).to_contain_text("no longer logged in as carol")
    assert judged_by(shared.archive, given) == {}
    with page.context.expect_page() as opened:
        page.get_by_role("link", name=re.compile("Log in")).click()
    log_in(opened.value, shared.tokens["carol"])
    opened.value.close()
    wait_until_saved(page)
    assert judged_by(shared.archive, given) == dict.fromkeys(given, ("carol", 3))
    expect(page.locator("#judge-trouble")).to_have_count(0)


def test_a_server_that_restarts_while_a_page_is_open_loses_nothing(shared, visit):
    """Judging goes on meanwhile; what was pressed is written when the server is back."""
    visit.expect(AWAY)
    page = open_queue(visit, shared, "dave")
    given = [shown_pair(page)]
    page.keyboard.press("2")
    wait_until_saved(page)
    shared.stop()
    for _ in range(4):
        given.append(shown_pair(page))
        page.keyboard.press("1")
    expect(page.locator("#judge-troubles")).to_contain_text("is not responding")
    shared.start()
    wait_until_saved(page)
    found = judged_by(shared.archive, given)
    assert found == {given[0]: ("dave", 2)} | dict.fromkeys(given[1:], ("dave", 1))


def test_a_page_that_was_closed_in_a_bad_moment_has_lost_nothing(shared, visit):
    """The next page of the queue sends what the browser kept."""
    visit.expect(AWAY)
    page = open_queue(visit, shared, "dave")
    pair = shown_pair(page)
    shared.stop()
    page.keyboard.press("3")
    expect(page.locator("#judge-troubles")).to_contain_text("1 answer is kept")
    context = page.context
    page.close()
    shared.start()
    again = context.new_page()
    again.goto("/judge")
    again.wait_for_function(KEEPS_NOTHING)
    assert judged_by(shared.archive, [pair]) == {pair: ("dave", 3)}


def test_whoever_may_only_read_is_told_so(shared, visit):
    """And how to get further."""
    token = shared.archive.tokens.create("eve", "read")
    page = visit(shared, "/judge")
    log_in(page, token)
    expect(page.get_by_role("main")).to_contain_text("role judge")
    expect(page.locator("[data-grade]")).to_have_count(0)


def test_one_key_a_document_and_undo(shared, visit):
    """Undo takes the last grade back, asks for the document again, and keeps what is given then."""
    page = open_queue(visit, shared, "carol")
    pair = shown_pair(page)
    page.keyboard.press("1")
    wait_until_saved(page)
    page.keyboard.press("u")
    assert shown_pair(page) == pair
    page.keyboard.press("3")
    wait_until_saved(page)
    assert judged_by(shared.archive, [pair]) == {pair: ("carol", 3)}
    rest = judge_all(page, "2")
    assert len(rest) == small_archive.N_HOLES - 1
    expect(page.get_by_role("main")).to_contain_text("Everything is judged")


def test_judging_works_without_scripts(shared, visit):
    """A grade is a button of a form; the next document is the next page."""
    page = visit(shared, "/judge", java_script_enabled=False)
    log_in(page, shared.tokens["carol"])
    while page.locator("#judge-form").is_hidden():  # it is looking for what to judge
        page.reload()
    given = []
    for grade in ("3", "0"):
        given.append(shown_pair(page))
        page.locator(f"button[data-grade='{grade}']").click()
        page.wait_for_load_state()
    assert judged_by(shared.archive, given) == {given[0]: ("carol", 3), given[1]: ("carol", 0)}
    assert shown_pair(page) not in given
