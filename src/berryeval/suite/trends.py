"""How a measure went over time, and where it became clearly worse than its best."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from berryeval.errors import ArgumentError, InputError
from berryeval.evaluation.findings import difference_of, finding_of
from berryeval.evaluation.result import averaged
from berryeval.measures import Measure, parse_measure
from berryeval.suite.history import Entry, History

__all__ = ["LEVEL", "Point", "Trend", "trends"]

LEVEL = 0.95
"""Confidence level of the intervals that decide, simultaneous over all looks of a series."""


@dataclass(frozen=True)
class Point:
    """One entry of a series."""

    entry: Entry
    mean: float
    change: float | None
    """To the point before it; None for the first, and where both cannot be compared."""
    starts_anew: bool
    """Whether judgments or queries are others than those of the point before."""
    best: Entry | None
    """The best earlier entry that this one can be compared with."""
    p_value: float | None = None
    """Two-sided, for no difference from `best`, adjusted over all looks. None if not tested: the
    scores are those of the point before, or the test is not defined."""
    is_decline: bool = False
    """Whether this is where it became worse than `best`."""


@dataclass(frozen=True)
class Trend:
    """A measure of one series of entries."""

    measure: str
    run: str | None
    """None if the entries have different names, and are one series all the same."""
    points: tuple[Point, ...]
    declines: tuple[Point, ...]
    """The first point of each stretch of comparable entries that is worse than the best before
    it, whether it is among `points` or not."""
    n_looks: int
    """How many entries were compared with the best before them."""

    def last(self, n: int) -> Trend:
        """Return the same with its last n points only; what was tested stays as it was."""
        return replace(self, points=self.points[-n:])


def trends(
    history: History, measure: str | None = None, *, run: str | None = None
) -> tuple[Trend, ...]:
    """Follow a measure through a history.

    Parameters
    ----------
    history : History
    measure : str, optional
        By any of its names. Without it nDCG@10, or the first one of the newest entry.
    run : str, optional
        Only entries of this name.

    Returns
    -------
    tuple of Trend
        One for each name of a run. Where no name comes twice, all entries are one series.

    Raises
    ------
    ArgumentError
        If no entry has that measure or that name.

    Notes
    -----
    Each entry is compared with the best earlier one with the same judgments and queries. The looks
    of a series are one family: `berryeval.evaluation.deciding` decides which are worse, as in a
    comparison of the two. An entry that repeats the scores of the one before is no new look.
    """
    chosen = _choose_measure(history, measure)
    entries = [entry for entry in history.entries if chosen in entry.means]
    names = tuple(dict.fromkeys(entry.run for entry in entries))
    if run is not None:
        if run not in names:
            raise ArgumentError("run", " or ".join(map(repr, names)), repr(run))
        names = (run,)
    elif 1 < len(names) == len(entries):
        return (_trend(chosen, None, entries),)
    return tuple(
        _trend(chosen, name, [entry for entry in entries if entry.run == name]) for name in names
    )


def _choose_measure(history: History, measure: str | None) -> str:
    known = history.measures
    if measure is None:
        return "nDCG@10" if "nDCG@10" in known else known[0]
    name = measure if measure in known else str(parse_measure(measure))
    if name not in known:
        raise ArgumentError("measure", f"one of {', '.join(known)}, which are recorded", name)
    return name


def _trend(measure: str, run: str | None, entries: Sequence[Entry]) -> Trend:
    known = _known(measure)
    points: list[Point] = []
    for stretch in _stretches(entries):
        points += _points(measure, stretch, known, is_first=not points)
    looks = {
        place: _differences(point.best, point.entry, measure, known)
        for place, (before, point) in enumerate(pairwise(points), start=1)
        if point.best is not None
        and point.entry.n_queries > 1
        and point.entry.scores[measure] != before.entry.scores[measure]
    }
    points = _marked(points, looks, known)
    declines = tuple(point for point in points if point.is_decline)
    return Trend(measure, run, tuple(points), declines, len(looks))


def _known(measure: str) -> Measure | None:
    try:
        return parse_measure(measure)
    except InputError:
        return None  # a custom measure of another process


def _is_higher_better(measure: Measure | None) -> bool:
    return measure is None or measure.higher_is_better


def _stretches(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Split entries where judgments or queries change."""
    stretch: list[Entry] = []
    for entry in entries:
        if stretch and not entry.is_comparable(stretch[-1]):
            yield stretch
            stretch = []
        stretch.append(entry)
    if stretch:
        yield stretch


def _points(
    measure: str, stretch: Sequence[Entry], known: Measure | None, *, is_first: bool
) -> list[Point]:
    """Return the entries of a stretch, each with the best before it."""
    sign = 1.0 if _is_higher_better(known) else -1.0
    best = stretch[0]
    points = [Point(best, best.means[measure], None, starts_anew=not is_first, best=None)]
    for before, entry in pairwise(stretch):
        mean = entry.means[measure]
        change = mean - before.means[measure]
        points.append(Point(entry, mean, change, starts_anew=False, best=best))
        if sign * mean > sign * best.means[measure]:
            best = entry
    return points


def _differences(best: Entry, entry: Entry, measure: str, known: Measure | None) -> list[float]:
    columns = [one.scores[measure] for one in (best, entry)]
    if known is not None:
        columns = [array("d", averaged(known, array("d", column))) for column in columns]
    return [difference_of(old, new) for old, new in zip(*columns, strict=True)]


def _marked(
    points: Sequence[Point], looks: Mapping[int, Sequence[float]], known: Measure | None
) -> list[Point]:
    """Estimate the looks, and mark the first of each stretch that is worse than the best."""
    if not looks:
        return [*points]
    import numpy as np  # slow to import

    from berryeval.evaluation.deciding import Column, estimate_family

    columns = [Column(np.asarray(look, np.float64)) for look in looks.values()]
    estimates = dict(zip(looks, estimate_family(columns, LEVEL), strict=True))
    marked = []
    has_declined = False
    for place, point in enumerate(points):
        has_declined = has_declined and not point.starts_anew
        estimate = estimates.get(place)
        if estimate is None:
            marked.append(point)
            continue
        finding = finding_of(estimate.interval, higher_is_better=_is_higher_better(known))
        is_decline = finding == "worse" and not has_declined
        has_declined = has_declined or is_decline
        marked.append(replace(point, p_value=estimate.p_value, is_decline=is_decline))
    return marked
