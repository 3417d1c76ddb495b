"""Bad input and bad moments: each page says what happened, and nothing is lost."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from browser import odd_archive
from browser.odd_archive import BYTES, EMOJI, HEBREW, LONG, MANY, MARKUP, TEXTS
from browser.running_workbench import Workbench

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys run on both

MOST_ELEMENTS = 6_000
MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def odd(location):
    """A service over the archive of odd things."""
    started = Workbench(location)
    started.runs = odd_archive.fill(started.archive)
    yield started
    started.close()


def quoted(text: str) -> str:
    return quote(text.encode("utf-8", "surrogateescape"), safe="")


def address_of(query_id: str, workbench: Workbench) -> str:
    return f"/queries/{quoted(query_id)}?a=main&b={workbench.runs[HEBREW]}"


def injected(page) -> int:
    """Count what can only be on a page because somebody's text became markup."""
    return page.locator("x-injected, [onerror], main img, main script:not([type$=json])").count()


@pytest.mark.parametrize(
    "query_id",
    [MARKUP, HEBREW, EMOJI, MANY, LONG],
    ids=["markup", "hebrew", "emoji", "many", "long"],
)
def test_a_query_is_shown_as_it_is(odd, visit, query_id):
    """Markup, right-to-left, emoji, 10,000 results, a document of 5 MB."""
    page = visit(odd, address_of(query_id, odd))
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    shown = page.locator("main").inner_text()
    assert TEXTS[query_id] in shown
    assert injected(page) == 0
    assert page.locator("*").count() < MOST_ELEMENTS
    assert len(page.content()) < MOST_BYTES


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/runs",
        "/runs/{first}",
        "/compare?a=main&b={second}",
        "/queries",
        "/judge",
        "/judgments",
        "/judgments/agreement",
        "/gates",
        "/power",
        "/search?q=%3Cimg",
        "/search?q=%F0%9F%8D%93",
    ],
)
def test_odd_things_harm_no_page(odd, visit, path):
    """Names, labels, tags, commits, authors and ids with markup are text, and no page grows."""
    first, second = odd.runs.values()
    page = visit(odd, path.format(first=first, second=second))
    page.wait_for_load_state("networkidle")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert injected(page) == 0
    assert page.locator("*").count() < MOST_ELEMENTS
    assert len(page.content()) < MOST_BYTES
    assert page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )


def test_an_id_that_is_no_text_is_told(odd, visit):
    """No address can name it; the page says so, and where to go."""
    visit.expect("status of 422")
    page = visit(odd, address_of(BYTES, odd))
    expect(page.get_by_role("main")).to_contain_text("unable to parse raw data as a unicode string")
    expect(page.get_by_role("main").get_by_role("link", name="Overview")).to_be_visible()


def test_text_runs_from_right_to_left_where_it_does(odd, visit):
    """A Hebrew query begins at the right, and the page around it does not turn."""
    page = visit(odd, address_of(HEBREW, odd))
    text = page.locator("main").get_by_text(re.compile("עגבניות")).first
    assert text.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
    assert page.evaluate("getComputedStyle(document.body).direction") == "ltr"


def test_a_document_of_5_mb_opens_in_parts(odd, visit):
    """Its beginning is there at once, and its end can be reached."""
    page = visit(odd, address_of(LONG, odd))
    page.locator("a[data-drawer]").filter(has_text=re.compile("War and more|long-a")).first.click()
    drawer = page.locator("#drawer-content")
    expect(drawer).to_contain_text("one word after another")
    assert len(drawer.inner_html()) < MOST_BYTES
