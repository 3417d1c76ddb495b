"""Which measures have bounds, and how they are found."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

from berryeval.evaluation.bounds import (
    additive,
    average_precision,
    cascade,
    counted,
    exhaustive,
    first_found,
    gain_ratio,
    ideal,
    ordered,
    r_precision,
)
from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds.case import Case, Ranking
from berryeval.measures import (
    DCG,
    F1,
    IDCG,
    NCG,
    NDCG,
    AveragePrecision,
    BinaryNormalisedGain,
    Bpref,
    ElevenPointAverage,
    ExpectedReciprocalRank,
    FBeta,
    GeometricAveragePrecision,
    GeometricBpref,
    HitRate,
    Holes,
    InferredAveragePrecision,
    InterpolatedPrecision,
    Judged,
    Measure,
    NDCGAtGainLevels,
    NDCGAtRelevant,
    NormalisedGain,
    NumNonrelevantRetrieved,
    NumQueries,
    NumRelevant,
    NumRelevantRetrieved,
    NumRetrieved,
    Precision,
    RankBiasedPrecision,
    RankBiasedResidual,
    Recall,
    ReciprocalRank,
    RelativePrecision,
    RPrecision,
    RPrecisionAtMultiple,
    SetAveragePrecision,
    SetF,
    Unjudged,
    Utility,
    Yaap,
)

__all__ = [
    "FAMILIES",
    "WITHOUT_BOUNDS",
    "difference_bounds",
    "has_bounds",
    "score_bounds",
]


class Family(NamedTuple):
    """How the bounds of a score and of a difference are found."""

    score: Callable[[Measure, Case, Ranking], Bounds]
    difference: Callable[[Measure, Case, Ranking, Ranking], Bounds | None]
    """None where only outer bounds are to be had."""
    is_binary: bool = False
    """Whether a document is relevant or not, and its grade does not matter otherwise."""


_ADDITIVE = Family(additive.score, additive.difference)
_AVERAGE_PRECISION = Family(average_precision.score, average_precision.difference, is_binary=True)
_COUNTED = Family(counted.score, counted.difference, is_binary=True)
_EXHAUSTIVE = Family(exhaustive.score, exhaustive.difference)
_GAIN_RATIO = Family(gain_ratio.score, gain_ratio.difference)
_ORDERED = Family(ordered.score, ordered.difference, is_binary=True)
_R_PRECISION = Family(r_precision.score, r_precision.difference, is_binary=True)

FAMILIES: Mapping[type[Measure], Family] = {
    AveragePrecision: _AVERAGE_PRECISION,
    BinaryNormalisedGain: _ORDERED,
    DCG: _ADDITIVE,
    ElevenPointAverage: _ORDERED,
    ExpectedReciprocalRank: Family(cascade.score, cascade.difference),
    F1: _COUNTED,
    FBeta: _COUNTED,
    GeometricAveragePrecision: _AVERAGE_PRECISION,
    HitRate: _COUNTED,
    IDCG: Family(ideal.score, ideal.difference),
    InterpolatedPrecision: _ORDERED,
    NCG: _GAIN_RATIO,
    NDCG: _GAIN_RATIO,
    NDCGAtGainLevels: _EXHAUSTIVE,
    NDCGAtRelevant: _EXHAUSTIVE,
    NormalisedGain: _EXHAUSTIVE,
    NumNonrelevantRetrieved: _ADDITIVE,
    NumQueries: _COUNTED,
    NumRelevant: _COUNTED,
    NumRelevantRetrieved: _ADDITIVE,
    NumRetrieved: _COUNTED,
    Precision: _COUNTED,
    RPrecision: _R_PRECISION,
    RPrecisionAtMultiple: _R_PRECISION,
    RankBiasedPrecision: _ADDITIVE,
    Recall: _COUNTED,
    ReciprocalRank: Family(first_found.score, first_found.difference, is_binary=True),
    RelativePrecision: _COUNTED,
    SetAveragePrecision: _COUNTED,
    SetF: _COUNTED,
    Utility: _COUNTED,
    Yaap: _AVERAGE_PRECISION,
}
"""Measures that have bounds."""

WITHOUT_BOUNDS: Mapping[type[Measure], str] = {
    Bpref: "it ignores unjudged documents on purpose",
    GeometricBpref: "it ignores unjudged documents, like bpref",
    InferredAveragePrecision: "it already estimates the unjudged documents",
    Holes: "it counts unjudged documents",
    Judged: "it is the share of judged documents",
    RankBiasedResidual: "it is itself the width of such bounds",
    Unjudged: "it is the share of unjudged documents",
}
"""Measures that have none, and why. Those that users define have none either."""


def has_bounds(measure: Measure) -> bool:
    """Whether bounds of this measure can be found.

    Some have none: bpref, inferred AP, how much is judged, and measures of users' own; and those
    averages of nDCG that are tried out, if their table has gains below 0.
    """
    family = FAMILIES.get(type(measure))
    return family is not None and not (family is _EXHAUSTIVE and _can_lose(measure))


def _can_lose(measure: Measure) -> bool:
    gain = getattr(measure, "gain", None)
    return not isinstance(gain, str) and any(value < 0.0 for _, value in gain or ())


def score_bounds(
    measure: Measure,
    ranking: Ranking,
    grades: Mapping[bytes, float],
    holes: Collection[bytes],
    max_grade: float,
) -> Bounds | None:
    """Return the lowest and the highest score of a ranking over all grades of the holes.

    Parameters
    ----------
    measure : Measure
        Any measure; `has_bounds` says whether it has bounds.
    ranking : sequence of bytes
        Document ids of one query, best first.
    grades : mapping from bytes to float
        What is judged of that query.
    holes : collection of bytes
        Documents without a usable grade, from `holes_of`: of this ranking, or of all rankings
        that are compared. Other documents without a grade stay as they are.
    max_grade : float
        The highest grade that a hole may get. It may get any whole number from 0 on, too.

    Returns
    -------
    Bounds or None
        None if the measure has no bounds.
    """
    if not has_bounds(measure):
        return None
    case = Case(grades, holes, max_grade)
    return _score_bounds(measure, case, ranking[: measure.k])


def _score_bounds(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    family = FAMILIES[type(measure)]
    value = case.score(measure, ranking, case.nothing)
    if not case.holes or (family.is_binary and case.is_decided(measure)):
        return Bounds(value, value)
    return family.score(measure, case, ranking).around(value)


def difference_bounds(
    measure: Measure,
    baseline: Ranking,
    candidate: Ranking,
    grades: Mapping[bytes, float],
    holes: Collection[bytes],
    max_grade: float,
) -> Bounds | None:
    """Return the lowest and the highest score of a candidate minus that of a baseline.

    A hole has the same grade in both rankings. Parameters are those of `score_bounds`.

    Returns
    -------
    Bounds or None
        None if the measure has no bounds. Outer bounds, of two scores that vary on their own,
        where the exact ones would take too long: AP, ERR and yaap with more than 14 holes (of
        ERR, those that both rankings have), interpolated precision, binary gain and averages of
        nDCG with more than 1,000 assignments, F of two whole rankings of unequal length with
        more than 20,000 counts.
    """
    if not has_bounds(measure):
        return None
    family = FAMILIES[type(measure)]
    case = Case(grades, holes, max_grade)
    baseline, candidate = baseline[: measure.k], candidate[: measure.k]
    if baseline == candidate:
        return Bounds(0.0, 0.0)
    value = case.score(measure, candidate, case.nothing) - case.score(
        measure, baseline, case.nothing
    )
    if not holes or (family.is_binary and case.is_decided(measure)):
        return Bounds(value, value)
    found = family.difference(measure, case, baseline, candidate)
    if found is None:
        ours = _score_bounds(measure, case, candidate)
        found = ours.minus(_score_bounds(measure, case, baseline))
    return found.around(value)
