"""The order of tests in several processes: only one of them starts each shared program."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

__all__ = ["by_program"]

PROGRAMS = (
    frozenset({"chromium"}),
    frozenset({"postgres_dsn", "location"}),
    frozenset({"servers"}),
)
"""Fixtures that start a program once per process: a browser, PostgreSQL, a service to fork."""


def by_program(tests: list[Any], n_processes: int) -> list[Any]:
    """Return the tests in an order in which each program is started by one process.

    xdist divides the list into equal parts, and tests at the end of one may move to another
    process later. So each part begins with the modules that use a program.
    """
    program_of: dict[Any, int] = {}
    for test in tests:
        for number, fixtures in enumerate(PROGRAMS):
            if not fixtures.isdisjoint(getattr(test, "fixturenames", ())):
                program_of[test.path] = min(number, program_of.get(test.path, number))
    beginnings: list[list[Any]] = [[] for _ in range(n_processes)]
    for number in range(len(PROGRAMS)):
        beginnings[number % n_processes] += [
            test for test in tests if program_of.get(test.path) == number
        ]
    others = (test for test in tests if test.path not in program_of)
    return list(_filled(beginnings, others, len(tests)))


def _filled(beginnings: list[list[Any]], others: Iterable[Any], n_tests: int) -> Iterable[Any]:
    """Iterate over parts of equal length, filled up with other tests."""
    rest = iter(others)
    for n_done, beginning in enumerate(beginnings):
        n_here = n_tests // (len(beginnings) - n_done)
        part = [*beginning, *islice(rest, max(0, n_here - len(beginning)))]
        n_tests -= len(part)
        yield from part
    yield from rest
