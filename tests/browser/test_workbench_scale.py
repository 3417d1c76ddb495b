"""Scales of two to ten grades: keys, labels and phones."""

import pytest
from playwright.sync_api import expect

from berryeval.archive.records import JudgingPolicy
from browser.accessibility import violations
from browser.judging import shown_pair, wait_for_queue, wait_until_saved
from browser.visits import settle
from depth import IS_DEEP

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # one of the journeys uses both databases

SCALES = {
    2: ("Not relevant", "Relevant"),
    10: tuple(f"Step {number} of ten" for number in range(10)),
}
FITTED = SCALES if IS_DEEP else (10,)  # fewer grades have more room
PHONE = {"width": 390, "height": 844}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# For each button: its label, its shorter side, and whether the label overflows.
MEASURE = """(buttons) => buttons.map((button) => {
  const { width, height } = button.getBoundingClientRect();
  const label = button.lastElementChild;
  const isCut = label.scrollHeight > label.clientHeight + 1
    || button.scrollWidth > button.clientWidth + 1 || !label.checkVisibility();
  return [label.innerText.replace(/^\\d+:\\s*/, ""), Math.min(width, height), isCut];
})"""
MIN_PIXELS = 44


@pytest.fixture
def scaled(new_workbench):
    """Start a service over the small archive, with a scale of this many grades."""

    def start(n_grades):
        started = new_workbench()
        started.archive.judging.put(JudgingPolicy(labels=SCALES[n_grades]))
        return started

    return start


def query_of(workbench):
    """Return the URL of a query with an unjudged document at the candidate's first rank."""
    return f"/queries/q01?a=main&b={workbench.runs['hybrid']}"


def test_every_grade_of_the_scale_has_a_key(scaled, visit):
    """It works on the page Judge, in lists, in the drawer, and as a button of a judgment."""
    workbench = scaled(10)
    grades = workbench.archive.judgments
    page = wait_for_queue(visit(workbench, "/judge"))
    pair = shown_pair(page)
    page.keyboard.press("9")
    wait_until_saved(page)
    assert grades.get(*pair).grade == 9

    page.goto(query_of(workbench))
    page.locator(".side-1 .doc", has_text="q01-a").focus()
    page.keyboard.press("9")
    page.get_by_text("grade 9.").wait_for()
    assert grades.get("q01", "q01-a").grade == 9

    page.goto(query_of(workbench))
    page.locator(".side-1 .doc", has_text="q01-b").focus()
    page.keyboard.press("Enter")
    page.locator("#drawer .document-text").wait_for()
    page.keyboard.press("9")
    expect(page.locator("#drawer [data-judge='9']")).to_have_attribute("aria-pressed", "true")
    page.get_by_text("grade 9.").wait_for()
    assert grades.get("q01", "q01-b").grade == 9

    page.goto("/judgments/q02/q02-a")
    page.get_by_role("button", name="grade 9 Step 9 of ten").click()
    expect(page.get_by_role("heading", name="Grade grade 9")).to_be_visible()
    assert grades.get("q02", "q02-a").grade == 9


def test_a_key_beyond_the_scale_does_nothing(scaled, visit):
    """The scale has no such grade."""
    workbench = scaled(2)
    page = wait_for_queue(visit(workbench, "/judge"))
    pair = shown_pair(page)
    page.keyboard.press("2")
    assert shown_pair(page) == pair
    page.goto(query_of(workbench))
    page.locator(".side-1 .doc").first.focus()
    page.keyboard.press("2")
    expect(page.locator("#toast")).to_be_hidden()
    assert workbench.archive.judgments.get("q01", "q01-new") is None


@pytest.mark.parametrize("n_grades", FITTED)
def test_all_grades_fit_on_a_phone(scaled, visit, n_grades):
    """No page scrolls sideways; buttons suit a thumb, and labels are readable.

    At the end of the queue, the rule is above the buttons; names, roles and contrast are right.
    """
    page = wait_for_queue(
        visit(scaled(n_grades), "/judge", viewport=PHONE, has_touch=True, reduced_motion="reduce")
    )
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    foot = page.locator("footer").bounding_box()
    assert foot["y"] + foot["height"] <= page.locator(".judge-grades").bounding_box()["y"]
    for address, selector in (
        ("/judge", "[data-grade]"),
        ("/judgments/q01/q01-b", ".grade-button"),
        ("/queries/q01/documents/q01-b", ".grade-button"),
    ):
        if address != "/judge":
            page.goto(address)
            settle(page)
        assert page.evaluate(SIDEWAYS) <= 0, address
        labels, sizes, is_cut = zip(*page.locator(selector).evaluate_all(MEASURE), strict=True)
        assert labels == SCALES[n_grades], address
        assert min(sizes) >= MIN_PIXELS, (address, sizes)
        assert not any(is_cut), (address, is_cut)
        assert violations(page, within=f":has(> {selector})") == [], address


@pytest.mark.parametrize("n_grades", FITTED)
def test_all_grades_fit_on_a_desktop(scaled, visit, n_grades):
    """The layout does not shift, and no label overflows its button."""
    page = wait_for_queue(visit(scaled(n_grades), "/judge"))
    for width in (1440, 920):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(SIDEWAYS) <= 0
        assert page.evaluate("document.documentElement.scrollHeight") == 900
        is_cut = [cut for *_, cut in page.locator("[data-grade]").evaluate_all(MEASURE)]
        assert is_cut == [False] * n_grades, width
