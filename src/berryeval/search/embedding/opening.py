"""Opens embedders by name, such as ``wordllama`` or ``onnx:FOLDER``."""

from __future__ import annotations

from typing import Any, cast

from berryeval.errors import ArgumentError
from berryeval.search.embedding.embedder import CallableEmbedder, Embedder, WordLlama

__all__ = ["open_embedder"]

_ON_DISK = "onnx:"


def open_embedder(
    text: str,
    *,
    vector_cache: str | None = None,
    **encoding: Any,  # noqa: ANN401 - settings of the encoder
) -> Embedder:
    """Open an embedder by name.

    Parameters
    ----------
    text : str
        ``wordllama``, optionally with its dimensions as in ``wordllama-128``; ``onnx:FOLDER`` for
        a local sentence encoder; ``openai:MODEL`` for a model behind an OpenAI-compatible API,
        optionally with its address as in ``openai:MODEL@http://localhost:11434/v1``; or
        ``module:function``, or a class or an object with ``embed``.
    vector_cache : str, optional
        File in which to cache the vectors.
    encoding
        Keyword arguments of `OnnxEncoder`; other embedders accept none.

    Raises
    ------
    ArgumentError
        If the name is unknown.

    Examples
    --------
    >>> open_embedder("wordllama-128").name
    'wordllama-l2-supercat-128'
    """
    if encoding and not text.startswith(_ON_DISK):
        name = next(iter(encoding))
        raise ArgumentError(f"setting {name}", "an embedder onnx:FOLDER with it", repr(text))
    embedder = _opened(text, encoding)
    if vector_cache is None:
        return embedder
    from berryeval.search.embedding.vector_cache import CachedEmbedder

    return CachedEmbedder(embedder, vector_cache)


def _opened(text: str, encoding: dict[str, Any]) -> Embedder:
    kind, colon, rest = text.partition(":")
    if not colon:
        name, _, dimensions = text.partition("-")
        if name == "wordllama" and (dimensions.isdecimal() or text == name):
            return WordLlama(int(dimensions or 256))
        known = "wordllama, onnx:FOLDER, openai:MODEL or module:function"
        raise ArgumentError("embedder", known, repr(text))
    if text.startswith(_ON_DISK):
        from berryeval.search.embedding.onnx_encoder import OnnxEncoder

        return OnnxEncoder(rest, **encoding)
    if kind == "openai":
        from berryeval.search.embedding.api import EmbeddingApi

        model, _, address = rest.partition("@http")
        return EmbeddingApi(model, f"http{address}" if address else None)
    return _imported(text)


def _imported(place: str) -> Embedder:
    from berryeval.search.importing import import_object

    found = import_object(place)
    if isinstance(found, type) and hasattr(found, "embed"):
        found = found()
    if hasattr(found, "embed"):
        return cast("Embedder", found)
    if not callable(found):
        raise ArgumentError("embedder", "a function", f"{place!r}, a {type(found).__name__}")
    return CallableEmbedder(found, place)
