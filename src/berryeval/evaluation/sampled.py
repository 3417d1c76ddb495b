"""How much estimates from sampled judgments vary from one sample to the next."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy

from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.core.strata import find_strata
from berryeval.errors import ArgumentError
from berryeval.kernels.relevance import usable_grade
from berryeval.kernels.sampling_variance import (
    inferred_ndcg_variance,
    stratified_average_precision_variance,
)
from berryeval.measures import (
    InferredAveragePrecision,
    InferredNDCG,
    Measure,
    StratifiedInferredAP,
)

__all__ = ["Variances", "sampling_variances", "standard_error"]

Variances = Mapping[str, "float | None"]
"""The sampling variance of one measure by query; None where a stratum has no judged document."""


def sampling_variances(
    judgments: Judgments, run: Run, measures: Iterable[Measure], query_ids: Iterable[str]
) -> dict[str, Variances]:
    """Return the variances of estimates by measure and query.

    Measures that are no estimates have none. infAP takes all documents of a query for one stratum.

    Raises
    ------
    ArgumentError
        If no measure is an estimate.
    """
    wanted = list(measures)
    estimates = [one for one in wanted if _variance_of(one) is not None]
    if not estimates:
        expected = "an estimate from a sample: xinfAP, infNDCG or infAP, without judged_only"
        raise ArgumentError("measures", expected, ", ".join(map(str, wanted)))
    unstratified = copy(judgments)
    unstratified.strata = {}
    found: dict[str, dict[str, float | None]] = {str(one): {} for one in estimates}
    for query_id in query_ids:
        key = encode_id(query_id)
        ranking = run.ranked_ids(key)
        for measure in estimates:
            source = judgments if measure.uses_strata else unstratified
            found[str(measure)][query_id] = _query_variance(measure, source, key, ranking)
    return {**found}


def standard_error(
    variances: Variances, query_ids: Sequence[str], weights: Sequence[float] | None
) -> float | None:
    """Return the standard error of a mean over queries, whose samples are independent.

    None if the variance of a query is unknown, and for no query.
    """
    own = [variances[query_id] for query_id in query_ids]
    if not own:
        return None
    shares = [1.0] * len(own) if weights is None else list(weights)
    known = [
        share**2 * variance
        for share, variance in zip(shares, own, strict=True)
        if variance is not None
    ]
    return None if len(known) < len(own) else math.sqrt(math.fsum(known)) / math.fsum(shares)


def _query_variance(
    measure: Measure, judgments: Judgments, query_id: bytes, ranking: Sequence[bytes]
) -> float | None:
    grade_of = judgments.grades_of(query_id)
    strata = find_strata(grade_of, judgments.strata.get(query_id, {}))
    if any(stratum.n_sampled == 0 for stratum in strata.values()):
        return None
    variance = _variance_of(measure)
    assert variance is not None
    grades = [usable_grade(grade_of, doc_id) for doc_id in ranking]
    judged = sorted((grade for grade in grade_of.values() if grade >= 0), reverse=True)
    return variance(grades, judged)


def _variance_of(
    measure: Measure,
) -> Callable[[Sequence[float], Sequence[float]], float | None] | None:
    if measure.judged_only:  # unjudged documents are left out instead of estimated
        return None
    if isinstance(measure, InferredNDCG):
        return lambda grades, judged: inferred_ndcg_variance(
            grades, judged, measure.k, measure.gain
        )
    if isinstance(measure, (StratifiedInferredAP, InferredAveragePrecision)):
        return lambda grades, judged: stratified_average_precision_variance(
            grades, judged, measure.k, measure.rel
        )
    return None
