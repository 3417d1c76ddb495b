"""Fusion in C++: the same scores, to the bit."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import get_args

from berryeval.backend import n_threads
from berryeval.core.id_column import IdColumn
from berryeval.core.run import Run
from berryeval.fusion.methods import NORMS
from berryeval.fusion.recipes import Combination, Recipe, Values

__all__ = ["fuse"]

# The order of these names is that of the enumerations in native/fusion/fuse.hpp.
_NORMS = (None, *NORMS)
_VALUES = get_args(Values)
_COMBINATIONS = get_args(Combination)


def fuse(
    runs: Sequence[Run], query_ids: Sequence[bytes], recipe: Recipe, depth: int | None
) -> Run | tuple[bytes, int]:
    """Fuse queries. Twin of `berryeval.fusion._python.fuse`."""
    from berryeval import _native

    columns, wrong = _native.fuse(
        [(run.starts, run.doc_ids.data, run.doc_ids.offsets, run.values) for run in runs],
        _places(runs, query_ids),
        _NORMS.index(recipe.norm),
        _VALUES.index(recipe.values),
        _COMBINATIONS.index(recipe.combination),
        array("d", recipe.weights),
        list(recipe.tables),
        recipe.factors,
        recipe.window,
        recipe.absent,
        depth,
        n_threads(),
    )
    if columns is None:
        assert wrong is not None
        return query_ids[wrong[0]], wrong[1]
    queries = IdColumn.of(query_ids)
    offsets = memoryview(queries.offsets).cast("B")
    starts, doc_data, doc_offsets, values = columns
    return Run.of_native((queries.data, offsets, starts, doc_data, doc_offsets, values))


def _places(runs: Sequence[Run], query_ids: Sequence[bytes]) -> array[int]:
    """Return the number of each query in each run, or -1, query by query."""
    places = array("q", bytes(8 * len(runs) * len(query_ids)))
    for number, run in enumerate(runs):
        of_run = array("q", (run.place_of(query_id) for query_id in query_ids))
        places[number :: len(runs)] = of_run
    return places
