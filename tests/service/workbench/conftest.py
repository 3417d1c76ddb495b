"""What tests of pages share."""

import pytest

from berryeval.service.workbench import background
from berryeval.service.workbench.judging import queues


@pytest.fixture
def patient(monkeypatch):
    """Let pages wait for what they show, however slow the machine is."""
    monkeypatch.setattr(queues, "_WAIT_SECONDS", 20.0)
    monkeypatch.setattr(background, "WAIT_SECONDS", 20.0)
