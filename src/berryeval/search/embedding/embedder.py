"""Embeds texts as vectors of unit length, offline unless your own function uses the network.

The default is the weights in wordllama's wheel: a vector for each of 32,000 tokens, averaged over
a text. They are read from its files, since the library itself looks for them in a folder that does
not exist, and then downloads them.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from berryeval.errors import AnswerError, ArgumentError, MissingExtraError
from berryeval.search.failures import failures_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = [
    "CallableEmbedder",
    "Embedder",
    "Vectors",
    "WordLlama",
    "as_embedder",
    "embed_queries",
    "encodable",
    "unit_vectors",
    "wordllama_model",
]

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Vectors, one row per text."""

_BATCH = 256


class Embedder(Protocol):
    """Turns texts into vectors. Several threads may call it at once.

    An embedder that treats queries differently from documents also has ``embed_queries``.
    """

    @property
    def name(self) -> str:
        """The model, and all settings that affect its vectors."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector of unit length for each text; all zeros for blank text."""


class WordLlama:
    """Averages of wordllama's token vectors, read from its wheel's files.

    Parameters
    ----------
    dimensions : int
        Numbers to keep of each vector, from the first: 256, 128 or 64. The vectors were trained
        to be truncated.

    Raises
    ------
    ArgumentError
        For another number of dimensions.

    Examples
    --------
    >>> vectors = WordLlama().embed(["sign in", "log in", "ripe bananas"])
    >>> bool(vectors[0] @ vectors[1] > vectors[0] @ vectors[2])
    True
    """

    def __init__(self, dimensions: int = 256) -> None:
        if dimensions not in (64, 128, 256):
            raise ArgumentError("dimensions", "64, 128 or 256", repr(dimensions))
        self.dimensions = dimensions

    @property
    def name(self) -> str:
        """The model and its dimensions."""
        return f"wordllama-l2-supercat-{self.dimensions}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text.

        Raises
        ------
        MissingExtraError
            If the weights are not installed.
        """
        tokenizer, weights = wordllama_model()
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            batch = [encodable(text) for text in texts[start : start + _BATCH]]
            encoded = tokenizer.encode_batch_fast(batch, add_special_tokens=False)
            for row, tokens in enumerate(encoded, start=start):
                if tokens.ids:
                    found[row] = weights[tokens.ids].mean(axis=0)[: self.dimensions]
        return unit_vectors(found)


class CallableEmbedder:
    """Vectors from your own function.

    Parameters
    ----------
    function : callable
        Takes a list of texts and returns one vector per text. They are normalised to unit length.
    name : str
        Name of the model. Vectors are cached under it, so another model needs another name.
    """

    def __init__(self, function: Callable[[list[str]], Any], name: str) -> None:
        self._function = function
        self.name = name

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a vector for each text.

        Raises
        ------
        AnswerError
            If the function does not return one vector of finite numbers for each text.
        SystemUnderTestError
            If it raises an exception.
        """
        if not texts:
            return np.zeros((0, 0), dtype=np.float32)
        with failures_of(self.name):
            answer = self._function(list(texts))
        try:
            found = np.asarray(answer, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise AnswerError(self.name, f"expected vectors of numbers, got {error}") from error
        if found.ndim != 2 or len(found) != len(texts):  # noqa: PLR2004 - rows of numbers
            expected = f"expected {len(texts)} vectors of the same length"
            raise AnswerError(self.name, f"{expected}, got an array of shape {found.shape}")
        if not np.isfinite(found).all():
            raise AnswerError(self.name, "expected vectors of finite numbers, got nan or infinity")
        return unit_vectors(found)


def as_embedder(embedder: Embedder | Callable[[list[str]], Any] | None) -> Embedder:
    """Convert to an embedder: None becomes the default, and a function is named after itself."""
    if embedder is None:
        return WordLlama()
    if hasattr(embedder, "embed"):
        return cast("Embedder", embedder)
    if not callable(embedder):
        raise ArgumentError("embedder", "an embedder or a function", type(embedder).__name__)
    module, name = getattr(embedder, "__module__", ""), getattr(embedder, "__qualname__", "")
    return CallableEmbedder(embedder, f"{module}:{name or type(embedder).__qualname__}")


def embed_queries(embedder: Embedder, queries: Sequence[str]) -> Vectors:
    """Return vectors of queries, by `embed_queries` if the embedder has it."""
    embed = getattr(embedder, "embed_queries", embedder.embed)
    found: Vectors = embed(queries)
    return found


def unit_vectors(vectors: Vectors) -> Vectors:
    """Return vectors of length 1 with the same direction; zero vectors stay zero."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def encodable(text: str) -> str:
    """Replace lone surrogates, since libraries in Rust require UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")


@cache
def wordllama_model() -> tuple[Tokenizer, Vectors]:
    """Load wordllama's tokens and their vectors, once per process: they take 35 MB.

    Raises
    ------
    MissingExtraError
        If they are not installed.
    """
    spec = importlib.util.find_spec("wordllama")
    try:
        from safetensors import safe_open
        from tokenizers import Tokenizer
    except ImportError:
        spec = None
    if spec is None or spec.origin is None:
        raise MissingExtraError("Vectors by wordllama", "search")
    folder = Path(spec.origin).parent
    tokens = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
    with safe_open(folder / "weights" / "l2_supercat_256.safetensors", framework="numpy") as file:
        weights: npt.NDArray[np.float16] = file.get_tensor("embedding.weight")
    return Tokenizer.from_file(str(tokens)), weights.astype(np.float32)
