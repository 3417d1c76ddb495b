"""Weights of queries, from how often people ask them, or from the shares of their kinds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from berryeval.core.id_column import shown_id
from berryeval.core.query import Query, QueryType, check_strata
from berryeval.errors import ArgumentError
from berryeval.evaluation.weighting import effective_number
from berryeval.golden.near_duplicates import normalised

__all__ = [
    "SHARE_LABELS",
    "ShareWeights",
    "TrafficWeights",
    "weight_by_shares",
    "weight_by_traffic",
]

SHARE_LABELS = ("category", "difficulty")
"""Labels that define kinds, since every query has exactly one value of each."""

_ROUNDING = 0.01 + 1e-9  # tolerance of the sum of shares: three times 33% is accepted


@dataclass(frozen=True)
class TrafficWeights:
    """The weights of a set's queries, from a query log."""

    weights: Mapping[str, float]
    """Number of searches by query id, for queries that occur in the log."""
    unasked: tuple[str, ...]
    """Ids of queries that do not occur in the log."""
    matched: float
    """Number of searches for queries of the set."""
    unmatched: float
    """Number of other searches."""

    @property
    def share(self) -> float:
        """The share of the traffic that the set covers."""
        total = self.matched + self.unmatched
        return self.matched / total if total else 0.0

    @property
    def effective(self) -> float:
        """The effective number of queries (Kish); with equal weights, each counts as one.

        It is the number of equally weighted queries whose mean would have the same variance.
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


def weight_by_traffic(queries: Sequence[Query], log: Iterable[tuple[str, float]]) -> TrafficWeights:
    """Return how often people asked the queries of a set, given a log of queries and counts.

    Texts are compared ignoring case, white space and Unicode form. Queries with the same text share
    its traffic equally.

    Examples
    --------
    >>> queries = [Query("q1", "reset password"), Query("q2", "delete account")]
    >>> found = weight_by_traffic(queries, [("Reset  Password", 3), ("weather", 1)])
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


@dataclass(frozen=True)
class ShareWeights:
    """The weights of a set's queries, from the shares of their kinds."""

    label: str
    """The label that defines kinds."""
    shares: Mapping[str, float]
    """The share of each kind; they add up to 1."""
    counts: Mapping[str, int]
    """Number of queries of each kind."""
    weights: Mapping[str, float]
    """The weight of each query, by id."""
    strata: Mapping[str, str]
    """The kind of each query, by id."""

    @property
    def effective(self) -> float:
        """The effective number of queries (Kish); with equal weights, each counts as one."""
        return effective_number([*self.weights.values()])


def weight_by_shares(
    queries: Sequence[Query], label: str, shares: Mapping[str, float]
) -> ShareWeights:
    """Return weights by which each kind of queries has its share, and the kinds as strata.

    The weight of a query is the share of its kind, divided by the number of queries of that kind.
    Every query has the label, and all queries of a group have the same value of it. Shares are
    above 0 and add up to 1, or to 100 as percentages, within 1% for rounding. Raises
    `ArgumentError` otherwise.

    Examples
    --------
    >>> queries = [Query("q1", "", "factual"), Query("q2", "", "factual"), Query("q3", "", "howto")]
    >>> weight_by_shares(queries, "category", {"factual": 0.4, "howto": 0.6}).weights
    {'q1': 0.2, 'q2': 0.2, 'q3': 0.6}
    """
    if label not in SHARE_LABELS:
        raise ArgumentError("label", " or ".join(map(repr, SHARE_LABELS)), repr(label))
    if label == "category":
        shares = {QueryType.name_of(value): share for value, share in shares.items()}
    strata: dict[str, str] = {one.query_id: getattr(one, label) for one in queries}
    _check_kinds(strata, label, shares)
    check_strata(replace(query, stratum=strata[query.query_id]) for query in queries)
    total = _total(shares)
    counts = Counter(strata.values())
    parts = {value: shares[value] / total for value in sorted(shares)}
    return ShareWeights(
        label=label,
        shares=parts,
        counts={value: counts[value] for value in parts},
        weights={query_id: parts[value] / counts[value] for query_id, value in strata.items()},
        strata=strata,
    )


def _check_kinds(values: Mapping[str, str | None], label: str, shares: Mapping[str, float]) -> None:
    """Raise if a query has no kind, or a kind no share."""
    unlabelled = [query_id for query_id, value in values.items() if value is None]
    if unlabelled:
        more = f" and {len(unlabelled) - 1:,} more" if len(unlabelled) > 1 else ""
        got = f"none for {shown_id(unlabelled[0])}{more}"
        raise ArgumentError("queries", f"a {label} for every query", got)
    known = set(values.values())
    for value in sorted(shares.keys() - known):
        raise ArgumentError("shares", f"a {label} that a query has", shown_id(value))
    for value in sorted(str(one) for one in known - shares.keys()):
        raise ArgumentError("shares", f"one for each {label}", f"none for {shown_id(value)}")


def _total(shares: Mapping[str, float]) -> float:
    """Return the sum of shares, or raise if it is neither 1 nor 100."""
    total = 0.0
    for value, share in shares.items():
        if not 0 < share < math.inf:
            expected = "a finite number above 0"
            raise ArgumentError(f"share of {shown_id(value)}", expected, f"{share:g}")
        total += share
    if all(abs(total / whole - 1) > _ROUNDING for whole in (1, 100)):
        expected = "numbers that add up to 1, or to 100 as percentages"
        raise ArgumentError("shares", expected, f"{total:g}")
    return total
