"""What each judge thinks of a pair, whatever its grade is now.

A judge's opinion is the last grade that this author gave; taking a judgment back takes the opinion
back. Two opinions that differ are a conflict until somebody settles it: a judgment whose source is
`SETTLED` counts as any other, and is nobody's independent opinion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

__all__ = ["SETTLED", "Said", "is_conflict", "opinions_of"]

SETTLED = "settled"
"""The source of a judgment that ends a conflict."""


class Said(NamedTuple):
    """What somebody said of a pair."""

    author: str
    grade: float | None
    """None where the judgment was taken back."""
    source: str | None


def opinions_of(states: Iterable[Said]) -> dict[str, float]:
    """Return the grade that each judge gave last.

    Parameters
    ----------
    states : iterable of Said
        All that the judgment of a pair ever was, oldest first.

    Examples
    --------
    >>> opinions_of([Said("ada", 2, None), Said("bob", 0, None), Said("ada", 1, None)])
    {'ada': 1, 'bob': 0}
    """
    found: dict[str, float] = {}
    before: Said | None = None
    for state in states:
        if state.grade is None:
            # Whoever takes a judgment back, its author's opinion is gone as well.
            found.pop(state.author, None)
            if before is not None:
                found.pop(before.author, None)
        elif state.source != SETTLED:
            found[state.author] = state.grade
        before = state
    return found


def is_conflict(opinions: Mapping[str, float], source: str | None) -> bool:
    """Whether judges differ about a pair whose judgment now comes from this source."""
    return source != SETTLED and len(set(opinions.values())) > 1
