"""Folds of queries for cross-validation, and means over them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

from berryeval.core.grouped import Grouping
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.weighting import labels_of, mean_over, weights_of

if TYPE_CHECKING:
    from berryeval.core.query import Query
    from berryeval.measures import Measure

__all__ = ["QueryWeights", "check_averaged", "fold_queries", "held_out_run"]

_FEWEST = 3
"""Folds: two to fit and to validate, one to test."""


_KINDS = {
    "sum": "a sum",
    "geometric": "a geometric mean",
    "percentile": "a percentile",
}


class QueryWeights:
    """How much each query counts in means over some of the queries.

    Parameters
    ----------
    queries : mapping of str to Query
        Queries by id, which may have weights.
    query_ids : iterable of bytes
        All queries of the tuning.
    """

    def __init__(self, queries: Mapping[str, Query], query_ids: Iterable[bytes]) -> None:
        names = [decode_id(query_id) for query_id in query_ids]
        found = weights_of(queries, names)
        self._weights = (
            None if found is None else dict(zip(map(encode_id, names), found, strict=True))
        )

    def of(self, query_id: bytes) -> float:
        """Return the weight of a query, 1 if all count equally."""
        return 1.0 if self._weights is None else self._weights[query_id]

    def total(self, query_ids: Iterable[bytes]) -> float:
        """Return the sum of the weights of some queries."""
        return reduce(add, map(self.of, query_ids), 0.0)

    def mean_score(self, scores: Mapping[bytes, float], over: Iterable[bytes]) -> float:
        """Return the mean score of some queries, added up in the order of their ids."""
        ordered = sorted(over)
        weights = None if self._weights is None else [*map(self.of, ordered)]
        return mean_over([scores[query_id] for query_id in ordered], weights)


def check_averaged(measure: Measure) -> None:
    """Raise for a measure whose mean over all queries is not that of the means of folds."""
    if measure.aggregate != "mean":
        expected = "one that is averaged over queries, such as AP"
        raise ArgumentError("measure", expected, f"{measure} ({_KINDS[measure.aggregate]})")


def fold_queries(
    judgments: Judgments, n_folds: int, seed: int, queries: Mapping[str, Query] | None = None
) -> list[list[bytes]]:
    """Divide queries at random; the same seed gives the same folds.

    Queries of one group stay together: a choice that saw one of them is not scored on another. The
    largest groups are placed first, each in the fold that has the fewest queries so far.
    """
    query_ids = sorted(judgments.query_ids.iter_bytes())
    labels = labels_of(queries or {}, map(decode_id, query_ids), "group")
    by_group: dict[object, list[bytes]] = {}
    for query_id, group in zip(query_ids, labels or [None] * len(query_ids), strict=True):
        by_group.setdefault(query_id if group is None else group, []).append(query_id)
    groups = [*by_group.values()]
    what = "groups of judged queries" if labels else "judged queries"
    if len(groups) < _FEWEST:
        message = f"cross-validation requires at least {_FEWEST} {what}, found {len(groups)}"
        raise MismatchError(message)
    if not _FEWEST <= n_folds <= len(groups):
        expected = f"a number from {_FEWEST} to {len(groups)}, the number of {what} (--folds)"
        raise ArgumentError("n_folds", expected, repr(n_folds))
    random.Random(seed).shuffle(groups)  # noqa: S311 - no secret
    folds: list[list[bytes]] = [[] for _ in range(n_folds)]
    for group_ids in sorted(groups, key=len, reverse=True):  # stable
        min(folds, key=len).extend(group_ids)
    return [sorted(fold) for fold in folds]


def held_out_run(folds: Sequence[Sequence[bytes]], by_fold: Sequence[Run]) -> Run:
    """Return one run with the queries of each fold from the run that was chosen without it."""
    rows = Grouping()
    for queries, chosen in zip(folds, by_fold, strict=True):
        for query_id in queries:
            for row in chosen.rows_of(query_id):
                rows.add(query_id, chosen.doc_ids.bytes_at(row), chosen.values[row])
    run = Run.collect(rows)
    run.cautions = ()
    return run
