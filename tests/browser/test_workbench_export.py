"""Tables and charts of a page as files."""

import csv
import io
import json
import xml.etree.ElementTree as ET
from datetime import datetime
from html import unescape

import pytest

from berryeval.core.query import Query
from browser.accessibility import violations

pytestmark = pytest.mark.browser
DATABASES = ("sqlite",)  # the journeys cover the other database

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def exported(workbench, visit):
    """Return a function that exports a table or chart of a page, by its title and format."""

    def export(address, title, file_format):
        page = visit(workbench, address)
        page.get_by_role("button", name="Export the tables and charts").click()
        with page.expect_download() as download:
            page.get_by_role("button", name=f"{title} as {file_format}").first.click()
        return download.value.suggested_filename, download.value.path().read_bytes()

    return export


def test_a_table_is_exported_as_csv_and_json(exported):
    """Both have one column per fact and all rows of the table; JSON has numbers."""
    name, content = exported("/queries?q=q", "Queries", "CSV")
    assert name == "Queries.csv"
    heads, *rows = csv.reader(io.StringIO(content.decode()))
    assert heads == ["query_id", "text", "category", "difficulty", "judged"]
    assert rows[0] == ["q01", "when to water tomatoes", "procedural", "easy", "15"]
    assert len(rows) == 40
    name, content = exported("/queries?q=q", "Queries", "JSON")
    found = json.loads(content)
    assert name == "Queries.json"
    assert found[0]["judged"] == 15
    assert [[str(value) for value in one.values()] for one in found] == rows


def test_an_exported_comparison_can_be_computed_with(exported, workbench):
    """Numbers have all their digits, intervals two columns, and missing values are empty."""
    pair = f"/compare?a=main&b={workbench.runs['hybrid']}"
    _, content = exported(pair, "Queries with their scores in both runs", "CSV")
    for row in csv.DictReader(io.StringIO(content.decode())):
        difference = float(row["candidate"]) - float(row["baseline"])
        assert float(row["difference"]) == pytest.approx(difference, abs=1e-12)
    _, content = exported("/runs", "Runs, newest first", "CSV")
    for row in csv.DictReader(io.StringIO(content.decode())):
        assert len(row["run_id"]) == 64
        assert datetime.fromisoformat(row["stored_at"]).tzinfo is not None
        assert "\N{EN DASH}" not in row.values()


def test_a_table_is_exported_with_all_its_pages(exported, workbench):
    """Rows of the following pages are fetched, and filters are kept."""
    workbench.archive.queries.put([Query(f"many{n}", f"one of many {n}") for n in range(120)])
    _, content = exported("/queries?q=many", "Queries", "CSV")
    _, *rows = csv.reader(io.StringIO(content.decode()))
    assert [row[0] for row in rows] == [f"many{n}" for n in range(120)]


@pytest.mark.parametrize("file_format", ["SVG", "PNG"])
def test_a_chart_is_exported(exported, workbench, file_format):
    """An SVG file has its own style sheet and no links; PNG is drawn from it."""
    pair = f"/compare?a=main&b={workbench.runs['hybrid']}"
    name, content = exported(pair, "Differences from bm25, with 95% intervals", file_format)
    assert name == f"Differences-from-bm25-with-95-intervals.{file_format.lower()}"
    if file_format == "PNG":
        assert content.startswith(PNG)
        return
    drawing = ET.fromstring(content)  # noqa: S314 - our own
    space = "{http://www.w3.org/2000/svg}"
    assert drawing.tag == f"{space}svg"
    assert "berryeval-auto" in drawing.find(f"{space}style").text
    assert not [one for one in drawing.iter(f"{space}a") if "href" in one.attrib]


def test_a_comparison_is_downloaded_as_a_report(workbench, visit):
    """The page stays open, and the file has its sentence."""
    page = visit(workbench, f"/compare?a=main&b={workbench.runs['hybrid']}")
    sentence = page.locator("h1").inner_text()
    with page.expect_download() as download:
        page.get_by_role("link", name="Report", exact=True).click()
    assert download.value.suggested_filename == "bm25-vs-hybrid.html"
    assert sentence in unescape(download.value.path().read_text())
    assert "/compare?" in page.url


def test_the_dialog_is_accessible(workbench, visit):
    """Its buttons name what they export."""
    page = visit(workbench, "/runs")
    page.get_by_role("button", name="Export the tables and charts").click()
    assert violations(page) == []
