"""The HTML report of a comparison in a real browser."""

import pytest

from berryeval.core.query import Query
from berryeval.reports.comparison import comparison_table
from berryeval.reports.html import comparison_to_html, tables_to_html
from browser.accessibility import COLOURS, WIDTH, violations
from example_results import a_comparison, a_gate, compare_these

pytestmark = pytest.mark.browser

MAX_ELEMENTS = 6_000
# Boxes whose content is wider than they are, and texts of charts beyond the chart.
CUT_OFF = """() => [
  ...[...document.querySelectorAll("main :not(caption, .unseen)")]
    .filter((one) => getComputedStyle(one).overflowX !== "visible" && one.clientWidth > 0)
    .filter((one) => one.scrollWidth > one.clientWidth + 1),
  ...[...document.querySelectorAll("main svg text")].filter((one) => {
    const [text, chart] = [one, one.ownerSVGElement].map((each) => each.getBoundingClientRect());
    return text.width && (text.left < chart.left - 1 || text.right > chart.right + 1);
  }),
].map((one) => `${one.tagName}: ${one.textContent.slice(0, 60)}`)"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def comparison():
    return a_comparison(60)


@pytest.fixture(scope="module")
def html(comparison):
    return comparison_to_html(comparison, a_gate(comparison))


def query_ids(page) -> list[str]:
    return page.locator("#queries-table > tbody > tr > th .id").all_inner_texts()


def test_the_page_opens_without_errors_or_network_access(html, open_page):
    """The fixture checks this at its end; the verdict is visible at once."""
    page = open_page(html)
    assert page.locator("h1").is_visible()
    assert page.locator(".badge.fail").first.inner_text() == "Fail"


def test_the_page_is_accessible(html, open_page):
    """Contrast, labels, names and roles pass axe-core, including with rankings expanded."""
    page = open_page(html)
    page.locator(".expand").first.click()
    page.locator("summary").first.click()
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, only=COLOURS) == []
    page.set_viewport_size({"width": 390, "height": 900})
    assert violations(page, only=WIDTH) == []


def test_simple_tables_are_accessible(comparison, open_page):
    """The page of evaluations passes, too."""
    page = open_page(tables_to_html("bm25 and hybrid", comparison_table(comparison)))
    assert violations(page) == []


def test_queries_are_sorted_by_any_column(comparison, html, open_page):
    """The greatest loss comes first; a header reverses the order and indicates it."""
    page = open_page(html)
    expected = [change.query_id for change in comparison.changes("hybrid", "nDCG@10")]
    assert query_ids(page) == expected
    head = page.locator("#queries-table th[data-key=difference]")
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert query_ids(page)[0] == expected[-1]
    page.locator("#queries-table th[data-key=query] button").click()
    assert query_ids(page) == sorted(expected)
    assert head.get_attribute("aria-sort") is None


def test_queries_are_filtered_by_words_and_outcome(comparison, html, open_page):
    """Filters match texts, ids, categories and outcomes; the matches are counted."""
    page = open_page(html)
    page.get_by_label("Filter queries").fill("WHERE navigational")
    expected = {
        query.query_id
        for query in comparison.queries.values()
        if "where" in query.text and query.category == "navigational"
    }
    assert set(query_ids(page)) == expected
    assert page.locator("#status").inner_text() == f"{len(expected)} of 60 queries"
    page.get_by_label("Filter queries").fill("")
    page.get_by_label("Outcome").select_option("worse")
    losses = comparison.difference("hybrid", "nDCG@10").losses
    assert page.locator("#status").inner_text() == f"{losses} of 60 queries"


def test_a_query_opens_to_both_rankings_by_keyboard(comparison, html, open_page):
    """Grades, holes and moves are shown; Enter closes the query again."""
    page = open_page(html)
    button = page.locator(".expand").first
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    worst = comparison.changes("hybrid", "nDCG@10")[0].query_id
    for system, box in zip(("bm25", "hybrid"), page.locator(".rankings > div").all(), strict=True):
        ranking = comparison.ranking(system, worst)
        assert box.locator("h3").inner_text() == system
        assert box.locator("td:nth-child(2)").all_inner_texts() == [d.doc_id for d in ranking]
        holes = sum(document.grade is None for document in ranking)
        assert box.locator(".grade.hole").count() == holes
    assert page.locator(".rankings .move").count() == 20
    page.keyboard.press("Enter")
    assert page.locator(".rankings").count() == 0


def test_moves_show_where_a_document_was_before(open_page):
    """Up, down, unchanged, new, and gone."""
    judged = {"q": {"a": 1, "b": 1, "c": 1, "d": 1}}
    runs = {"old": {"q": ["a", "b", "c", "x"]}, "new": {"q": ["a", "c", "d", "b"]}}
    page = open_page(comparison_to_html(compare_these(judged, runs)))
    page.locator(".expand").first.click()
    moves = [
        box.locator(".move").all_inner_texts() for box in page.locator(".rankings > div").all()
    ]
    assert moves[0] == ["=", "rank 4", "rank 2", "gone"]
    assert [" ".join(move.split()) for move in moves[1]] == ["=", "▲ 1 up", "new", "▼ 2 down"]


def test_selecting_a_measure_changes_charts_and_table(comparison, html, open_page):
    """One control applies to all of them."""
    page = open_page(html)
    assert page.locator("figure[data-measure='0']").first.is_visible()
    page.locator("#choose-measure").select_option("P@5")
    assert not page.locator("figure[data-measure='0']").first.is_visible()
    assert page.locator("figure[data-measure='3']").first.is_visible()
    worst = comparison.changes("hybrid", "P@5")[0].difference
    shown = page.locator(".delta").first.inner_text()
    assert float(shown.replace("\u2212", "-")) == pytest.approx(worst, abs=1e-4)


def test_selecting_a_candidate_changes_the_table(open_page):
    """Its name is in the header."""
    comparison = a_comparison(20, {"base": 0.5, "one": 0.7, "two": 0.9})
    page = open_page(comparison_to_html(comparison))
    page.locator("#choose-system").select_option("two")
    assert page.locator("th[data-key=candidate]").inner_text().startswith("two")
    expected = [change.query_id for change in comparison.changes("two", "nDCG@10")]
    assert query_ids(page) == expected


def test_the_dark_theme_follows_the_system_and_a_button(html, open_page):
    """The button overrides the system setting."""
    colour = "getComputedStyle(document.body).backgroundColor"
    page = open_page(html, color_scheme="dark")
    dark = page.evaluate(colour)
    page.get_by_role("button", name="Light theme").click()
    light = page.evaluate(colour)
    assert dark != light
    assert open_page(html, color_scheme="light").evaluate(colour) == light


def test_printed_pages_are_light_and_without_controls(html, open_page):
    """Paper is white and has no buttons."""
    page = open_page(html, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert not page.get_by_label("Filter queries").is_visible()
    assert page.pdf(format="A4")


def test_rankings_are_printed_and_nothing_is_cut_off(open_page):
    """Rankings of the queries that changed most are printed; afterwards, the page is unchanged."""
    systems = {f"a-system-with-a-long-name-{number}": 0.1 * number for number in range(5)}
    page = open_page(comparison_to_html(a_comparison(30, systems)))
    page.set_viewport_size({"width": 718, "height": 1000})  # an A4 page within its margins
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator(".rankings").count() == 20
    assert page.evaluate("document.documentElement.scrollWidth") <= 718
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".rankings").count() == 0


def test_five_runs_show_every_column_on_a_desktop(open_page):
    """No table has to be scrolled to see wins, ties and losses, and no label is cut off."""
    systems = {f"a-system-with-a-long-name-{number}": 0.1 * number for number in range(5)}
    page = open_page(comparison_to_html(a_comparison(30, systems)))
    for width in (1440, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.get_by_text("W/T/L", exact=True).first.is_visible()
        assert page.evaluate(CUT_OFF) == [], width


def test_nothing_overflows_a_narrow_screen(html, open_page):
    """Only tables scroll, each in its own box."""
    page = open_page(html)
    page.locator(".expand").first.click()
    for width in (768, 390, 320):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(SIDEWAYS) <= 0, width


def test_the_keyboard_reaches_the_results_first(html, open_page):
    """A link skips the page header, and focus is visible."""
    page = open_page(html)
    page.keyboard.press("Tab")
    focused = page.locator(":focus")
    assert focused.inner_text() == "Skip to the results"
    assert focused.bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_markup_in_the_data_is_shown_as_text(open_page):
    """No script in the data runs, wherever it is shown."""
    evil = "<script>document.title = 'run'</script><img src=x onerror=alert(1)>"
    judged = {evil: {evil: 1}, "q2": {"d": 1}}
    runs = {"old": {evil: [evil, "x"], "q2": ["d"]}, evil: {evil: ["x", evil], "q2": ["y", "d"]}}
    comparison = compare_these(judged, runs, [Query(evil, evil, category=evil)])
    page = open_page(comparison_to_html(comparison, title="safe"))
    for button in page.locator(".expand").all():
        button.click()
    assert page.title() == "safe"
    assert evil in page.locator(".rankings").first.inner_text()
    assert page.locator("main img").count() == 0


def test_the_page_is_readable_without_javascript(html, open_page):
    """Tables, charts and rankings are shown; controls that need scripts are not."""
    page = open_page(html, java_script_enabled=False)
    assert page.locator("#queries-table > tbody > tr").count() == 60
    assert page.locator("figure svg").first.is_visible()
    assert not page.get_by_label("Filter queries").is_visible()
    page.locator("noscript summary, summary").last.click()
    assert page.locator(".rankings").last.is_visible()


def test_a_report_of_seven_thousand_queries_is_small_and_fast(open_page):
    """It is below 5 MB; it draws as many rows as for a hundred queries, and more on request."""
    html = comparison_to_html(a_comparison(7_000))
    assert len(html.encode()) < 5_000_000
    page = open_page(html)
    assert page.locator("#status").inner_text() == "7,000 of 7,000 queries"
    assert page.locator("#queries-table > tbody > tr").count() == 100
    assert page.locator("*").count() < MAX_ELEMENTS
    page.locator("#more").click()
    assert page.locator("#queries-table > tbody > tr").count() == 300
