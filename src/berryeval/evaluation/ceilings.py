"""The best mean that any system can reach with given judgments.

P@5 cannot reach 1 if queries have fewer than five relevant documents, nor R@10 if they have more
than ten. No system can reach a threshold above that, which is reported before any query is sent.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from berryeval.core.grouped import Grouping
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import MismatchError
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measures
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.guards import Guard, ThresholdGuard, written
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.slices import Slice
from berryeval.measures import Measure
from berryeval.measures.custom import CustomMeasure

__all__ = ["best_possible", "check_reachable"]


def best_possible(
    judgments: Judgments,
    measures: Iterable[MeasureLike] | MeasureLike,
    *,
    queries: Iterable[Query] = (),
) -> dict[str, float]:
    """Return the mean of each measure over ideal rankings, scored by the engine itself.

    Measures whose ideal is unknown are omitted: those that are better when lower or have no upper
    bound, those with a table of gains, intent-aware and custom ones. Weights of queries count.

    Examples
    --------
    >>> best_possible(Judgments.from_dict({"q1": {"d1": 2, "d2": 1, "d3": 0}}), ["P@5", "R@10"])
    {'P@5': 0.4, 'R@10': 1.0}
    """
    chosen = [measure for measure in read_measures(measures) if _has_ceiling(measure)]
    ideals = list(_ideals(judgments, chosen, tuple(queries)))
    return {
        str(measure): max(ideal[str(measure)].mean for ideal in ideals if str(measure) in ideal)
        for measure in (chosen if ideals else ())
    }


def check_reachable(
    judgments: Judgments,
    guards: Iterable[Guard],
    *,
    queries: Iterable[Query] = (),
    smallest_slice: int = 1,
    way_out: str = "lower the threshold, or judge more documents",
) -> None:
    """Raise if a threshold is above the best possible mean, over all queries or a slice.

    Slices of fewer queries than the smallest are not checked, as they do not decide a gate.
    `way_out` ends the message of the `MismatchError`.
    """
    thresholds = [
        guard
        for guard in guards
        if isinstance(guard, ThresholdGuard) and _has_ceiling(guard.measure)
    ]
    measures = list(dict.fromkeys(guard.measure for guard in thresholds))
    ideals = list(_ideals(judgments, measures, tuple(queries)))
    found = [
        sentence
        for guard in (thresholds if ideals else ())
        for sentence in _unreachable(guard, ideals, smallest_slice)
    ]
    if found:
        raise MismatchError(f"{'; '.join(found)}; {way_out}")


def _has_ceiling(measure: Measure) -> bool:
    """Whether sorting documents by grade gives the best possible ranking."""
    is_by_grade = isinstance(getattr(measure, "gain", ""), str)  # a table may value 1 above 3
    is_by_grade = is_by_grade and not measure.uses_intents  # intents compete for the first ranks
    is_by_grade = is_by_grade and not measure.uses_strata  # unjudged documents gain, too
    is_ours = not isinstance(measure, CustomMeasure)
    return measure.higher_is_better and math.isfinite(measure.bounds[1]) and is_by_grade and is_ours


def _ideals(
    judgments: Judgments, measures: Sequence[Measure], queries: Sequence[Query]
) -> Iterator[Evaluation]:
    """Iterate over evaluations of ideal rankings; the best of them is what can be reached.

    All judged documents, best first, are ideal for measures that look at ranks. Those that look at
    all that was returned, such as SetP, are best with the relevant documents alone.
    """
    if not measures:
        return
    levels = dict.fromkeys(getattr(measure, "rel", 1) for measure in measures)
    for least in (-math.inf, *levels):
        ideal = _best_first(judgments, least)
        of_level = [m for m in measures if least in (-math.inf, getattr(m, "rel", 1))]
        if ideal.n_rows:
            yield evaluate(judgments, ideal, of_level, queries=queries)


def _best_first(judgments: Judgments, least: float) -> Run:
    """Return the documents with at least some grade, which is also their score."""
    if least == -math.inf:
        return Run(judgments.query_ids, judgments.starts, judgments.doc_ids, judgments.values)
    rows = Grouping()
    for query_id, of_query in judgments.iter_queries():
        rows.add_query(query_id)
        for row in of_query:
            if judgments.values[row] >= least:
                rows.add(query_id, judgments.doc_ids.bytes_at(row), judgments.values[row])
    return Run.collect(rows)


def _unreachable(
    guard: ThresholdGuard, ideals: Sequence[Evaluation], smallest_slice: int
) -> Iterator[str]:
    """Iterate over thresholds above the best possible mean, over all queries or in a slice."""
    name = str(guard.measure)
    of_guard = [ideal for ideal in ideals if name in ideal]
    parts: dict[str, list[Evaluation]] = {"": of_guard}
    for ideal in of_guard:
        for label in guard.slices:
            for value, part in ideal.by(label).items():
                if part.n_queries >= smallest_slice:
                    parts.setdefault(f" ({Slice(label, value)})", []).append(part)
    for where, evaluations in parts.items():
        best = max(evaluation[name].mean for evaluation in evaluations)
        if best < guard.at_least - ROUNDING:
            limit = written(guard.at_least)
            yield (
                f"the best possible {name}{where} is {_below(best, guard.at_least)} with these "
                f"judgments, so the threshold {limit} cannot be reached"
            )


def _below(value: float, limit: float) -> str:
    """Format a value with enough digits to show that it is below the limit."""
    texts = (f"{value:.{digits}f}" for digits in range(4, 17))
    return next((text for text in texts if float(text) < limit), repr(value))
