"""The nearest of many vectors: exactly by NumPy, or approximately by usearch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from berryeval.errors import MissingExtraError
from berryeval.search.embedding.embedder import Vectors

__all__ = ["VectorIndex"]

_EXPANSION = 256  # how many candidates usearch follows: recall before speed


class VectorIndex:
    """Vectors of unit length, by number.

    Parameters
    ----------
    vectors : array of float32, a row a document
        Their inner products are cosines.
    approximate : bool
        Whether usearch narrows them down first. Exact search over 50,000 vectors takes a few
        milliseconds, so this pays for far more only. Cosines are exact either way.

    Raises
    ------
    MissingExtraError
        If usearch is asked for and not installed.
    """

    def __init__(self, vectors: Vectors, *, approximate: bool = False) -> None:
        self.vectors = vectors
        self._graph = _graph(vectors) if approximate and len(vectors) else None

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Return numbers and cosines of the nearest k, in no order, with all ties of the last."""
        if not len(self.vectors) or not vector.any():
            return []
        if self._graph is None:
            numbers = np.arange(len(self.vectors))
            # Not by BLAS: its threads get into each other's way when queries run at once, and
            # memory is the limit anyway.
            cosines = np.einsum("ij,j->i", self.vectors, vector)
        else:
            found = self._graph.search(vector, min(k, len(self.vectors)))
            numbers = np.asarray(found.keys, dtype=np.intp)
            cosines = np.einsum("ij,j->i", self.vectors[numbers], vector)
        best = _best(cosines, k)
        return [*zip(numbers[best].tolist(), cosines[best].astype(float).tolist(), strict=True)]


def _best(cosines: npt.NDArray[Any], k: int) -> npt.NDArray[np.intp]:
    if len(cosines) <= k:
        return np.arange(len(cosines))
    least = np.partition(cosines, len(cosines) - k)[len(cosines) - k]
    return np.flatnonzero(cosines >= least)


def _graph(vectors: Vectors) -> Any:  # noqa: ANN401 - usearch's types are loose
    try:
        from usearch.index import Index
    except ImportError:
        raise MissingExtraError("Approximate search for vectors", "approximate") from None
    graph = Index(ndim=vectors.shape[1], metric="cos", expansion_search=_EXPANSION)
    # One thread: several add vectors in an order of their own, and the graph depends on it.
    graph.add(np.arange(len(vectors)), vectors, threads=1)
    return graph
