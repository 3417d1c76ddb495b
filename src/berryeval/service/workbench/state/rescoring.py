"""Scores after a few judgments have changed: only the queries that they belong to are scored."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TypeVar

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import IdColumn
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.scores import Scores
from berryeval.engine import score
from berryeval.measures import Measure

__all__ = ["rescore"]

_MAX_CHANGED = 0.5
"""With a larger share of changed queries, scoring all of them is as fast."""

Data = TypeVar("Data", bound=Grouped)


def rescore(
    before: Scores,
    judgments: Judgments,
    run: Run,
    measures: Sequence[Measure],
    changed: Collection[bytes],
) -> Scores | None:
    """Return the scores of a run after the judgments of some queries changed.

    The scores equal those of a full evaluation bit for bit, since a query's score depends only on
    its own judgments and ranking. Measures that look across queries are the exception.

    Parameters
    ----------
    before : Scores
        Scores with other judgments.
    judgments : Judgments
        The judgments to score with.
    measures : sequence of Measure
        All measures of `before`.
    changed : collection of bytes
        At least the queries whose judgments differ.

    Returns
    -------
    Scores or None
        None if all queries must be scored: other queries are judged, some were skipped, too many
        changed, or a measure looks across queries or at times.
    """
    n_queries = len(before.query_ids)
    if (
        n_queries != judgments.n_queries
        or before.counts.judged != n_queries
        or len(changed) > _MAX_CHANGED * n_queries
        or before.values.keys() != {str(measure) for measure in measures}
        or any(measure.across_queries or measure.uses_timings for measure in measures)
    ):
        return None
    query_ids = sorted(changed)
    places = [
        bisect_left(range(n_queries), one, key=before.query_ids.bytes_at) for one in query_ids
    ]
    for place, query_id in zip(places, query_ids, strict=True):
        was_judged = place < n_queries and before.query_ids.bytes_at(place) == query_id
        if not (was_judged and judgments.rows_of(query_id)):
            return None
    if not query_ids:
        return before
    few = _only(judgments, query_ids)
    if judgments.subtopics:  # also for queries without: others may have some
        few.subtopics = {one: judgments.subtopics.get(one, {}) for one in query_ids}
        few.subtopic_weights = {one: judgments.subtopic_weights.get(one, {}) for one in query_ids}
    few.strata = {one: own for one in query_ids if (own := judgments.strata.get(one))}
    few.lengths = judgments.lengths
    found = score(few, _only(run, query_ids), measures)
    values = {name: array("d", numbers) for name, numbers in before.values.items()}
    lacks_relevant = [*before.lacks_relevant]
    for i, place in enumerate(places):
        lacks_relevant[place] = found.lacks_relevant[i]
        for name, numbers in values.items():
            numbers[place] = found.values[name][i]
    return replace(
        before,
        values=values,
        lacks_relevant=lacks_relevant,
        counts=replace(before.counts, no_relevant=sum(lacks_relevant)),
    )


def _only(data: Data, query_ids: Sequence[bytes]) -> Data:
    """Return the rows of some queries."""
    rows_of = {query_id: rows for query_id in query_ids if (rows := data.rows_of(query_id))}
    starts = array("Q", [0])
    doc_ids: list[bytes] = []
    values = array("d")
    for rows in rows_of.values():
        starts.append(starts[-1] + len(rows))
        doc_ids += data.doc_ids.iter_bytes(rows.start, rows.stop)
        values += data.values[rows.start : rows.stop]
    return type(data)(IdColumn.of(rows_of), starts, IdColumn.of(doc_ids), values)
