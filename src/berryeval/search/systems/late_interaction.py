"""Late interaction: matches each token of a query with the nearest token of a document.

The score of a document is the sum of these similarities, so a document with a passage about each
word of a query counts as much as one about all of them at once. The vectors of tokens are
wordllama's, which do not depend on the surrounding text: a document is stored as the set of its
tokens, two bytes each. They were trained to be averaged, so the length of a vector is the learned
weight of its token.

Khattab and Zaharia (2020), SIGIR, 39-48, use vectors that depend on the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from berryeval.search.embedding.embedder import encodable, wordllama_model

__all__ = ["TokenSets", "Tokens", "late_scores", "tokens_of"]

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


def late_scores(query: str, documents: Sequence[Tokens]) -> npt.NDArray[np.float64]:
    """Return how well each document matches a query, from -1 to 1; 0 without tokens."""
    tokenizer, vectors = wordllama_model()
    ids = tokenizer.encode(encodable(query), add_special_tokens=False).ids
    wanted = vectors[ids]
    scores = np.zeros(len(documents))
    filled = [number for number, tokens in enumerate(documents) if len(tokens)]
    weight = float(_lengths()[ids].sum())
    if not filled or weight == 0:
        return scores
    tokens = np.concatenate([documents[number] for number in filled])
    starts = np.cumsum([0, *(len(documents[number]) for number in filled[:-1])])
    # Most tokens occur in many documents, so each distinct token is compared once.
    places = np.zeros(len(vectors), dtype=np.intp)
    places[tokens] = 1
    kinds = np.flatnonzero(places)
    places[kinds] = np.arange(len(kinds))
    # einsum avoids BLAS, whose threads compete when several queries run at once.
    similar = np.einsum("ij,kj->ik", vectors[kinds], wanted) / _lengths()[kinds, np.newaxis]
    nearest = np.maximum.reduceat(similar[places[tokens]], starts, axis=0)
    scores[filled] = nearest.sum(axis=1) / weight
    return scores


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

    def of(self, numbers: Iterable[int]) -> list[Tokens]:
        """Return the tokens of some documents."""
        starts = ((self._ends[number - 1] if number else 0, number) for number in numbers)
        return [self._tokens[start : self._ends[number]] for start, number in starts]
