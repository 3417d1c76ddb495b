"""The engine in plain Python: the specification."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Literal, TypeAlias

from berryeval.core.id_column import IdColumn, decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.scores import QueryCounts, Scores
from berryeval.errors import MismatchError
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.measures import Measure

__all__ = ["MissingQueries", "NoRelevant", "score"]

MissingQueries: TypeAlias = Literal["zero", "skip", "error"]
"""What a judged query that the run does not have is worth."""

NoRelevant: TypeAlias = Literal["zero", "skip"]
"""What a query without a relevant document is worth."""


def score(
    judgments: Judgments,
    run: Run,
    measures: Sequence[Measure],
    *,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
) -> Scores:
    """Score each judged query.

    A judged query that the run does not have has an empty ranking (``missing="zero"``), is left
    out (``"skip"``) or is an error (``"error"``). A query without a relevant document scores 0
    by the definition of the measures, or is left out (``no_relevant="skip"``). Queries of the
    run without judgments are ignored. All of them are counted.

    A document without a judgment stands as `NOT_IN_POOL` in what the measures see, one with a
    negative grade as `UNJUDGED`: both are without a usable grade.
    """
    scored: list[bytes] = []
    values: dict[str, array[float]] = {str(measure): array("d") for measure in measures}
    n_missing = n_no_relevant = 0
    for query_id in sorted(judgments.query_ids.iter_bytes()):
        grade_of = judgments.grades_of(query_id)
        judged = sorted((grade for grade in grade_of.values() if grade >= 0), reverse=True)
        is_missing = decode_id(query_id) not in run
        lacks_relevant = not judged or judged[0] < 1
        n_missing += is_missing
        n_no_relevant += lacks_relevant
        if is_missing and missing == "error":
            raise MismatchError(f"query {decode_id(query_id)!r} is judged and not in the run")
        if (is_missing and missing == "skip") or (lacks_relevant and no_relevant == "skip"):
            continue
        scored.append(query_id)
        grades = [_usable(grade_of, doc_id) for doc_id in run.ranked_ids(query_id)]
        for measure in measures:
            values[str(measure)].append(measure.score(grades, judged))
    counts = QueryCounts(
        judged=judgments.n_queries,
        missing=n_missing,
        ignored=run.n_queries - (judgments.n_queries - n_missing),
        no_relevant=n_no_relevant,
    )
    return Scores(IdColumn.of(scored), values, counts)


def _usable(grade_of: dict[bytes, float], doc_id: bytes) -> float:
    grade = grade_of.get(doc_id)
    if grade is None:
        return NOT_IN_POOL
    return grade if grade >= 0 else UNJUDGED
