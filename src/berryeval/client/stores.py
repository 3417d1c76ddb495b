"""Stores of the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from berryeval.client.collection import document_bodies
from berryeval.client.connection import Record, Resource
from berryeval.core.documents import Document
from berryeval.core.query import Query

__all__ = ["Stores", "Systems", "query_bodies"]

_AT_ONCE = 1000

_STORE = "/v1/stores/{store}"
_SYSTEM = "/v1/systems/{name}"


class Stores(Resource):
    """Search indexes of the service."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/stores")

    def create(self, name: str, kind: str = "hybrid", **settings: Any) -> Record:  # noqa: ANN401
        """Create a store: ``"bm25"``, ``"vector"`` or ``"hybrid"``; repeating it does nothing."""
        body = {"kind": kind, "settings": settings}
        return self._connection.ask("PUT", _STORE, {"store": name}, body=body)

    def get(self, name: str) -> Record:
        """Return a store."""
        return self._connection.ask("GET", _STORE, {"store": name})

    def remove(self, name: str) -> None:
        """Remove a store with its documents."""
        self._connection.ask("DELETE", _STORE, {"store": name})

    def index(self, name: str, documents: Iterable[Document]) -> int:
        """Index documents, replacing existing ones, and return their number."""
        n_indexed = 0
        waiting = iter(documents)
        while some := [*islice(waiting, _AT_ONCE)]:
            body = document_bodies(some)
            self._connection.ask("POST", f"{_STORE}/documents", {"store": name}, body=body)
            n_indexed += len(some)
        return n_indexed

    def documents(self, name: str) -> Iterator[Document]:
        """Iterate over the documents of a store by id."""
        items = self._connection.iter_items(f"{_STORE}/documents", {"store": name})
        return (Document(one["doc_id"], one["text"], one["title"]) for one in items)

    def remove_document(self, name: str, doc_id: str) -> None:
        """Remove a document from a store."""
        ids = {"store": name, "doc_id": doc_id}
        self._connection.ask("DELETE", f"{_STORE}/documents/{{doc_id}}", ids)

    def search(
        self, name: str, query: str, k: int = 10, settings: Mapping[str, Any] | None = None
    ) -> Record:
        """Search a store, with other settings if some are given."""
        path, ids = f"{_STORE}/search", {"store": name}
        if settings is None:
            return self._connection.ask("GET", path, ids, query={"q": query, "k": k})
        body = {"query": query, "k": k, "settings": dict(settings)}
        return self._connection.ask("POST", path, ids, body=body)

    def settings(self, name: str) -> Sequence[Record]:
        """Return the settings of a store that `search` can change."""
        found: Sequence[Record] = self._connection.ask(
            "GET", f"{_STORE}/settings", {"store": name}
        )["items"]
        return found


class Systems(Resource):
    """Systems that administrators register, which are then stores to search."""

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/systems")

    def get(self, name: str) -> Record:
        """Return a registered system, without its credentials."""
        return self._connection.ask("GET", _SYSTEM, {"name": name})

    def set(
        self,
        name: str,
        place: str,
        settings: Mapping[str, str] | None = None,
        *,
        secrets: Mapping[str, str] | None = None,
    ) -> Record:
        """Register a system by its address, or replace it with its credentials."""
        body = {"place": place, "settings": dict(settings or {}), "secrets": dict(secrets or {})}
        return self._connection.ask("PUT", _SYSTEM, {"name": name}, body=body)

    def remove(self, name: str) -> None:
        """Remove a registered system."""
        self._connection.ask("DELETE", _SYSTEM, {"name": name})


def query_bodies(queries: Iterable[Query] | Mapping[str, str]) -> list[dict[str, str]]:
    """Return queries as bodies of ``POST /v1/evaluation/evaluate``."""
    if isinstance(queries, Mapping):
        return [{"id": query_id, "query": text} for query_id, text in queries.items()]
    return [{"id": query.query_id, "query": query.text} for query in queries]
