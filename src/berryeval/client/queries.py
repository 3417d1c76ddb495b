"""Queries of the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict

from berryeval.client.connection import Connection, Record
from berryeval.core.query import Query

__all__ = ["Queries"]


class Queries:
    """Queries with their labels."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/queries", query={"limit": 1000})

    def get(self, query_id: str) -> Record:
        """Return a query."""
        return self._connection.ask("GET", "/v1/queries/{query_id}", {"query_id": query_id})

    def put(self, queries: Iterable[Query]) -> Record:
        """Store queries, all or none; existing ones are replaced."""
        body = {"queries": [asdict(one) for one in queries]}
        return self._connection.ask("POST", "/v1/queries", body=body)

    def set(self, query: Query, *, if_match: str | None = None) -> Record:
        """Store one query; `if_match` is its expected ETag."""
        content = asdict(query)
        return self._connection.ask(
            "PUT",
            "/v1/queries/{query_id}",
            {"query_id": content.pop("query_id")},
            body=content,
            headers={"If-Match": if_match},
        )

    def remove(self, query_id: str, *, if_match: str | None = None) -> None:
        """Remove a query; its judgments are kept."""
        self._connection.ask(
            "DELETE",
            "/v1/queries/{query_id}",
            {"query_id": query_id},
            headers={"If-Match": if_match},
        )
