"""The engine in plain Python: the specification."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from berryeval.core.id_column import shown_id
from berryeval.core.judgments import Judgments
from berryeval.core.lengths import sized_grades
from berryeval.core.run import Run
from berryeval.engine._selection import N_SHOWN, AllScores
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.kernels.relevance import usable_grade
from berryeval.measures import Measure

__all__ = ["score"]


def score(
    judgments: Judgments, run: Run, measures: Sequence[Measure], n_shown: int = N_SHOWN
) -> AllScores:
    """Score each judged query, and name the first `n_shown` queries without judgments.

    A document without a judgment stands as `NOT_IN_POOL` in what the measures see, one with a
    negative grade as `UNJUDGED`: both are without a usable grade. To measures that look
    `across_queries`, so does one that only other queries judge. Measures that look at lengths see
    the same grades, each with the length of its document.
    """
    query_ids = sorted(judgments.query_ids.iter_bytes())
    values = [array("d") for _ in measures]
    needs_others = any(measure.across_queries for measure in measures)
    judged_for_any = set(judgments.doc_ids.iter_bytes() if needs_others else ())
    needs_lengths = any(measure.uses_lengths for measure in measures)
    lacks_relevant = []
    for query_id in query_ids:
        grade_of = judgments.grades_of(query_id)
        judged = sorted((grade for grade in grade_of.values() if grade >= 0), reverse=True)
        lacks_relevant.append(not judged or judged[0] < 1)
        ranking = run.ranked_ids(query_id)
        grades = [usable_grade(grade_of, doc_id) for doc_id in ranking]
        across = grades
        if needs_others:
            across = [usable_grade(grade_of, doc_id, judged_for_any) for doc_id in ranking]
        sized: Sequence[float] = grades
        if needs_lengths:
            sized = sized_grades(grades, ranking, judgments.lengths)
        for column, measure in zip(values, measures, strict=True):
            seen = across if measure.across_queries else sized if measure.uses_lengths else grades
            try:
                column.append(measure.score(seen, judged))
            except (ArgumentError, InputTypeError) as error:  # of a custom measure
                where = f"{error.argument} for query {shown_id(query_id)}"
                raise type(error)(where, error.expected, error.got) from None
    in_run = set(run.query_ids.iter_bytes())
    ignored = sorted(in_run.difference(query_ids))
    return AllScores(
        query_ids=query_ids,
        values=values,
        is_missing=[query_id not in in_run for query_id in query_ids],
        lacks_relevant=lacks_relevant,
        n_ignored=len(ignored),
        ignored_ids=ignored[:n_shown],
    )
