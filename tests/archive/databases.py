"""Temporary PostgreSQL databases for tests."""

import secrets
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import pytest

from depth import IS_DEEP

ON_ONE_DATABASE = pytest.mark.parametrize(
    "location", ["sqlite", "postgresql"] if IS_DEEP else ["sqlite"], indirect=True
)
"""For cases that differ before the database is reached; other tests cover both databases."""


@contextmanager
def new_database(dsn: str):
    """Create an empty database on a server, and return its address."""
    import psycopg

    name = f"archive_{secrets.token_hex(6)}"
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    try:
        yield urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(dsn, autocommit=True) as server:  # tests may end all connections
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def remove_rows(dsn: str) -> None:
    """Remove every row of the archive in a database, and every other client.

    This is faster than another database. No table has a sequence, and none has rows at first.
    """
    import psycopg

    from berryeval.archive.database import SCHEMA
    from berryeval.archive.tables import metadata

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        for table in reversed(metadata.sorted_tables):
            connection.execute(f"DELETE FROM {SCHEMA}.{table.name}")  # noqa: S608 - names of ours
