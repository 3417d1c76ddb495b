"""Collections of the service."""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.client.connection import Record, Resource

__all__ = ["Collections"]

_COLLECTION = "/v1/collections/{name}"


class Collections(Resource):
    """Golden sets with their runs and gates, apart from one another."""

    def __iter__(self) -> Iterator[Record]:
        return map(Record, self._connection.ask("GET", "/v1/collections")["items"])

    def create(self, name: str, title: str | None = None) -> Record:
        """Create a collection, or change the title of an existing one."""
        return self._connection.ask("PUT", _COLLECTION, {"name": name}, body={"title": title})

    def get(self, name: str) -> Record:
        """Return a collection."""
        return self._connection.ask("GET", _COLLECTION, {"name": name})

    def remove(self, name: str) -> None:
        """Remove a collection with everything in it."""
        self._connection.ask("DELETE", _COLLECTION, {"name": name})
