"""Work that several callers share."""

import threading

import pytest

from berryeval.service.shared_work import SharedWork

LONG = 20.0


@pytest.fixture
def work():
    """A queue that runs one piece of work at a time."""
    made = SharedWork("test")
    yield made
    made.close()


def test_a_value_is_computed_once_for_all_callers(work):
    """The second caller gets the value of the first, with the note that it started earlier."""
    go_on, made = threading.Event(), []

    def make():
        go_on.wait(LONG)
        made.append(1)
        return "value"

    assert work.get("a", make, seconds=0) == (None, False)
    threading.Timer(0.05, go_on.set).start()
    assert work.get("a", make, seconds=LONG) == ("value", False)
    assert work.get("a", make, seconds=LONG) == ("value", True), "nothing is kept"
    assert len(made) == 2


def test_a_caller_that_does_not_wait_gets_the_known_value(work):
    """It may be outdated; the work continues for the next caller."""
    go_on = threading.Event()
    assert work.get("a", go_on.wait, seconds=0.01, known="old") == ("old", False)
    go_on.set()


def test_errors_are_raised_for_the_caller(work):
    """The next caller tries again."""

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        work.get("a", fail, seconds=LONG)
    assert work.get("a", lambda: 1, seconds=LONG) == (1, True)


def test_keys_take_turns(work):
    """The value of another key waits until a worker is free."""
    go_on, has_begun = threading.Event(), threading.Event()
    work.get("a", lambda: has_begun.set() or go_on.wait(LONG), seconds=0)
    assert has_begun.wait(LONG)
    assert work.get("b", lambda: 2, seconds=0.05) == (None, False)
    go_on.set()
    assert work.get("b", lambda: 2, seconds=LONG)[0] == 2


def test_nothing_starts_after_closing(work):
    """Running work is waited for; queued work is dropped."""
    go_on, has_begun, made = threading.Event(), threading.Event(), []
    work.get("a", lambda: has_begun.set() or (go_on.wait(LONG) and made.append("a")), seconds=0)
    assert has_begun.wait(LONG)
    work.get("b", lambda: made.append("b"), seconds=0)
    threading.Timer(0.05, go_on.set).start()
    work.close()
    assert made == ["a"]
    assert work.get("c", lambda: made.append("c"), seconds=LONG, known=3) == (3, False)


def test_no_more_than_so_many_values_wait():
    """Further work is not started, and its caller gets the known value."""
    work = SharedWork("test", most=2)
    go_on = threading.Event()
    for key in ("a", "b"):
        work.get(key, lambda: go_on.wait(LONG), seconds=0)
    made = []
    assert work.get("c", lambda: made.append(1), seconds=0.01, known="old") == ("old", False)
    assert work.get("a", made.clear, seconds=0) == (None, False), "one that waits is shared"
    go_on.set()
    work.close()
    assert made == []
