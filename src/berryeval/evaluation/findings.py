"""The words for a difference: better, worse, or not clearly different."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:  # reports of single runs load this module, and do without numpy
    from berryeval.stats import Interval

__all__ = ["WORDS", "Finding", "finding_of"]

Finding: TypeAlias = Literal["better", "worse", "unclear"]

WORDS: dict[Finding, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "not clearly different",
}
"""How each finding is written."""


def finding_of(interval: Interval | None, *, higher_is_better: bool = True) -> Finding:
    """Return the word for a mean difference: whether its interval contains 0."""
    if interval is None or interval.contains(0.0):
        return "unclear"
    return "better" if (interval.low > 0) == higher_is_better else "worse"
