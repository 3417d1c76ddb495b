"""One query with its holes, and what the measures see once these have grades."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import Measure

__all__ = ["Case", "Ranking", "holes_of", "level_of"]

Ranking = Sequence[bytes]
"""Document ids, best first."""

_MANY_GRADES = 1000


def holes_of(
    rankings: Iterable[Ranking], grades: Mapping[bytes, float], k: int | None
) -> list[bytes]:
    """Return the documents in the first k of any ranking that have no grade of 0 or more.

    Parameters
    ----------
    rankings : iterable of sequences of bytes
        Document ids of one query, best first.
    grades : mapping from bytes to float
        What is judged of that query. A grade below 0 is none.
    k : int or None
        Ranks to look at; None means all of them.

    Returns
    -------
    list of bytes
        Each document once, by its best rank, then by its bytes.
    """
    best: dict[bytes, int] = {}
    for ranking in rankings:
        for rank, doc_id in enumerate(ranking[:k], start=1):
            if not grades.get(doc_id, NOT_IN_POOL) >= 0.0:
                best[doc_id] = min(rank, best.get(doc_id, rank))
    return sorted(best, key=lambda doc_id: (best[doc_id], doc_id))


def level_of(measure: Measure) -> float:
    """Return the lowest grade that a measure takes for relevant."""
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
        left out: gains that are linear are extreme at a judged grade or at an end of the scale.
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
        """Return the grades in rank order; those of holes are `given`, or there are none."""
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

    def is_decided(self, measure: Measure) -> bool:
        """Whether each grade that a hole may get is relevant, or none is."""
        return not 0.0 < level_of(measure) <= self.max_grade
