"""What an evaluation found."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add

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
    scores: Scores = field(repr=False)
    """What the engine computed, of this and other measures."""

    @cached_property
    def by_query(self) -> Mapping[str, float]:
        """One number a query, in the order of the ids' bytes."""
        return dict(zip(self.scores.query_ids, self.scores.values[str(self.measure)], strict=True))

    def __repr__(self) -> str:
        n_queries = len(self.scores.query_ids)
        queries = "1 query" if n_queries == 1 else f"{n_queries} queries"
        return f"<{self.measure}: {self.mean:.4f} over {queries}>"


class Evaluation(Mapping[str, MeasureResult]):
    """The result of `evaluate`: a `MeasureResult` for each measure, by name.

    A measure may be asked for by any name that means the same: ``result["ndcg_cut_10"]`` is
    ``result["nDCG@10"]``.
    """

    def __init__(self, scores: Scores, measures: Sequence[Measure]) -> None:
        self._results = {
            str(measure): MeasureResult(
                measure, _aggregate(measure, scores.values[str(measure)]), scores
            )
            for measure in measures
        }
        self.n_queries = len(scores.query_ids)
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
    numbers: Iterable[float] = values
    if measure.aggregate == "geometric":
        numbers = (math.log(max(value, GEOMETRIC_FLOOR)) for value in values)
    total = reduce(add, numbers, 0.0)  # sum() compensates for rounding in some versions of Python
    if measure.aggregate == "sum" or not values:
        return total
    mean = total / len(values)
    return math.exp(mean) if measure.aggregate == "geometric" else mean
