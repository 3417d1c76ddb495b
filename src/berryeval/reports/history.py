"""Histories: for each series a sentence, a sparkline and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from berryeval.reports.figures import percent
from berryeval.reports.layout import Table, table_to_text
from berryeval.reports.sparkline import sparkline

if TYPE_CHECKING:
    from datetime import datetime

    from berryeval.suite.history import Entry, History
    from berryeval.suite.trends import Point, Trend

__all__ = [
    "history_notes",
    "history_to_csv",
    "history_to_json",
    "history_to_text",
    "trend_heading",
    "trend_table",
]

JSON_VERSION = 2

_MOST_IN_SPARKLINE = 60


def trend_heading(trend: Trend, encoding: str = "utf-8") -> str:
    """Return a sentence on the series, and below it a sparkline of the newest means."""
    points = trend.points
    whose = "" if trend.run is None else f" of {trend.run}"
    first, last = points[0], points[-1]
    if len(points) == 1:
        return f"{trend.measure}{whose}: one evaluation, {first.mean:.4f}."
    sentence = (
        f"{trend.measure}{whose}: {len(points)} evaluations, "
        f"{first.mean:.4f} at first, {last.mean:.4f} at last."
    )
    newest = points[-_MOST_IN_SPARKLINE:]
    line = sparkline([point.mean for point in newest], encoding)
    stretches = "".join(
        f" {character}" if point.starts_anew else character
        for character, point in zip(line, newest, strict=True)
    )
    return f"{sentence}\n{stretches.lstrip()}"


def trend_table(trend: Trend, level: float) -> Table:
    """Lay out a row for each evaluation, with what is to be said of it."""
    points = trend.points
    is_shown = {
        "run": trend.run is None,
        "note": any(point.entry.note for point in points),
        "failed": any(point.entry.n_failed for point in points),
        "missing": any(point.entry.n_missing for point in points),
    }
    header = ["time (UTC)", "run", "note", "queries", "failed", "missing", "mean", "change", ""]
    rows = [
        [
            _time(point.entry.time),
            point.entry.run,
            point.entry.note or "-",
            str(point.entry.n_queries),
            str(point.entry.n_failed),
            str(point.entry.n_missing),
            f"{point.mean:.4f}",
            "-" if point.change is None else _signed(point.change),
            _remark(point, before),
        ]
        for before, point in zip([None, *points], points, strict=False)
    ]
    shown = [
        i
        for i, name in enumerate(header)
        if is_shown.get(name, True) and (name or any(row[i] for row in rows))
    ]
    return Table(
        title="",
        header=tuple(header[i] for i in shown),
        rows=tuple(tuple(row[i] for i in shown) for row in rows),
        notes=tuple(_trend_notes(trend, level)),
    )


def history_notes(history: History, measure: str) -> list[str]:
    """Say what else is in the file, and what could not be read."""
    notes = [
        f"{history.path}:{line}: the line was cut off while it was written, and is left out."
        for line in history.damaged
    ]
    notes += history.unscored
    others = [name for name in history.measures if name != measure]
    if others:
        notes.append(f"Also recorded, for -m: {', '.join(others)}.")
    return notes


def history_to_text(history: History, trends: Sequence[Trend], level: float) -> str:
    """Return everything in plain characters."""
    parts = [
        f"{trend_heading(trend)}\n\n{table_to_text(trend_table(trend, level))}" for trend in trends
    ]
    notes = history_notes(history, trends[0].measure)
    return "\n\n".join(parts + ["\n".join(notes)] * bool(notes)) + "\n"


def history_to_csv(trends: Sequence[Trend]) -> str:
    """Return a line an evaluation; what is not there is empty."""
    import csv
    import io

    output = io.StringIO()
    records = [_record(point, trend) for trend in trends for point in trend.points]
    writer = csv.DictWriter(output, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return output.getvalue()


def history_to_json(history: History, trends: Sequence[Trend], level: float) -> str:
    """Return one JSON object: version, measure, level, and the series with their points."""
    import json

    return json.dumps(
        {
            "version": JSON_VERSION,
            "kind": "history",
            "measure": trends[0].measure,
            "level": level,
            "damaged_lines": list(history.damaged),
            "series": [
                {
                    "run": trend.run,
                    "n_looks": trend.n_looks,
                    "declines": [_iso(point.entry.time) for point in trend.declines],
                    "evaluations": [_record(point, trend) for point in trend.points],
                }
                for trend in trends
            ],
        },
        indent=2,
    )


def _record(point: Point, trend: Trend) -> dict[str, Any]:
    entry = point.entry
    return {
        "time": _iso(entry.time),
        "run": entry.run,
        "note": entry.note,
        "measure": trend.measure,
        "n_queries": entry.n_queries,
        "n_failed": entry.n_failed,
        "n_missing": entry.n_missing,
        "mean": point.mean,
        "change": point.change,
        "p_decline": point.p_value,
        "is_decline": point.is_decline,
        "starts_anew": point.starts_anew,
        "judgments": entry.judgments,
    }


def _trend_notes(trend: Trend, level: float) -> Iterator[str]:
    points = trend.points
    if any(point.entry.n_missing for point in points):
        yield "missing: judged queries that the run lacks, and that score 0 in its mean."
    if any(point.starts_anew for point in points):
        yield "Where judgments or queries changed, evaluations before and after are not compared."
    for point in trend.declines:
        yield _decline_sentence(point)
    if not trend.n_looks:
        if len(points) > 1:
            yield "Not tested for a decline: no two evaluations that can be compared differ."
        return
    if not trend.declines:
        yield "No decline."
    looks = "1 look" if trend.n_looks == 1 else f"{trend.n_looks} looks together"
    yield (
        "Each is compared with the best before it that has the same judgments and queries; a "
        f"decline is where the {percent(level)} interval of the difference, over {looks}, "
        "excludes 0."
    )


def _decline_sentence(point: Point) -> str:
    best = point.best
    assert best is not None
    assert point.p_value is not None
    p = f"p = {point.p_value:.3f}" if point.p_value >= 0.0005 else "p < 0.001"  # noqa: PLR2004
    return f"Decline: {_named(point.entry)} is worse than {_named(best)}, the best before it ({p})."


def _named(entry: Entry) -> str:
    note = f" ({entry.note})" if entry.note else ""
    return f"{_time(entry.time)}{note}"


def _remark(point: Point, before: Point | None) -> str:
    if point.is_decline:
        return "decline"
    if not point.starts_anew:
        return ""
    is_judged_anew = before is None or before.entry.judgments != point.entry.judgments
    return "other judgments" if is_judged_anew else "other queries"


def _time(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M}"


def _iso(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def _signed(change: float) -> str:
    return "0" if change == 0.0 else f"{change:+.4f}"
