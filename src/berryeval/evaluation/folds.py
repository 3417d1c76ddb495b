"""Folds of queries for cross-validation."""

from __future__ import annotations

import random
from collections.abc import Sequence

from berryeval.core.grouped import Grouping
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError

__all__ = ["fold_queries", "held_out_run"]


def fold_queries(judgments: Judgments, n_folds: int, seed: int) -> list[list[bytes]]:
    """Divide queries at random; the same seed gives the same folds."""
    query_ids = sorted(judgments.query_ids.iter_bytes())
    if not 3 <= n_folds <= len(query_ids):  # noqa: PLR2004 - two to fit and validate, one to test
        expected = f"a number from 3 to {len(query_ids)}, the number of judged queries"
        raise ArgumentError("n_folds", expected, repr(n_folds))
    random.Random(seed).shuffle(query_ids)  # noqa: S311 - no secret
    return [sorted(query_ids[fold::n_folds]) for fold in range(n_folds)]


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
