"""Documents of the service."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from berryeval.client.connection import Connection, Record
from berryeval.core.documents import Document

__all__ = ["Documents"]


class Documents:
    """Documents; judgments of changed ones become stale."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __iter__(self) -> Iterator[Record]:
        return self._connection.iter_items("/v1/documents", query={"limit": 1000})

    def get(self, doc_id: str) -> Record:
        """Return a document."""
        return self._connection.ask("GET", "/v1/documents/{doc_id}", {"doc_id": doc_id})

    def put(self, documents: Iterable[Document]) -> Record:
        """Store documents."""
        body = {
            "documents": [
                {"doc_id": one.doc_id, "title": one.title, "text": one.text} for one in documents
            ]
        }
        return self._connection.ask("POST", "/v1/documents", body=body)

    def remove(self, doc_id: str) -> None:
        """Remove a document; its judgments are kept."""
        self._connection.ask("DELETE", "/v1/documents/{doc_id}", {"doc_id": doc_id})
