"""The words for a difference: of a mean, and of one query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:  # reports of single runs load this module, and do not require numpy
    from berryeval.stats import Interval

__all__ = [
    "NO_LIMIT",
    "ROUNDING",
    "WORDS",
    "Finding",
    "Outcome",
    "difference_of",
    "finding_of",
    "limit_finding_of",
    "outcome_of",
]

ROUNDING = 1e-12
"""Scores that differ by less are equal: their sums ran over the same terms in another order."""

Finding: TypeAlias = Literal["better", "worse", "unclear", "untested"]
"""The meaning of an interval of a mean difference; untested if there is none."""

Outcome: TypeAlias = Literal["better", "equal", "worse"]
"""The outcome of one query."""

WORDS: dict[Finding, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "not clearly different",
    "untested": "too few changes to decide",
}
"""The words for each finding."""


def finding_of(interval: Interval | None, *, higher_is_better: bool = True) -> Finding:
    """Return the word for a mean difference: whether its interval contains 0."""
    if interval is None:
        return "untested"
    if interval.contains(0.0):
        return "unclear"
    return "better" if (interval.low > 0) == higher_is_better else "worse"


NO_LIMIT: Finding = "untested"
"""The word for a number that no rule limits."""


def limit_finding_of(interval: Interval | None, most: float) -> Finding:
    """Return whether a number clearly lies within ``-most`` to ``most``, or clearly does not."""
    if interval is None:
        return "unclear"
    if -most <= interval.low and interval.high <= most:
        return "better"
    return "worse" if interval.low > most or interval.high < -most else "unclear"


def difference_of(before: float, after: float) -> float:
    """Return how far one query's score moved; a difference due to rounding is 0."""
    difference = after - before
    return 0.0 if abs(difference) < ROUNDING else difference


def outcome_of(difference: float, *, higher_is_better: bool = True) -> Outcome:
    """Return the word for one query: on which side of 0 its difference is."""
    if difference == 0:
        return "equal"
    return "better" if (difference > 0) == higher_is_better else "worse"
