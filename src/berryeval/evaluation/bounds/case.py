"""One query with its holes: the grades they may get, and what measures then see."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import Measure

__all__ = [
    "MAX_TRIED",
    "Bounds",
    "Case",
    "Family",
    "Ranking",
    "holes_of",
    "level_of",
    "membership",
]

Ranking = Sequence[bytes]
"""Document ids, best first."""

MAX_TRIED = 14
"""The most holes whose subsets are tried out: there are 16,384."""

_MANY_GRADES = 1000
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Bounds:
    """The lowest and the highest value of a score or a difference, over all grades of holes.

    Examples
    --------
    >>> Bounds(0.25, 0.75).width
    0.5
    """

    low: float
    high: float
    is_outer: bool = False
    """Whether these are outer bounds: the true minimum and maximum lie within them."""

    @classmethod
    def over(cls, values: Iterable[float]) -> Bounds:
        """Return the lowest and the highest of some values."""
        found = list(values)
        return cls(min(found), max(found))

    @property
    def width(self) -> float:
        """The distance between the two: 0 if the holes change nothing."""
        return self.high - self.low

    def minus(self, other: Bounds) -> Bounds:
        """Return the bounds of the difference of two values that vary independently.

        They are outer bounds, unless one of the two values is certain.
        """
        is_certain = self.width == 0.0 or other.width == 0.0
        return Bounds(
            self.low - other.high,
            self.high - other.low,
            self.is_outer or other.is_outer or not is_certain,
        )

    def around(self, value: float) -> Bounds:
        """Return these bounds, widened to a value that only rounding can have left out.

        A bound that differs from it by rounding alone becomes that value: a difference of 0 is 0.
        """
        room = _ROUNDING * max(1.0, abs(value))
        low = value if self.low > value - room else self.low
        high = value if self.high < value + room else self.high
        return Bounds(low, high, self.is_outer)


def holes_of(
    rankings: Iterable[Ranking], grades: Mapping[bytes, float], k: int | None
) -> list[bytes]:
    """Return the documents in the first k of any ranking that have no grade of 0 or more.

    Rankings and grades are those of one query. Each document comes once, by its best rank, then by
    its bytes.
    """
    best: dict[bytes, int] = {}
    for ranking in rankings:
        for rank, doc_id in enumerate(ranking[:k], start=1):
            if not grades.get(doc_id, NOT_IN_POOL) >= 0.0:
                best[doc_id] = min(rank, best.get(doc_id, rank))
    return sorted(best, key=lambda doc_id: (best[doc_id], doc_id))


def level_of(measure: Measure) -> float:
    """Return the lowest grade that a measure counts as relevant."""
    return float(getattr(measure, "rel", 1.0))


@dataclass(frozen=True)
class Case:
    """The judged grades of a query, its holes, and the highest grade that a hole may get."""

    grades: Mapping[bytes, float]
    holes: Collection[bytes]
    max_grade: float

    @cached_property
    def judged(self) -> list[float]:
        """The usable grades, highest first; no hole is among them."""
        return sorted((grade for grade in self.grades.values() if grade >= 0.0), reverse=True)

    @cached_property
    def steps(self) -> list[float]:
        """The grades that a hole may get: the whole numbers from 0 up, and the highest grade.

        A scale of thousands is one of amounts. There, whole numbers that no document has are
        omitted: linear gains are extreme at a judged grade or at an end of the scale.
        """
        if self.max_grade <= _MANY_GRADES:
            whole = [float(grade) for grade in range(math.floor(self.max_grade) + 1)]
        else:
            whole = [g for g in self.judged if g <= self.max_grade and g.is_integer()]
        return sorted({0.0, *whole, self.max_grade})

    @cached_property
    def nothing(self) -> dict[bytes, float]:
        """The assignment that gives every hole a 0."""
        return dict.fromkeys(self.holes, 0.0)

    def ranks(self, ranking: Ranking) -> dict[bytes, int]:
        """Return the rank, from 1, of each hole that is in a ranking."""
        return {
            doc_id: rank for rank, doc_id in enumerate(ranking, start=1) if doc_id in self.nothing
        }

    def seen(self, ranking: Ranking, given: Mapping[bytes, float]) -> list[float]:
        """Return the grades in rank order; a hole without a grade in `given` is unjudged."""
        return [self._grade(doc_id, given) for doc_id in ranking]

    def _grade(self, doc_id: bytes, given: Mapping[bytes, float]) -> float:
        grade = given.get(doc_id)
        if grade is None:
            grade = self.grades.get(doc_id)
            if grade is None:
                return NOT_IN_POOL
        return grade if grade >= 0.0 else UNJUDGED

    def score(self, measure: Measure, ranking: Ranking, given: Mapping[bytes, float]) -> float:
        """Score a ranking when all holes have the grades `given`."""
        judged = sorted([*self.judged, *given.values()], reverse=True)
        return measure.score(self.seen(ranking, given), judged)

    def n_relevant(self, level: float) -> int:
        """Count the judged documents that are relevant."""
        return sum(1 for grade in self.judged if grade >= level)

    def relevant_ranks(self, ranking: Ranking, level: float) -> list[int]:
        """Return the ranks of the judged documents that are relevant."""
        return [i for i, grade in enumerate(self.seen(ranking, {}), start=1) if grade >= level]

    def is_decided(self, measure: Measure) -> bool:
        """Whether each grade that a hole may get is relevant, or none is."""
        return not 0.0 < level_of(measure) <= self.max_grade


class Family(NamedTuple):
    """How to find the bounds of a score and of a difference, for measures that work alike."""

    score: Callable[[Measure, Case, Ranking], Bounds]
    difference: Callable[[Measure, Case, Ranking, Ranking], Bounds | None]
    """Baseline first. Returns None if exact bounds would take too long."""
    is_binary: bool = False
    """Whether only relevance counts, not the grade itself."""


@lru_cache(maxsize=MAX_TRIED + 1)
def membership(n_holes: int) -> NDArray[np.float64]:
    """Return one row per hole and one column per subset of holes: 1 where the hole is in it.

    Subset i has hole j if bit j of i is set.
    """
    subsets = np.arange(2**n_holes)
    return (subsets >> np.arange(n_holes)[:, None] & 1).astype(np.float64)
