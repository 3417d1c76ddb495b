"""Selects the pairs of a project, and orders them for its queue.

A queue stays with a query until it is done: a judge reads each query once. Queries whose documents
could change most come first.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from math import fsum

from berryeval.archive.projects.records import MAX_PAIRS, PairSelection, ProjectPair
from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.hole_queue import QueuedHole, queue_holes
from berryeval.measures.parse import parse_measure

__all__ = ["select_pairs"]

_HEAD = 500
"""Unjudged documents whose effect is computed exactly."""

_Pair = tuple[str, str]
_Ranks = dict[_Pair, dict[str, int]]


def select_pairs(
    wanted: PairSelection,
    judgments: Judgments,
    runs: Mapping[str, Run],
    queries: Mapping[str, Query],
    *,
    baseline: str | None = None,
) -> list[ProjectPair]:
    """Return the pairs of a project, in the order of its queue.

    Parameters
    ----------
    runs : mapping of str to Run
        Runs by the names that judges may see, with the baseline if there is one.
    baseline : str, optional
        The name of the baseline among them.

    Raises
    ------
    ArgumentError
        If there is no pair, or more than a project may have.
    """
    ranks = _ranks(runs, wanted.depth)
    holes = _holes(wanted, judgments, runs, queries, baseline)
    if wanted.kind in ("holes", "deciding"):
        chosen: Iterable[_Pair] = [*holes][: wanted.limit]
    else:
        chosen = sorted(ranks) if runs else _judged(judgments)
        if wanted.kind == "sample":
            size = min(wanted.limit or 0, len(chosen))
            chosen = random.Random(wanted.seed).sample(chosen, size)  # noqa: S311 - no secret
    pairs = _in_order(chosen, holes, ranks)
    if wanted.kind == "depth":
        pairs = pairs[: wanted.limit]
    if not pairs:
        raise ArgumentError("pairs", "at least one document to judge", _why_none(wanted))
    if len(pairs) > MAX_PAIRS:
        expected = f"at most {MAX_PAIRS:,} pairs; set a limit, or a lower depth"
        raise ArgumentError("pairs", expected, f"{len(pairs):,}")
    return pairs


def _why_none(wanted: PairSelection) -> str:
    if wanted.kind in ("holes", "deciding"):
        return f"none: everything in the top {wanted.depth} of these runs is judged"
    return "none"


def _ranks(runs: Mapping[str, Run], depth: int) -> _Ranks:
    """Return the ranks of every document within the depth, by run."""
    found: _Ranks = {}
    for name, run in runs.items():
        for query_id in run.query_ids.iter_bytes():
            for rank, doc_id in enumerate(run.ranked_ids(query_id, depth), start=1):
                pair = decode_id(query_id), decode_id(doc_id)
                found.setdefault(pair, {})[name] = rank
    return found


def _holes(
    wanted: PairSelection,
    judgments: Judgments,
    runs: Mapping[str, Run],
    queries: Mapping[str, Query],
    baseline: str | None,
) -> dict[_Pair, QueuedHole]:
    """Return the unjudged documents of the runs, those first that could change most."""
    if not runs:
        return {}
    is_limited = wanted.limit is not None and wanted.kind in ("holes", "deciding")
    found = queue_holes(
        judgments,
        runs,
        parse_measure(wanted.measure),
        baseline=baseline,
        k=wanted.depth,
        most=wanted.limit if is_limited and wanted.limit else MAX_PAIRS + 1,
        head=_HEAD,
        queries=queries,
    )
    return {(hole.query_id, hole.doc_id): hole for hole in found.holes}


def _judged(judgments: Judgments) -> list[_Pair]:
    return [
        (decode_id(query_id), decode_id(judgments.doc_ids.bytes_at(row)))
        for query_id, rows in judgments.iter_queries()
        for row in rows
        if judgments.grades[row] >= 0
    ]


def _in_order(
    chosen: Iterable[_Pair], holes: Mapping[_Pair, QueuedHole], ranks: _Ranks
) -> list[ProjectPair]:
    """Group pairs by query; queries and their documents come first that could change most."""
    by_query: dict[str, list[_Pair]] = {}
    for pair in chosen:
        by_query.setdefault(pair[0], []).append(pair)

    def size(pair: _Pair) -> tuple[float, float]:
        hole = holes.get(pair)
        return (0.0, 0.0) if hole is None else (hole.effect or 0.0, hole.weight)

    def size_of_query(query_id: str) -> tuple[float, float]:
        sizes = [size(pair) for pair in by_query[query_id]]
        return fsum(effect for effect, _ in sizes), fsum(weight for _, weight in sizes)

    def best_rank(pair: _Pair) -> int:
        return min(ranks.get(pair, {}).values(), default=0)

    found = []
    for query_id in sorted(by_query, key=size_of_query, reverse=True):
        own = sorted(by_query[query_id], key=best_rank)
        for pair in sorted(own, key=size, reverse=True):
            hole = holes.get(pair)
            effect = None if hole is None else hole.effect
            found.append(ProjectPair(*pair, effect, ranks.get(pair, {})))
    return found
