"""Code that runs on executors: Arrow batches of sorted rows in, Arrow batches of results out."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, TypeAlias

from berryeval.errors import ArgumentError
from berryeval.evaluation.partitions import IGNORED, N_QUERIES, ScoringPlan, score_partition
from berryeval.spark.rows import JUDGED, KIND_BITS, RETRIEVED, UNJUDGED

__all__ = ["changed_batches", "score_batches", "summary_batches"]

Batches: TypeAlias = "Iterator[Any]"
"""Arrow record batches; pyarrow has no types."""

ROWS_AT_ONCE = 500_000
"""Number of rows after which a task scores what it has read, at the end of a bucket."""

_KINDS = (JUDGED, RETRIEVED, UNJUDGED)
_N_SHOWN = 3


def score_batches(batches: Batches, plan: ScoringPlan) -> Batches:
    """Score the queries of a partition: rows as `berryeval.spark.rows` describes them, sorted."""
    _limit_threads()
    for parts in _buckets(batches):
        yield from _score(parts, plan).to_batches()


def changed_batches(batches: Batches, k: int | None) -> Batches:
    """Return the ids of queries whose first k documents differ between two runs."""
    import pyarrow as pa

    from berryeval.core.run import Run

    _limit_threads()
    for parts in _buckets(batches):
        before, after = (
            Run.from_frame(_renamed(parts[kind], "score"), duplicates="keep-best")
            for kind in (RETRIEVED, UNJUDGED)
        )
        ids = dict.fromkeys([*before.query_ids.iter_bytes(), *after.query_ids.iter_bytes()])
        changed = [one for one in ids if before.ranked_ids(one, k) != after.ranked_ids(one, k)]
        yield pa.record_batch([pa.array(changed, pa.binary())], names=["query_id"])


def summary_batches(batches: Batches) -> Batches:
    """Summarise all ignored queries of a partition in a few rows, so that few are collected."""
    import pyarrow as pa
    from pyarrow import compute

    n_ignored, schema = 0, None
    first: list[bytes] = []
    for batch in batches:
        table = pa.Table.from_batches([batch])
        is_ignored = compute.equal(table.column("status"), IGNORED)
        ids = table.filter(is_ignored).column("query_id").to_pylist()
        n_ignored += len(ids)
        first = sorted([*first, *ids])[:_N_SHOWN]
        kept = table.filter(compute.invert(is_ignored)) if ids else table
        kept = kept.append_column(N_QUERIES, pa.array([1] * kept.num_rows, pa.int64()))
        schema = kept.schema
        yield from kept.to_batches()
    if schema is not None and first:
        columns: dict[str, list[Any]] = {name: [None] * len(first) for name in schema.names}
        columns["query_id"] = first
        columns["status"] = [IGNORED] * len(first)
        columns[N_QUERIES] = [1 + n_ignored - len(first), *[1] * (len(first) - 1)]
        yield pa.record_batch(columns, schema=schema)


def _limit_threads() -> None:
    """Let the engine use the cores of its task, since other tasks use the others."""
    from pyspark import TaskContext

    context = TaskContext.get()
    os.environ.setdefault("BERRYEVAL_THREADS", str(1 if context is None else context.cpus()))


def _buckets(batches: Batches) -> Iterator[dict[int, Any]]:
    """Iterate over tables of whole buckets, by the kind of their rows.

    Nothing is copied: batches are cut where a bucket, or the rows of a kind, end.
    """
    import numpy as np
    import pyarrow as pa

    pending: dict[int, list[Any]] = {kind: [] for kind in _KINDS}
    n_pending, bucket, schema = 0, None, None

    def tables() -> dict[int, Any]:
        return {kind: pa.Table.from_batches(own, schema) for kind, own in pending.items()}

    for batch in batches:
        schema = batch.schema
        segments = np.asarray(batch.column(0)) >> KIND_BITS
        starts = [0, *(np.flatnonzero(np.diff(segments)) + 1).tolist()]
        for start, end in pairwise([*starts, len(segments)]):
            found, kind = divmod(int(segments[start]), 4)
            if found != bucket and n_pending >= ROWS_AT_ONCE:
                yield tables()
                pending = {kind: [] for kind in _KINDS}
                n_pending = 0
            bucket = found
            pending[kind].append(batch.slice(start, end - start))
            n_pending += end - start
    if n_pending:
        yield tables()


def _score(parts: dict[int, Any], plan: ScoringPlan) -> Any:  # noqa: ANN401 - a table
    judgments = _renamed(parts[JUDGED], "relevance")
    if plan.judges == "mean" and judgments.num_columns > 3:  # noqa: PLR2004 - some are labels
        # The order of rows is that of their arrival, and a mean of fractions depends on it.
        judgments = judgments.sort_by([(name, "ascending") for name in judgments.schema.names])
    scores = score_partition(judgments, _renamed(parts[RETRIEVED], "score"), plan)
    unjudged = parts[UNJUDGED]
    return _with_ignored(scores, unjudged) if unjudged.num_rows else scores


def _renamed(table: Any, number: str) -> Any:  # noqa: ANN401
    """Return rows as judgments or a run, without their keys; only judgments have labels."""
    labels = table.schema.names[4:] if number == "relevance" else []
    found = table.select(["query_id", "doc_id", "value", *labels])
    return found.rename_columns(["query_id", "doc_id", number, *labels])


def _with_ignored(scores: Any, unjudged: Any) -> Any:  # noqa: ANN401
    """Add the queries whose documents were left out of the shuffle."""
    import pyarrow as pa
    from pyarrow import compute

    _check_unjudged(unjudged)
    ids = compute.unique(unjudged.column("query_id")).sort()
    columns = [
        ids if name == "query_id" else pa.nulls(len(ids), kind)
        for name, kind in zip(scores.schema.names, scores.schema.types, strict=True)
    ]
    columns[scores.schema.names.index("status")] = pa.array([IGNORED] * len(ids))
    return pa.concat_tables([scores, pa.table(columns, schema=scores.schema)])


def _check_unjudged(table: Any) -> None:  # noqa: ANN401
    """Reject rows without a query or a score, as for queries that are judged."""
    from pyarrow import compute

    from berryeval.core.id_column import shown_id

    queries, scores = table.column("query_id"), table.column("value")
    if queries.null_count:
        raise ArgumentError("run", "a value in column 'query_id'", "none")
    for is_wrong, expected, found in (
        (compute.is_null(scores), "a value in column 'score'", "none"),
        (compute.is_nan(scores), "a number as score", "nan"),
        (compute.equal(compute.binary_length(queries), 0), "an id", "''"),
    ):
        wrong = queries.filter(compute.fill_null(is_wrong, False))  # noqa: FBT003
        if len(wrong):
            raise ArgumentError("run", expected, f"{found} (query {shown_id(wrong[0].as_py())})")
