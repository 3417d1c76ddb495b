"""Nearest-neighbour search over vectors: exact with NumPy, or approximate with usearch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from berryeval.errors import MissingExtraError
from berryeval.search.embedding.embedder import Vectors

__all__ = ["VectorIndex"]

_EXPANSION = 256  # candidates that usearch considers; favours recall over speed


class VectorIndex:
    """Vectors of unit length, by number.

    Parameters
    ----------
    vectors : array of float32, one row per document
        Their inner products are cosines.
    approximate : bool
        Whether usearch preselects vectors. Exact search over 50,000 vectors takes a few
        milliseconds, so this pays off only for far more. Cosines are exact in both cases.

    Raises
    ------
    MissingExtraError
        If usearch is required but not installed.
    """

    def __init__(self, vectors: Vectors, *, approximate: bool = False) -> None:
        self.vectors = vectors
        self._graph = _graph(vectors) if approximate and len(vectors) else None

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Return numbers and cosines of the nearest k, unordered, with all ties of the last."""
        if not len(self.vectors) or not vector.any():
            return []
        if self._graph is None:
            numbers = np.arange(len(self.vectors))
            # einsum avoids BLAS, whose threads compete when several queries run at once; memory
            # bandwidth is the limit anyway.
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
    # One thread, since the graph depends on the order in which vectors are added.
    graph.add(np.arange(len(vectors)), vectors, threads=1)
    return graph
