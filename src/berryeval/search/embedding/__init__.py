"""Embeds texts as vectors: by bundled weights, a local encoder, a server, or your function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of

if TYPE_CHECKING:
    from berryeval.search.embedding.api import EmbeddingApi
    from berryeval.search.embedding.embedder import (
        CallableEmbedder,
        Embedder,
        Vectors,
        WordLlama,
        as_embedder,
    )
    from berryeval.search.embedding.onnx_encoder import OnnxEncoder, Pooling
    from berryeval.search.embedding.opening import open_embedder
    from berryeval.search.embedding.vector_cache import CachedEmbedder

_HOMES = {
    "CachedEmbedder": "vector_cache",
    "CallableEmbedder": "embedder",
    "Embedder": "embedder",
    "EmbeddingApi": "api",
    "OnnxEncoder": "onnx_encoder",
    "Pooling": "onnx_encoder",
    "Vectors": "embedder",
    "WordLlama": "embedder",
    "as_embedder": "embedder",
    "open_embedder": "opening",
}

__all__ = [
    "CachedEmbedder",
    "CallableEmbedder",
    "Embedder",
    "EmbeddingApi",
    "OnnxEncoder",
    "Pooling",
    "Vectors",
    "WordLlama",
    "as_embedder",
    "open_embedder",
]

__getattr__ = loader_of(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})
