"""Expected reciprocal rank: how soon a reader who stops at a good document stops."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["expected_reciprocal_rank"]


def expected_reciprocal_rank(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, max_grade: float = 4.0
) -> float:
    """Add up 1 / rank times the probability that the reader stops there, over the first k.

    A document of grade g satisfies with probability (2^g - 1) / 2^max_grade; a grade above
    `max_grade` counts as that one.
    """
    going_on = 1.0
    total = 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        if grade > 0.0:
            # The same as above, in a form that stays finite for any grade.
            satisfied = 2.0 ** (min(grade, max_grade) - max_grade) - 2.0**-max_grade
            total += going_on * satisfied / rank
            going_on *= 1.0 - satisfied
    return total
