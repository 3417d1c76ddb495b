"""Judging by keyboard in a real browser: one key per document, without delays."""

import re

import pytest
from playwright.sync_api import expect

from berryeval import Document, Run
from berryeval.archive import RunFacts
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from browser import small_archive
from browser.judging import judge_all, wait_for_queue, wait_until_saved
from waiting import wait_until

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # one of the journeys uses both databases


@pytest.fixture
def filled(new_workbench):
    """A separate service over the small archive, with twenty holes."""
    return new_workbench()


def judged(workbench):
    """Return the grades of the holes that have been judged."""
    found = (workbench.archive.judgments.get(*pair) for pair in small_archive.holes())
    return [one.grade for one in found if one is not None]


def shown(page):
    """Return the query and document shown to the judge, read in one step once available."""
    found = page.wait_for_function("""() => {
      const text = (id) => document.getElementById(id).innerText;
      const isThere = !document.getElementById("judge-form").hidden;
      return isThere && [text("judge-query"), text("judge-title")];
    }""")
    return tuple(found.json_value())


@pytest.mark.parametrize("is_project", [False, True])
def test_the_words_of_labels_are_whole_on_any_screen(visit, filled, is_project):
    """A project has a third button beside the grades, which takes room from their labels."""
    if is_project:
        plan = ProjectPlan(PairSelection("holes", (filled.runs["hybrid"],)))
        filled.archive.projects.create("team", plan, author="eve")
    page = wait_for_queue(visit(filled, "/judge?project=team" if is_project else "/judge"))
    for width in range(1024, 1441, 52):
        page.set_viewport_size({"width": width, "height": 850})
        broken = page.evaluate("""() => [...document.querySelectorAll(".judge-meaning")]
          .flatMap((label) => {
            const text = [...label.childNodes].at(-1);
            return [...text.textContent.matchAll(/\\S+/g)].filter(({ 0: word, index }) => {
              const place = document.createRange();
              place.setStart(text, index);
              place.setEnd(text, index + word.length);
              return place.getClientRects().length > 1;
            }).map(([word]) => word);
          })""")
        assert broken == [], width


def test_keys_never_wait_for_the_server(visit, filled):
    """While the first request is pending, the next documents are judged."""
    page = wait_for_queue(visit(filled, "/judge"))
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
    wait_until_saved(page)
    assert judged(filled) == [2.0] * 5


def test_undo_goes_back_and_skip_moves_on(visit, filled):
    """Undo removes the last grade, then the one before; a skipped document is not shown again."""
    page = wait_for_queue(visit(filled, "/judge"))
    first = shown(page)
    page.keyboard.press("3")
    second = shown(page)
    wait_until_saved(page)
    page.keyboard.press("s")
    assert shown(page) not in (first, second)
    page.keyboard.press("u")
    assert shown(page) == second
    page.keyboard.press("u")
    assert shown(page) == first
    page.keyboard.press("1")
    assert shown(page) == second
    page.keyboard.press("s")
    wait_until_saved(page)
    wait_until(lambda: judged(filled) == [1.0])
    page.reload()
    wait_for_queue(page)
    assert shown(page) not in (first, second)
    pair = next(one for one in small_archive.holes() if filled.archive.judgments.get(*one))
    grades = [state.grade for state in filled.archive.judgments.history(*pair)]
    assert grades == [3, None, 1]


def test_buttons_do_the_same_as_keys(visit, filled):
    """Phones have only buttons."""
    page = wait_for_queue(
        visit(filled, "/judge", viewport={"width": 390, "height": 844}, has_touch=True)
    )
    first = shown(page)
    page.get_by_role("button", name=": Answers it").tap()
    assert shown(page) != first
    page.get_by_role("button", name="Undo").tap()
    assert shown(page) == first
    page.get_by_role("button", name="Marginal").tap()
    page.get_by_role("button", name="Skip").tap()
    wait_until_saved(page)
    assert judged(filled) == [1.0]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_help_lists_the_keys_and_disables_them(visit, filled):
    """Escape closes it."""
    page = wait_for_queue(visit(filled, "/judge"))
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


def test_a_conflict_is_settled_with_one_key(visit, filled):
    """Both opinions are shown next to the document."""
    page = wait_for_queue(visit(filled, "/judge?mode=conflicts"))
    assert page.locator("#judge-opinions").inner_text().split() == ["ada", "1", "bob", "2"]
    page.keyboard.press("2")
    page.get_by_text("No conflicts").wait_for()
    wait_until_saved(page)
    assert filled.archive.judgments.get("q01", "q01-b").source == "settled"


def test_a_very_long_document_is_loaded_in_pieces(visit, filled):
    """Right-to-left text with markup is shown literally, and completely on request."""
    text = "شجرة <img src=x onerror=alert(1)> \U0001f333\n" * 3_000
    filled.archive.documents.put([Document("book", text, title="<b>كتاب</b>")])
    filled.archive.runs.put(Run.from_lists({"q01": ["book"]}), RunFacts("new"))
    for pair in small_archive.holes():
        filled.archive.judgments.change(*pair, 1, author="bob")
    page = wait_for_queue(visit(filled, "/judge"))
    assert shown(page)[1] == "<b>كتاب</b>"
    assert f"20,000 of {len(text):,} characters" in page.locator("#judge-more-note").inner_text()
    page.get_by_role("button", name="Show all").click()
    page.locator("#judge-more").wait_for(state="hidden")
    length = page.evaluate("[...document.getElementById('judge-text').textContent].length")
    assert length == len(text)
    page.keyboard.press("0")
    wait_until_saved(page)
    assert filled.archive.judgments.get("q01", "book").grade == 0


def test_the_total_stays_while_one_judges(new_workbench, visit):
    """Saving answers and fetching more documents does not change it."""
    workbench = new_workbench()
    page = wait_for_queue(visit(workbench, "/judge"))
    count = page.locator("#judge-count")
    total = int(count.inner_text().removesuffix(" to go"))
    for n in range(1, 8):
        page.keyboard.press("1")
        wait_until_saved(page)
        expect(count).to_contain_text(f"{n} of {total} judged")
    page.keyboard.press("u")
    expect(count).to_contain_text(f"6 of {total} judged")
    assert page.locator("#judge-bar").get_attribute("max") == str(total)


@pytest.mark.parametrize("waits", [True, False], ids=["saved", "on-their-way"])
def test_undo_gives_back_what_an_answer_took(new_workbench, visit, waits):
    """Undo, and the same answer again, count once each, before and after answers are saved."""
    page = wait_for_queue(visit(new_workbench(), "/judge"))
    count = page.locator("#judge-count")

    def press(key, expected):
        page.keyboard.press(key)
        if waits:
            expect(page.locator("#judge-saved")).not_to_contain_text("to save")
        expect(count).to_have_text(re.compile(expected))

    expect(count).to_have_text("20 to go")
    for _ in range(2):
        press("3", "^1 of 20 judged")
        press("u", "^20 to go$")
    press("s", "^19 to go$")
    press("3", "^1 of 20 judged")
    press("u", "^19 to go$")
    press("u", "^20 to go$")
    press("u", "^20 to go$")
    expect(page.locator("#judge-saved")).to_be_empty()
    page.reload()
    wait_for_queue(page)
    expect(count).to_have_text("20 to go")


def test_the_count_ends_at_zero_and_returns(new_workbench, visit):
    """After the last document, undo brings it back, and the same grade ends the queue again."""
    workbench = new_workbench()
    page = wait_for_queue(visit(workbench, "/judge"))
    judge_all(page, "2")
    count = page.locator("#judge-count")
    expect(count).to_contain_text("20 of 20 judged")
    expect(count).not_to_contain_text("min left")
    page.keyboard.press("u")
    expect(count).to_contain_text("19 of 20 judged")
    page.keyboard.press("2")
    expect(count).to_contain_text("20 of 20 judged")
    wait_until_saved(page)
    assert judged(workbench) == [2.0] * 20


def test_a_double_click_grades_one_document(new_workbench, visit):
    """Nobody has read the next one yet; two clicks on Undo take back two answers."""
    workbench = new_workbench()
    page = wait_for_queue(visit(workbench, "/judge"))
    count, trail = page.locator("#judge-count"), page.locator("#judge-trail span")
    page.locator("[data-grade='1']").dblclick()
    wait_until_saved(page)
    expect(count).to_contain_text("1 of 20")
    expect(trail).to_have_count(1)
    page.keyboard.press("2")
    page.get_by_role("button", name="Undo").dblclick()
    expect(count).to_have_text("20 to go")
    expect(trail).to_have_count(0)
    wait_until(lambda: judged(workbench) == [])
