"""Pages while a large archive is being read: they say so, and no request waits."""

import threading
import time

import pytest

from berryeval import Run
from berryeval.archive import JudgmentEntry, RunFacts
from berryeval.archive.judgments import ArchivedJudgments
from berryeval.service import shared_work
from berryeval.service.workbench.state import warming
from service.workbench.html import get_page


@pytest.fixture
def slow(archive, monkeypatch):
    """An archive whose judgments are read when the test allows it."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    stored = archive.runs.put(Run.from_dict({"q1": {"d1": 1.0}}), RunFacts("bm25"))
    may_read = threading.Event()
    prepare = ArchivedJudgments.prepare
    monkeypatch.setattr(
        ArchivedJudgments, "prepare", lambda self: may_read.wait(60) and prepare(self)
    )
    may_read.address = f"/runs/{stored.run_id}"
    yield may_read
    may_read.set()


def test_pages_that_need_all_judgments_report_loading(slow, service, monkeypatch):
    """They reload by themselves, and open when everything is loaded."""
    monkeypatch.setattr(warming, "LARGE", 0)
    client = service()
    for address in (slow.address, "/compare", "/queries", "/power", "/gates/+new", "/judge"):
        page = get_page(client, address, status=503)
        assert "Reading the archive" in page.find("main").text
    answer = client.get(slow.address, headers={"Accept": "text/html"})
    assert (answer.headers["refresh"], answer.headers["retry-after"]) == ("1", "1")
    assert get_page(client, "/import")
    slow.set()
    assert client.app.state.warm_up.wait(60)
    assert "bm25" in get_page(client, slow.address).find("main").text


def test_pages_of_judgments_do_not_wait_for_them(slow, service, monkeypatch):
    """They report loading, and continue by themselves."""
    monkeypatch.setattr(warming, "LARGE", 0)
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 60.0)
    client = service()
    monkeypatch.setattr(client.app.state.judgment_table, "_make", lambda: slow.wait(60))
    start = time.monotonic()
    assert "Reading the judgments" in get_page(client, "/judgments").text
    assert time.monotonic() - start < 30


def test_a_small_archive_is_read_on_request(slow, client):
    """Reading a small archive takes no noticeable time."""
    assert "bm25" in get_page(client, slow.address).find("main").text
