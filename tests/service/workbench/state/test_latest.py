"""Values that are made in a thread."""

import threading

import pytest

from berryeval.service import shared_work as module
from berryeval.service.shared_work import Latest


def test_what_is_slow_is_shown_as_it_was(monkeypatch):
    """The previous value is shown until the new one is ready, and errors are raised."""
    go_on = threading.Event()
    values = iter([1, 2, 3])

    def make():
        value = next(values)
        if value > 1:
            go_on.wait(10)
        return value

    latest = Latest(make)
    monkeypatch.setattr(module, "WAIT_SECONDS", 10.0)
    assert latest.get() == 1
    monkeypatch.setattr(module, "WAIT_SECONDS", 0.01)
    assert latest.get() == 1
    monkeypatch.setattr(module, "WAIT_SECONDS", 10.0)
    go_on.set()
    assert latest.get() == 3, "what began before is not new enough"
    with pytest.raises(StopIteration):
        latest.get()
