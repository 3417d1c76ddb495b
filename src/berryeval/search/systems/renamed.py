"""A system whose ids are converted to the form that the judgments use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from berryeval.core.documents import Document
from berryeval.search.hits import Hit
from berryeval.search.places import Place
from berryeval.search.system import System

__all__ = ["PLACE", "Renamed"]

PLACE = "{id}"
"""Placeholder for the id of a document in a template."""


class Renamed(System):
    """A system with other ids: `template` has ``{id}`` where the system's own id belongs.

    Parameters
    ----------
    system : System
        The system, which has its own documents.
    template : str
        The form of the new ids, such as ``{id}.txt``.
    """

    def __init__(self, system: System, template: str) -> None:
        self.name = system.name
        self.is_asynchronous = system.is_asynchronous
        self._system = system
        self._template = template

    @property
    def can_index(self) -> bool:
        """Whether it indexes documents."""
        return self._system.can_index

    @property
    def needs_documents(self) -> bool:
        """Whether it has nothing to search until `index` is called."""
        return self._system.needs_documents

    @property
    def places(self) -> Mapping[str, Place]:
        """Documents and positions of the chunks returned so far, by their new ids."""
        return {self._renamed(name): place for name, place in self._system.places.items()}

    @property
    def likely_id(self) -> str | None:
        """The setting that probably names the ids of hits, if they were hashed."""
        return self._system.likely_id

    def index(self, documents: Iterable[Document]) -> int:
        """Index documents."""
        return self._system.index(documents)

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the hits of the system, with their new ids."""
        return [Hit(self._renamed(hit.doc_id), hit.score) for hit in self._system.search(query, k)]

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return the results of `search` asynchronously."""
        hits = await self._system.asearch(query, k)
        return [Hit(self._renamed(hit.doc_id), hit.score) for hit in hits]

    def fingerprint(self) -> dict[str, str]:
        """Return the settings of the system, and the template."""
        return {**self._system.fingerprint(), "id": self._template}

    def close(self) -> None:
        """Close the system."""
        self._system.close()

    def _renamed(self, doc_id: str) -> str:
        return self._template.replace(PLACE, doc_id)
