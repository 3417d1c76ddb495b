"""Late interaction: matches each token of a query with the nearest token of a document.

The score of a document is the sum of these similarities, so a document with a passage about each
word of a query counts as much as one about all of them at once. The vectors of tokens are
wordllama's, which do not depend on the surrounding text: a document is stored as the set of its
tokens, two bytes each. They were trained to be averaged, so the length of a vector is the learned
weight of its token.

Khattab and Zaharia (2020), SIGIR, 39-48, use vectors that depend on the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from berryeval.backend import backend
from berryeval.search.embedding.embedder import encodable, wordllama_model

__all__ = ["QueryTokens", "TokenSets", "Tokens", "tokens_of"]

Tokens: TypeAlias = npt.NDArray[np.uint16]
"""The distinct tokens of a text, as numbers."""

_BATCH = 1024


def tokens_of(texts: Sequence[str]) -> list[Tokens]:
    """Return the distinct tokens of each text.

    Raises
    ------
    MissingExtraError
        If wordllama is not installed.
    """
    tokenizer, _ = wordllama_model()
    found: list[Tokens] = []
    for start in range(0, len(texts), _BATCH):
        batch = [encodable(text) for text in texts[start : start + _BATCH]]
        encoded = tokenizer.encode_batch_fast(batch, add_special_tokens=False)
        found += [np.unique(np.asarray(one.ids, dtype=np.uint16)) for one in encoded]
    return found


class QueryTokens:
    """The tokens of a query, matched with those of documents.

    Parameters
    ----------
    query : str
        The text of the query.

    Raises
    ------
    MissingExtraError
        If wordllama is not installed.
    """

    def __init__(self, query: str) -> None:
        tokenizer, vectors = wordllama_model()
        ids = tokenizer.encode(encodable(query), add_special_tokens=False).ids
        self._wanted = vectors[ids]
        self._weight = float(_lengths()[ids].sum())
        # Most tokens occur in many documents, so each token is compared once.
        self._similar = np.empty((len(vectors), len(ids)), dtype=np.float32)
        self._is_compared = np.zeros(len(vectors), dtype=np.bool_)

    def scores(self, documents: Sequence[Tokens]) -> npt.NDArray[np.float64]:
        """Return how well each document matches the query, from -1 to 1; 0 without tokens."""
        scores = np.zeros(len(documents))
        filled = [number for number, tokens in enumerate(documents) if len(tokens)]
        if not filled or self._weight == 0:
            return scores
        tokens = np.concatenate([documents[number] for number in filled], dtype=np.uint16)
        ends = np.cumsum([len(documents[number]) for number in filled], dtype=np.int64)
        self._compare(tokens)
        scores[filled] = _nearest(self._similar, tokens, ends).sum(axis=1) / self._weight
        return scores

    def _compare(self, tokens: Tokens) -> None:
        """Compute the similarities of those tokens that were not seen before."""
        _, vectors = wordllama_model()
        occurs = np.zeros(len(vectors), dtype=np.bool_)
        occurs[tokens] = True
        fresh = np.flatnonzero(occurs & ~self._is_compared)
        # einsum avoids BLAS, whose threads compete when several queries run at once.
        similar = np.einsum("ij,kj->ik", vectors[fresh], self._wanted)
        self._similar[fresh] = similar / _lengths()[fresh, np.newaxis]
        self._is_compared[fresh] = True


def _nearest_by_numpy(
    similar: npt.NDArray[np.float32], tokens: Tokens, ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """Return the highest similarity of each document's tokens to each token of the query.

    `similar` has one row per token of the vocabulary. The tokens of a document end where those of
    the next begin, and there is at least one.
    """
    starts = np.concatenate([[0], ends[:-1]])
    nearest: npt.NDArray[np.float32] = np.maximum.reduceat(similar[tokens], starts, axis=0)
    return nearest


def _nearest_natively(
    similar: npt.NDArray[np.float32], tokens: Tokens, ends: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    from berryeval import _native

    nearest = np.empty((len(ends), similar.shape[1]), dtype=np.float32)
    _native.nearest_tokens(similar, tokens, ends, nearest)
    return nearest


_nearest = _nearest_by_numpy if backend().name == "python" else _nearest_natively


@cache
def _lengths() -> npt.NDArray[np.float32]:
    """Return the length of each token's vector; 1 for a zero vector, to avoid dividing by 0."""
    _, vectors = wordllama_model()
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    return np.where(lengths > 0, lengths, np.float32(1))


class TokenSets:
    """The tokens of many documents, by number.

    Parameters
    ----------
    tokens : array of uint16
        The concatenated tokens of all documents.
    ends : array of int64
        The end of each document's tokens.
    """

    def __init__(self, tokens: Tokens, ends: npt.NDArray[np.int64]) -> None:
        self._tokens = tokens
        self._ends = ends
        _lengths()  # computed in advance, so that the first query does not wait

    @classmethod
    def build(cls, texts: Sequence[str]) -> TokenSets:
        """Build from texts, in the order of their numbers."""
        found = tokens_of(texts)
        tokens = np.concatenate([np.zeros(0, np.uint16), *found])
        return cls(tokens, np.cumsum([len(one) for one in found], dtype=np.int64))

    @classmethod
    def open(cls, path: Path) -> TokenSets:
        """Open a file written by `save`."""
        with np.load(path) as arrays:
            return cls(arrays["tokens"], arrays["ends"])

    def save(self, path: Path) -> None:
        """Write the tokens to a file."""
        np.savez(path, tokens=self._tokens, ends=self._ends)

    def of(self, numbers: Sequence[int]) -> list[Tokens]:
        """Return the tokens of some documents."""
        places = np.asarray(numbers, dtype=np.intp)
        starts = np.where(places > 0, self._ends[places - 1], 0)
        spans = zip(starts.tolist(), self._ends[places].tolist(), strict=True)
        return [self._tokens[start:end] for start, end in spans]
