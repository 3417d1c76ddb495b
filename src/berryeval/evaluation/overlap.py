"""How similar the rankings of two runs are, query by query. No judgments are needed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.cutoff import check_k
from berryeval.core.id_column import decode_id
from berryeval.errors import MismatchError
from berryeval.evaluation.sources import RunSource, load_run
from berryeval.formats import Duplicates
from berryeval.stats import kendall_tau, overlap_bounds, rank_biased_overlap

__all__ = ["Overlap", "QueryOverlap", "common_ranks", "overlap"]


@dataclass(frozen=True)
class QueryOverlap:
    """How similar two rankings of one query are."""

    overlap: float
    """Rank-biased overlap, extrapolated: 1 for the same ranking, 0 for none in common."""
    low: float
    """Lower bound, regardless of how the rankings continue below their last ranks."""
    high: float
    """Upper bound."""
    tau: float | None
    """Kendall's tau of the documents in both; None for fewer than two."""
    n_common: int
    """The number of documents in both."""
    n_first: int
    n_second: int


@dataclass(frozen=True, eq=False)
class Overlap:
    """The result of `overlap`: how similar the rankings of two runs are."""

    by_query: Mapping[str, QueryOverlap]
    """The queries of both runs, in byte order of their ids."""
    n_unmatched: tuple[int, int]
    """Queries that only the first run has, and that only the second run has. They are ignored."""
    p: float
    depth: int | None
    """Ranks that were looked at; None for all."""

    @property
    def mean(self) -> float:
        """The mean rank-biased overlap."""
        return _mean([one.overlap for one in self.by_query.values()])

    @property
    def bounds(self) -> tuple[float, float]:
        """The means of the least and of the greatest possible overlap."""
        found = self.by_query.values()
        return _mean([one.low for one in found]), _mean([one.high for one in found])

    @property
    def tau(self) -> float | None:
        """The mean of Kendall's tau over the queries that have one."""
        found = [one.tau for one in self.by_query.values() if one.tau is not None]
        return _mean(found) if found else None

    @property
    def n_identical(self) -> int:
        """Queries with the same documents at the same ranks."""
        return sum(
            1
            for one in self.by_query.values()
            if one.n_common == one.n_first == one.n_second and (one.tau == 1.0 or one.n_common < 2)  # noqa: PLR2004
        )

    def most_different(self, n: int) -> list[tuple[str, QueryOverlap]]:
        """Return the queries whose rankings differ most; ties by the order of their ids."""
        return sorted(self.by_query.items(), key=lambda item: item[1].overlap)[:n]

    def __repr__(self) -> str:
        return f"<Overlap {self.mean:.4f} over {len(self.by_query)} queries, p {self.p:g}>"


def overlap(
    a: RunSource,
    b: RunSource,
    *,
    p: float = 0.9,
    depth: int | None = 100,
    duplicates: Duplicates = "error",
) -> Overlap:
    """Return how similar the rankings of two runs are, by rank-biased overlap.

    Documents with the same score are in the usual order, by id, so that ties in both runs agree.

    Parameters
    ----------
    a, b : Run, path, dict of dicts, dict of lists, data frame or records
        Two runs, as `evaluate` takes them.
    p : float
        Persistence, between 0 and 1. With 0.9 the first ten ranks have 86% of the weight.
    depth : int, optional
        Ranks to consider, at least 1. None means whole rankings.
    duplicates : {"error", "keep-best"}
        What to do with a document that a file or frame has twice for one query.

    Returns
    -------
    Overlap
        ``result.mean``, ``result.bounds``, ``result.by_query["q1"].overlap``.

    Raises
    ------
    MismatchError
        If the runs have no query in common.

    References
    ----------
    Webber, Moffat and Zobel (2010), ACM Transactions on Information Systems 28(4), 20:1-38.

    Examples
    --------
    >>> found = overlap({"q1": ["d1", "d2"], "q2": ["d3"]}, {"q1": ["d2", "d1"], "q2": ["d3"]})
    >>> found
    <Overlap 0.9500 over 2 queries, p 0.9>
    >>> found.by_query["q1"].tau
    -1.0
    """
    first, second = load_run(a, duplicates), load_run(b, duplicates)
    if depth is not None:
        depth = check_k(depth, "depth")
    of_first, of_second = ({*run.query_ids.iter_bytes()} for run in (first, second))
    common = sorted(of_first & of_second)
    if not common:
        raise MismatchError("the two runs have no query in common")
    return Overlap(
        {
            decode_id(query_id): _of_query(
                first.ranked_ids(query_id, depth), second.ranked_ids(query_id, depth), p
            )
            for query_id in common
        },
        (len(of_first - of_second), len(of_second - of_first)),
        p,
        depth,
    )


def _of_query(a: Sequence[bytes], b: Sequence[bytes], p: float) -> QueryOverlap:
    ranks = common_ranks(a, b)
    low, high = overlap_bounds(a, b, p)
    return QueryOverlap(
        rank_biased_overlap(a, b, p), low, high, kendall_tau(*ranks), len(ranks[0]), len(a), len(b)
    )


def common_ranks(a: Sequence[bytes], b: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """Return for the documents in both rankings minus their ranks: higher is better."""
    rank_in_b = {doc_id: rank for rank, doc_id in enumerate(b)}
    both = [(-rank, -rank_in_b[doc_id]) for rank, doc_id in enumerate(a) if doc_id in rank_in_b]
    return [rank for rank, _ in both], [rank for _, rank in both]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)
