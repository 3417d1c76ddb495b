"""Measures of a whole run, as reported for recommender systems. No judgments are needed.

They describe what a system shows over all queries, not how good the ranking of one query is: no
measure of `berryeval.measures` is among them, and `evaluate` does not report them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from numbers import Real
from typing import Any, TypeAlias

from berryeval.core.cutoff import check_k
from berryeval.core.documents import Documents
from berryeval.core.id_column import as_id, decode_id, encode_id, shown_id
from berryeval.errors import ArgumentError, InputTypeError, MismatchError
from berryeval.evaluation.sources import RunSource, load_run

__all__ = ["Features", "catalogue_coverage", "context_length", "intra_list_diversity", "novelty"]

Features: TypeAlias = "Mapping[str, Sequence[float]] | Mapping[str, AbstractSet[Any]]"
"""A vector, or a set of labels such as genres, for each document."""


def catalogue_coverage(run: RunSource, k: int | None, catalogue: Iterable[str]) -> float:
    """Return the share of the catalogue that is in the first k of any query.

    The number of different documents of the catalogue in the first k ranks of all queries,
    divided by the size of the catalogue. Equals ItemCoverage@k of RecBole and CoverageK of RecPack.

    Parameters
    ----------
    run : Run, path, dict of dicts, dict of lists, data frame or records
        As `evaluate` takes it; for recommendations, a query is a user.
    k : int or None
        Ranks to consider, at least 1. None means whole rankings.
    catalogue : iterable of str
        The ids of all documents that could be retrieved, such as ``Documents``. Documents
        outside it are ignored.

    Returns
    -------
    float
        From 0 to 1.

    Examples
    --------
    >>> catalogue_coverage({"u1": ["a", "b"], "u2": ["a", "c"]}, 2, ["a", "b", "c", "d"])
    0.75
    """
    known = {encode_id(as_id(doc_id, "catalogue")) for doc_id in catalogue}
    if not known:
        raise ArgumentError("catalogue", "at least one document", "none")
    shown = {doc_id for ranking in _rankings(run, k).values() for doc_id in ranking}
    return len(shown & known) / len(known)


def context_length(
    run: RunSource, k: int | None, lengths: Documents | Mapping[str, float]
) -> float:
    """Return the total length of the first k documents, which a reader or a model has to read.

    The mean over queries of the sum of the lengths of the documents in the first k. A query that
    retrieved nothing has the length 0. The measure ``tokens@k`` has the same per query, for
    comparisons and gates.

    Parameters
    ----------
    run, k
        As `catalogue_coverage` takes them.
    lengths : Documents or mapping of str to float
        Documents with a length in tokens, or the length of each document in any unit.

    Examples
    --------
    >>> context_length({"q1": ["a", "b"], "q2": ["b"]}, 5, {"a": 120, "b": 80})
    140.0
    """
    if isinstance(lengths, Documents):
        if lengths.length is None:
            expected = "documents of which each has a length, or lengths by id"
            raise ArgumentError("lengths", expected, "documents without a length")
        lengths = dict(zip(lengths, lengths.length, strict=True))
    known = _numbers("lengths", lengths)
    totals = []
    for ranking in _rankings(run, k).values():
        for doc_id in ranking:
            if doc_id not in known:
                expected = "a number for every document in the first k"
                raise ArgumentError("lengths", expected, f"none for {shown_id(decode_id(doc_id))}")
        totals.append(math.fsum(known[doc_id] for doc_id in ranking))
    return _mean_over_queries(totals)


def novelty(
    run: RunSource,
    k: int | None,
    popularity: Mapping[str, float],
    *,
    total: float | None = None,
    unseen: float | None = None,
) -> float:
    """Return how surprising the first k are: the mean self-information of their popularity.

    The mean over queries of the mean of -log2(popularity / total) over the documents in the first
    k. Queries that retrieved nothing are left out.

    Parameters
    ----------
    run, k
        As `catalogue_coverage` takes them.
    popularity : mapping of str to float
        How often each document was clicked, bought or rated.
    total : float, optional
        What the numbers are shares of. Default: their sum, as in the mean self-information of
        Castells and Vargas. The number of users gives the novelty of Zhou and others.
    unseen : float, optional
        Popularity of documents that the mapping lacks, or for which it has 0, such as 1. If
        omitted, such a document is an error: it would be infinitely surprising.

    Returns
    -------
    float
        Bits; higher is more novel. At least 0 if no document is more popular than the total.

    References
    ----------
    Zhou, Kuscsik, Liu, Medo, Wakeling and Zhang (2010), PNAS 107(10), 4511-4515.
    Vargas and Castells (2011), RecSys, 109-116.

    Examples
    --------
    >>> novelty({"u1": ["a", "b"], "u2": ["a"]}, 2, {"a": 2, "b": 1, "c": 1})
    1.25
    """
    counts = _numbers("popularity", popularity)
    whole = math.fsum(counts.values()) if total is None else float(total)
    for name, value in (("total", whole), ("unseen", unseen)):
        if value is not None and not 0.0 < value < math.inf:
            raise ArgumentError(name, "a number above 0", repr(value))
    means = []
    for ranking in _rankings(run, k).values():
        bits = []
        for doc_id in ranking:
            known = counts.get(doc_id, 0.0) or unseen
            if known is None:
                name = shown_id(decode_id(doc_id))
                expected = "a number above 0 for every document in the first k, or unseen=1"
                raise ArgumentError("popularity", expected, f"none for {name}")
            bits.append(math.log2(whole / known))
        if bits:
            means.append(_mean(bits))
    return _mean_over_queries(means)


def intra_list_diversity(
    run: RunSource,
    k: int | None,
    features: Features,
    *,
    distance: Callable[[Any, Any], float] | None = None,
) -> float:
    """Return how different the first k of a query are from each other.

    The mean over queries of the mean distance of every pair of documents in the first k. Queries
    with fewer than two documents are left out.

    Parameters
    ----------
    run, k
        As `catalogue_coverage` takes them.
    features : mapping of str to sequence of float, or to set
        A vector or a set of labels for each document in the first k.
    distance : callable, optional
        Returns the distance of two features. Default: 1 - cosine for vectors, where a vector of
        zeros has the cosine 0 with all others; 1 - Jaccard's index for sets, where two empty sets
        are equal.

    Returns
    -------
    float
        With the default distance from 0, all documents alike, to 1, nothing in common; up to 2
        for vectors that point in opposite directions.

    References
    ----------
    Ziegler, McNee, Konstan and Lausen (2005), WWW, 22-32.
    Vargas and Castells (2011), RecSys, 109-116.

    Examples
    --------
    >>> genres = {"a": {"crime"}, "b": {"crime", "drama"}, "c": {"comedy"}}
    >>> intra_list_diversity({"u1": ["a", "b"], "u2": ["a", "c"]}, 2, genres)
    0.75
    """
    known = {encode_id(as_id(doc_id, "features")): value for doc_id, value in features.items()}
    means = []
    for ranking in _rankings(run, k).values():
        found = []
        for doc_id in ranking:
            if doc_id not in known:
                name = shown_id(decode_id(doc_id))
                expected = "features of every document in the first k"
                raise ArgumentError("features", expected, f"none for {name}")
            found.append(known[doc_id])
        distances = [
            distance(one, other) if distance is not None else _distance(one, other)
            for one, other in combinations(found, 2)
        ]
        if distances:
            means.append(_mean(distances))
    return _mean_over_queries(means)


def _numbers(argument: str, numbers: Mapping[str, float]) -> dict[bytes, float]:
    """Return numbers of at least 0 by the id of their document."""
    found: dict[bytes, float] = {}
    for doc_id, number in numbers.items():
        name = f"{argument}[{shown_id(as_id(doc_id, argument))}]"
        if isinstance(number, bool) or not isinstance(number, Real):
            raise InputTypeError(name, "a number of at least 0", type(number).__name__)
        if not 0.0 <= number < math.inf:
            raise ArgumentError(name, "a number of at least 0", repr(number))
        found[encode_id(as_id(doc_id, argument))] = float(number)
    return found


def _rankings(run: RunSource, k: int | None) -> dict[bytes, list[bytes]]:
    depth = None if k is None else check_k(k)
    loaded = load_run(run)
    return {
        query_id: loaded.ranked_ids(query_id, depth)
        for query_id in sorted(loaded.query_ids.iter_bytes())
    }


def _distance(one: Any, other: Any) -> float:  # noqa: ANN401 - vectors or sets
    if isinstance(one, AbstractSet) and isinstance(other, AbstractSet):
        either = one | other
        return 1.0 - len(one & other) / len(either) if either else 0.0
    a, b = [*map(float, one)], [*map(float, other)]
    if len(a) != len(b):
        raise ArgumentError("features", "vectors of the same length", f"{len(a)} and {len(b)}")
    norm = math.hypot(*a) * math.hypot(*b)
    dot = math.fsum(x * y for x, y in zip(a, b, strict=True))
    return max(0.0, 1.0 - dot / norm) if norm > 0.0 else 1.0  # a cosine may round to above 1


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _mean_over_queries(means: Sequence[float]) -> float:
    if not means:
        raise MismatchError("no query of the run has enough documents")
    return _mean(means)
