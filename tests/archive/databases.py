"""Databases of PostgreSQL that tests make and throw away."""

import secrets
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit


@contextmanager
def new_database(dsn: str, template: str = "template0"):
    """Give the address of a new database on a server: empty, or a copy of another."""
    import psycopg

    name = f"archive_{secrets.token_hex(6)}"
    with psycopg.connect(dsn, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        yield urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(dsn, autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")
