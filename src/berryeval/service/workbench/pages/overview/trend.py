"""The trend of a measure: which runs of a series are shown, and how they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from berryeval.archive.records import StoredRun
from berryeval.charts import Chart
from berryeval.charts.trend import Reference, TrendLine, TrendPoint, trend_chart
from berryeval.errors import NotFoundError
from berryeval.service.workbench.state.run_directory import ReferenceRun, Series
from berryeval.service.workbench.state.run_summaries import Kept

__all__ = ["SeriesTrend", "Window", "trend_of", "window_of"]

SHOWN = 100
"""Runs per trend; links lead to older ones."""


@dataclass(frozen=True)
class Window:
    """The runs of a trend, oldest first, with the adjacent windows."""

    runs: Sequence[StoredRun]
    older: str | None
    """The newest older run."""
    newer: str | None
    """The last run of the next window; empty for the newest."""


@dataclass(frozen=True)
class SeriesTrend:
    """The drawings of a trend, and what they show."""

    points: Sequence[TrendPoint]
    wide: Chart
    narrow: Chart
    """For phones, where the text of the wide one would be too small."""

    @property
    def has_failures(self) -> bool:
        """Whether a store failed to answer some queries."""
        return any(point.n_failed for point in self.points)


def window_of(series: Series, until: str | None) -> Window:
    """Return the latest runs of a series, or those up to a given one.

    Raises
    ------
    NotFoundError
        If the series has no such run.
    """
    runs = series.runs
    end = len(runs)
    if until is not None:
        end = 1 + next((i for i, run in enumerate(runs) if run.run_id == until), -1)
        if not end:
            raise NotFoundError("run in this series", until)
    start = max(0, end - SHOWN)
    older = runs[start - 1].run_id if start else None
    newer = None
    if end < len(runs):
        newer = "" if end + SHOWN >= len(runs) else runs[end + SHOWN - 1].run_id
    return Window(runs[start:end], older, newer)


def trend_of(window: Window, kept: Kept, measure: str, against: ReferenceRun | None) -> SeriesTrend:
    """Draw the scored runs of a window; the others are gaps."""
    points = [_point(run, kept, measure, against) for run in window.runs]
    lines = [TrendLine(points)]
    reference = _reference(kept, measure, against)
    return SeriesTrend(
        points,
        trend_chart(lines, measure, reference),
        trend_chart(lines, measure, reference, width=340, height=250),
    )


def _reference(kept: Kept, measure: str, against: ReferenceRun | None) -> Reference | None:
    if against is None or against.baseline is None:
        return None
    summary = kept.summaries.get(against.run.run_id)
    mean = None if summary is None else summary.means.get(measure)
    return None if mean is None else Reference(f"{against.name} {mean.value:.3f}", mean.value)


def _point(run: StoredRun, kept: Kept, measure: str, against: ReferenceRun | None) -> TrendPoint:
    summary = kept.summaries.get(run.run_id)
    mean = None if summary is None else summary.means.get(measure)
    interval = None if mean is None else mean.interval
    commit = run.facts.commit
    return TrendPoint(
        run.stored_at,
        f"{commit[:8] if commit else run.run_id[:8]}, {run.stored_at:%Y-%m-%d %H:%M}",
        None if mean is None else mean.value,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        f"/runs/{run.run_id}",
        commit,
        is_baseline=against is not None
        and against.baseline is not None
        and against.run.run_id == run.run_id,
        n_failed=len(run.facts.failed),
    )
