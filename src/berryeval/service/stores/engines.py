"""Embedded engines of stores, and their cache of vectors."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from berryeval.core.documents import Document
from berryeval.errors import FormatError
from berryeval.search.system import System

if TYPE_CHECKING:
    from berryeval.search.embedding.embedder import Embedder, Vectors
    from berryeval.search.systems.embedded import Embedded, Mode

__all__ = ["build_engine", "new_engine"]


def new_engine(kind: str, settings: Mapping[str, Any]) -> Embedded:
    """Return an engine without documents, in memory."""
    from berryeval.search.systems.embedded import Embedded

    return Embedded(cast("Mode", kind), **settings)


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
        cache = CachedEmbedder(embedder, vectors)
    except FormatError:
        engine.index(documents)
        return engine
    engine.embedder = _Spared(cache, embedder)
    try:
        engine.index(documents)
    finally:
        engine.embedder = embedder
        cache.close()
    return engine


class _Spared:
    """An embedder with a cache, whose failures cost only time."""

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
