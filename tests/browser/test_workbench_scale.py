"""Scales of two to ten grades: keys, labels and phones."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from berryeval.archive.records import JudgingPolicy
from browser import small_archive
from browser.judging import shown_pair, wait_until_saved

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys run on both

SCALES = {
    2: ("Not relevant", "Relevant"),
    5: ("Not relevant", "Marginal", "Partly relevant", "Mostly relevant", "Perfect"),
    7: tuple(f"Step {number} of seven" for number in range(7)),
    10: tuple(f"Step {number} of ten" for number in range(10)),
}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
LEAST_PIXELS = 44


@pytest.fixture
def scaled(new_workbench):
    """Start a service over the small archive, with a scale of so many grades."""

    def start(n_grades):
        started = new_workbench()
        started.runs = small_archive.fill(started.archive)
        started.archive.judging.put(JudgingPolicy(labels=SCALES[n_grades]))
        return started

    return start


def query_of(workbench):
    """The address of a query with an unjudged document at the candidate's first rank."""
    return f"/queries/q01?a=main&b={workbench.runs['hybrid']}"


def open_queue(visit, workbench, **options):
    """Open the page Judge, with a document to judge."""
    page = visit(workbench, "/judge", **options)
    page.locator("#judge[data-started=yes]").wait_for()
    page.locator("#judge-form:not([hidden])").wait_for()
    return page


@pytest.mark.parametrize("grade", [4, 9])
def test_every_grade_of_the_scale_has_its_key(scaled, visit, grade):
    """On the page Judge, in a list of results, in the drawer, and as a button of a judgment."""
    workbench = scaled(10)
    grades = workbench.archive.judgments
    page = open_queue(visit, workbench)
    pair = shown_pair(page)
    page.keyboard.press(str(grade))
    wait_until_saved(page)
    assert grades.get(*pair).grade == grade

    page = visit(workbench, query_of(workbench))
    page.locator(".side-1 .doc", has_text="q01-a").focus()
    page.keyboard.press(str(grade))
    page.get_by_text(f"grade {grade}.").wait_for()
    assert grades.get("q01", "q01-a").grade == grade

    page.locator(".side-1 .doc", has_text="q01-b").focus()
    page.keyboard.press("Enter")
    page.locator("#drawer .said-text").wait_for()
    page.keyboard.press(str(grade))
    expect(page.locator(f"#drawer [data-judge='{grade}']")).to_have_attribute(
        "aria-pressed", "true"
    )
    for _ in range(100):  # the page still says it of the document before
        if grades.get("q01", "q01-b").grade == grade:
            break
        page.wait_for_timeout(50)
    assert grades.get("q01", "q01-b").grade == grade

    page = visit(workbench, "/judgments/q02/q02-a")
    page.get_by_role("button", name=f"grade {grade} Step {grade} of ten").click()
    expect(page.get_by_role("heading", name=f"Grade grade {grade}")).to_be_visible()
    assert grades.get("q02", "q02-a").grade == grade


def test_a_key_beyond_the_scale_does_nothing(scaled, visit):
    """There is no such grade."""
    workbench = scaled(5)
    page = open_queue(visit, workbench)
    pair = shown_pair(page)
    page.keyboard.press("5")
    assert shown_pair(page) == pair
    page = visit(workbench, query_of(workbench))
    page.locator(".side-1 .doc").first.focus()
    page.keyboard.press("5")
    expect(page.locator("#toast")).to_be_hidden()
    assert workbench.archive.judgments.get("q01", "q01-new") is None


def sizes(page, selector):
    """Width and height of each of some elements."""
    boxes = [one.bounding_box() for one in page.locator(selector).all()]
    return [(box["width"], box["height"]) for box in boxes]


@pytest.mark.parametrize("n_grades", SCALES)
def test_all_grades_fit_a_phone(scaled, visit, n_grades):
    """Wherever one can judge: nothing to scroll sideways, room for a thumb, labels to read."""
    workbench = scaled(n_grades)
    for address, selector in (
        ("/judge", "[data-grade]"),
        ("/judgments/q01/q01-b", ".grade-button"),
        ("/queries/q01/documents/q01-b", ".grade-button"),
    ):
        page = visit(workbench, address, **PHONE)
        page.wait_for_load_state("networkidle")
        page.locator(selector).first.wait_for()
        assert page.evaluate(SIDEWAYS) <= 0, address
        found = sizes(page, selector)
        assert len(found) == n_grades, address
        assert min(min(box) for box in found) >= LEAST_PIXELS, (address, found)
        for number, label in enumerate(SCALES[n_grades]):
            button = page.locator(selector).nth(number)
            text = button.get_by_text(label)
            expect(text).to_be_visible()
            is_cut = text.evaluate("(one) => one.scrollHeight > one.clientHeight + 1")
            assert not is_cut, (address, label)


@pytest.mark.parametrize("n_grades", SCALES)
def test_grades_hide_nothing_of_the_page_on_a_phone(scaled, visit, n_grades):
    """At its end, the rule stands above the buttons."""
    page = open_queue(visit, scaled(n_grades), **PHONE)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    foot = page.locator("footer").bounding_box()
    assert foot["y"] + foot["height"] <= page.locator(".judge-grades").bounding_box()["y"]


@pytest.mark.parametrize("n_grades", SCALES)
@pytest.mark.parametrize("width", [920, 1440])
def test_all_grades_fit_a_desk(scaled, visit, n_grades, width):
    """The page stands still, and no label leaves its button."""
    page = open_queue(visit, scaled(n_grades), viewport={"width": width, "height": 900})
    assert page.evaluate(SIDEWAYS) <= 0
    assert page.evaluate("document.documentElement.scrollHeight") == 900
    for button in page.locator("[data-grade]").all():
        assert button.evaluate("(one) => one.scrollWidth <= one.clientWidth + 1")
        text = button.locator(".judge-meaning")
        assert text.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")


def test_ten_grades_stand_in_nobodys_way(scaled, visit):
    """Names, roles and contrast, on a desk and on a phone."""
    workbench = scaled(10)
    for address in ("/judge", "/judgments/q01/q01-b", "/queries/q01/documents/q01-b"):
        for options in ({}, PHONE):
            page = visit(workbench, address, reduced_motion="reduce", **options)
            page.wait_for_load_state("networkidle")
            found = Axe().run(page, options={"resultTypes": ["violations"]}).response
            assert [rule["id"] for rule in found["violations"]] == [], address
