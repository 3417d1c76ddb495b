"""Caches vectors on disk by content and model, so that nothing is embedded twice."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence

import numpy as np

from berryeval.errors import FormatError
from berryeval.search.embedding.embedder import Embedder, Vectors

__all__ = ["CachedEmbedder"]

_AT_ONCE = 500  # SQLite allows at least 999 parameters per statement


class CachedEmbedder:
    """An embedder that calls another one only for texts that are not in its cache.

    Parameters
    ----------
    embedder : Embedder
        Computes the vectors. Its name is part of the cache key.
    path : path
        The cache file, created if it does not exist. Several processes may share it.

    Raises
    ------
    FormatError
        If the file cannot be opened, or is not a cache.
    """

    def __init__(self, embedder: Embedder, path: str | os.PathLike[str]) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        try:
            self._database = _open(path)
        except sqlite3.Error as error:
            raise FormatError(f"cannot be used as a cache: {error}", os.fspath(path)) from error

    @property
    def name(self) -> str:
        """The model's name; caching does not change it."""
        return self._embedder.name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text, from the cache if possible."""
        return self._cached(texts, "document", self._embedder.embed)

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return a vector for each query, cached separately if the embedder has `embed_queries`."""
        if not hasattr(self._embedder, "embed_queries"):
            return self.embed(queries)
        return self._cached(queries, "query", self._embedder.embed_queries)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def _cached(
        self, texts: Sequence[str], kind: str, embed: Callable[[Sequence[str]], Vectors]
    ) -> Vectors:
        keys = [self._key(kind, text) for text in texts]
        known = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            vectors = embed(list(missing.values()))
            fresh = {key: row.tobytes() for key, row in zip(missing, vectors, strict=True)}
            with self._lock, self._database:
                self._database.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?)", fresh.items()
                )
            known |= fresh
        if not keys:
            return embed([])
        return np.frombuffer(b"".join(known[key] for key in keys), np.float32).reshape(
            len(keys), -1
        )

    def _key(self, kind: str, text: str) -> bytes:
        content = f"{self._embedder.name}\0{kind}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(content).digest()

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with self._lock:
            for start in range(0, len(keys), _AT_ONCE):
                some = keys[start : start + _AT_ONCE]
                marks = ", ".join("?" * len(some))
                rows = self._database.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({marks})",  # noqa: S608 - marks
                    some,
                )
                found.update(rows)
        return found


def _open(path: str | os.PathLike[str]) -> sqlite3.Connection:
    """Open or create a cache; a file that is not one is closed again."""
    database = sqlite3.connect(path, check_same_thread=False, timeout=30)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
        )
    except sqlite3.Error:
        database.close()
        raise
    return database
