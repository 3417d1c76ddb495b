"""All systems of a comparison in order, best first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison, Difference
    from berryeval.evaluation.result import MeasureResult
    from berryeval.measures import Measure

__all__ = ["Place", "best_first", "by_effect", "leaderboard"]


@dataclass(frozen=True, eq=False)
class Place:
    """A system on the leaderboard."""

    system: str
    result: MeasureResult
    """The measure that orders the leaderboard."""
    difference: Difference | None
    """The difference from the baseline over all queries; None for the baseline itself."""


def leaderboard(comparison: Comparison, measure: Measure | None = None) -> list[Place]:
    """Return all systems, the best mean first, by the lead measure or by another one.

    Systems with the same mean keep the order of the comparison.
    """
    wanted = measure or comparison.lead
    found = [
        Place(
            name,
            evaluation[str(wanted)],
            None if name == comparison.baseline else comparison.difference(name, wanted),
        )
        for name, evaluation in comparison.evaluations.items()
    ]
    return sorted(found, key=lambda one: one.result.mean, reverse=wanted.higher_is_better)


def by_effect(comparison: Comparison, measure: Measure) -> list[Difference]:
    """Return the differences of all candidates in one measure, the greatest gain first."""
    return best_first([d for d in comparison.differences if d.measure == measure], measure)


def best_first(found: Iterable[Difference], measure: Measure) -> list[Difference]:
    """Sort differences in one measure, the greatest gain first."""
    return sorted(found, key=lambda d: d.mean, reverse=measure.higher_is_better)
