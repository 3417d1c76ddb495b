"""Tests that share a program run in one process."""

from types import SimpleNamespace

import pytest

from ordering import by_program

FIXTURES = {
    "plain": (), "pages": ("visit", "chromium"), "archives": ("location",),
    "few": (), "both": ("postgres_dsn", "chromium"), "service": ("servers",), "last": (),
}  # fmt: skip
TESTS = [
    SimpleNamespace(path=path, fixturenames=fixtures if number == 1 else (), number=number)
    for path, fixtures in FIXTURES.items()
    for number in range(6)
]


def parts(tests, n_processes):
    """Divide a list as xdist does."""
    left = list(tests)
    for n_more in range(n_processes, 0, -1):
        yield left[: len(left) // n_more]
        del left[: len(left) // n_more]


def test_each_part_begins_with_the_modules_of_a_program():
    """A module that uses two of them runs with the more expensive one."""
    ordered = by_program(TESTS, 3)
    found = [list(dict.fromkeys(test.path for test in part)) for part in parts(ordered, 3)]
    assert found == [
        ["pages", "both", "plain"], ["archives", "plain", "few"], ["service", "few", "last"]
    ]  # fmt: skip


@pytest.mark.parametrize("n_processes", [1, 2, 3, 5, 60])
def test_no_test_is_lost_and_modules_keep_their_order(n_processes):
    """This holds for any number of processes."""
    ordered = by_program(TESTS, n_processes)
    assert len(ordered) == len(TESTS)
    for path in FIXTURES:
        assert [test.number for test in ordered if test.path == path] == list(range(6))
