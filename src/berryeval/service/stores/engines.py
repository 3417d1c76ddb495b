"""What searches a store: an embedded engine, or a system in the configuration of the server."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError, FormatError, MissingExtraError
from berryeval.search.hosts import AllowedHosts
from berryeval.search.opening import (
    OWN_KEYS,
    SETTINGS,
    kind_of,
    open_configured_system,
    read_settings,
)
from berryeval.search.system import System
from berryeval.search.tuning import Tunable, tunables_of
from berryeval.suite.settings import setting_text

if TYPE_CHECKING:
    from berryeval.search.embedding.embedder import Embedder, Vectors
    from berryeval.search.systems.embedded import Embedded, Mode

__all__ = [
    "Kind",
    "SystemOpener",
    "build_engine",
    "check_settings",
    "missing_engine",
    "new_engine",
    "opener_of",
    "varied_engine",
]

Kind: TypeAlias = Literal["bm25", "vector", "hybrid"]

_TAKEN: Mapping[str, frozenset[str]] = {
    "bm25": frozenset({"title_weight"}),
    "vector": frozenset({"approximate"}),
    "hybrid": frozenset({"title_weight", "approximate", "weights", "constant", "depth"}),
}

_LIBRARIES = ("tantivy", "wordllama", "tokenizers", "safetensors")


def missing_engine() -> MissingExtraError | None:
    """Return why embedded stores cannot be searched; None if their libraries are installed."""
    if all(map(find_spec, _LIBRARIES)):
        return None
    return MissingExtraError("The embedded search engine", "search")


def new_engine(kind: str, settings: Mapping[str, Any]) -> Embedded:
    """Return an engine without documents, in memory."""
    from berryeval.search.systems.embedded import Embedded

    return Embedded(cast("Mode", kind), **settings)


def check_settings(kind: str, settings: Mapping[str, Any]) -> None:
    """Raise for an unknown setting or an invalid value."""
    for name in settings:
        if name not in _TAKEN[kind]:
            known = ", ".join(sorted(_TAKEN[kind]))
            raise ArgumentError("settings", f"one of {kind}'s ({known})", repr(name))
    new_engine(kind, settings)


def build_engine(
    kind: str, settings: Mapping[str, Any], documents: Sequence[Document], vectors: Path
) -> System:
    """Return an engine with documents.

    Vectors of documents are cached in the file `vectors`, by content, so that adding a document
    does not embed the others again. Those of queries are not cached.
    """
    engine = new_engine(kind, settings)
    if kind == "bm25":
        engine.index(documents)
        return engine
    from berryeval.search.embedding.vector_cache import CachedEmbedder

    embedder = engine.embedder
    try:
        vectors.parent.mkdir(parents=True, exist_ok=True)
        cache = CachedEmbedder(embedder, vectors)
    except (FormatError, OSError):  # a cache that fails costs only time
        engine.index(documents)
        return engine
    engine.embedder = _FallbackEmbedder(cache, embedder)
    try:
        engine.index(documents)
    finally:
        engine.embedder = embedder
        cache.close()
    return engine


class _FallbackEmbedder:
    """An embedder with a cache; if the cache fails, texts are embedded again."""

    def __init__(self, cache: Embedder, embedder: Embedder) -> None:
        self._cache = cache
        self._embedder = embedder

    @property
    def name(self) -> str:
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        try:
            return self._cache.embed(texts)
        except sqlite3.Error:
            return self._embedder.embed(texts)


def varied_engine(engine: Embedded, changes: Mapping[str, str]) -> Embedded:
    """Return an engine with checked changes, which searches the same index."""
    others = {name: text for name, text in changes.items() if name != "mode"}
    mode = cast("Mode | None", changes.get("mode"))
    return engine.varied(mode, **read_settings(others, "embedded"))


@dataclass(frozen=True)
class SystemOpener:
    """Opens a system in the configuration of the server, or a registered one."""

    name: str
    table: Mapping[str, Any]
    """The configuration, as for `open_configured_system`."""
    hosts: AllowedHosts | None = None
    """The hosts that it may reach; None for any."""

    def __call__(self, changes: Mapping[str, str] | None = None) -> System:
        """Return the system, with checked changes of its settings; all others stay the same."""
        # The default weights depend on the fusion.
        kept = {one.name: one.value for one in self.tunables() if one.name == "weights"}
        table = {**(kept if changes else {}), **self.table, **(changes or {})}
        return open_configured_system(self.name, table, hosts=self.hosts)

    def tunables(self) -> tuple[Tunable, ...]:
        """Return the settings that may be changed."""
        settings = {key: value for key, value in self.table.items() if key not in OWN_KEYS}
        return tunables_of(self.table["system"], settings)


def opener_of(
    name: str, table: Mapping[str, Any], hosts: AllowedHosts | None = None
) -> SystemOpener:
    """Return what opens a system in the configuration of the server.

    Parameters
    ----------
    name : str
        Its name for clients.
    table : mapping
        ``system``, as for `berryeval retrieve`; ``dsn`` and ``headers`` if it needs them; every
        other key is a setting of that system.
    hosts : AllowedHosts, optional
        The hosts that it may reach. If omitted, any.

    Raises
    ------
    ArgumentError
        Without a system, or for an unknown setting.
    """
    place = table.get("system")
    if not isinstance(place, str):
        raise ArgumentError(f"systems.{name}", 'system = "…"', repr(place))
    kind = kind_of(place)
    known = SETTINGS[kind] if kind else None
    for key in table:
        if known is not None and key not in known and key not in OWN_KEYS:
            expected = f"one of {', '.join(sorted(known)) or 'no settings'}"
            raise ArgumentError(f"systems.{name}", expected, repr(key))
    texts = {
        key: value if key in OWN_KEYS else setting_text(value, f"systems.{name}.{key}")
        for key, value in table.items()
    }
    return SystemOpener(name, texts, hosts)
