"""The report of a verdict, guard by guard, as its page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berryeval.charts.guards import GuardFigures, axis, guard_mark, scale_of
from berryeval.charts.svg import Svg

__all__ = ["Findings", "Group", "GuardLine", "findings_of"]

_TITLES = {
    "margin": ("Against the baseline", "Difference"),
    "threshold": ("On this set", "Mean"),
    "latency": ("Time", "Time"),
}


@dataclass(frozen=True)
class GuardLine:
    """The result of a guard; missing figures are None."""

    name: str
    verdict: str
    reason: str
    value: float | None
    limit: float | None
    is_equivalence: bool
    """Whether the limit applies in both directions."""
    low: float | None
    high: float | None
    n_queries: int
    is_watched: bool
    depends_on_holes: bool
    by_holes: Sequence[str]
    """The verdicts if unjudged documents are graded least, and most, favourably."""
    needed: int | None
    measure: str | None
    mark: Svg | None


@dataclass(frozen=True)
class Group:
    """Guards of one kind, drawn on one scale."""

    kind: str
    title: str
    column: str
    axis: Svg | None
    lines: tuple[GuardLine, ...]


@dataclass(frozen=True)
class Findings:
    """The contents of a report."""

    verdict: str
    sentence: str
    suggestion: str | None
    alpha: float | None
    inference: str
    groups: tuple[Group, ...]
    holes: Sequence[Mapping[str, Any]]
    """Most decisive first."""
    n_holes: int
    """How many there are, including those that the report omits."""

    level: str
    """The level of intervals in percent; empty if there are none."""
    memory: Mapping[str, Any] | None
    """Looks, tries, and the level of this look; None if nothing was counted."""


def findings_of(report: Mapping[str, Any]) -> Findings:
    """Read a report; older ones lack some parts."""
    guards = report.get("guards", ())
    return Findings(
        report.get("verdict", "inconclusive"),
        report.get("sentence", ""),
        report.get("suggestion"),
        report.get("alpha"),
        report.get("inference", "population"),
        tuple(_group(kind, found) for kind in _TITLES if (found := _of_kind(guards, kind))),
        report.get("holes", ()),
        report.get("n_holes", len(report.get("holes", ()))),
        _level(guards),
        _memory(report),
    )


def _memory(report: Mapping[str, Any]) -> Mapping[str, Any] | None:
    memory = report.get("memory")
    return memory and {**memory, "level": f"{report.get('level', 0):.3g}"}


def _level(guards: Sequence[Mapping[str, Any]]) -> str:
    intervals = (guard.get("interval") for guard in guards)
    return next((f"{100 * one['level']:.4g} %" for one in intervals if one), "")


def _of_kind(guards: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    kinds = ("margin", "equivalence") if kind == "margin" else (kind,)
    return [guard for guard in guards if guard.get("kind") in kinds]


def _group(kind: str, guards: Sequence[Mapping[str, Any]]) -> Group:
    title, column = _TITLES[kind]
    is_compared = kind == "margin"
    figures = [_figures(guard) for guard in guards]
    known = [one for one in figures if one is not None]
    if kind == "latency" or not known:
        return Group(kind, title, column, None, tuple(_line(guard, None) for guard in guards))
    scale = scale_of(known, zero=is_compared)
    marks = [None if one is None else guard_mark(one, scale, zero=is_compared) for one in figures]
    lines = tuple(map(_line, guards, marks))
    return Group(kind, title, column, axis(scale, signed=is_compared), lines)


def _figures(guard: Mapping[str, Any]) -> GuardFigures | None:
    value, limit = guard.get("value"), guard.get("limit")
    if value is None or limit is None:
        return None
    interval = guard.get("interval") or {}
    limits = (limit, -limit) if guard.get("kind") == "equivalence" else (limit,)
    return GuardFigures(value, limits, interval.get("low"), interval.get("high"), guard["verdict"])


def _line(guard: Mapping[str, Any], mark: Svg | None) -> GuardLine:
    interval = guard.get("interval") or {}
    return GuardLine(
        guard.get("name", ""),
        guard["verdict"],
        guard.get("reason", ""),
        guard.get("value"),
        guard.get("limit"),
        guard.get("kind") == "equivalence",
        interval.get("low"),
        interval.get("high"),
        guard.get("queries", 0),
        guard.get("is_watched", False),
        guard.get("depends_on_holes", False),
        guard.get("verdicts_by_holes") or (),
        guard.get("queries_needed"),
        guard.get("measure"),
        mark,
    )
