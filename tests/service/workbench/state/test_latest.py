"""Values computed in a thread."""

import threading

import pytest

from berryeval.service import shared_work as module
from berryeval.service.shared_work import Latest


def test_the_previous_value_is_shown_while_a_slow_one_is_computed(monkeypatch):
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


def test_a_current_value_is_returned_without_a_thread():
    """While nothing changes, a page costs one check."""
    made, is_current = [], True

    def make():
        made.append(threading.current_thread())
        return len(made)

    latest = Latest(make, is_current=lambda _value: is_current)
    assert [latest.get(), latest.get()] == [1, 1]
    is_current = False
    assert latest.get() == 2
    assert len(made) == 2
