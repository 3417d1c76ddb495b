"""Fixtures shared by tests of pages."""

import pytest

from berryeval.service import shared_work
from berryeval.service.workbench.state import judging_queues


@pytest.fixture(autouse=True)
def _complete_pages(monkeypatch):
    """Let pages wait for what was never computed, however slow the machine is."""
    monkeypatch.setattr(shared_work, "FIRST_WAIT_SECONDS", 20.0)


@pytest.fixture
def patient(monkeypatch):
    """Let pages wait for their results, however slow the machine is."""
    monkeypatch.setattr(judging_queues, "_WAIT_SECONDS", 20.0)
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 20.0)
