"""The time that queries took, as a measure of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from berryeval.errors import InputError
from berryeval.measures._base import Measure, register

__all__ = ["Milliseconds"]


@register
class Milliseconds(Measure):
    """Time per query in milliseconds: a percentile over queries, or the mean.

    Parameters
    ----------
    percentile : float or None
        Above 0 and up to 100; it is written after the @ with a p. None means the mean.
    """

    percentile: float | None = None

    name = "ms"
    aliases = ("milliseconds", "latency")
    title = "Milliseconds per query"
    at = "percentile"
    at_prefix = "p"
    at_example = "p95"
    bounds = (0.0, math.inf)
    higher_is_better = False
    uses_timings = True
    aggregate = "percentile"
    definition = (
        "The time that queries took, in milliseconds: ms@p95 is the time that 95% of the queries "
        "do not exceed, and ms the mean. A percentile is the time of one of the queries; between "
        "two of them, the longer one. It is a measure of a whole run: the value of a query is its "
        "own time. Lower is better."
    )
    use_when = (
        "A change may make search slower, and a gate should guard speed together with quality. "
        "Measure both systems on the same machine, one after the other."
    )
    avoid_when = (
        "The times come from different machines, or from one that was busy otherwise; or there "
        "are too few queries: p95 needs 100 and p99 500 of them, fewer have no interval."
    )
    edge_cases = (
        "A scored query without a time is an error, since a query that failed was not fast.",
        "Percentiles count every query once, whatever its weight.",
        "Intervals of percentiles are found by resampling queries, or groups of them.",
        "Judgments and rankings do not matter.",
    )

    def _check(self) -> None:
        super()._check()
        vars(self)["aggregate"] = "mean" if self.percentile is None else "percentile"

    @property
    def depth(self) -> int | None:
        """Return 1, the smallest depth there is: no document matters to it."""
        return 1

    def _score(self, grades: Sequence[float], judged: Sequence[float]) -> float:
        del grades, judged
        raise InputError(f"{self} is not a measure of a ranking: it requires the times of queries")
