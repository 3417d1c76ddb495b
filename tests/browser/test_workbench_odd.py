"""Bad input and failures: each page reports what happened, and nothing is lost."""

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from browser import odd_archive
from browser.odd_archive import BYTES, HEBREW, LONG, TEXTS
from browser.running_workbench import Workbench
from browser.visits import settle

pytestmark = pytest.mark.browser

PAGES = (
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
)
MAX_ELEMENTS = 6_000
MAX_BYTES = 1_500_000
# Elements that exist only if data became markup; the size and width of the page.
LOOK = """() => {
  const all = document.documentElement;
  return {
    injected: document.querySelectorAll(
      "x-injected, [onerror], main img, main script:not([type$=json])").length,
    elements: document.querySelectorAll("*").length,
    bytes: all.outerHTML.length,
    sideways: all.scrollWidth - all.clientWidth,
  };
}"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """A service over the archive of unusual data."""
    started = Workbench(str(tmp_path_factory.mktemp("odd") / "berryeval.db"))
    started.runs = odd_archive.fill(started.archive)
    yield started
    started.close()


def address_of(query_id: str, workbench: Workbench) -> str:
    quoted = quote(query_id.encode("utf-8", "surrogateescape"), safe="")
    return f"/queries/{quoted}?a=main&b={workbench.runs[HEBREW]}"


def complaints(page) -> list[str]:
    """Return the effects of unusual data on a page."""
    settle(page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    found = page.evaluate(LOOK)
    most = {"injected": 0, "elements": MAX_ELEMENTS, "bytes": MAX_BYTES, "sideways": 0}
    return [f"{found[what]} {what}" for what in most if found[what] > most[what]]


def test_a_query_is_shown_literally(odd, visit):
    """This covers markup, right-to-left text, emoji, 10,000 results, and a document of 5 MB."""
    page = visit(odd, "/login")
    for query_id in TEXTS.keys() - {BYTES}:
        page.goto(address_of(query_id, odd))
        assert complaints(page) == [], query_id
        assert TEXTS[query_id] in page.locator("main").inner_text()


def test_unusual_data_breaks_no_page(odd, visit):
    """Markup in names, labels, tags, commits, authors and ids is text, and no page overflows."""
    first, second = odd.runs.values()
    page = visit(odd, "/login")
    for path in PAGES:
        page.goto(path.format(first=first, second=second))
        assert complaints(page) == [], path


def test_right_to_left_text_is_aligned_right(odd, visit):
    """A Hebrew query starts at the right, and the rest of the page does not change."""
    page = visit(odd, address_of(HEBREW, odd))
    text = page.locator("main").get_by_text(re.compile("עגבניות")).first
    assert text.evaluate("(one) => getComputedStyle(one).direction") == "rtl"
    assert page.evaluate("getComputedStyle(document.body).direction") == "ltr"


def test_a_document_of_5_mb_opens_in_parts(odd, visit):
    """Its beginning is shown at once, and its end can be reached."""
    page = visit(odd, address_of(LONG, odd))
    page.locator("a[data-drawer]").filter(has_text=re.compile("War and more|long-a")).first.click()
    drawer = page.locator("#drawer-content")
    expect(drawer).to_contain_text("one word after another")
    assert len(drawer.inner_html()) < MAX_BYTES
