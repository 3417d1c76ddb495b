"""Compare and Query in a browser: keys, the drawer, judging in place, and growing lists."""

import re

import pytest
from playwright.sync_api import expect

from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.core.documents import Document
from berryeval.core.run import Run
from browser.accessibility import violations
from browser.visits import settle

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # one of the journeys uses both databases


@pytest.fixture
def query(workbench):
    """The URL of a query with an unjudged document at the candidate's first rank."""

    def address(query_id):
        return f"/queries/{query_id}?a=main&b={workbench.runs['hybrid']}"

    return address


def grade(page, side, rank):
    """Return the displayed grade of a result."""
    mark = page.locator(f".side-{side} .result .grade").nth(rank - 1)
    return re.sub(r"\D*(\d|\?).*", r"\1", mark.text_content().strip(), flags=re.DOTALL)


def test_one_key_judges_and_another_undoes_it(workbench, visit, query):
    """The grade appears at once, has the source workbench, and updates the scores."""
    page = visit(workbench, query("q05"))
    score = page.locator("#scores .chosen td").nth(1)
    before = score.text_content()
    page.locator(".side-1 .doc").first.focus()
    page.keyboard.press("3")
    assert grade(page, 1, 1) == "3"
    page.wait_for_function(
        "before => document.querySelectorAll('#scores .chosen td')[1].textContent !== before",
        arg=before,
    )
    page.wait_for_function("() => document.activeElement.matches('.side-1 .doc')")
    stored = workbench.archive.judgments.get("q05", "q05-new")
    assert (stored.grade, stored.source) == (3.0, "workbench")
    page.keyboard.press("u")
    page.get_by_text("undone.").wait_for()
    page.wait_for_function(
        "before => document.querySelectorAll('#scores .chosen td')[1].textContent === before",
        arg=before,
    )
    assert grade(page, 1, 1) == "?"
    assert workbench.archive.judgments.get("q05", "q05-new") is None


def test_a_disagreement_of_a_project_is_not_settled_here(new_workbench, visit):
    """The grade is reverted, and the message names the project that settles it."""
    workbench = new_workbench()
    archive = workbench.archive
    archive.judgments.put([JudgmentEntry("q05", "q05-new", 1)], author="ada")
    plan = ProjectPlan(PairSelection("sample", (), limit=1000), n_opinions=2)
    archive.projects.create("team", plan, author="ada")
    archive.projects.answer("team", "q05", "q05-new", 3, author="bob")
    visit.expect("409")
    page = visit(workbench, f"/queries/q05?a=main&b={workbench.runs['hybrid']}")
    page.locator(".side-1 .doc").first.focus()
    page.keyboard.press("2")
    page.get_by_text("The project team settles this disagreement").wait_for()
    assert grade(page, 1, 1) == "1"
    assert archive.judgments.get("q05", "q05-new").grade == 1
    conflicts = [one.asked.pair for one in archive.projects.board("team").conflicts]
    assert ("q05", "q05-new") in conflicts


def states(workbench, *pair):
    """Return all states of a pair, as author and grade."""
    return [(one.author, one.grade) for one in workbench.archive.judgments.history(*pair)]


def test_undo_restores_the_previous_grade_and_its_author(workbench, visit, query):
    """No grade is attributed to another judge."""
    page = visit(workbench, query("q12"))
    row = page.locator(".side-1 .doc", has_text="q12-a")
    row.focus()
    page.keyboard.press("0")
    page.get_by_text("grade 0.").wait_for()
    page.keyboard.press("u")
    page.get_by_text("undone.").wait_for()
    expect(row.locator(".grade")).to_have_text(re.compile("3"))
    again = workbench.archive.judgments.get("q12", "q12-a")
    assert (again.grade, again.author, again.source) == (3, "ada", "file")
    assert states(workbench, "q12", "q12-a") == [
        ("ada", 3), ("local", 0), ("local", None), ("ada", 3),
    ]  # fmt: skip
    assert again.restores is not None


def test_undo_restores_a_removed_judgment(workbench, visit, query):
    """It keeps its author, even if another judge removed it."""
    page = visit(workbench, query("q13"))
    row = page.locator(".side-1 .doc", has_text="q13-a")
    row.focus()
    page.keyboard.press("3")
    page.get_by_role("button", name="Withdraw it").click()
    page.get_by_text("judgment withdrawn.").wait_for()
    assert workbench.archive.judgments.get("q13", "q13-a") is None
    page.get_by_role("button", name="Undo").click()
    page.get_by_text("undone.").wait_for()
    expect(row.locator(".grade")).to_have_text(re.compile("3"))
    assert workbench.archive.judgments.get("q13", "q13-a").author == "ada"
    assert states(workbench, "q13", "q13-a") == [("ada", 3), ("local", None), ("ada", 3)]


def test_undo_is_rejected_after_another_judge_changed_the_grade(workbench, visit, query):
    """The other judge's grade is kept."""
    visit.expect("status of 412")
    page = visit(workbench, query("q14"))
    page.locator(".side-1 .doc", has_text="q14-new").focus()
    page.keyboard.press("3")
    page.get_by_text("grade 3.").wait_for()
    workbench.archive.judgments.change("q14", "q14-new", 1, author="bob")
    page.keyboard.press("u")
    page.get_by_text("another judge has changed it").wait_for()
    assert workbench.archive.judgments.get("q14", "q14-new").author == "bob"


@pytest.mark.parametrize("place", ["list", "drawer"])
def test_a_grade_applies_to_the_displayed_document(workbench, visit, query, place):
    """If the document changes before the key is pressed, the judgment is stale at once."""
    query_id = {"list": "q15", "drawer": "q16"}[place]
    pair = (query_id, f"{query_id}-new")
    page = visit(workbench, query(query_id))
    page.locator(".side-1 .doc").first.focus()
    if place == "drawer":
        page.keyboard.press("Enter")
        page.locator("#drawer .document-text").wait_for()
    workbench.archive.documents.put([Document(pair[1], "something else", "Changed")])
    page.keyboard.press("2")
    page.get_by_text("grade 2.").wait_for()
    stored = workbench.archive.judgments.get(*pair)
    assert (stored.grade, stored.is_stale) == (2, True)


def test_late_responses_do_not_restore_a_removed_grade(workbench, visit, query):
    """The lists for the first judgment are in flight when the second is made."""
    page = visit(workbench, query("q05"))
    late = []

    def hold_the_first(route):
        if late:
            route.continue_()
        else:
            late.append((route, route.fetch()))

    page.route("**/ranks?*", hold_the_first)
    page.locator(".side-1 .doc").first.focus()
    page.keyboard.press("3")
    page.get_by_text("grade 3.").wait_for()
    for _ in range(100):  # until the handler above has the answer
        if late:
            break
        page.wait_for_timeout(100)
    assert late
    page.keyboard.press("u")
    page.get_by_text("undone.").wait_for()
    for route, response in late:
        with page.expect_response(lambda found: "/ranks?" in found.url):
            route.fulfill(response=response)
    settle(page)
    assert grade(page, 1, 1) == "?"


def test_another_judges_grade_is_not_overwritten_unseen(workbench, visit, query):
    """Both grades are shown, and the judge chooses one."""
    visit.expect("status of 412")
    page = visit(workbench, query("q06"))
    workbench.archive.judgments.change("q06", "q06-new", 2, author="bob")
    page.locator(".side-1 .doc").first.focus()
    page.keyboard.press("0")
    page.get_by_text("bob has graded it 2").wait_for()
    assert grade(page, 1, 1) == "2"
    assert workbench.archive.judgments.get("q06", "q06-new").grade == 2
    page.get_by_role("button", name="Replace with 0").click()
    page.get_by_text("grade 0.").wait_for()
    assert workbench.archive.judgments.get("q06", "q06-new").grade == 0
    assert [one.author for one in workbench.archive.judgments.history("q06", "q06-new")] == [
        "bob",
        "local",
    ]


def test_the_other_judges_grade_can_be_kept(workbench, visit, query):
    """Nothing is written then."""
    visit.expect("status of 412")
    page = visit(workbench, query("q07"))
    workbench.archive.judgments.change("q07", "q07-new", 1, author="bob")
    page.locator(".side-1 .result").first.hover()
    page.locator(".side-1 .result").first.locator("[data-judge='3']").click()
    page.get_by_role("button", name="Keep it").click()
    assert grade(page, 1, 1) == "1"
    assert workbench.archive.judgments.get("q07", "q07-new").author == "bob"


def test_an_unreachable_server_loses_no_judgment(new_workbench, visit):
    """The page reports that it was not saved, and retries on request."""
    visit.expect("ERR_CONNECTION|Failed to fetch|ERR_EMPTY")
    bench = new_workbench()
    page = visit(bench, f"/queries/q05?a=main&b={bench.runs['hybrid']}")
    page.locator(".side-1 .doc").first.focus()
    bench.stop()
    page.keyboard.press("2")
    page.get_by_text("not saved").wait_for()
    assert grade(page, 1, 1) == "?"
    bench.start()
    page.get_by_role("button", name="Try again").click()
    page.get_by_text("grade 2.").wait_for()
    assert bench.archive.judgments.get("q05", "q05-new").grade == 2


def test_the_drawer_opens_and_restores_focus(workbench, visit, query):
    """Enter opens it, digits judge in it and update the scores, Escape closes it."""
    page = visit(workbench, query("q08"))
    score = page.locator("#scores .chosen td").nth(1)
    before = score.text_content()
    page.locator(".side-1 .doc").first.focus()
    page.keyboard.press("Enter")
    page.locator("#drawer .document-text").wait_for()
    assert "Not judged for this query yet" in page.locator("#document-history").text_content()
    page.keyboard.press("1")
    page.locator("#document-history li.now").wait_for()
    assert page.locator(".grading [data-judge='1']").get_attribute("aria-pressed") == "true"
    expect(score).not_to_have_text(before)
    page.keyboard.press("Escape")
    page.wait_for_function("() => document.activeElement.matches('.side-1 .doc')")
    assert grade(page, 1, 1) == "1"


def test_arrow_keys_move_between_rows_and_lists(workbench, visit, query):
    """Left and right go to the same document; j and k go to the next and previous query."""
    page = visit(workbench, query("q09"))
    here = """() => {
      const row = document.activeElement;
      return [row.dataset.side, row.querySelector(".rank").textContent];
    }"""
    page.keyboard.press("ArrowDown")
    assert page.evaluate(here) == ["1", "1"]
    page.keyboard.press("ArrowDown")
    assert page.evaluate(here) == ["1", "2"]
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(here) == ["0", "1"], "the same document"
    assert page.locator(".link.is-same").count() == 1
    page.locator("#neighbours a[data-key='j']").wait_for()
    page.keyboard.press("j")
    page.wait_for_url(lambda url: "/queries/q09" not in url)
    page.locator("#neighbours a[data-key='k']").wait_for()
    page.keyboard.press("k")
    page.wait_for_url("**/queries/q09?*")


def test_long_lists_grow_in_place(workbench, visit):
    """Fifty more ranks appear below; judging does not collapse them."""
    run = Run.from_lists({"q01": [f"z{n}" for n in range(130)]})
    stored = workbench.archive.runs.put(run, RunFacts("deep"))
    page = visit(workbench, f"/queries/q01?a=main&b={stored.run_id}")
    assert page.locator(".side-1 .result").count() == 50
    page.get_by_role("link", name=re.compile("Show ranks 51 to 100")).click()
    page.locator("#ranks-51").wait_for()
    assert page.locator(".side-1 .result").count() == 100
    page.locator("#ranks-51 .side-1 .doc").first.focus()
    page.keyboard.press("0")
    page.get_by_text("grade 0.").wait_for()
    page.wait_for_function("() => document.activeElement.closest('#ranks-51') !== null")
    assert page.locator(".side-1 .result").count() == 100


def test_a_large_document_grows_in_the_drawer(workbench, visit, query):
    """It is loaded piece by piece."""
    workbench.archive.documents.put([Document("q10-new", "word " * 20_000, "Long")])
    page = visit(workbench, query("q10"))
    page.locator(".side-1 .doc").first.click()
    page.locator("#drawer .more a").click()
    page.wait_for_function("() => document.querySelectorAll('#drawer .document-text').length === 2")


def test_on_a_phone_one_list_is_shown_at_a_time(workbench, visit, query):
    """A switch selects the list; nothing is wider than the screen."""
    page = visit(workbench, query("q11"), viewport={"width": 390, "height": 844})
    assert page.locator(".list.side-1").is_visible()
    assert not page.locator(".list.side-0").is_visible()
    assert violations(page, within=".sides") == []
    page.locator(".sides label").first.click()
    assert page.locator(".list.side-0").is_visible()
    assert not page.locator(".links").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_queries_of_a_comparison_are_filtered_while_typing(workbench, visit):
    """The list updates in place, and the URL follows."""
    page = visit(workbench, f"/compare?a=main&b={workbench.runs['hybrid']}")
    page.locator("#queries-text").fill("prune basil")
    page.wait_for_url("**q=prune%20basil**")
    page.wait_for_function("() => document.querySelectorAll('#queries .asked').length === 1")
    assert page.evaluate("document.activeElement.id") == "queries-text"
    page.locator("#queries-text").fill("")
    page.locator("#queries-different").check()
    page.wait_for_url("**different=1**")
    assert page.locator("#queries .asked").count() == 20


def test_going_back_to_a_filtered_comparison_breaks_no_policy(workbench, visit):
    """htmx restores the list without styles that the content security policy forbids."""
    page = visit(workbench, f"/compare?a=main&b={workbench.runs['hybrid']}")
    settle(page)
    page.locator("#queries-different").check()
    page.wait_for_url("**different=1**")
    page.locator("#queries tbody th a").first.click()
    page.wait_for_url("**/queries/**")
    page.go_back()
    page.wait_for_url("**different=1**")
    settle(page)
    assert page.locator("#queries .asked").count() == 20


@pytest.mark.parametrize("width", [1440, 1280, 1024])
def test_slices_of_a_comparison_are_not_clipped(workbench, visit, width):
    """Every column is visible without scrolling on a desktop."""
    size = {"width": width, "height": 900}
    page = visit(workbench, f"/compare?a=main&b={workbench.runs['hybrid']}", viewport=size)
    table = page.get_by_role("region", name="Table of slices")
    assert table.locator("tbody tr").count() > 1
    hidden = table.evaluate("one => one.scrollWidth - one.clientWidth")
    last = table.locator("tbody tr").first.locator("td").last.bounding_box()
    frame = table.bounding_box()
    assert hidden <= 0
    assert last["x"] + last["width"] <= frame["x"] + frame["width"] + 1


def test_a_printed_comparison_has_its_chart_and_no_buttons(workbench, visit):
    """The wide chart is printed within an A4 page, with letters as large as the text."""
    page = visit(
        workbench,
        f"/compare?a=main&b={workbench.runs['hybrid']}",
        viewport={"width": 718, "height": 1000},
    )
    settle(page)
    page.emulate_media(media="print")
    expect(page.locator(".charts .wide .chart").first).to_be_visible()
    expect(page.locator(".charts .narrow .chart").first).to_be_hidden()
    assert page.locator("main .button:visible").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    sizes = page.locator(".charts .wide text").evaluate_all(
        "all => all.map((one) => one.getBoundingClientRect().height)"
    )
    assert 0 < max(sizes) < 24


def test_a_circle_links_to_its_queries(workbench, visit):
    """One query opens directly, several are listed."""
    page = visit(workbench, f"/compare?a=main&b={workbench.runs['hybrid']}")
    circle = page.locator(".scatter .s-worse circle").first
    circle.hover()
    assert re.search(r"\d → \d", page.locator(".tip").text_content())
    circle.click()
    page.wait_for_url(re.compile("/queries/|cell="))
