"""A named search index: an embedded store of the service, or a configured system."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from berryeval.archive.records import StoredStore
from berryeval.archive.stores import ArchivedStores
from berryeval.core.content_hash import hash_of_ids
from berryeval.core.documents import Document
from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError, BerryEvalError
from berryeval.search.hits import Hit
from berryeval.search.system import System, check_documents
from berryeval.search.systems.embedded import Embedded
from berryeval.search.tuning import Tunable, tunables_of
from berryeval.service.stores.engines import (
    SystemOpener,
    build_engine,
    new_engine,
    varied_engine,
)
from berryeval.suite.settings import setting_text

__all__ = ["ConfiguredStore", "EmbeddedStore", "Index", "RegisteredStore", "Store"]


class Store(System):
    """A search system that clients use by name."""

    is_read_only: ClassVar[bool] = True
    kind: str
    settings: Mapping[str, Any]

    @property
    def n_documents(self) -> int | None:
        """The number of documents; None if unknown to the service."""
        return None

    @property
    def stamp(self) -> object:
        """A value that changes with its documents and settings, as far as known to the service."""
        return None

    def corpus_hash(self) -> str | None:
        """Return a hash of all documents; None if unknown to the service."""
        return None

    def prepare(self) -> None:
        """Do slow preparations, so that no query has to wait for them."""

    @abstractmethod
    def tunables(self) -> tuple[Tunable, ...]:
        """Return the settings that may be changed while queries are tried."""

    @contextmanager
    def tuned(self, changes: Mapping[str, str]) -> Iterator[System]:
        """Search with other settings within the block; without changes, with the store's own.

        Parameters
        ----------
        changes : mapping of str to str
            As `read_changes` returns them.

        Raises
        ------
        ArgumentError
            If the values do not fit together.
        """
        if not changes:
            yield self
            return
        with self._changed(changes) as system:
            yield system

    @abstractmethod
    def _changed(self, changes: Mapping[str, str]) -> AbstractContextManager[System]:
        """Return the store with other settings."""

    @abstractmethod
    def find(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return documents by id, if known to the service."""

    @abstractmethod
    def list_ids(self, wanted: Sequence[str] | None, k: int) -> list[str]:
        """Return the first k documents, of all or of the given ids.

        Raises
        ------
        ArgumentError
            If the documents are unknown to the service.
        """


class EmbeddedStore(Store):
    """A store of the service, with its documents as of the lookup."""

    is_read_only: ClassVar[bool] = False

    def __init__(self, facts: StoredStore, archived: ArchivedStores, index: Index) -> None:
        self.name = facts.name
        self.kind = facts.kind
        self.settings = facts.settings
        self._facts = facts
        self._archived = archived
        self._index = index
        self._searched: _Searched | None = None

    @property
    def n_documents(self) -> int:
        """The number of documents."""
        return self._facts.n_documents

    @property
    def stamp(self) -> object:
        """A value that changes with its documents and settings."""
        return self._facts.created_at, self._facts.version

    def prepare(self) -> None:
        """Rebuild the index if documents have changed."""
        self._current()

    def search(self, query: str, k: int) -> list[Hit]:
        """Return at most `k` documents, best first; none if none were indexed."""
        return self._current().search(query, k)

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that determine the results."""
        return new_engine(self.kind, self.settings).fingerprint()

    def tunables(self) -> tuple[Tunable, ...]:
        """Return the settings that may be changed."""
        texts = {name: setting_text(value, name) for name, value in self.settings.items()}
        return tunables_of(self.kind, texts)

    def _changed(self, changes: Mapping[str, str]) -> AbstractContextManager[System]:
        engine = self._current().engine
        if not isinstance(engine, Embedded):
            return nullcontext(self)  # it has no documents
        return nullcontext(varied_engine(engine, changes))

    def corpus_hash(self) -> str:
        """Return a hash of all documents, independent of their order."""
        return self._current().corpus_hash

    def find(self, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return documents by id."""
        return self._archived.find_documents(self.name, doc_ids)

    def list_ids(self, wanted: Sequence[str] | None, k: int) -> list[str]:
        """Return the first k documents, of all or of the given ids, in the order of insertion."""
        chosen = None if wanted is None else frozenset(wanted)
        return [doc_id for doc_id in self._ids if chosen is None or doc_id in chosen][:k]

    def page(self, after: str | None, limit: int) -> list[Document]:
        """Return documents by id, starting after `after`."""
        return self._archived.documents_after(self.name, after or "", limit)

    @cached_property
    def _ids(self) -> list[str]:
        return self._archived.document_ids(self.name)

    def _current(self) -> _Searched:
        # All queries of an evaluation see the same documents.
        if self._searched is None:
            self._searched = self._index.current(self._facts, self._archived)
        return self._searched


class Index:
    """The search index of one embedded store.

    It is built on search, and rebuilt if documents have changed, so that documents added in many
    requests are indexed once.

    Parameters
    ----------
    vectors : Path
        The file that caches the vectors of documents.
    """

    def __init__(self, vectors: Path) -> None:
        self._vectors = vectors
        self._lock = threading.Lock()
        self._made_of: tuple[datetime, int] | None = None
        self._searched = _Searched(None, [])

    def current(self, facts: StoredStore, archived: ArchivedStores) -> _Searched:
        """Return the index of these documents or newer ones; other callers wait for it."""
        wanted = (facts.created_at, facts.version)
        with self._lock:
            if self._made_of is None or self._made_of < wanted:  # both only increase
                found = archived.documents(facts.name)
                engine = (
                    build_engine(facts.kind, facts.settings, found, self._vectors)
                    if found
                    else None
                )
                self._searched = _Searched(engine, found)
                self._made_of = wanted
            return self._searched


class _Searched:
    """An engine, with facts about its documents; None without documents."""

    def __init__(self, engine: System | None, documents: Sequence[Document]) -> None:
        self.engine = engine
        self.corpus_hash = hash_of_ids(
            part for fields in sorted(map(_encoded, documents)) for part in fields
        )

    def search(self, query: str, k: int) -> list[Hit]:
        return [] if self.engine is None else self.engine.search(query, k)


def _encoded(document: Document) -> tuple[bytes, bytes, bytes]:
    return encode_id(document.doc_id), encode_id(document.title), encode_id(document.text)


class ConfiguredStore(Store):
    """A system in the configuration of the server, opened on first use."""

    kind = "configured"

    def __init__(self, name: str, opener: SystemOpener) -> None:
        self.name = name
        self.settings = {}
        self._opener = opener
        self._lock = threading.Lock()
        self._system: System | None = None

    def prepare(self) -> None:
        """Raise if the system has nothing to search: every query would fail for that reason.

        Raises
        ------
        ArgumentError
            For an embedded system without an index. The service adds documents only to its own
            stores.
        """
        try:
            system = self._opened()
        except BerryEvalError:
            return  # each query reports the error
        way_out = "set path to the folder of an index, or add the documents to a store"
        check_documents(system, f"{way_out} (PUT /v1/stores/NAME)")

    def search(self, query: str, k: int) -> list[Hit]:
        """Return the results of the system."""
        return self._opened().search(query, k)

    def fingerprint(self) -> dict[str, str]:
        """Return the settings that determine the results, without secrets.

        For a system that cannot be opened, only its name is known.
        """
        try:
            return self._opened().fingerprint()
        except BerryEvalError:
            return super().fingerprint()

    def tunables(self) -> tuple[Tunable, ...]:
        """Return the settings that may be changed."""
        return self._opener.tunables()

    @contextmanager
    def _changed(self, changes: Mapping[str, str]) -> Iterator[System]:
        opened = self._opened()
        if isinstance(opened, Embedded):
            yield varied_engine(opened, changes)
            return
        with self._opener(changes) as system:
            yield system

    def find(self, doc_ids: Sequence[str]) -> dict[str, Document]:  # noqa: ARG002 - it has its own
        """Return nothing: the system returns only ids and scores."""
        return {}

    def list_ids(self, wanted: Sequence[str] | None, k: int) -> list[str]:  # noqa: ARG002
        """Raise, as the documents are unknown to the service."""
        raise ArgumentError("query", f"a text, as {self.name} manages its own documents", "none")

    def close(self) -> None:
        """Close its connections."""
        with self._lock:
            if self._system is not None:
                self._system.close()
                self._system = None

    def _opened(self) -> System:
        with self._lock:
            if self._system is None:
                self._system = self._opener()
            return self._system


class RegisteredStore(ConfiguredStore):
    """A system that an administrator has registered, which reaches only allowed hosts.

    When it is replaced or removed, queries in progress still use it; the last one closes it.
    """

    kind = "registered"

    def __init__(self, name: str, opener: SystemOpener, updated_at: datetime) -> None:
        super().__init__(name, opener)
        self.updated_at = updated_at

    def __del__(self) -> None:
        self.close()

    @property
    def stamp(self) -> object:
        """A value that changes when it is registered again."""
        return self.updated_at
