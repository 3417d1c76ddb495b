"""What an evaluation found."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.scores import QueryCounts, Scores
from berryeval.measures import Measure, parse_measure
from berryeval.measures._base import GEOMETRIC_FLOOR

__all__ = ["Evaluation", "MeasureResult"]


@dataclass(frozen=True)
class MeasureResult:
    """One measure of one run."""

    measure: Measure
    mean: float
    """Over all scored queries: the arithmetic mean, the sum of counts, or the geometric mean,
    as the measure asks for. 0 if no query was scored."""
    by_query: Mapping[str, float]
    """One number a query, in the order of the ids' bytes."""

    def __repr__(self) -> str:
        queries = "1 query" if len(self.by_query) == 1 else f"{len(self.by_query)} queries"
        return f"<{self.measure}: {self.mean:.4f} over {queries}>"


class Evaluation(Mapping[str, MeasureResult]):
    """The result of `evaluate`: a `MeasureResult` for each measure, by name.

    A measure may be asked for by any name that means the same: ``result["ndcg_cut_10"]`` is
    ``result["nDCG@10"]``.
    """

    def __init__(self, scores: Scores, measures: Sequence[Measure]) -> None:
        query_ids = list(scores.query_ids)
        self._results = {
            str(measure): MeasureResult(
                measure,
                _aggregate(measure, scores.values[str(measure)]),
                dict(zip(query_ids, scores.values[str(measure)], strict=True)),
            )
            for measure in measures
        }
        self.n_queries = len(query_ids)
        self.counts: QueryCounts = scores.counts

    def __getitem__(self, name: str) -> MeasureResult:
        if name in self._results:
            return self._results[name]
        return self._results[str(parse_measure(name))]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def to_dict(self) -> dict[str, float]:
        """Return the mean of each measure, by name."""
        return {name: result.mean for name, result in self._results.items()}

    def __repr__(self) -> str:
        width = max((len(name) for name in self), default=0)
        queries = "1 query" if self.n_queries == 1 else f"{self.n_queries} queries"
        lines = [f"{name:<{width}}  {result.mean:.4f}" for name, result in self._results.items()]
        return "\n".join([f"<Evaluation over {queries}", *lines]) + ">"


def _aggregate(measure: Measure, values: array[float]) -> float:
    """Make one number of those of all queries, adding them up in their order."""
    total = 0.0
    for value in values:
        total += (
            math.log(max(value, GEOMETRIC_FLOOR)) if measure.aggregate == "geometric" else value
        )
    if measure.aggregate == "sum" or not values:
        return total
    mean = total / len(values)
    return math.exp(mean) if measure.aggregate == "geometric" else mean
