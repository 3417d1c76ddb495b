"""How much each query counts, in proportion to how often people ask it.

A mean over queries is Hájek's wherever they have weights: the weighted sum divided by the sum of
the weights. Plain evaluations load this module, so it does without NumPy.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from berryeval.core.query import Query

__all__ = [
    "PARTS",
    "effective_number",
    "effective_queries",
    "labels_of",
    "mean_over",
    "parts_of_traffic",
    "scaled",
    "weights_of",
]

PARTS = ("head", "torso", "tail")
"""Thirds of the traffic, the most asked queries first."""

_ROUNDING = 1e-12


def weights_of(queries: Mapping[str, Query], query_ids: Iterable[str]) -> tuple[float, ...] | None:
    """Return the weight of each query, as `scaled` does; None if they count equally.

    A query without a weight, where others have one, counts as much as the least asked of all known
    queries: it is in the set because it may be asked, and a log that never contained it proves
    little more than that.

    Examples
    --------
    >>> from berryeval import Query
    >>> known = {"q1": Query("q1", "", weight=40), "q2": Query("q2", "", weight=10)}
    >>> [weight / 0.15625 for weight in weights_of(known, ["q1", "q2", "q3"])]
    [4.0, 1.0, 1.0]
    """
    if not queries:
        return None
    found = (queries.get(query_id) for query_id in query_ids)
    given = [None if query is None else query.weight for query in found]
    if all(weight is None for weight in given):
        return None
    least = _least(queries) if None in given else None
    return scaled([least if weight is None else weight for weight in given])  # type: ignore[misc]


def labels_of(
    queries: Mapping[str, Query], query_ids: Iterable[str], label: Literal["group", "stratum"]
) -> tuple[str | None, ...] | None:
    """Return the group or the stratum of each query; None if no query has one."""
    if not queries:
        return None
    known = (queries.get(query_id) for query_id in query_ids)
    found = tuple(None if query is None else getattr(query, label) for query in known)
    return None if all(one is None for one in found) else found


def scaled(weights: Sequence[float]) -> tuple[float, ...] | None:
    """Return weights as parts of a power of two, so that sums are finite; None if all are equal.

    Neither this nor taking some of the weights changes a mean, to the last bit.
    """
    if not weights or min(weights) == max(weights):
        return None
    exponent = math.frexp(max(weights))[1]
    smallest = sys.float_info.min  # a weight above 0 stays so
    return tuple(max(smallest, math.ldexp(weight, -exponent)) for weight in weights)


def mean_over(values: Sequence[float], weights: Sequence[float] | None = None) -> float:
    """Return the mean of one number per query, added up in order; 0 if there are none."""
    # sum() compensates for rounding in some versions of Python
    if weights is None:
        return reduce(add, values, 0.0) / len(values) if values else 0.0
    products = (weight * value for weight, value in zip(weights, values, strict=True))
    return reduce(add, products, 0.0) / reduce(add, weights, 0.0)


def effective_number(weights: Sequence[float]) -> float:
    """Return the equivalent number of queries of equal weight: Kish's effective sample size.

    References
    ----------
    Kish (1965), Survey Sampling, Wiley.

    Examples
    --------
    >>> effective_number([3, 1, 1, 1])
    3.0
    """
    total = reduce(add, weights, 0.0)
    return total * total / reduce(add, (weight * weight for weight in weights), 0.0)


def effective_queries(queries: Mapping[str, Query], query_ids: Iterable[str]) -> float | None:
    """Return the equivalent number of queries of equal weight (Kish); None without weights."""
    weights = weights_of(queries, query_ids)
    return None if weights is None else effective_number(weights)


def parts_of_traffic(queries: Mapping[str, Query]) -> dict[str, str]:
    """Return for each query whether it is in the head, torso or tail of the traffic.

    The most asked queries come first; of those asked equally often, the smaller id. A query is in
    the head if those before it have less than a third of the traffic, and in the torso if they
    have less than two thirds. Empty if all queries count equally.
    """
    weights = weights_of(queries, queries)
    if weights is None:
        return {}
    total = reduce(add, weights, 0.0)
    before, found = 0.0, {}
    for weight, query_id in sorted(zip(weights, queries, strict=True), key=lambda x: (-x[0], x[1])):
        third = sum(before >= share * total - _ROUNDING for share in (1 / 3, 2 / 3))
        found[query_id] = PARTS[third]
        before += weight
    return found


def _least(queries: Mapping[str, Query]) -> float:
    return min(query.weight for query in queries.values() if query.weight is not None)
