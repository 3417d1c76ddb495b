"""One chat API for all tests of a module."""

from __future__ import annotations

import pytest

from judges.chat_server import served_model  # noqa: F401 - the fixture chat_server


@pytest.fixture
def model(chat_server):
    """A model without faults, which grades everything 1."""
    chat_server[0].reset()
    return chat_server[0]


@pytest.fixture
def place(chat_server):
    """Its name for `open_judge`."""
    return chat_server[1]
