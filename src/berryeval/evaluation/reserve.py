"""The sealed reserve: queries that no gate sees until a release, to check what the others claim.

Systems that are tuned on a set again and again fit it. Reserved queries were never looked at, so
that their gain over the last release is honest; if the seen queries gained more, that is drift.
Each opening shows the reserve to the team, so the number of openings is fixed beforehand.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from berryeval.core.id_column import encode_id
from berryeval.core.query import Query
from berryeval.errors import ArgumentError
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.deciding import Column
from berryeval.evaluation.detection import largest_loss
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.margins import margin_interval
from berryeval.measures import Measure
from berryeval.stats import Interval, difference_of_means

if TYPE_CHECKING:
    from berryeval.evaluation.gate_rules import GateRules
    from berryeval.evaluation.memory import Decision

__all__ = ["Drift", "Opening", "Seal", "open_reserve", "reserved_among"]


@dataclass(frozen=True)
class Drift:
    """How much more the seen queries gained than the reserved ones."""

    mean: float
    interval: Interval
    p_value: float
    """One-sided, of the hypothesis that they gained no more; by Welch."""


@dataclass(frozen=True)
class Opening:
    """The result on the reserved queries, when the reserve was opened."""

    measure: Measure
    anchor: str
    number: int
    """Which opening it was, from 1."""
    openings: int
    """Number of openings that the seal allows."""
    n_reserved: int
    n_seen: int
    gain: float
    """The mean gain of the reserved queries over the anchor; below 0 is worse."""
    interval: Interval | None
    """Interval of the gain; None if too few reserved queries changed."""
    drift: Drift | None
    """None if too few queries changed on either side."""
    level: float
    """Level of the interval and of the drift: alpha, divided among all openings."""

    @property
    def has_drifted(self) -> bool:
        """Whether the seen queries clearly gained more."""
        return self.drift is not None and self.drift.p_value <= self.level


@dataclass(frozen=True)
class Seal:
    """How queries are reserved, which does not change while the reserve is in use."""

    share: float
    salt: str
    openings: int

    def __str__(self) -> str:
        return json.dumps([self.share, self.salt, self.openings])

    @classmethod
    def of(cls, rules: GateRules) -> Seal | None:
        """Return the seal that rules declare; None if nothing is reserved."""
        if rules.reserve is None:
            return None
        return cls(rules.reserve, rules.reserve_salt or "", rules.openings)

    def check(self, past: Iterable[Decision]) -> None:
        """Raise `ArgumentError` for terms other than those of a reserve in use."""
        used: dict[str, int] = {}
        for one in past:
            if one.seal is not None:
                used[one.seal] = max(used.get(one.seal, 0), one.opening or 0)
        for text, n_used in used.items():
            share, salt, openings = json.loads(text)
            if text != str(self) and n_used < openings:
                expected = f"{share:g} with the salt {salt!r} and {openings} openings, as sealed"
                got = f"{self.share:g} with the salt {self.salt!r} and {self.openings} openings"
                way_out = "restore these, or count in a new history or gate"
                raise ArgumentError("reserve", expected, f"{got}; {way_out}")

    def next_opening(self, past: Iterable[Decision], opened: str) -> int:
        """Return the number of an opening; what was opened before keeps its number."""
        own = [one for one in past if one.seal == str(self) and one.opening is not None]
        known = {one.opened: one.opening for one in own}
        return known.get(opened) or 1 + max((one.opening or 0 for one in own), default=0)

    def reserved(self, query_ids: Iterable[str], queries: Mapping[str, Query]) -> set[str]:
        """Return which queries are reserved."""
        return reserved_among(query_ids, queries, self.share, self.salt)


def reserved_among(
    query_ids: Iterable[str], queries: Mapping[str, Query], share: float, salt: str
) -> set[str]:
    """Return the queries that are reserved, about this share of them, whole groups together.

    The hash of a query's group, or of its id, with the salt decides alone, so that no query changes
    sides as the set grows.
    """
    return {one for one in query_ids if _place(_unit(one, queries), salt) < share}


def _unit(query_id: str, queries: Mapping[str, Query]) -> bytes:
    query = queries.get(query_id)
    if query is None or query.group is None:
        return b"query\0" + encode_id(query_id)
    return b"group\0" + encode_id(query.group)


def _place(unit: bytes, salt: str) -> float:
    """Return a number from 0 to 1 that looks random, and is always the same."""
    digest = hashlib.sha256(encode_id(salt) + b"\0" + unit).digest()
    return int.from_bytes(digest[:8], "big") / 2.0**64


def open_reserve(
    comparison: Comparison,
    system: str,
    measure: Measure,
    reserved: Collection[str],
    *,
    alpha: float,
    number: int,
    openings: int,
) -> Opening:
    """Compare a candidate with the anchor on the reserved queries, and these with the seen ones.

    The comparison, with the anchor, has seen and reserved queries. Raises `ArgumentError` if no
    openings are left, or there are no queries on one of the sides.
    """
    if number > openings:
        way_out = "judge new queries, and reserve some of them with a new reserve_salt"
        got = f"all {openings} used; it is retired: {way_out}"
        raise ArgumentError("open_reserve", "a reserve with openings left", got)
    ids = comparison.query_ids
    is_reserved = np.array([query_id in reserved for query_id in ids], dtype=bool)
    if is_reserved.all() or not is_reserved.any():
        got = f"{np.count_nonzero(is_reserved)} reserved of {len(ids)} that the anchor has"
        raise ArgumentError("reserve", "reserved queries and others", got)
    difference = comparison.difference(system, measure)
    gains = difference.values if measure.higher_is_better else -difference.values
    apart, seen = (
        Column(gains[rows], sampling=comparison.sampling.take(rows.tolist()))
        for rows in (np.flatnonzero(is_reserved), np.flatnonzero(~is_reserved))
    )
    level = alpha / openings
    mean = apart.sampling.mean_over(apart.values)
    before = comparison.evaluations[comparison.baseline][str(measure)].values
    interval = None
    if apart.is_testable and apart.sample is not None:
        interval = margin_interval(apart.sample, level, largest_loss(measure, [*before]))
    return Opening(
        measure,
        comparison.baseline,
        number,
        openings,
        len(apart.values),
        len(seen.values),
        0.0 if abs(mean) < ROUNDING else mean,
        interval,
        _drift(seen, apart, level),
        level,
    )


def _drift(seen: Column, apart: Column, level: float) -> Drift | None:
    if not (seen.is_testable and apart.is_testable):
        return None
    assert seen.sample is not None
    assert apart.sample is not None
    more = difference_of_means(seen.sample, apart.sample)
    low, high = (bound(level, skewness=0.0) for bound in (more.lower_bound, more.upper_bound))
    interval = Interval(low, high, 1 - 2 * level, "welch")
    return Drift(more.mean, interval, more.p_above(skewness=0.0))
