"""Overview and runs in a browser: pointer, keyboard, and live updates."""

from dataclasses import replace

import pytest

from berryeval.archive import JudgmentEntry
from browser import small_archive

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # one of the journeys uses both databases


def test_a_dot_names_its_run_and_links_to_it(new_workbench, visit):
    """This works on hover and with keyboard focus; a chart needs two runs."""
    workbench = new_workbench()
    runs = workbench.archive.runs
    first = runs.get(workbench.runs["hybrid"])
    runs.put(runs.load(first.run_id), replace(first.facts, commit="c0ffee1"))
    page = visit(workbench, "/?series=hybrid")
    drawing = page.locator(".on-wide svg.trend")
    tip = page.locator(".trend-tip")
    dot = drawing.locator("a").first
    assert tip.is_hidden()
    box = dot.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert "b81d44a" in tip.text_content()
    page.mouse.move(5, 5)
    assert tip.is_hidden()
    dot.focus()
    assert "b81d44a" in tip.text_content()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{workbench.runs['hybrid']}")


def test_a_series_is_selected_from_a_list(workbench, visit):
    """No button is needed."""
    page = visit(workbench, "/")
    page.locator("select[name=series]").select_option("bm25")
    page.wait_for_url("**/?series=bm25*")
    assert "bm25" in page.locator("#trend-title").text_content()


def test_new_judgments_update_the_page_in_place(new_workbench, visit):
    """The scroll position is kept, and the new figures appear automatically."""
    workbench = new_workbench()
    page = visit(workbench, "/?series=hybrid")
    page.locator("#live:not([hx-get])").wait_for()
    before = page.locator(".verdict-figure .figure").text_content()
    entries = [JudgmentEntry(*pair, 3) for pair in small_archive.holes()]
    workbench.archive.judgments.put(entries, author="bob")
    page.reload()
    assert "20 newer judgments are being counted" in page.locator("#live").text_content()
    assert page.locator(".verdict-figure .figure").text_content() == before
    page.evaluate("window.shifted = 0")
    page.locator("#live:not([hx-get])").wait_for()
    after = page.locator(".verdict-figure .figure").text_content()
    assert float(after) > float(before)
    assert page.evaluate("window.shifted") < 0.01


def test_queries_are_searched_while_typing(workbench, visit):
    """The URL reflects the list, the field keeps focus, and nothing else is redrawn."""
    page = visit(workbench, f"/runs/{workbench.runs['hybrid']}")
    page.evaluate("document.querySelector('h1').dataset.mark = 'kept'")
    field = page.locator("#query-text")
    field.press_sequentially("roses")
    page.locator("#queries-title + p", has_text="2 of 40").wait_for()
    assert "q=roses" in page.url
    assert page.evaluate("document.activeElement.id") == "query-text"
    page.get_by_role("link", name="RR", exact=True).last.click()
    page.locator("#queries th[aria-sort]", has_text="RR").wait_for()
    assert "q=roses" in page.url
    assert page.evaluate("document.querySelector('h1').dataset.mark") == "kept"


def test_a_run_is_removed_only_after_confirmation(new_workbench, visit):
    """Cancelling keeps it."""
    workbench = new_workbench()
    page = visit(workbench, f"/runs/{workbench.runs['hybrid']}")
    page.get_by_text("More", exact=True).click()
    page.get_by_role("button", name="Remove…").click()
    page.get_by_role("button", name="Cancel").click()
    assert workbench.archive.runs.get(workbench.runs["hybrid"]) is not None
    page.get_by_role("button", name="Remove…").click()
    page.locator("#asking").get_by_role("button", name="Remove").click()
    page.wait_for_url("**/runs")
    assert workbench.archive.runs.get(workbench.runs["hybrid"]) is None


def test_the_menu_of_a_run_closes_on_escape_and_outside_clicks(workbench, visit):
    """Focus returns to the menu button."""
    page = visit(workbench, f"/runs/{workbench.runs['hybrid']}")
    menu = page.locator("details.actions")
    menu.locator("summary").click()
    page.keyboard.press("Escape")
    assert not menu.evaluate("menu => menu.open")
    assert page.evaluate("document.activeElement.textContent") == "More"
    page.keyboard.press("Enter")
    assert menu.evaluate("menu => menu.open")
    page.locator("h1").click()
    assert not menu.evaluate("menu => menu.open")
