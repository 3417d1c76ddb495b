"""The trend of a measure over time, and tests for a decline: a step, or a slow creep."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from berryeval.errors import ArgumentError, InputError
from berryeval.evaluation.result import averaged, change_of_mean
from berryeval.measures import Measure, parse_measure
from berryeval.suite.history import Entry, History

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from berryeval.evaluation.sampling import Sampling

__all__ = ["ALPHA", "DeclineKind", "Look", "Point", "Trend", "trends"]

ALPHA = 0.05
"""Probability of a false decline: per series on demand, per horizon of a daily alarm."""

DeclineKind: TypeAlias = Literal["step", "creep"]
"""A fall from one entry to the next, or a steady decline."""

_FEW_FLIPS = 500


@dataclass(frozen=True)
class Point:
    """One entry of a series."""

    entry: Entry
    mean: float
    change: float | None
    """Change from the previous point; None for the first, and if the queries differ."""
    starts_anew: bool
    """Whether this entry cannot be compared with earlier ones: its judgments or queries differ."""
    decline: DeclineKind | None = None
    """A step that starts here, or a creep that was found up to here."""
    is_alarm: bool = False
    """Whether this entry raised a daily alarm."""


@dataclass(frozen=True)
class Look:
    """A test of comparable entries, and the strongest sign of a decline in them."""

    entries: tuple[Entry, ...]
    n_queries: int
    """Number of queries that all entries have. Only these are tested."""
    n_left_out: int
    """Number of queries missing from some of the entries."""
    p_value: float
    """P-value of the hypothesis that nothing declined; on demand, adjusted over all looks of a
    series."""
    is_daily: bool
    """Whether this was one of many looks, each after one more entry."""
    kind: DeclineKind
    split: int | None
    """Position, within the entries, of the first one after a step; None for a creep."""
    change: float
    """Mean after the step minus mean before; for a creep, the change from the first entry to the
    last. As the strongest of many contrasts, it is slightly too large."""
    start: int = 0
    """Position of the first entry in its series."""

    @property
    def at(self) -> Entry | None:
        """The first entry after a step; None for a creep."""
        return None if self.split is None else self.entries[self.split]

    @property
    def level(self) -> float:
        """The highest p-value of a decline."""
        return _level(self.is_daily)

    @property
    def is_decline(self) -> bool:
        """Whether the p-value is low enough for a decline."""
        return self.p_value <= self.level


@dataclass(frozen=True)
class Trend:
    """A measure of one series of entries."""

    measure: str
    run: str | None
    """None if the entries have different names but form one series."""
    points: tuple[Point, ...]
    looks: tuple[Look, ...]
    """On demand, one per stretch of comparable entries; daily, those that raised an alarm, and the
    newest. Entries without any change are not tested."""
    is_daily: bool
    """Whether every entry was tested in turn."""

    @property
    def declines(self) -> tuple[Look, ...]:
        """The looks that found a decline, even if their entries are not among `points`."""
        return tuple(look for look in self.looks if look.is_decline)

    @property
    def n_needed(self) -> int:
        """The minimum number of queries, or groups of them, for which a decline can be found."""
        return _fewest_queries(_level(self.is_daily))

    def last(self, n: int) -> Trend:
        """Return the trend with only its last n points; the looks are unchanged."""
        return replace(self, points=self.points[-n:])


def trends(
    history: History, measure: str | None = None, *, run: str | None = None, daily: bool = False
) -> tuple[Trend, ...]:
    """Return the trends of a measure in a history.

    Parameters
    ----------
    history : History
    measure : str, optional
        Any name of the measure. Default: nDCG@10, or the first measure of the newest entry.
    run : str, optional
        Only include entries with this name.
    daily : bool
        Whether the history is tested after every entry, as an alarm, rather than occasionally.

    Returns
    -------
    tuple of Trend
        One for each name of a run. If no name occurs twice, all entries form one series.

    Raises
    ------
    ArgumentError
        If no entry has that measure or that name.

    Notes
    -----
    `berryeval.stats.find_decline` tests the scores per query, with the weights, groups and strata
    of the newest entry. On demand, each stretch of comparable entries is tested once, and p-values
    are multiplied by the number of stretches: a series without a decline shows one with a
    probability of about 0.05. Daily, every entry is tested together with those before it at
    0.05 / 51. The alarm starts again after every 52 entries, and after an alarm. The probability
    of a false alarm within 52 entries is at most 0.05.
    """
    chosen = _choose_measure(history, measure)
    found = (entry for entry in history.entries if chosen in entry.means)
    entries = sorted(found, key=attrgetter("time"))  # old evaluations may be added later
    names = tuple(dict.fromkeys(entry.run for entry in entries))
    if run is not None:
        if run not in names:
            raise ArgumentError("run", " or ".join(map(repr, names)), repr(run))
        names = (run,)
    elif 1 < len(names) == len(entries):
        return (_trend(chosen, None, entries, daily),)
    return tuple(
        _trend(chosen, name, [entry for entry in entries if entry.run == name], daily)
        for name in names
    )


def _choose_measure(history: History, measure: str | None) -> str:
    known = history.measures
    if measure is None:
        return "nDCG@10" if "nDCG@10" in known else known[0]
    name = measure if measure in known else str(parse_measure(measure))
    if name not in known:
        raise ArgumentError("measure", f"one of {', '.join(known)}, which are recorded", name)
    return name


def _trend(measure: str, run: str | None, entries: Sequence[Entry], is_daily: bool) -> Trend:
    known = _known(measure)
    stretches = [*_stretches(entries)]
    points: list[Point] = []
    for stretch in stretches:
        points += _points(measure, stretch, is_first=not points)
    looks = _daily(entries, measure, known) if is_daily else _on_demand(stretches, measure, known)
    return Trend(measure, run, tuple(_marked(points, looks, is_daily)), tuple(looks), is_daily)


def _known(measure: str) -> Measure | None:
    try:
        return parse_measure(measure)
    except InputError:
        return None  # a custom measure of another process


def _stretches(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Split entries where the judgments, or too many of the queries, change."""
    stretch: list[Entry] = []
    for entry in entries:
        if stretch and not _can_follow(stretch, entry):
            yield stretch
            stretch = []
        stretch.append(entry)
    if stretch:
        yield stretch


def _can_follow(stretch: Sequence[Entry], entry: Entry) -> bool:
    """Whether an entry has the same judgments, and at least half of the queries in common."""
    if entry.is_comparable(stretch[-1]):
        return True
    if entry.judgments != stretch[-1].judgments or entry.query_ids is None:
        return False
    shared = _shared(stretch)
    if shared is None:
        return False
    n_most = max(len(shared), entry.n_queries)
    return 2 * len(shared.intersection(entry.query_ids)) >= n_most


def _shared(entries: Sequence[Entry]) -> set[str] | None:
    """Return the queries that all entries have; None if only their hash is known."""
    found: set[str] | None = None
    for entry in entries:
        if entry.query_ids is None:
            return None
        found = set(entry.query_ids) if found is None else found.intersection(entry.query_ids)
    return found


def _points(measure: str, stretch: Sequence[Entry], *, is_first: bool) -> list[Point]:
    """Return the entries of a stretch, each with the change from the previous one."""
    start = stretch[0]
    points = [Point(start, start.means[measure], None, starts_anew=not is_first)]
    for before, entry in pairwise(stretch):
        mean = entry.means[measure]
        change = mean - before.means[measure] if entry.is_comparable(before) else None
        points.append(Point(entry, mean, change, starts_anew=False))
    return points


def _on_demand(
    stretches: Sequence[Sequence[Entry]], measure: str, known: Measure | None
) -> list[Look]:
    """Test every stretch once; the looks of a series are one family."""
    found = [
        (start, look)
        for start, stretch in _with_starts(stretches)
        if (look := _look(stretch, measure, known)) is not None
    ]
    return [
        replace(look, start=start, p_value=min(1.0, len(found) * look.p_value))
        for start, look in found
    ]


def _daily(entries: Sequence[Entry], measure: str, known: Measure | None) -> list[Look]:
    """Test every entry together with those before it, as if it were the newest."""
    from berryeval.stats.decline import HORIZON

    stretches = (
        stretch
        for start in range(0, len(entries), HORIZON)
        for stretch in _stretches(entries[start : start + HORIZON])
    )
    return [
        replace(look, start=start + look.start)
        for start, stretch in _with_starts(stretches)
        for look in _alarms(stretch, measure, known)
    ]


def _with_starts(
    stretches: Iterable[Sequence[Entry]],
) -> Iterator[tuple[int, Sequence[Entry]]]:
    """Iterate over adjacent stretches, each with the position of its first entry."""
    start = 0
    for stretch in stretches:
        yield start, stretch
        start += len(stretch)


def _alarms(entries: Sequence[Entry], measure: str, known: Measure | None) -> Iterator[Look]:
    """Iterate over the looks that raised an alarm within a horizon, then the newest look."""
    start = 0
    for end in range(2, len(entries) + 1):
        is_newest = end == len(entries)
        watched = entries[start:end]
        # The first flips do not depend on the number of flips, so a high p-value of a few is
        # enough to skip the full test.
        if not is_newest:
            first = _look(watched, measure, known, is_daily=True, n_flips=_FEW_FLIPS)
            if first is None or first.p_value > ALPHA:
                continue
        look = _look(watched, measure, known, is_daily=True)
        if look is not None and (look.is_decline or is_newest):
            yield replace(look, start=start)
        if look is not None and look.is_decline:
            start = end - 1


def _level(is_daily: bool) -> float:
    from berryeval.stats import alarm_level

    return alarm_level(ALPHA) if is_daily else ALPHA


def _look(
    entries: Sequence[Entry],
    measure: str,
    known: Measure | None,
    *,
    is_daily: bool = False,
    n_flips: int = 10_000,
) -> Look | None:
    """Test entries for a decline; None if nothing changed, or no p-value could be low enough.

    Percentiles are shown but not tested: a decline of their mean would be another question.
    """
    import numpy as np  # slow to import

    from berryeval.stats import find_decline

    is_percentile = known is not None and known.aggregate == "percentile"
    if is_percentile or len(entries) < 2:  # noqa: PLR2004 - before and after
        return None
    rows, n_left_out = _scores(entries, measure, known)
    sampling = _sampling(entries)
    if known is not None and known.aggregate == "sum":
        sampling = replace(sampling, weights=None)  # as in the sums that are displayed
    n_queries = len(rows)
    if sampling.count(np.ones(n_queries, dtype=bool)) < _fewest_queries(_level(is_daily)):
        return None
    sign = 1.0 if known is None or known.higher_is_better else -1.0
    found = find_decline(
        sign * rows,
        weights=sampling.weights,
        groups=sampling.groups,
        strata=sampling.strata,
        n_flips=n_flips,
    )
    assert found is not None  # there are two entries and a query
    if found.split is None and found.change == 0.0:
        return None
    return Look(
        tuple(entries),
        n_queries,
        n_left_out,
        found.p_value,
        is_daily,
        "creep" if found.split is None else "step",
        found.split,
        _change_of_means(known, rows, sampling, sign * found.change, found.split),
    )


def _fewest_queries(level: float) -> int:
    """Return the number of queries needed for a single choice of signs to reach the level."""
    n_queries = 1
    while 2 / (2**n_queries + 1) > level:
        n_queries += 1
    return n_queries


def _scores(
    entries: Sequence[Entry], measure: str, known: Measure | None
) -> tuple[NDArray[np.float64], int]:
    """Return queries x entries in the form that is averaged, and the number of dropped queries."""
    import numpy as np  # slow to import

    columns: list[Sequence[float]] = [entry.scores[measure] for entry in entries]
    n_left_out = 0
    if len({entry.queries for entry in entries}) > 1:
        shared = _shared(entries)
        assert shared is not None  # `_can_follow` has checked that ids are known
        anywhere = {one for entry in entries for one in entry.query_ids or ()}
        n_left_out = len(anywhere) - len(shared)
        columns = [
            [
                score
                for one, score in zip(entry.query_ids or (), column, strict=True)
                if one in shared
            ]
            for entry, column in zip(entries, columns, strict=True)
        ]
    if known is not None:
        columns = [[*averaged(known, array("d", column))] for column in columns]
    return np.array(columns, np.float64).T, n_left_out


def _sampling(entries: Sequence[Entry]) -> Sampling:
    """Return the sampling design of the tested queries, from the newest entry."""
    from berryeval.evaluation.sampling import Sampling

    newest = entries[-1]
    sampling = Sampling(newest.groups, newest.weights, newest.strata)
    if len({entry.queries for entry in entries}) == 1:
        return sampling
    shared = _shared(entries)
    assert shared is not None  # `_can_follow` has checked that ids are known
    ids = enumerate(newest.query_ids or ())
    return sampling.take([row for row, query_id in ids if query_id in shared])


def _change_of_means(
    known: Measure | None,
    rows: NDArray[np.float64],
    sampling: Sampling,
    change: float,
    split: int | None,
) -> float:
    """Convert a change of the averaged values to a change of the reported means."""
    import numpy as np  # slow to import

    from berryeval.stats.moments import means_of

    if known is not None and known.aggregate == "sum":
        return change * len(rows)
    if known is None or known.aggregate != "geometric":
        return change
    means = np.array([sampling.mean_over(column) for column in rows.T])
    if split is None:
        before = float(means_of(means)) - change / 2
    else:
        before = float(means_of(means[:split]))
    return change_of_mean(known, change, math.exp(before))


def _marked(points: Sequence[Point], looks: Sequence[Look], is_daily: bool) -> Iterator[Point]:
    """Mark the start of a step, the end of a creep, and the entries that raised an alarm."""
    kinds: dict[int, DeclineKind] = {}
    alarms: set[int] = set()
    for look in looks:
        if look.is_decline:
            last = len(look.entries) - 1
            kinds[look.start + (last if look.split is None else look.split)] = look.kind
            if is_daily:
                alarms.add(look.start + last)
    for place, point in enumerate(points):
        yield replace(point, decline=kinds.get(place), is_alarm=place in alarms)
