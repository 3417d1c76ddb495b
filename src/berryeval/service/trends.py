"""A measure over the runs of an archive, and whether it declined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from berryeval.archive import Archive
from berryeval.archive.records import TrendPoint
from berryeval.evaluation.evaluate import read_measures
from berryeval.reports.history import look_as_dict
from berryeval.suite.archived_history import archived_entry
from berryeval.suite.history import Entry, History
from berryeval.suite.trends import Point, Trend, trends

__all__ = ["trend_as_dict"]


def trend_as_dict(
    archive: Archive, measure: str, name: str | None, at: str | None, *, daily: bool = False
) -> dict[str, Any]:
    """Score every run with the same judgments, and test the runs of each name for a decline.

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
    points: dict[str, Point] = {}
    looks: list[dict[str, Any]] = []
    for entries in _entries(archive, chosen, judgments_hash, found):
        [series] = trends(History("archive", tuple(entries.values())), chosen, daily=daily)
        points.update(zip(entries, series.points, strict=True))
        looks += _looks(series)
    return {
        "measure": chosen,
        "judgments_hash": judgments_hash,
        "daily": daily,
        "looks": looks,
        "points": [_point(point, points.get(point.run.run_id)) for point in found],
    }


def _entries(
    archive: Archive, measure: str, judgments_hash: str, found: Sequence[TrendPoint]
) -> list[dict[str, Entry]]:
    """Return the runs that have a mean, by id: one series per name."""
    by_name: dict[str, dict[str, Entry]] = {}
    for point in found:
        if point.mean is not None and point.evaluation_id is not None:
            entries = by_name.setdefault(point.run.facts.name, {})
            entries[point.run.run_id] = archived_entry(archive, measure, judgments_hash, point)
    return [*by_name.values()]


def _looks(series: Trend) -> list[dict[str, Any]]:
    return [{"name": series.run, **look_as_dict(look)} for look in series.looks]


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
        "decline": None if tested is None else tested.decline,
        "is_alarm": tested is not None and tested.is_alarm,
        "reason": point.reason,
    }
