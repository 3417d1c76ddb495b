"""All stores of the service."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from berryeval.archive import Archive
from berryeval.archive.checks import check_id
from berryeval.archive.paging import MAX_PER_PAGE
from berryeval.archive.records import RegisteredSystem, StoredStore
from berryeval.core.documents import Document
from berryeval.core.id_column import encode_id
from berryeval.errors import ArgumentError, ConflictError, NotFoundError
from berryeval.search.hosts import AllowedHosts
from berryeval.search.system import each_once
from berryeval.service.settings import ServiceSettings
from berryeval.service.stores.engines import check_settings, missing_engine, opener_of
from berryeval.service.stores.former_file import move_documents
from berryeval.service.stores.registering import check_registration, registered_opener
from berryeval.service.stores.store import (
    ConfiguredStore,
    EmbeddedStore,
    Index,
    RegisteredStore,
    Store,
)

__all__ = ["DEFAULT", "Stores", "check_store_name", "open_stores"]


DEFAULT = "default"
"""The store that always exists: empty and hybrid until it is replaced or filled."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_LONG_AGO = datetime.fromtimestamp(0, timezone.utc)
_NOT_EMBEDDED = (ConfiguredStore.kind, RegisteredStore.kind)
_UNTOUCHED = StoredStore(DEFAULT, "hybrid", {}, 0, None, None, _LONG_AGO, version=0)


class Stores:
    """Search indexes by name; one of them, `DEFAULT`, always exists.

    Parameters
    ----------
    archive : Archive
        Contains embedded stores and their documents.
    folder : Path
        The folder of files that can be recreated; it is created if it does not exist.
    systems : mapping of str to mapping
        The systems in the configuration of the server, by name; see `opener_of`.
    search_hosts : iterable of str
        The hosts that registered systems may reach, see `AllowedHosts`.

    Raises
    ------
    ArgumentError
        For a system with an invalid name or configuration.
    """

    def __init__(
        self,
        archive: Archive,
        folder: Path,
        systems: Mapping[str, Mapping[str, Any]] | None = None,
        search_hosts: Iterable[str] = (),
    ) -> None:
        self._hosts = AllowedHosts(search_hosts)
        self._registered: dict[str, RegisteredStore] = {}
        self._configured = {
            name: ConfiguredStore(check_store_name(name), opener_of(name, table))
            for name, table in (systems or {}).items()
        }
        self._archive = archive
        self._vectors = folder / "vectors.db"
        self._indexes: dict[str, Index] = {}
        self._lock = threading.Lock()

    def create(self, name: str, kind: str, settings: Mapping[str, Any]) -> bool:
        """Create an embedded store without documents; return whether it is new.

        Raises
        ------
        ArgumentError
            For an invalid name or settings.
        ConflictError
            If a configured system or a different store has this name.
        """
        check_store_name(name)
        if name in self._configured:
            expected = "a name that the configuration of the server does not use"
            raise ConflictError(f"store {name!r}", expected, "a configured system")
        if self._archive.systems.get(name) is not None:
            raise ConflictError(f"store {name!r}", "another name", "a registered system")
        check_settings(kind, settings)
        is_new = self._archive.stores.create(name, kind, settings, replaces=_is_placeholder)
        return is_new and name != DEFAULT

    def remove(self, name: str) -> None:
        """Remove an embedded store with its documents; the default one is then empty again."""
        self._check_is_ours(name)
        if not self._archive.stores.remove(name) and name != DEFAULT:
            raise NotFoundError("store", name)
        with self._lock:
            self._indexes.pop(name, None)

    def put(self, name: str, documents: Iterable[Document]) -> int:
        """Add documents, or replace those with the same id; return their number.

        They are on disk when it returns, all or none, and the next search finds them.

        Raises
        ------
        ArgumentError
            For a repeated document, an id that is too long, or text that UTF-8 cannot encode.
        NotFoundError, ConflictError
            If there is no such store, or it is a configured system.
        """
        self._check_is_ours(name)
        checked = list(each_once(documents))
        for document in checked:
            check_id(document.doc_id, "doc_id")
            encode_id(document.title, "title")
            encode_id(document.text, "text")
        if self._facts(name) is _UNTOUCHED:
            self._archive.stores.create(DEFAULT, _UNTOUCHED.kind)
        return self._archive.stores.put_documents(name, checked)

    def discard(self, name: str, doc_id: str) -> bool:
        """Remove a document; return whether it was there."""
        self._check_is_ours(name)
        if self._facts(name) is _UNTOUCHED:
            return False
        return self._archive.stores.discard_document(name, doc_id)

    def find(self, name: str) -> Store:
        """Return a store by name.

        Raises
        ------
        NotFoundError
            If there is none.
        """
        if name in self._configured:
            return self._configured[name]
        facts = self._facts(name)
        if facts is None:
            return self._registered_store(name)
        if facts is _UNTOUCHED:  # another process may have removed a store that is indexed here
            return EmbeddedStore(facts, self._archive.stores, Index(self._vectors))
        with self._lock:
            index = self._indexes.setdefault(name, Index(self._vectors))
        return EmbeddedStore(facts, self._archive.stores, index)

    def embedded(self, name: str) -> EmbeddedStore:
        """Return an embedded store.

        Raises
        ------
        NotFoundError, ConflictError
            If there is none, or it is a configured system.
        """
        self._check_is_ours(name)
        store = self.find(name)
        if not isinstance(store, EmbeddedStore):
            raise ConflictError(f"store {name!r}", "an embedded store", "a registered system")
        return store

    def register(
        self,
        name: str,
        place: str,
        settings: Mapping[str, str],
        secrets: Mapping[str, str],
        *,
        author: str,
    ) -> tuple[RegisteredSystem, bool]:
        """Register a system, or replace one; return it, and whether it is new.

        Parameters
        ----------
        name, place, settings, secrets
            See `check_registration`.
        author : str
            The administrator.

        Raises
        ------
        ArgumentError
            For an invalid name or setting, or a host that is not allowed.
        ConflictError
            If a store or a configured system has this name.
        """
        check_store_name(name)
        if name in self._configured or self._facts(name) is not None:
            raise ConflictError(f"system {name!r}", "a name that no store has", "a store")
        check_registration(name, place, settings, secrets, self._hosts)
        made = self._archive.systems.put(name, place, settings, secrets, author=author)
        with self._lock:
            self._registered.pop(name, None)
        return made

    def unregister(self, name: str) -> None:
        """Remove a registered system; its runs are kept.

        Raises
        ------
        NotFoundError
            If there is none.
        """
        if not self._archive.systems.remove(name):
            raise NotFoundError("system", name)
        with self._lock:
            self._registered.pop(name, None)

    def names(self) -> list[str]:
        """Return the names of all stores."""
        known = self._archive.stores.page(limit=MAX_PER_PAGE).items
        made = (facts.name for facts in known if facts.kind not in _NOT_EMBEDDED)
        registered = self._archive.systems.page(limit=MAX_PER_PAGE).items
        return sorted({DEFAULT, *self._configured, *made, *(one.name for one in registered)})

    def searchable(self) -> list[str]:
        """Return the names of systems, and of stores with documents that can be searched here."""
        known = self._archive.stores.page(limit=MAX_PER_PAGE).items
        own = {one.name: one.n_documents for one in known if one.kind not in _NOT_EMBEDDED}
        own = {DEFAULT: 0, **own}
        can_search = missing_engine() is None
        return [
            name
            for name in self.names()
            if name in self._configured or name not in own or (own[name] and can_search)
        ]

    def drop_outdated(self) -> None:
        """Drop the systems and indexes that another process has removed or replaced."""
        with self._lock:
            systems, indexes = [*self._registered.items()], [*self._indexes]
        for name, known in systems:
            found = self._archive.systems.get(name)
            if found is None or found.updated_at != known.updated_at:
                with self._lock:
                    if self._registered.get(name) is known:
                        del self._registered[name]
        for name in indexes:
            if self._archive.stores.get(name) is None:
                with self._lock:
                    self._indexes.pop(name, None)

    def close(self) -> None:
        """Close connections."""
        for store in (*self._configured.values(), *self._registered.values()):
            store.close()

    def _facts(self, name: str) -> StoredStore | None:
        found = self._archive.stores.get(name) if _NAME.fullmatch(name) else None
        if found is not None and found.kind not in _NOT_EMBEDDED:
            return found
        return _UNTOUCHED if name == DEFAULT else None

    def _registered_store(self, name: str) -> RegisteredStore:
        """Return a registered system, opened again if another process has replaced it."""
        found = self._archive.systems.get(name) if _NAME.fullmatch(name) else None
        if found is None:
            raise NotFoundError("store", name)
        with self._lock:
            known = self._registered.get(name)
            if known is None or known.updated_at != found.updated_at:
                opener = registered_opener(found, self._hosts)
                known = RegisteredStore(name, opener, found.updated_at)
                self._registered[name] = known
            return known

    def _check_is_ours(self, name: str) -> None:
        if name in self._configured:
            what = f"store {name!r}"
            raise ConflictError(what, "an embedded store", "a configured system")


def open_stores(archive: Archive, settings: ServiceSettings) -> Stores:
    """Return the stores that belong to an archive.

    Files that can be recreated are in a folder next to the file of the archive, or in the working
    directory if it is in PostgreSQL. Documents that an earlier version kept there are moved into
    the archive.
    """
    name = getattr(archive, "name", settings.archive)  # a description needs no archive
    is_file = not name.startswith(("postgresql://", "postgres://"))
    folder = Path(f"{name if is_file else 'berryeval'}.stores")
    if archive is not None:
        move_documents(folder / "documents.db", archive)
    return Stores(archive, folder, settings.systems, settings.search_hosts)


def _is_placeholder(found: StoredStore) -> bool:
    """Whether a store has nothing but a summary: the default one, or a former system."""
    is_default = (found.name, found.kind, found.settings) == (DEFAULT, _UNTOUCHED.kind, {})
    return found.kind in _NOT_EMBEDDED or (is_default and found.version == 0)


def check_store_name(name: str) -> str:
    """Return a name, or raise if it could be a path, an address or a function.

    Examples
    --------
    >>> check_store_name("products-2026.v1")
    'products-2026.v1'
    >>> check_store_name("../etc")
    Traceback (most recent call last):
      ...
    berryeval.errors.ArgumentError: store: expected letters, digits, dots, dashes and underscores,
    a letter or digit first, at most 100, got '../etc'
    """
    if not _NAME.fullmatch(name):
        expected = (
            "letters, digits, dots, dashes and underscores, a letter or digit first, at most 100"
        )
        raise ArgumentError("store", expected, repr(name[:80]))
    return name
