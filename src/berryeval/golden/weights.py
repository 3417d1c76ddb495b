"""How much queries count, by how often people ask them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.query import Query
from berryeval.golden.query_groups import normalised

__all__ = ["TrafficWeights", "weigh_by_traffic"]


@dataclass(frozen=True)
class TrafficWeights:
    """What a query log says about the queries of a set."""

    weights: Mapping[str, float]
    """How often each query was asked, by id; of those that were asked at all."""
    unasked: tuple[str, ...]
    """Queries that the log never asks, by id."""
    matched: float
    """How often any query of the set was asked."""
    unmatched: float
    """How often people asked anything else."""

    @property
    def share(self) -> float:
        """The share of the traffic that the queries of the set have."""
        total = self.matched + self.unmatched
        return self.matched / total if total else 0.0

    @property
    def effective(self) -> float:
        """The effective number of queries (Kish): equal weights count each as one.

        It is how many equally weighted queries would give a mean of the same variance.
        """
        highest = max(self.weights.values(), default=0.0)
        if not highest:
            return 0.0
        total = squares = 0.0
        for weight in self.weights.values():
            # Relative to the highest, so that no square overflows.
            total += weight / highest
            squares += (weight / highest) ** 2
        return total * total / squares


def weigh_by_traffic(queries: Sequence[Query], log: Iterable[tuple[str, float]]) -> TrafficWeights:
    """Return how often the queries of a set were asked.

    Texts are compared without differences of case, white space and Unicode form. Queries of the
    same text share its traffic equally.

    Parameters
    ----------
    queries : sequence of Query
        The set.
    log : iterable of (str, float)
        What people asked, and how often.

    Examples
    --------
    >>> queries = [Query("q1", "reset password"), Query("q2", "delete account")]
    >>> found = weigh_by_traffic(queries, [("Reset  Password", 3), ("weather", 1)])
    >>> found.weights, found.unasked, found.share
    ({'q1': 3.0}, ('q2',), 0.75)
    """
    asked: dict[str, float] = {normalised(query.text): 0.0 for query in queries}
    unmatched = 0.0
    for text, count in log:
        key = normalised(text)
        if key in asked:
            asked[key] += count
        else:
            unmatched += count
    holders: dict[str, list[str]] = {}
    for query in queries:
        holders.setdefault(normalised(query.text), []).append(query.query_id)
    shares = {
        query_id: asked[key] / len(query_ids)
        for key, query_ids in holders.items()
        for query_id in query_ids
    }
    matched = 0.0
    for count in asked.values():
        matched += count
    return TrafficWeights(
        weights={one.query_id: shares[one.query_id] for one in queries if shares[one.query_id]},
        unasked=tuple(one.query_id for one in queries if not shares[one.query_id]),
        matched=matched,
        unmatched=unmatched,
    )
