"""What tests of pages share."""

import pytest

from berryeval.service import shared_work
from berryeval.service.workbench.state import judging_queues


@pytest.fixture
def patient(monkeypatch):
    """Let pages wait for what they show, however slow the machine is."""
    monkeypatch.setattr(judging_queues, "_WAIT_SECONDS", 20.0)
    monkeypatch.setattr(shared_work, "WAIT_SECONDS", 20.0)
