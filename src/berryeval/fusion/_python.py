"""Fusion in plain Python: the specification."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from berryeval.core.grouped import Grouping
from berryeval.core.run import Run
from berryeval.fusion.condorcet import sort_by_majority
from berryeval.fusion.normalising import borda_absent, normalise
from berryeval.fusion.recipes import Recipe

__all__ = ["fuse"]


def fuse(
    runs: Sequence[Run], query_ids: Sequence[bytes], recipe: Recipe, depth: int | None
) -> Run | tuple[bytes, int]:
    """Fuse queries, one after the other.

    Returns the fused run, or the first query and the number of the run in it whose scores cannot
    be normalised; of the fused scores, the number of runs.
    """
    found = Grouping()
    for query_id in query_ids:
        found.add_query(query_id)
        rankings = [_ranked(run, query_id, recipe.norm) for run in runs]
        wrong, fused = _fuse_query(rankings, recipe)
        if wrong is not None:
            return query_id, wrong
        for doc_id, score in fused[:depth]:
            found.add(query_id, doc_id, score + 0.0)  # no negative zero
    return Run.collect(found)


def _ranked(run: Run, query_id: bytes, norm: str | None) -> list[tuple[bytes, float]]:
    """Return documents and scores, best first; distances rank from the lowest."""
    rows = run.rows_of(query_id)
    found = [(run.doc_ids.bytes_at(row), run.values[row]) for row in rows]
    found.sort(reverse=True)
    found.sort(key=lambda pair: pair[1], reverse=norm != "min-max-inverted")
    return found


def _fuse_query(
    rankings: Sequence[Sequence[tuple[bytes, float]]], recipe: Recipe
) -> tuple[int | None, list[tuple[bytes, float]]]:
    candidates = sorted({doc_id for ranking in rankings for doc_id, _ in ranking}, reverse=True)
    if not candidates:
        return None, []
    if recipe.combination == "condorcet":
        return None, _by_majority(candidates, rankings, recipe.weights)
    values: list[dict[bytes, float]] = []
    for number, ranking in enumerate(rankings):
        scores = [score for _, score in ranking]
        if recipe.uses_scores:
            scores = normalise(recipe.norm, scores, len(candidates))
            if not all(map(math.isfinite, scores)):
                return number, []
        valued = _values(recipe, number, scores, len(candidates))
        values.append(dict(zip((doc_id for doc_id, _ in ranking), valued, strict=True)))
    absent = [_absent(recipe, len(ranking), len(candidates)) for ranking in rankings]
    fused = []
    for doc_id in candidates:
        given = [
            (one.get(doc_id, without), weight, doc_id in one or (recipe.counts_absent and one))
            for one, without, weight in zip(values, absent, recipe.weights, strict=True)
            if one
        ]
        fused.append((doc_id, _combine(recipe, given)))
    if any(math.isnan(score) for _, score in fused):
        return len(rankings), []
    fused.sort(key=lambda pair: pair[1], reverse=True)  # stable: ties stay by id
    return None, fused


def _values(
    recipe: Recipe, number: int, scores: Sequence[float], n_candidates: int
) -> Iterator[float]:
    """Yield the values that a run gives its documents, in rank order, before weighting."""
    n = len(scores)
    if recipe.values == "scores":
        yield from scores
        return
    if recipe.values == "borda":
        yield from (float(n_candidates - place) for place in range(n))
        return
    table = recipe.tables[number]
    if recipe.values == "table":
        yield from table[:n]
    elif recipe.values == "boosted":
        yield from (share * (score + 1) for share, score in zip(table, scores, strict=False))
    elif recipe.values == "segments":
        size = -(-n // len(table))
        yield from (table[place // size] for place in range(n))
    else:
        for place in range(n):
            first, last = max(place - recipe.window, 0), min(place + recipe.window, n - 1)
            total = 0.0
            for share in table[first : last + 1]:
                total += share
            yield total / (last - first + 1)


def _absent(recipe: Recipe, n_documents: int, n_candidates: int) -> float:
    if recipe.values == "borda":
        return (n_candidates - n_documents + 1) / 2
    if recipe.counts_absent:
        return borda_absent(n_documents, n_candidates)
    return recipe.absent


def _combine(recipe: Recipe, given: Sequence[tuple[float, float, object]]) -> float:
    """Combine value, weight and presence, one per run that has documents for the query."""
    present = [value for value, _, is_present in given if is_present]
    if recipe.combination in _CHOSEN:
        return _CHOSEN[recipe.combination](present)
    total = weights = 0.0
    for value, weight, is_present in given:
        # Only Borda points and odds are not 0 for a document that a run lacks.
        total += value if recipe.combination == "weights" else weight * value
        weights += weight if is_present else 0.0
    if recipe.combination == "mean":
        return total / len(present)
    if recipe.combination == "factor":
        return total * recipe.factors[len(present) - 1]
    return total * weights if recipe.combination == "weights" else total


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


_CHOSEN: dict[str, Callable[[Sequence[float]], float]] = {
    "max": max,
    "min": min,
    "median": _median,
}


def _by_majority(
    candidates: Sequence[bytes],
    rankings: Sequence[Sequence[tuple[bytes, float]]],
    weights: Sequence[float],
) -> list[tuple[bytes, float]]:
    places = []
    for ranking in rankings:
        place_of = {doc_id: place for place, (doc_id, _) in enumerate(ranking)}
        places.append([place_of.get(doc_id, len(ranking)) for doc_id in candidates])
    order = sort_by_majority(places, weights, len(candidates))
    return [(candidates[one], float(len(order) - place)) for place, one in enumerate(order)]
