"""The lowest and the highest mean of a run, over all grades of unjudged documents."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.bounds import (
    Bounds,
    difference_bounds,
    has_bounds,
    holes_of,
    score_bounds,
)
from berryeval.evaluation.bounds.case import Case, level_of
from berryeval.evaluation.holes import check_runs, scale_of
from berryeval.evaluation.result import aggregated
from berryeval.evaluation.weighting import weights_of
from berryeval.measures import Measure, depth_of

__all__ = ["MeanBounds", "counts_unseen", "mean_bounds"]


@dataclass(frozen=True)
class MeanBounds:
    """One mean, or its difference to that of a baseline, and its bounds."""

    run: str
    measure: Measure
    mean: float
    """The mean, counting holes as not relevant."""
    bounds: Bounds


def mean_bounds(
    judgments: Judgments,
    runs: Mapping[str, Run],
    measures: Sequence[Measure],
    *,
    baseline: str | None = None,
    max_grade: float | None = None,
    queries: Mapping[str, Query] | None = None,
) -> list[MeanBounds]:
    """Return the mean of each run, and the lowest and the highest over all grades of the holes.

    Queries do not share their holes, so the lowest mean is the mean of the lowest scores. The
    holes of a query are those of all runs within the measure's cutoff.

    Parameters
    ----------
    judgments : Judgments
        Means are over all of its queries; counts are summed.
    runs : mapping from str to Run
        The runs, by name.
    measures : sequence of Measure
        Measures without bounds, and geometric means, are omitted.
    baseline : str, optional
        One of the runs: bounds are then those of differences, the other run minus this one.
    max_grade : float, optional
        The highest grade of the scale. Default: the highest that was given.
    queries : mapping of str to Query, optional
        By id. If they have weights, means are weighted.

    Returns
    -------
    list of MeanBounds
        For each measure, and for each run but the baseline.

    Raises
    ------
    ArgumentError, MismatchError
        As `berryeval.evaluation.holes.find_holes`.
    """
    check_runs(judgments, runs, measures, baseline)
    grade = scale_of(judgments, max_grade)
    bounded = [m for m in measures if has_bounds(m) and m.aggregate != "geometric"]
    others = [name for name in runs if name != baseline]
    depth = depth_of(bounded) if bounded else 0
    found: dict[tuple[Measure, str], list[tuple[float, Bounds]]] = {
        (measure, name): [] for measure in bounded for name in others
    }
    query_ids = sorted(judgments.query_ids.iter_bytes())
    weights = weights_of(queries or {}, map(decode_id, query_ids))
    for query_id in query_ids:
        grades = judgments.grades_of(query_id)
        rankings = {name: run.ranked_ids(query_id, depth) for name, run in runs.items()}
        for measure in bounded:
            holes = holes_of(rankings.values(), grades, measure.k)
            case = Case(grades, holes, grade)
            for name in others:
                value = case.score(measure, rankings[name], {})
                if baseline is None:
                    bounds = score_bounds(measure, rankings[name], grades, holes, grade)
                else:
                    value -= case.score(measure, rankings[baseline], {})
                    bounds = difference_bounds(
                        measure, rankings[baseline], rankings[name], grades, holes, grade
                    )
                assert bounds is not None
                found[measure, name].append((value, bounds))
    return [_aggregated(name, measure, each, weights) for (measure, name), each in found.items()]


def counts_unseen(measure: Measure) -> bool:
    """Return whether a score depends on relevant documents outside of the ranking.

    The bounds of such a score are valid for the ranked documents only.

    Examples
    --------
    >>> from berryeval.measures import parse_measure
    >>> counts_unseen(parse_measure("R@10")), counts_unseen(parse_measure("P@10"))
    (True, False)
    """
    ranked, unseen, grade = b"a", b"b", max(1.0, level_of(measure))
    before, after = (
        Case(grades, (), grade).score(measure, [ranked], {})
        for grades in ({ranked: grade}, {ranked: grade, unseen: grade})
    )
    return before != after


def _aggregated(
    name: str,
    measure: Measure,
    each: Sequence[tuple[float, Bounds]],
    weights: Sequence[float] | None,
) -> MeanBounds:
    def mean(values: Iterable[float]) -> float:
        return aggregated(measure, array("d", values), weights)

    return MeanBounds(
        name,
        measure,
        mean(value for value, _ in each),
        Bounds(
            mean(bounds.low for _, bounds in each),
            mean(bounds.high for _, bounds in each),
            any(bounds.is_outer for _, bounds in each),
        ),
    )
