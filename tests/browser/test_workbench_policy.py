"""Rule and scale in a real browser: what is shown before it is saved, and who may save it."""

import pytest
from playwright.sync_api import expect

from berryeval.archive.records import JudgingPolicy
from browser import small_archive

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys run on both

PAGES = (
    "/",
    "/runs",
    "/compare",
    "/queries",
    "/judge",
    "/judgments",
    "/gates",
    "/power",
    "/import",
)


@pytest.fixture
def filled(new_workbench):
    """A service of one's own over the small archive, in which judges differ about one document."""
    started = new_workbench()
    small_archive.fill(started.archive)
    return started


def test_a_rule_is_chosen_knowing_what_it_changes(visit, filled):
    """The page says it before, does it, and says how many grades changed; and back again."""
    page = visit(filled, "/judgments/policy")
    latest = page.get_by_role("radio", name="The latest grade counts")
    expect(page.locator(".rule", has=latest)).to_contain_text("Would change 1 grade")
    latest.check()
    page.get_by_role("button", name="Save the rule").click()
    expect(page.locator("main p[role=status]")).to_have_text("Saved. 1 grade changed.")
    expect(latest).to_be_checked()
    expect(page.locator("footer")).to_have_text("If judges disagree, the latest grade counts.")
    assert filled.archive.judgments.get("q01", "q01-b").grade == 2
    assert filled.archive.judging.get() == JudgingPolicy("latest")
    page.get_by_role("radio", name="The first grade counts").check()
    page.get_by_role("button", name="Save the rule").click()
    expect(page.locator("footer")).to_have_text("If judges disagree, the first grade counts.")
    back = filled.archive.judgments.get("q01", "q01-b")
    assert (back.grade, back.author) == (1, "ada")


def test_labels_are_written_one_per_line_and_used_at_once(visit, filled):
    """The page Judge has as many grades as there are lines."""
    page = visit(filled, "/judgments/policy")
    page.get_by_label("Labels").fill("no\na little\nhalf\nmost\nall\n")
    page.get_by_role("button", name="Save the scale").click()
    expect(page.locator("main p[role=status]")).to_have_text("Saved.")
    assert filled.archive.judging.get().labels == ("no", "a little", "half", "most", "all")
    page.goto("/judge")
    expect(page.get_by_role("button", name="4: all")).to_be_visible()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("only one", "Labels: expected 2 to 10 labels, from grade 0 up, got 1."),
        ("\n".join("abcdefghijk"), "Labels: expected 2 to 10 labels, from grade 0 up, got 11."),
        ("\nyes", "Line 1: expected 1 to 60 characters, got 0."),
    ],
)
def test_what_was_typed_stays_when_it_is_refused(visit, filled, typed, words):
    """With what is wrong beside it, for eyes and ears."""
    visit.expect("status of 422")
    page = visit(filled, "/judgments/policy")
    page.get_by_label("Labels").fill(typed)
    page.get_by_role("button", name="Save the scale").click()
    expect(page.get_by_role("alert")).to_have_text(words)
    expect(page.get_by_label("Labels")).to_have_value(typed)
    expect(page.get_by_label("Labels")).to_have_attribute("aria-invalid", "true")
    assert filled.archive.judging.get() == JudgingPolicy()


def test_a_judge_reads_the_rule_and_changes_nothing(new_workbench, visit):
    """It takes an admin."""
    workbench = new_workbench(is_token_required=True)
    small_archive.fill(workbench.archive)
    page = visit(workbench, "/judgments/policy")
    expect(page.locator("footer")).to_have_count(0)
    page.get_by_label("Token").fill(workbench.archive.tokens.create("carol", "judge"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="The first grade counts")).to_be_disabled()
    expect(page.get_by_label("Labels")).not_to_be_editable()
    expect(page.get_by_role("button", name="Save")).to_have_count(0)
    expect(page.locator("footer")).to_have_text("If judges disagree, the first grade counts.")
    page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("width", [1440, 390])
def test_the_rule_stands_at_the_foot_of_every_page(visit, filled, width):
    """Below everything else, in line with it, and never over it."""
    page = visit(filled, "/", viewport={"width": width, "height": 844})
    for address in PAGES:
        page.goto(address)
        page.wait_for_load_state("networkidle")
        foot, main = (page.locator(one).bounding_box() for one in ("footer", "main"))
        assert foot["y"] >= main["y"] + main["height"] - 1, address
        assert foot["x"] == main["x"], address
        overflow = page.evaluate(
            "document.querySelector('main').scrollHeight"
            " - document.querySelector('main').clientHeight"
        )
        assert overflow <= 0, address
        expect(page.locator("footer a")).to_have_attribute("href", "/judgments/policy")
