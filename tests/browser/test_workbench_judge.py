"""Judging by keyboard in a real browser: one key a document, and nothing is ever lost."""

import re
import time

import pytest

from berryeval import Document, Run
from berryeval.archive import RunFacts
from browser import small_archive

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys run on both

GONE = r"ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|40[19]"


@pytest.fixture
def filled(new_workbench):
    """A service of one's own over the small archive, with twenty holes."""
    started = new_workbench()
    started.runs = small_archive.fill(started.archive)
    return started


def judged(workbench):
    """The grades of the holes that were judged by now."""
    found = (workbench.archive.judgments.get(*pair) for pair in small_archive.holes())
    return [one.grade for one in found if one is not None]


def wait_for(condition, seconds=15):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def opened(visit, workbench, path="/judge", **options):
    """Open the queue, and wait for its script and its first documents."""
    page = visit(workbench, path, **options)
    page.locator("#judge[data-started=yes]").wait_for()
    page.locator("#judge-form:not([hidden])").wait_for()
    return page


def shown(page):
    """The query and the document before the judge, read at once, when there is one."""
    found = page.wait_for_function("""() => {
      const text = (id) => document.getElementById(id).innerText;
      const isThere = !document.getElementById("judge-form").hidden;
      return isThere && [text("judge-query"), text("judge-title")];
    }""")
    return tuple(found.json_value())


def saved(page):
    """Wait until the server has written everything."""
    page.get_by_text("Saved", exact=True).wait_for(timeout=30_000)


def test_twenty_documents_are_judged_by_twenty_keys(visit, filled):
    """One key each, and the next document is there before the key is up."""
    page = opened(visit, filled)
    page.wait_for_function("document.getElementById('judge-count').textContent.startsWith('20')")
    seen = set()
    for number in range(20):
        # The first ten wait in the page; while these are judged, the next ones come.
        page.locator("#judge-form:not([hidden])").wait_for()
        seen.add(shown(page))
        page.keyboard.press(str(number % 4))
    assert len(seen) == 20
    page.get_by_text("Everything is judged").wait_for()
    saved(page)
    assert len(judged(filled)) == 20
    assert sorted(judged(filled)) == sorted(float(number % 4) for number in range(20))
    assert page.evaluate("window.shifted") < 0.02


def test_no_key_waits_for_the_server(visit, filled):
    """While the first answer is still on its way, the next documents are judged."""
    page = opened(visit, filled)
    page.wait_for_timeout(500)  # the next documents come
    page.evaluate("""() => {
      const send = window.fetch;
      const released = new Promise((resolve) => { window.release = resolve; });
      window.fetch = async (address, options) => {
        if (String(address).endsWith("/judge/answers")) await released;
        return send(address, options);
      };
    }""")
    for _ in range(5):
        was = shown(page)
        page.keyboard.press("2")
        assert shown(page) != was
    assert "5 to save" in page.locator("#judge-saved").inner_text()
    assert judged(filled) == []
    page.evaluate("window.release()")
    saved(page)
    assert judged(filled) == [2.0] * 5


def test_undo_goes_back_and_skip_goes_on(visit, filled):
    """Undo takes the last back, and the one before; a skipped document is not asked for again."""
    page = opened(visit, filled)
    first = shown(page)
    page.keyboard.press("3")
    second = shown(page)
    saved(page)
    page.keyboard.press("s")
    assert shown(page) not in (first, second)
    page.keyboard.press("u")
    assert shown(page) == second
    page.keyboard.press("u")
    assert shown(page) == first
    page.keyboard.press("1")
    assert shown(page) == second
    page.keyboard.press("s")
    saved(page)
    wait_for(lambda: judged(filled) == [1.0])
    page.reload()
    page.locator("#judge[data-started=yes]").wait_for()
    assert shown(page) not in (first, second)
    pair = next(one for one in small_archive.holes() if filled.archive.judgments.get(*one))
    grades = [state.grade for state in filled.archive.judgments.history(*pair)]
    assert grades == [3, None, 1]


def test_buttons_do_what_keys_do(visit, filled):
    """For a thumb on a phone."""
    page = opened(visit, filled, viewport={"width": 390, "height": 844}, has_touch=True)
    first = shown(page)
    page.get_by_role("button", name="Answers it").tap()
    assert shown(page) != first
    page.get_by_role("button", name="Undo").tap()
    assert shown(page) == first
    page.get_by_role("button", name="Marginal").tap()
    page.get_by_role("button", name="Skip").tap()
    saved(page)
    assert judged(filled) == [1.0]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_help_tells_the_keys_and_keys_do_nothing_behind_it(visit, filled):
    """It closes by Escape."""
    page = opened(visit, filled)
    was = shown(page)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys and grades")
    dialog.wait_for()
    page.keyboard.press("2")
    assert shown(page) == was
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.keyboard.press("2")
    assert shown(page) != was


def test_a_server_that_restarts_loses_nothing(visit, filled):
    """The judge goes on; answers are kept in the browser and sent when it is back."""
    visit.expect(GONE)
    page = opened(visit, filled)
    page.wait_for_timeout(500)  # the next documents come
    filled.stop()
    for _ in range(4):
        page.keyboard.press("2")
    page.get_by_text("The server is not responding.").wait_for()
    assert "4 answers are kept in this browser" in page.locator("#judge-trouble").inner_text()
    assert "4 to save" in page.locator("#judge-saved").inner_text()
    filled.start()
    page.locator("#judge-trouble").wait_for(state="detached", timeout=20_000)
    saved(page)
    assert judged(filled) == [2.0] * 4


def test_a_page_that_is_closed_before_its_answers_went_out_loses_nothing(visit, filled):
    """The next page that the judge opens sends them."""
    visit.expect(GONE)
    page = opened(visit, filled)
    page.wait_for_timeout(500)
    filled.stop()
    page.keyboard.press("3")
    page.keyboard.press("1")
    context = page.context
    page.close()
    filled.start()
    assert judged(filled) == []
    page = context.new_page()
    page.goto("/judge")
    wait_for(lambda: sorted(judged(filled)) == [1.0, 3.0])


def test_a_login_that_expired_loses_nothing(visit, new_workbench):
    """The judge logs in in another tab, and what was judged meanwhile is sent."""
    visit.expect(GONE)
    workbench = new_workbench(is_token_required=True)
    small_archive.fill(workbench.archive)
    archive = workbench.archive

    def log_in(page, token):
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Log in").click()

    page = visit(workbench, "/judge")
    log_in(page, archive.tokens.create("ada", "judge"))
    page.locator("#judge[data-started=yes]").wait_for()
    page.wait_for_timeout(500)
    archive.tokens.revoke("ada")
    page.wait_for_timeout(5500)  # who holds a token is remembered for five seconds
    for _ in range(3):
        page.keyboard.press("1")
    page.get_by_text("You are no longer logged in as ada.").wait_for()
    assert "3 answers are kept in this browser" in page.locator("#judge-trouble").inner_text()
    with page.context.expect_page() as other:
        page.get_by_role("link", name="Log in (opens a new tab)").click()
    log_in(other.value, archive.tokens.create("ada", "judge"))
    other.value.wait_for_url("**/judge")
    page.bring_to_front()
    page.locator("#judge-trouble").wait_for(state="detached")
    wait_for(lambda: judged(workbench) == [1.0] * 3)
    assert {archive.judgments.get(*pair).author for pair in small_archive.holes()
            if archive.judgments.get(*pair)} == {"ada"}  # fmt: skip


def test_two_judges_never_get_the_same(visit, filled):
    """Each judges half, and nothing is asked for twice."""
    pages = [opened(visit, filled), opened(visit, filled)]
    seen = []
    for turn in range(20):
        page = pages[turn % 2]
        if page.locator("#judge-form").is_hidden():
            continue
        seen.append(shown(page))
        page.keyboard.press("2")
    assert len(set(seen)) == len(seen) >= 16
    for page in pages:
        saved(page)
    wait_for(lambda: len(judged(filled)) == len(seen))


def test_whoever_was_quicker_is_named_and_the_judge_decides(visit, filled):
    """Keep theirs, or replace it knowingly."""
    page = opened(visit, filled)
    page.wait_for_timeout(500)
    for pair in small_archive.holes():
        filled.archive.judgments.change(*pair, 1, author="bob")
    page.keyboard.press("3")
    page.keyboard.press("3")
    lines = page.locator(".judge-trouble")
    lines.nth(1).wait_for()
    assert re.search("bob has graded “.*” 1; you graded it 3.", lines.first.inner_text())
    lines.first.get_by_role("button", name="Keep bob").click()
    lines.first.get_by_role("button", name="Replace with my 3").click()
    saved(page)
    wait_for(lambda: sorted(judged(filled)) == [1.0] * 19 + [3.0])
    assert lines.count() == 0


def test_a_conflict_is_settled_by_one_key(visit, filled):
    """Both opinions are shown beside the document."""
    page = opened(visit, filled, "/judge?mode=conflicts")
    assert page.locator("#judge-opinions").inner_text().split() == ["ada", "1", "bob", "2"]
    page.keyboard.press("2")
    page.get_by_text("No conflicts").wait_for()
    saved(page)
    assert filled.archive.judgments.get("q01", "q01-b").source == "settled"


def test_a_very_long_document_comes_in_pieces(visit, filled):
    """Five megabytes, right to left, with markup: shown as text, all of it on request."""
    text = "شجرة <img src=x onerror=alert(1)> \U0001f333\n" * 140_000
    filled.archive.documents.put([Document("book", text, title="<b>كتاب</b>")])
    filled.archive.runs.put(Run.from_lists({"q01": ["book"]}), RunFacts("new"))
    for pair in small_archive.holes():
        filled.archive.judgments.change(*pair, 1, author="bob")
    page = opened(visit, filled)
    assert shown(page)[1] == "<b>كتاب</b>"
    assert f"20,000 of {len(text):,} characters" in page.locator("#judge-more-note").inner_text()
    page.get_by_role("button", name="Show all").click()
    page.locator("#judge-more").wait_for(state="hidden", timeout=60_000)
    length = page.evaluate("[...document.getElementById('judge-text').textContent].length")
    assert length == len(text)
    page.keyboard.press("0")
    saved(page)
    assert filled.archive.judgments.get("q01", "book").grade == 0


def test_without_scripts_the_form_does_it(visit, filled):
    """A grade, and the next page."""
    page = visit(filled, "/judge", java_script_enabled=False)
    while page.get_by_role("link", name="Reload").is_visible():
        page.get_by_role("link", name="Reload").click()
    first = shown(page)
    page.get_by_role("button", name="Answers it").click()
    assert shown(page) != first
    assert judged(filled) == [3.0]
