"""Systems of the quality suite, and of tables ``[systems.NAME]``; `open_system` opens both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from berryeval.core.query import Query
from berryeval.search.opening import is_postgres, open_system
from berryeval.search.system import System

__all__ = ["OWN_KEYS", "TABLE", "open_configured_system", "open_named_system"]

OWN_KEYS = ("system", "dsn", "headers")
"""The keys of a table ``[systems.NAME]`` that are not settings of the system."""

TABLE = "berryeval_quality"
"""The table for the suite's documents, so that the suite never replaces what others indexed."""


def open_named_system(
    name: str,
    settings: Mapping[str, str] | None = None,
    *,
    dsn: str | None = None,
    queries: Iterable[Query] = (),
    headers: Mapping[str, str] | None = None,
) -> System:
    """Return a system that the quality suite will fill with the documents of a golden set.

    It is the system that `open_system` returns for the same arguments. Only the table in which
    PostgreSQL keeps the documents is another one, unless the settings name it.

    Parameters
    ----------
    name, settings, dsn, queries, headers
        As `open_system` takes them.

    Raises
    ------
    ArgumentError
        As `open_system` does.
    """
    given = dict(settings or {})
    if is_postgres(name):
        given.setdefault("table", TABLE)
    return open_system(name, given, dsn=dsn, queries=queries, headers=headers)


def open_configured_system(
    name: str, table: Mapping[str, Any], *, queries: Iterable[Query] = ()
) -> System:
    """Return the system of a table ``[systems.NAME]``, under that name.

    Parameters
    ----------
    name : str
        What the system is called.
    table : mapping
        ``system``, a name that `open_system` takes; ``dsn`` and ``headers`` where it needs them;
        every other key is a setting of that system, as text.
    queries : iterable of Query
        For replays: which text belongs to which id.
    """
    settings = {key: value for key, value in table.items() if key not in OWN_KEYS}
    system = open_system(
        table["system"],
        settings,
        dsn=table.get("dsn"),
        queries=queries,
        headers=table.get("headers"),
    )
    system.name = name
    return system
