"""Every page on the demonstration, as a newcomer sees it."""

import time

import pytest
from benchmarks.workbench import ADDRESSES, NOT_MEASURED, examples
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.service.demo import fill_demo
from berryeval.service.workbench import pages
from service_server import new_app

# What pages say where there is nothing, or not yet.
NOT_YET = ('class="empty"', "No runs to replay yet", 'hx-trigger="load delay')


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """A service over the demonstration."""
    with Archive.open(tmp_path_factory.mktemp("demo") / "demo.db") as archive:
        fill_demo(archive)
        with TestClient(new_app(archive), base_url="http://localhost:8765") as opened:
            yield opened


@pytest.fixture(scope="module")
def known(client):
    """What stands in the addresses."""
    return examples(lambda address: client.get(address).text)


def test_every_page_is_measured():
    """A page that is new is in the list of the benchmark, and one that went is not."""
    routes = {
        route.path
        for router in (*pages.ROUTERS, *pages.OPEN_ROUTERS)
        for route in router.routes
        if "GET" in route.methods
    }
    assert routes == ADDRESSES.keys() | NOT_MEASURED.keys()


@pytest.mark.parametrize("address", [one for several in ADDRESSES.values() for one in several])
def test_every_page_has_something_to_show(client, known, address):
    """No page of the demonstration is empty or missing."""
    wanted = {"headers": {"Accept": "text/html"}, "follow_redirects": True}
    found = client.get(address.format(**known), **wanted)
    deadline = time.monotonic() + 60
    while is_waiting(found) and time.monotonic() < deadline:
        time.sleep(0.2)  # what is being computed is there when one asks again
        found = client.get(address.format(**known), **wanted)
    assert found.status_code == 200, found.text
    assert not is_waiting(found), address


def is_waiting(found):
    """Whether a page shows that there is nothing; what it hides for later does not count."""
    shown, _, _ = found.text.partition('id="judge-none" hidden')
    return any(words in shown for words in NOT_YET)
