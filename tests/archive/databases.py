"""Temporary PostgreSQL databases for tests."""

import secrets
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit


@contextmanager
def new_database(dsn: str, template: str = "template0"):
    """Create a database on a server, empty or as a copy of another, and return its address."""
    import psycopg

    name = f"archive_{secrets.token_hex(6)}"
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(dsn, autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
