"""Work that several callers wait for."""

import threading

import pytest

from berryeval.service.shared_work import SharedWork

LONG = 20.0


@pytest.fixture
def work():
    """Work, one piece at a time."""
    made = SharedWork("test")
    yield made
    made.close()


def test_a_value_is_made_once_for_all_who_wait(work):
    """The second caller gets the value of the first, and learns that it began before."""
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


def test_who_has_no_patience_gets_the_known_value(work):
    """It may be outdated; the work goes on for the next caller."""
    go_on = threading.Event()
    assert work.get("a", go_on.wait, seconds=0.01, known="old") == ("old", False)
    go_on.set()


def test_what_fails_raises_where_it_is_asked_for(work):
    """The next caller tries again."""

    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        work.get("a", fail, seconds=LONG)
    assert work.get("a", lambda: 1, seconds=LONG) == (1, True)


def test_keys_take_turns(work):
    """The value of another key waits until there is room."""
    go_on, has_begun = threading.Event(), threading.Event()
    work.get("a", lambda: has_begun.set() or go_on.wait(LONG), seconds=0)
    assert has_begun.wait(LONG)
    assert work.get("b", lambda: 2, seconds=0.05) == (None, False)
    go_on.set()
    assert work.get("b", lambda: 2, seconds=LONG)[0] == 2


def test_nothing_begins_once_it_is_closed(work):
    """What has begun is waited for; what waits for its turn is dropped."""
    go_on, has_begun, made = threading.Event(), threading.Event(), []
    work.get("a", lambda: has_begun.set() or (go_on.wait(LONG) and made.append("a")), seconds=0)
    assert has_begun.wait(LONG)
    work.get("b", lambda: made.append("b"), seconds=0)
    threading.Timer(0.05, go_on.set).start()
    work.close()
    assert made == ["a"]
    assert work.get("c", lambda: made.append("c"), seconds=LONG, known=3) == (3, False)
