"""How much queries count, by how often people ask them, or by the shares of their kinds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from berryeval.core.id_column import shown_id
from berryeval.core.query import Query, check_strata
from berryeval.core.query_type import QueryType
from berryeval.errors import ArgumentError
from berryeval.evaluation.weighing import effective_number
from berryeval.golden.query_groups import normalised

__all__ = ["SHARE_LABELS", "ShareWeights", "TrafficWeights", "weigh_by_shares", "weigh_by_traffic"]

SHARE_LABELS = ("category", "difficulty")
"""What kinds can be: every query has one, and no query has two."""

_ROUNDING = 0.01 + 1e-9  # of the sum of shares: three times 33 % are a whole


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


@dataclass(frozen=True)
class ShareWeights:
    """What the shares of kinds say about the queries of a set."""

    label: str
    """What kinds are told by."""
    shares: Mapping[str, float]
    """The share of each kind; they add up to 1."""
    counts: Mapping[str, int]
    """How many queries each kind has."""
    weights: Mapping[str, float]
    """The weight of each query, by id."""
    strata: Mapping[str, str]
    """The kind of each query, by id."""

    @property
    def effective(self) -> float:
        """The effective number of queries (Kish): equal weights count each as one."""
        return effective_number([*self.weights.values()])


def weigh_by_shares(
    queries: Sequence[Query], label: str, shares: Mapping[str, float]
) -> ShareWeights:
    """Return weights by which each kind of queries has its share, and strata: the kinds.

    The weight of a query is the share of its kind, divided by the number of queries of that kind.

    Parameters
    ----------
    queries : sequence of Query
        The set. Every query has the label, and all queries of a group have the same value of it.
    label : {"category", "difficulty"}
        What kinds are told by.
    shares : mapping of str to float
        The share of each kind, above 0. They add up to 1, or to 100 as percentages; 1 % more or
        less is taken for rounding.

    Raises
    ------
    ArgumentError
        If any of this does not hold.

    Examples
    --------
    >>> queries = [Query("q1", "", "factual"), Query("q2", "", "factual"), Query("q3", "", "howto")]
    >>> weigh_by_shares(queries, "category", {"factual": 0.4, "howto": 0.6}).weights
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
    """Raise unless every query has a kind, and every kind a share."""
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
    """Return what shares add up to, if that is a whole."""
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
