"""Hit rate, also called success: whether a relevant document was found."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_relevant

__all__ = ["hit_rate"]


def hit_rate(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Return 1 if a relevant document is in the first k, else 0."""
    return 1.0 if count_relevant(grades[:k], level) else 0.0
