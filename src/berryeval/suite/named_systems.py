"""Systems as the suite names them: those of `open_system`, PostgreSQL by its modes, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from berryeval.core.query import Query
from berryeval.errors import ArgumentError
from berryeval.search.opening import open_system
from berryeval.search.system import System

__all__ = ["OWN_KEYS", "POSTGRES", "TABLE", "open_configured_system", "open_named_system"]

POSTGRES: Mapping[str, Mapping[str, str]] = {
    "postgres": {"mode": "hybrid", "rank": "bm25"},
    "postgres-bm25": {"mode": "text", "rank": "bm25"},
    "postgres-text": {"mode": "text"},
    "postgres-vector": {"mode": "vector"},
    "postgres-hybrid": {"mode": "hybrid", "rank": "bm25"},
}
"""Names, and what they mean; ``postgres-text`` ranks by PostgreSQL's own ``ts_rank_cd``."""

OWN_KEYS = ("system", "dsn", "headers")
"""What is no setting of the system in a table ``[systems.NAME]``."""

TABLE = "berryeval_quality"
"""Where the suite puts its documents, so that it never replaces a table of somebody else."""


def open_named_system(
    name: str,
    settings: Mapping[str, str] | None = None,
    *,
    dsn: str | None = None,
    queries: Iterable[Query] = (),
    headers: Mapping[str, str] | None = None,
) -> System:
    """Return a system by name.

    Parameters
    ----------
    name : str
        One of `POSTGRES`, or whatever `open_system` takes.
    settings : mapping, optional
        Settings as text.
    dsn : str, optional
        Where the database of PostgreSQL is.
    queries : iterable of Query
        For replays: which text belongs to which id.
    headers : mapping, optional
        For HTTP and OpenSearch: what else to send.

    Raises
    ------
    ArgumentError
        If PostgreSQL is named without a place, or a place without PostgreSQL.
    """
    given = dict(settings or {})
    if name not in POSTGRES:
        if dsn is not None:
            raise ArgumentError("dsn", f"none beside system {name!r}", "one")
        return open_system(name, given, queries=queries, headers=headers)
    if dsn is None:
        way_out = "give --dsn postgresql://user@host/database, or set BERRYEVAL_DSN"
        raise ArgumentError("dsn", f"where the database of {name!r} is", f"nothing; {way_out}")
    system = open_system(_as_address(dsn), {**POSTGRES[name], "table": TABLE, **given})
    system.name = name
    return system


def open_configured_system(
    name: str, table: Mapping[str, Any], *, queries: Iterable[Query] = ()
) -> System:
    """Return the system of a table ``[systems.NAME]``, under that name.

    Parameters
    ----------
    name : str
        What the system is called.
    table : mapping
        ``system``, a name that `open_named_system` takes; ``dsn`` and ``headers`` where it needs
        them; every other key is a setting of that system, as text.
    queries : iterable of Query
        For replays: which text belongs to which id.
    """
    settings = {key: value for key, value in table.items() if key not in OWN_KEYS}
    system = open_named_system(
        table["system"],
        settings,
        dsn=table.get("dsn"),
        queries=queries,
        headers=table.get("headers"),
    )
    system.name = name
    return system


def _as_address(dsn: str) -> str:
    """Return a place as `open_system` knows it: libpq's ``host=…`` is not told from others."""
    if dsn.startswith(("postgresql://", "postgres://")):
        return dsn
    # Not what it is: a password may stand anywhere in it.
    raise ArgumentError("dsn", "an address such as postgresql://user@host/database", "another form")
