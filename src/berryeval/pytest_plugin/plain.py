"""The assertions as functions, for tests that already have judgments and a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from berryeval.evaluation.evaluate import MeasureLike
from berryeval.evaluation.guards import DEFAULT_MARGIN
from berryeval.evaluation.sources import JudgmentsSource, RunSource
from berryeval.evaluation.verdict import GateResult
from berryeval.pytest_plugin.results import Results

if TYPE_CHECKING:
    from berryeval.evaluation.baseline import Baseline

__all__ = ["assert_measure", "assert_no_regression", "assert_rank"]


def assert_measure(
    judgments: JudgmentsSource,
    run: RunSource,
    measure: MeasureLike,
    *,
    at_least: float,
    queries: Any = None,  # noqa: ANN401 - as Results takes them
) -> float:
    """Assert that the mean of a measure reaches a threshold, and return it.

    Examples
    --------
    >>> assert_measure({"q1": {"d1": 1}}, {"q1": ["d7", "d1"]}, "RR", at_least=0.7)
    Traceback (most recent call last):
    AssertionError: RR is 0.5000, below 0.7.
    Worst queries:
      q1  0.5000
    1 query judged, 1 scored.
    Unjudged documents in the rankings: run 1.
    """
    __tracebackhide__ = True
    return Results(judgments, run, queries=queries).assert_measure(measure, at_least=at_least)


def assert_no_regression(
    judgments: JudgmentsSource,
    run: RunSource,
    baseline: RunSource | Baseline,
    measure: MeasureLike = "nDCG@10",
    *,
    margin: float | str = DEFAULT_MARGIN,
    allow_inconclusive: bool = False,
    queries: Any = None,  # noqa: ANN401 - as above
) -> GateResult:
    """Assert that the mean has not dropped by the margin or more against a baseline."""
    __tracebackhide__ = True
    results = Results(judgments, run, queries=queries)
    return results.assert_no_regression(
        baseline, measure, margin=margin, allow_inconclusive=allow_inconclusive
    )


def assert_rank(
    judgments: JudgmentsSource,
    run: RunSource,
    query_id: str,
    doc_id: str,
    *,
    at_most: int,
    queries: Any = None,  # noqa: ANN401 - as above
) -> int:
    """Assert that a document is among the first of a query, and return its rank from 1."""
    __tracebackhide__ = True
    return Results(judgments, run, queries=queries).assert_rank(query_id, doc_id, at_most=at_most)
