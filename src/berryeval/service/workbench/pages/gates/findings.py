"""The report of a verdict, guard by guard, as its page shows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berryeval.charts.marks import GuardFigures, axis, guard_mark, scale_of
from berryeval.charts.svg import Svg
from berryeval.evaluation.figures import DASH, end_text, score, signed
from berryeval.reports.html.markup import figure_text
from berryeval.service.paths import address
from berryeval.service.verdicts import headline_of

__all__ = ["Findings", "Group", "GuardLine", "findings_of"]

_TITLES = {
    "margin": ("Against the baseline", "Difference"),
    "threshold": ("On this set", "Mean"),
    "latency": ("Time", "Time"),
}


@dataclass(frozen=True)
class GuardLine:
    """The result of a guard, with its figures as texts."""

    name: str
    verdict: str
    reason: str
    value: str
    limit: str
    interval: str
    n_queries: int
    is_watched: bool
    needed: int | None
    power: str
    """The address of the page Power for its measure and margin."""
    mark: Svg | None
    guard: Mapping[str, Any]
    """The guard as the report has it, with its figures as numbers."""


@dataclass(frozen=True)
class Group:
    """Guards of one kind, drawn on one scale."""

    kind: str
    title: str
    column: str
    interval: str
    """The heading of the column of intervals; empty if there is none."""
    axis: Svg | None
    lines: tuple[GuardLine, ...]


@dataclass(frozen=True)
class Findings:
    """The contents of a report."""

    verdict: str
    sentence: str
    doubt: str
    """States on how many unjudged documents the verdict depends; empty if on none."""
    suggestion: str | None
    alpha: float | None
    inference: str
    groups: tuple[Group, ...]
    holes: Sequence[Mapping[str, Any]]
    """Holes, most decisive first."""
    n_holes: int
    """Number of holes, including those that the report omits."""
    memory: Mapping[str, Any] | None
    """Looks, tries, and the level of this look; None if nothing was counted."""


def findings_of(report: Mapping[str, Any]) -> Findings:
    """Read a report; older ones lack some parts."""
    guards = report.get("guards", ())
    interval = _interval_heading(guards)
    return Findings(
        report.get("verdict", "inconclusive"),
        *headline_of(report),
        report.get("suggestion"),
        report.get("alpha"),
        report.get("inference", "population"),
        tuple(
            _group(kind, found, interval) for kind in _TITLES if (found := _of_kind(guards, kind))
        ),
        report.get("holes", ()),
        report.get("n_holes", len(report.get("holes", ()))),
        _memory(report),
    )


def _memory(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    memory = report.get("memory")
    return memory and {**memory, "level": f"{report.get('level', 0):.3g}"}


def _interval_heading(guards: Sequence[Mapping[str, Any]]) -> str:
    intervals = (guard.get("interval") for guard in guards)
    levels = (f"{100 * one['level']:.4g}% interval" for one in intervals if one)
    return next(levels, "Interval")


def _of_kind(guards: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    kinds = ("margin", "equivalence") if kind == "margin" else (kind,)
    return [guard for guard in guards if guard.get("kind") in kinds]


def _group(kind: str, guards: Sequence[Mapping[str, Any]], interval: str) -> Group:
    title, column = _TITLES[kind]
    is_compared = kind == "margin"
    figures = [_figures(guard) for guard in guards]
    known = [one for one in figures if one is not None]
    if kind == "latency" or not known:
        shown = "" if kind == "latency" else interval
        return Group(kind, title, column, shown, None, tuple(_line(one, None) for one in guards))
    scale = scale_of(known, zero=is_compared)
    marks = [None if one is None else guard_mark(one, scale, zero=is_compared) for one in figures]
    lines = tuple(map(_line, guards, marks))
    return Group(kind, title, column, interval, axis(scale, signed=is_compared), lines)


def _figures(guard: Mapping[str, Any]) -> GuardFigures | None:
    value, limit = guard.get("value"), guard.get("limit")
    if value is None or limit is None:
        return None
    interval = guard.get("interval") or {}
    limits = (limit, -limit) if guard.get("kind") == "equivalence" else (limit,)
    return GuardFigures(value, limits, interval.get("low"), interval.get("high"), guard["verdict"])


def _line(guard: Mapping[str, Any], mark: Svg | None) -> GuardLine:
    value, limit, interval = map(figure_text, _texts(guard))
    margin = round(abs(guard.get("limit") or 0.0), 6)
    return GuardLine(
        guard.get("name", ""),
        guard["verdict"],
        figure_text(guard.get("reason", "")),
        value,
        limit,
        interval,
        guard.get("queries", 0),
        guard.get("is_watched", False),
        guard.get("queries_needed"),
        address("/power", measure=guard.get("measure"), margin=margin),
        mark,
        {"value": None, "limit": None, "interval": None, **guard},
    )


def _texts(guard: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the value of a guard, its limit, and its interval."""
    kind, value, limit = guard.get("kind"), guard.get("value"), guard.get("limit")
    if kind == "latency":
        return f"{figure_text(score(value, 1))} ms", f"{limit:.12g} ms", DASH
    interval = guard.get("interval")
    if kind == "threshold":
        return score(value), score(limit), _ends(interval, score, "\N{EN DASH}")
    margin = f"±{score(abs(limit or 0.0))}" if kind == "equivalence" else signed(limit)
    return signed(value), margin, _ends(interval, end_text, "to")


def _ends(interval: Mapping[str, Any] | None, text: Callable[[float], str], between: str) -> str:
    return f"{text(interval['low'])} {between} {text(interval['high'])}" if interval else DASH
