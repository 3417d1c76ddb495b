"""Signs that the scores of a run do not mean what they should.

Scores decide the order of a ranking, the highest first. Three mistakes give plausible figures of
a wrong ranking: distances in place of scores, ranks that contradict the scores (a reranker's order
beside the scores of the first stage), and scores that are all equal, which leave the order to the
document ids.

The first rows are checked, and many more only where these look wrong, so that a sound run of any
size costs next to nothing. A mistake of this kind is systematic: it shows in most queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice, pairwise
from math import factorial, prod
from typing import Any, TypeAlias

from berryeval.core.grouped import Grouped

__all__ = ["ScoredRow", "cautions_of", "rows_of_dict", "rows_of_run"]

ScoredRow: TypeAlias = "tuple[object, int | None, float]"
"""A query, the rank that the file states (None if it states none), and the score."""

_FIRST_ROWS = 100
_MAX_ROWS = 20_000
_MIN_IN_ORDER = 5
"""Documents that a ranking must have before the mere order of its rows means something alone."""


def cautions_of(rows: Callable[[int], Iterable[ScoredRow]]) -> tuple[str, ...]:
    """Return suspicions about the scores, each a sentence without a full stop.

    `rows` iterates over at least as many rows of a run as it is called with, from the start, those
    of a query together. The result is empty for almost every run: more than half of the queries
    checked must show the sign. Rankings of a single document are not checked. Where no ranks are
    stated, the order of at least five rows takes their place; shorter rankings count if all of them
    rise.
    """
    found: tuple[str, ...] = ()
    for limit in (_FIRST_ROWS, _MAX_ROWS):
        found = _check(_rankings(rows(limit), limit))
        if not found:
            break
    return found


def rows_of_run(run: Grouped) -> Iterator[ScoredRow]:
    """Iterate over the rows of a run, which states no ranks."""
    for query_id, places in run.iter_queries():
        for row in places:
            yield query_id, None, run.values[row]


def rows_of_dict(run: Mapping[Any, Mapping[Any, float]]) -> Iterator[ScoredRow]:
    """Iterate over the rows of a dict of dicts."""
    for query_id, scores in run.items():
        for score in scores.values():
            yield query_id, None, score


def _rankings(rows: Iterable[ScoredRow], limit: int) -> list[list[ScoredRow]]:
    """Group rows by query; a truncated last ranking is left out, unless it is the only one."""
    found: dict[object, list[ScoredRow]] = {}
    n_rows = 0
    for row in islice(rows, limit):
        found.setdefault(row[0], []).append(row)
        n_rows += 1
    rankings = [*found.values()]
    if n_rows == limit and len(rankings) > 1:
        rankings.pop()
    return [ranking for ranking in rankings if len(ranking) > 1]


def _check(rankings: list[list[ScoredRow]]) -> tuple[str, ...]:
    n_tied = n_rising = n_contradicting = n_ordered = n_ranked = 0
    n_short = 0
    short_rising: list[int] = []
    for ranking in rankings:
        scores = [score for _, _, score in ranking]
        ranks = [rank for _, rank, _ in ranking]
        has_ranks = None not in ranks and len({*ranks}) == len(ranks)
        if has_ranks:
            scores = [score for _, _, score in sorted(ranking, key=_rank)]
        neighbours = [*pairwise(scores)]
        rises = any(after > before for before, after in neighbours)
        falls = any(after < before for before, after in neighbours)
        n_tied += not rises and not falls
        n_ranked += has_ranks
        n_contradicting += has_ranks and rises and falls
        if has_ranks or len(ranking) >= _MIN_IN_ORDER:
            n_ordered += 1
            n_rising += rises and not falls
        else:
            n_short += rises or falls
            if rises and not falls:
                short_rising.append(len(ranking))
    # Of n rows in random order, one in n! rises throughout. Short rankings count together: all of
    # them must rise, which is then as unlikely as for one of five rows.
    if len(short_rising) == n_short and _n_orders(short_rising) >= factorial(_MIN_IN_ORDER):
        n_ordered += n_short
        n_rising += n_short
    if 2 * n_tied > len(rankings):
        return (
            f"all scores are equal in {_share(n_tied, len(rankings))}; "
            "only document ids decide the order",
        )
    if 2 * n_rising > n_ordered:
        return (
            f"scores rise from the first document to the last in {_share(n_rising, n_ordered)}, "
            "as distances do; the highest score is treated as the best, so negate distances",
        )
    if 2 * (n_contradicting + n_rising) > n_ordered and n_ranked:
        return (
            f"ranks contradict the scores in {_share(n_contradicting + n_rising, n_ordered)}; "
            "the scores decide the order, and ranks are ignored",
        )
    return ()


def _n_orders(sizes: Iterable[int]) -> int:
    """Return the number of ways in which the rows of rankings can be ordered."""
    return prod(map(factorial, sizes))


def _rank(row: ScoredRow) -> int:
    assert row[1] is not None
    return row[1]


def _share(count: int, of: int) -> str:
    return "the query checked" if of == 1 else f"{count:,} of the {of:,} queries checked"
