"""How a measure went over time, and where a decline became significant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from berryeval.errors import ArgumentError, InputError
from berryeval.measures import parse_measure
from berryeval.suite.history import Entry, History

__all__ = ["ALPHA", "Point", "Trend", "trends"]

ALPHA = 0.05


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
    """That it is no worse than `best`, adjusted by Holm over all looks; None if not tested: the
    scores are those of the point before, or the test is not defined."""
    is_decline: bool = False
    """Whether this is where a decline became significant."""


@dataclass(frozen=True)
class Trend:
    """A measure of one series of entries."""

    measure: str
    run: str | None
    """None if the entries have different names, and are one series all the same."""
    points: tuple[Point, ...]
    declines: tuple[Point, ...]
    """Where a decline became significant: the first such point of each stretch of comparable
    entries, whether it is among `points` or not."""
    n_looks: int
    """How many entries were tested."""

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
    Each entry is held against the best earlier one with the same judgments and queries: paired
    t-test over the queries, one-sided, with Holm's correction over all such looks of the
    series. An entry that repeats the scores of the one before is no new look.
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
    sign = 1.0 if _higher_is_better(measure) else -1.0
    points: list[Point] = []
    for stretch in _stretches(entries):
        points += _points(measure, stretch, sign, is_first=not points)
    points = _marked(points)
    declines = tuple(point for point in points if point.is_decline)
    n_looks = sum(point.p_value is not None for point in points)
    return Trend(measure, run, tuple(points), declines, n_looks)


def _higher_is_better(measure: str) -> bool:
    try:
        return parse_measure(measure).higher_is_better
    except InputError:
        return True  # a measure that somebody defined elsewhere


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


def _points(measure: str, stretch: Sequence[Entry], sign: float, *, is_first: bool) -> list[Point]:
    """Hold each entry of a stretch against the best before it; p-values are not yet adjusted."""
    best = stretch[0]
    points = [Point(best, best.means[measure], None, starts_anew=not is_first, best=None)]
    for before, entry in pairwise(stretch):
        mean = entry.means[measure]
        is_look = entry.scores[measure] != before.scores[measure]
        p_value = _p_of_decline(best, entry, measure, sign) if is_look else None
        change = mean - before.means[measure]
        points.append(Point(entry, mean, change, starts_anew=False, best=best, p_value=p_value))
        if sign * mean > sign * best.means[measure]:
            best = entry
    return points


def _p_of_decline(best: Entry, entry: Entry, measure: str, sign: float) -> float | None:
    from berryeval.stats.paired_tests import paired_t  # loads NumPy and SciPy

    differences = [
        sign * (new - old)
        for old, new in zip(best.scores[measure], entry.scores[measure], strict=True)
    ]
    return paired_t(differences, alternative="less").p_value


def _marked(points: Sequence[Point]) -> list[Point]:
    """Adjust the p-values, and mark the first of each stretch that is low enough."""
    from berryeval.stats.corrections import adjust

    marked = []
    has_declined = False
    for point, p in zip(points, adjust([point.p_value for point in points], "holm"), strict=True):
        has_declined = has_declined and not point.starts_anew
        is_decline = not has_declined and p is not None and p <= ALPHA
        has_declined = has_declined or is_decline
        marked.append(replace(point, p_value=p, is_decline=is_decline))
    return marked
