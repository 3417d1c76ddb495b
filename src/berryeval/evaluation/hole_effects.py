"""Whether grades of unjudged documents could change the finding of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add

from berryeval.core.id_column import encode_id
from berryeval.evaluation.bounds import difference_bounds, holes_of
from berryeval.evaluation.comparison import Comparison, Difference
from berryeval.evaluation.deciding import Floats, estimate_family
from berryeval.evaluation.extremes import is_bounded, mean_bounds, remove_rounding
from berryeval.evaluation.figures import signed
from berryeval.evaluation.findings import Finding, finding_of
from berryeval.evaluation.holes import scale_of
from berryeval.evaluation.notes import holes_notes, retrieved_by_all
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.measures import Measure

__all__ = ["HoleEffect", "hole_effect", "notes_on_holes"]

_MAX_BOUNDS = 300
"""Bounds of single queries that are computed for a note."""


@dataclass(frozen=True)
class HoleEffect:
    """The effect that unjudged documents could have on a difference."""

    n_queries: int
    """Queries with a hole in either run, within the cutoff of the measure."""
    n_holes: int
    low: float | None
    """The lowest mean difference that grades of holes could give; None if not computed."""
    high: float | None
    findings: tuple[Finding, ...]
    """The finding as judged, with the grades that are least favourable to the candidate, and with
    the most favourable ones. Empty if not computed."""

    @property
    def is_known(self) -> bool:
        """Whether the bounds were computed."""
        return self.low is not None

    @property
    def could_change(self) -> bool:
        """Whether another finding is possible."""
        return len(set(self.findings)) > 1


def hole_effect(
    comparison: Comparison,
    measure: Measure,
    *,
    system: str | None = None,
    most_queries: int | None = None,
) -> HoleEffect:
    """Return the range of the difference behind a headline, over all grades of holes.

    `system` is the candidate, by default the first. With holes in more than `most_queries` queries
    the bounds, which take milliseconds per query, are not computed; they never are for a geometric
    mean or a measure without bounds.
    """
    name = system or comparison.candidates[0]
    [difference] = [d for d in comparison.deciding(measure) if d.system == name]
    query_ids = comparison.query_ids
    if comparison.common:
        query_ids = retrieved_by_all(comparison.evaluations.values())
    counts = [
        _n_holes(comparison.evaluations[run], measure, query_ids)
        for run in (comparison.baseline, name)
    ]
    places = [place for place, both in enumerate(zip(*counts, strict=True)) if any(both)]
    is_quick = most_queries is None or len(places) <= most_queries
    if not (is_bounded(measure) and is_quick):
        n_holes = int(reduce(add, map(max, *counts), 0.0))
        return HoleEffect(len(places), n_holes, None, None, ())
    low, high, n_holes = _extremes(comparison, difference, {p: query_ids[p] for p in places})
    harmful, helpful = (low, high) if measure.higher_is_better else (high, low)
    return HoleEffect(
        len(places),
        n_holes,
        difference.sampling.mean_over(low),
        difference.sampling.mean_over(high),
        (
            difference.finding,
            _finding_with(comparison, difference, harmful),
            _finding_with(comparison, difference, helpful),
        ),
    )


def notes_on_holes(comparison: Comparison) -> Iterator[str]:
    """Iterate over notes on unjudged documents within the cutoff of the lead measure.

    They have the share that is judged, and the candidates whose difference other grades could
    reverse. With very many queries or candidates, the second is not computed.
    """
    lead = comparison.lead
    has_runs = any(run.n_rows for run in comparison.runs.values())  # they are on Spark otherwise
    lengths = partial(_count_ranked, comparison) if has_runs else None
    counts = holes_notes(comparison.evaluations, [lead], lengths)
    yield from counts
    n_bounds = comparison.n_queries * len(comparison.candidates)
    if not (counts and has_runs and n_bounds <= _MAX_BOUNDS and is_bounded(lead)):
        return
    reversible = []
    for difference in comparison.deciding():
        effect = hole_effect(comparison, lead, system=difference.system)
        if effect.low is None or effect.high is None:
            continue
        if effect.low < 0 < difference.mean or difference.mean < 0 < effect.high:
            ends = f"{signed(effect.low)} to {signed(effect.high)}"
            reversible.append(f"{difference.system} {ends}")
    if reversible:
        yield (f"Grades for them could reverse the difference in {lead}: {', '.join(reversible)}.")


def _count_ranked(comparison: Comparison, name: str, k: int | None) -> int:
    """Return how many documents a run has within a cutoff, for the queries compared."""
    run = comparison.runs[name]
    lengths = (len(run.rows_of(encode_id(query_id))) for query_id in comparison.query_ids)
    return sum(length if k is None else min(length, k) for length in lengths)


def _n_holes(evaluation: Evaluation, measure: Measure, query_ids: Sequence[str]) -> list[float]:
    """Return how many unjudged documents the measure looks at, query by query."""
    scores = evaluation.scores
    known = dict(zip(scores.query_ids, scores.values[str(holes_measure(measure))], strict=True))
    return [known[query_id] for query_id in query_ids]


def _extremes(
    comparison: Comparison, difference: Difference, query_at: Mapping[int, str]
) -> tuple[Floats, Floats, int]:
    """Return the lowest and the highest difference of each query, and the number of holes.

    `query_at` has the queries with holes, by their places among the differences.
    """
    measure, judgments = difference.measure, comparison.judgments
    names = (comparison.baseline, difference.system)
    rounds = [[runs[name] for name in names] for runs in comparison.rounds]
    grade = scale_of(judgments, comparison.max_grade)
    low, high = difference.values.copy(), difference.values.copy()
    n_holes = 0
    for place, query_id in query_at.items():
        encoded = encode_id(query_id)
        grades = judgments.grades_of(encoded)
        several, found = [], set()
        for runs in rounds:
            before, after = (run.ranked_ids(encoded, measure.depth) for run in runs)
            holes = holes_of((before, after), grades, measure.depth)
            found.update(holes)
            bounds = difference_bounds(measure, before, after, grades, holes, grade)
            assert bounds is not None  # checked by is_bounded
            several.append(bounds)
        n_holes += len(found)
        whole = mean_bounds(several)
        low[place], high[place] = whole.low, whole.high
    for ends in (low, high):
        remove_rounding(ends, difference.values)
    return low, high, n_holes


def _finding_with(comparison: Comparison, difference: Difference, values: Floats) -> Finding:
    """Return the finding of a difference with other values, in an otherwise unchanged family."""
    is_leading = difference.measure == comparison.lead
    family = [
        d
        for d in comparison.common or comparison.differences
        if (d.measure == comparison.lead) == is_leading
    ]
    columns = [d.column_of(values if d is difference else d.values) for d in family]
    how = comparison.statistics
    estimates = estimate_family(
        columns, how.level, sampling=comparison.sampling, n_flips=how.n_resamples, seed=how.seed
    )
    estimate = estimates[family.index(difference)]
    return finding_of(estimate.interval, higher_is_better=difference.measure.higher_is_better)
