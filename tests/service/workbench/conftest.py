"""Fixtures shared by tests of pages."""

from datetime import datetime, timezone

import pytest

from berryeval.service import shared_work
from berryeval.service.workbench import rendering
from berryeval.service.workbench.state import judging_queues
from waiting import SECONDS_TO_WAIT

LONG_AGO = datetime(2000, 1, 1, tzinfo=timezone.utc)


@pytest.fixture(autouse=True)
def _complete_pages(monkeypatch):
    """Let pages wait for results that were never computed, however slow the machine is."""
    monkeypatch.setattr(shared_work, "FIRST_WAIT_SECONDS", SECONDS_TO_WAIT)


@pytest.fixture
def patient(monkeypatch):
    """Let pages wait for their results, however slow the machine is."""
    monkeypatch.setattr(judging_queues, "_WAIT_SECONDS", SECONDS_TO_WAIT)
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", SECONDS_TO_WAIT)


@pytest.fixture
def everything_is_recent(monkeypatch):
    """Let pages show each time as "just now", however old the shared archive is."""
    monkeypatch.setattr(rendering, "_now", lambda: LONG_AGO)
