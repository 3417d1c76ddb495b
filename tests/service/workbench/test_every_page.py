"""Every page of the demonstration, as seen by a new user."""

import pytest
from benchmarks.workbench import ADDRESSES, NOT_MEASURED, examples
from starlette.testclient import TestClient

from berryeval.service.workbench import pages
from service.workbench.html import parse
from service_server import new_app
from waiting import wait_until

# Texts of pages without data, or while loading.
NOT_YET = ('class="empty"', "No runs to replay yet", 'hx-trigger="load delay')


@pytest.fixture(scope="module")
def client(demo_archive):
    """A service over the demonstration."""
    with TestClient(new_app(demo_archive), base_url="http://localhost:8765") as opened:
        yield opened


@pytest.fixture(scope="module")
def known(client):
    """Return the values used in addresses."""
    return examples(lambda address: client.get(address).text)


def test_every_page_is_measured():
    """The list of the benchmark has every page, and no removed one."""
    routes = {
        route.path
        for router in (*pages.ROUTERS, *pages.OPEN_ROUTERS)
        for route in router.routes
        if "GET" in route.methods
    }
    assert routes == ADDRESSES.keys() | NOT_MEASURED.keys()


@pytest.mark.parametrize("address", [one for several in ADDRESSES.values() for one in several])
def test_every_page_has_content(client, known, address):
    """No page of the demonstration is empty or missing."""
    wanted = {"headers": {"Accept": "text/html"}, "follow_redirects": True}

    def finished():
        found = client.get(address.format(**known), **wanted)
        return None if is_waiting(found) else found

    found = wait_until(finished)
    assert found.status_code == 200, found.text
    for row in rows_without_facts(found.text):
        pytest.fail(f"a row of a table has no data to export: {row.text[:80]}")


def rows_without_facts(text):
    """Return the rows of tables with a title that an export would leave out."""
    if 'id="export"' not in text or "<table" not in text:
        return []
    tables = [
        table
        for table in parse(text).find("main").find_all("table")
        if any(title.text != "Keys" for title in table.find_all("caption"))
    ]
    rows = [row for table in tables for row in table.find("tbody").find_all("tr")]
    return [
        row
        for row in rows
        if "rest" not in row.attributes.get("class", "")
        and not any("data-facts" in one.attributes for one in [row, *row.find_all()])
    ]


def is_waiting(found):
    """Return whether a page shows that data is missing; hidden parts do not count."""
    shown, _, _ = found.text.partition('id="judge-none" hidden')
    return any(words in shown for words in NOT_YET)
