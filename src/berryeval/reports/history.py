"""Histories: for each series a sentence, a sparkline and a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from berryeval.charts.trend import TrendLine, TrendPoint, trend_chart
from berryeval.evaluation.figures import p_text
from berryeval.reports.layout import Table, csv_text, table_to_text

if TYPE_CHECKING:
    from datetime import datetime

    from berryeval.charts import Chart
    from berryeval.suite.history import Entry, History
    from berryeval.suite.trends import Look, Point, Trend

__all__ = [
    "history_notes",
    "history_to_csv",
    "history_to_json",
    "history_to_text",
    "look_as_dict",
    "look_sentence",
    "sparkline",
    "trend_heading",
    "trend_table",
    "trends_chart",
]

JSON_VERSION = 3

_HOW = {
    False: "Tested once, at 0.05. To test after every evaluation, use --daily.",
    True: "Tested after every evaluation, at 0.05 / 51: without a decline, an alarm within "
    "52 evaluations has a probability of at most 0.05. After that, and after an "
    "alarm, the count starts again.",
}
"""How a decline is tested: on demand, and daily."""

_MAX_IN_SPARKLINE = 60
_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = "_.,-=+*#"


def trend_heading(trend: Trend, encoding: str = "utf-8") -> str:
    """Return a sentence on the series, and below it a sparkline of the newest means."""
    points = trend.points
    whose = "" if trend.run is None else f" of {trend.run}"
    first, last = points[0], points[-1]
    if len(points) == 1:
        return f"{trend.measure}{whose}: one evaluation, {first.mean:.4f}."
    sentence = (
        f"{trend.measure}{whose}: {len(points)} evaluations, "
        f"from {first.mean:.4f} to {last.mean:.4f}."
    )
    newest = points[-_MAX_IN_SPARKLINE:]
    line = sparkline([point.mean for point in newest], encoding)
    stretches = "".join(
        f" {character}" if point.starts_anew else character
        for character, point in zip(line, newest, strict=True)
    )
    return f"{sentence}\n{stretches.lstrip()}"


def trend_table(trend: Trend) -> Table:
    """Lay out one row per evaluation, with a remark where it matters."""
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
        notes=tuple(_trend_notes(trend)),
    )


def history_notes(history: History, measure: str) -> list[str]:
    """Return notes on what else is in the file, and what could not be read."""
    notes = [
        f"{history.path}:{line}: the line is incomplete, because writing was interrupted, "
        "and is ignored."
        for line in history.damaged
    ]
    notes += history.unscored
    others = [name for name in history.measures if name != measure]
    if others:
        notes.append(f"Also recorded, for -m: {', '.join(others)}.")
    return notes


def history_to_text(history: History, trends: Sequence[Trend]) -> str:
    """Return everything in plain characters."""
    parts = [f"{trend_heading(trend)}\n\n{table_to_text(trend_table(trend))}" for trend in trends]
    notes = history_notes(history, trends[0].measure)
    return "\n\n".join(parts + ["\n".join(notes)] * bool(notes)) + "\n"


def history_to_csv(trends: Sequence[Trend]) -> str:
    """Return one line per evaluation; missing values are empty."""
    records = [_record(point, trend) for trend in trends for point in trend.points]
    return csv_text([*records[0]], [[*record.values()] for record in records])


def history_to_json(history: History, trends: Sequence[Trend]) -> str:
    """Return one JSON object: version, measure, and the series with their looks and points."""
    import json

    return json.dumps(
        {
            "version": JSON_VERSION,
            "kind": "history",
            "measure": trends[0].measure,
            "daily": trends[0].is_daily,
            "damaged_lines": list(history.damaged),
            "series": [
                {
                    "run": trend.run,
                    "looks": [look_as_dict(look) for look in trend.looks],
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
        "decline": point.decline,
        "is_alarm": point.is_alarm,
        "starts_anew": point.starts_anew,
        "judgments": entry.judgments,
    }


def _trend_notes(trend: Trend) -> Iterator[str]:
    points = trend.points
    if any(point.entry.n_missing for point in points):
        yield "missing: judged queries that are not in the run; they score 0 in its mean."
    if any(point.starts_anew for point in points):
        yield "Evaluations before and after a change of judgments or queries are not compared."
    if not trend.looks:
        if len(points) > 1:
            yield (
                "Not tested for a decline, which requires two comparable evaluations that differ, "
                f"and at least {trend.n_needed} queries."
            )
        return
    if trend.declines:
        yield from map(look_sentence, trend.declines)
    else:
        yield look_sentence(trend.looks[-1])
    yield _HOW[trend.is_daily]


def look_sentence(look: Look) -> str:
    """Return what a test found: where, how large and how certain it is."""
    p = f"p = {p_text(look.p_value)}".replace("= <", "< ")
    on = f"{len(look.entries)} evaluations of {look.n_queries} queries"
    if look.n_left_out:
        on += f" that all of them have; {look.n_left_out} are left out"
    if not look.is_decline:
        return f"No decline ({p}; {on})."
    size = f"{abs(look.change):.4f} {'lower' if look.change < 0 else 'higher'}"
    if look.at is not None:
        found = f"a step at {_named(look.at)}, means are {size} from there on"
    else:
        first, last = look.entries[0], look.entries[-1]
        found = f"a creep, the mean at {_named(last)} is {size} than at {_named(first)}"
    what = f"Alarm at {_named(look.entries[-1])}" if look.is_daily else "Decline"
    return f"{what}: {found} ({p}; {on})."


def trends_chart(trends: Sequence[Trend], *, width: int = 760) -> Chart:
    """Draw series over time; lines break where judgments or queries changed."""
    declines = (
        f"{look.entries[-1].run}: {look_sentence(look)}"
        for trend in trends
        for look in trend.declines
    )
    return trend_chart(
        [TrendLine([*map(_drawn, trend.points)], trend.run or "") for trend in trends],
        trends[0].measure,
        by_time=True,
        note=" ".join(declines),
        width=width,
        height=300,
    )


def _drawn(point: Point) -> TrendPoint:
    return TrendPoint(
        point.entry.time,
        f"{point.entry.run}, {_named(point.entry)}",
        point.mean,
        starts_anew=point.starts_anew,
        alert="alarm" if point.is_alarm else point.decline,
    )


def look_as_dict(look: Look) -> dict[str, Any]:
    """Return a test as a JSON object."""
    return {
        "from": _iso(look.entries[0].time),
        "to": _iso(look.entries[-1].time),
        "n_evaluations": len(look.entries),
        "n_queries": look.n_queries,
        "n_left_out": look.n_left_out,
        "p_value": look.p_value,
        "level": look.level,
        "is_decline": look.is_decline,
        "kind": look.kind,
        "at": None if look.at is None else _iso(look.at.time),
        "change": look.change,
        "sentence": look_sentence(look),
    }


def _named(entry: Entry) -> str:
    note = f" ({entry.note})" if entry.note else ""
    return f"{_time(entry.time)}{note}"


def _remark(point: Point, before: Point | None) -> str:
    marks = [f"decline ({point.decline})"] * (point.decline is not None)
    marks += ["alarm"] * point.is_alarm
    if marks:
        return ", ".join(marks)
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


def sparkline(values: Sequence[float], encoding: str = "utf-8") -> str:
    """Return one character per value, of eight heights.

    Equal values get the middle one. An encoding without block characters gets punctuation.
    """
    try:
        _BLOCKS.encode(encoding)
        levels = _BLOCKS
    except (UnicodeEncodeError, LookupError):
        levels = _ASCII
    low, high = min(values), max(values)
    if low == high:
        return levels[len(levels) // 2 - 1] * len(values)
    top = len(levels) - 1
    return "".join(levels[round((value - low) / (high - low) * top)] for value in values)
