"""One query on a store with other settings, within limits of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from berryeval.archive.checks import LONGEST_ID
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import AnswerError
from berryeval.search.collect import collect
from berryeval.search.limits import Limits
from berryeval.service.stores.query_deadline import QueryDeadline
from berryeval.service.stores.store import Store

__all__ = ["SECONDS", "Tried", "try_query"]

SECONDS = 15.0
"""Maximum duration of one query, including the preparation of a store."""


@dataclass(frozen=True)
class Tried:
    """The results of one query."""

    run: Run
    """The ranking of the query, with scores."""
    milliseconds: float
    settings: Mapping[str, str]
    """The settings that determined the results, without secrets."""


def try_query(store: Store, query: Query, k: int, changes: Mapping[str, str], end: float) -> Tried:
    """Return the results of a query on a store with other settings.

    Parameters
    ----------
    store : Store
        The store to search.
    query : Query
        The query.
    k : int
        Number of hits.
    changes : mapping of str to str
        As `read_changes` returns them.
    end : float
        The deadline, as of `time.monotonic`.

    Raises
    ------
    SystemUnderTestError
        If the query fails.
    ArgumentError
        If the settings do not fit together.
    """
    prepared, limits = QueryDeadline(end).prepared(store, 1)
    if prepared is not store:
        found = collect(prepared, [query], k, limits=limits)
        settings: Mapping[str, str] = {}
    else:
        once = Limits(1, limits.total or SECONDS, retries=0)
        with store.tuned(changes) as system:
            found = collect(system, [query], k, limits=once)
            settings = system.fingerprint()
    if found.failures:
        raise found.failures[query.query_id]
    longest = max(map(len, found.run.doc_ids.iter_bytes()), default=0)
    if longest > LONGEST_ID:  # neither a judgment nor an address could name it
        message = f"expected ids of at most {LONGEST_ID:,} bytes, got one of {longest:,}"
        raise AnswerError(store.name, message)
    return Tried(found.run, 1000 * found.durations[query.query_id], settings)
