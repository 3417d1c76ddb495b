"""The reports of the gallery, opened in a real browser."""

import re
from pathlib import Path

import gallery
import pytest

from browser.accessibility import WIDTH, violations

PAGE = Path(__file__).parents[2] / "docs" / "gallery.md"
HEADLINES = {
    "comparison.html": "stems.run is better than words.run",
    "inconclusive.html": "nDCG@10 fell by 0.0824",
    "demo.html": "1 guard holds over 50 queries",
    "quality.html": "hybrid",
}


@pytest.fixture(scope="module")
def reports():
    return gallery.reports()


def test_the_page_links_to_every_report(reports):
    """No report is unlisted, and no link is dead."""
    linked = re.findall(r"\]\(gallery/([\w.]+)\)", PAGE.read_text(encoding="utf-8"))
    assert sorted(linked) == sorted(reports) == sorted(HEADLINES)


@pytest.mark.browser
@pytest.mark.parametrize("name", HEADLINES)
def test_a_report_opens_without_errors_or_network_access(reports, name, open_page):
    """The fixture checks this at its end; the headline states the result, even on a phone."""
    page = open_page(reports[name])
    assert HEADLINES[name] in page.locator("body").inner_text()
    assert page.locator("h1").is_visible()
    page.set_viewport_size({"width": 390, "height": 900})
    assert violations(page, only=WIDTH) == []
