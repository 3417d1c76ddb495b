"""PostgreSQL as a system under test."""

from berryeval.search.systems.postgres.postgres import Postgres

__all__ = ["Postgres"]
