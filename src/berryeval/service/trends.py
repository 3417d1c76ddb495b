"""A measure over the runs of an archive, with the declines that cannot be chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from berryeval.archive import Archive
from berryeval.archive.records import TrendPoint
from berryeval.evaluation.evaluate import read_measures
from berryeval.suite.archived_history import archived_entry
from berryeval.suite.history import Entry, History
from berryeval.suite.trends import Point, trends

__all__ = ["trend_as_dict"]


def trend_as_dict(
    archive: Archive, measure: str, name: str | None, at: str | None
) -> dict[str, Any]:
    """Score every run with the same judgments, and hold each against the best before it.

    Raises
    ------
    ArgumentError
        If the text stands for several measures.
    NotFoundError
        If no judgments of this hash are known.
    """
    judgments_hash = archive.judgments.hash() if at is None else at
    found = archive.trend(measure, name=name, at=judgments_hash)
    chosen = str(read_measures(measure)[0])
    tested = _tested(archive, chosen, judgments_hash, found)
    return {
        "measure": chosen,
        "judgments_hash": judgments_hash,
        "points": [_point(point, tested.get(point.run.run_id)) for point in found],
    }


def _tested(
    archive: Archive, measure: str, judgments_hash: str, found: Sequence[TrendPoint]
) -> dict[str, Point]:
    """Return what the suite's trends say of each run, one series a name."""
    by_name: dict[str, dict[str, Entry]] = {}
    for point in found:
        if point.mean is not None and point.evaluation_id is not None:
            entries = by_name.setdefault(point.run.facts.name, {})
            entries[point.run.run_id] = archived_entry(archive, measure, judgments_hash, point)
    return {
        run_id: point
        for entries in by_name.values()
        for series in trends(History("archive", tuple(entries.values())), measure)
        for run_id, point in zip(entries, series.points, strict=True)
    }


def _point(point: TrendPoint, tested: Point | None) -> dict[str, Any]:
    return {
        "run_id": point.run.run_id,
        "name": point.run.facts.name,
        "stored_at": point.run.stored_at.isoformat(),
        "commit": point.run.facts.commit,
        "evaluation_id": point.evaluation_id,
        "mean": point.mean,
        "query_count": point.n_queries,
        "failed_count": len(point.run.facts.failed),
        "missing_count": 0 if tested is None else tested.entry.n_missing,
        "change": None if tested is None else tested.change,
        "p_value": None if tested is None else tested.p_value,
        "is_decline": tested is not None and tested.is_decline,
        "reason": point.reason,
    }
