"""Fusion of one query in memory, for systems that search in several ways at once.

`berryeval.fusion.fuse_runs` gives the same scores, to the bit, for runs of many queries.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

__all__ = ["reciprocal_rank", "weighted_sum"]

_Key = TypeVar("_Key", bound=Hashable)


def reciprocal_rank(rank: int, k: float, weight: float = 1.0) -> float:
    """Return the score that reciprocal rank fusion gives a document at a rank, from 1, in one run.

    Examples
    --------
    >>> reciprocal_rank(1, k=3.0)
    0.25
    """
    return weight / (k + rank)


def weighted_sum(parts: Iterable[tuple[float, Mapping[_Key, float]]]) -> dict[_Key, float]:
    """Add up weighted scores; a document that a part lacks gets nothing from it.

    Examples
    --------
    >>> weighted_sum([(0.5, {"a": 1.0, "b": 0.5}), (2.0, {"b": 0.25})])
    {'a': 0.5, 'b': 0.75}
    """
    total: dict[_Key, float] = {}
    for weight, scores in parts:
        for key, score in scores.items():
            total[key] = total.get(key, 0.0) + weight * score
    return total
