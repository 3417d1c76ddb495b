"""The measures that have bounds, by family."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from berryeval import measures
from berryeval.evaluation.bounds.additive import ADDITIVE, IDEAL
from berryeval.evaluation.bounds.average_precision import AVERAGE_PRECISION
from berryeval.evaluation.bounds.case import Bounds, Case, Family, Ranking
from berryeval.evaluation.bounds.counted import COUNTED, R_PRECISION
from berryeval.evaluation.bounds.exhaustive import EXHAUSTIVE, ORDERED, PAIRS, RISING
from berryeval.evaluation.bounds.gain_ratio import GAIN_RATIO
from berryeval.evaluation.bounds.stopping import CASCADE, FIRST_RELEVANT
from berryeval.measures import Measure

__all__ = ["FAMILIES", "difference_bounds", "has_bounds", "score_bounds"]

FAMILIES: Mapping[type[Measure], Family] = {
    measures.AveragePrecision: AVERAGE_PRECISION,
    measures.BejeweledPlayerModel: EXHAUSTIVE,
    measures.BinaryNormalisedGain: ORDERED,
    measures.Compatibility: EXHAUSTIVE,
    measures.DCG: ADDITIVE,
    measures.ElevenPointAverage: ORDERED,
    measures.ExpectedReciprocalRank: CASCADE,
    measures.F1: COUNTED,
    measures.FBeta: COUNTED,
    measures.GeometricAveragePrecision: AVERAGE_PRECISION,
    measures.HitRate: COUNTED,
    measures.IDCG: IDEAL,
    measures.INSQ: ADDITIVE,
    measures.INST: RISING,
    measures.InterpolatedPrecision: ORDERED,
    measures.NCG: GAIN_RATIO,
    measures.NDCG: GAIN_RATIO,
    measures.NDCGAtGainLevels: EXHAUSTIVE,
    measures.NDCGAtRelevant: EXHAUSTIVE,
    measures.NERR8: RISING,
    measures.NERR9: RISING,
    measures.NERR10: RISING,
    measures.NERR11: RISING,
    measures.NormalisedGain: EXHAUSTIVE,
    measures.NumNonrelevantRetrieved: ADDITIVE,
    measures.NumQueries: COUNTED,
    measures.NumRelevant: COUNTED,
    measures.NumRelevantRetrieved: ADDITIVE,
    measures.NumRetrieved: COUNTED,
    measures.PairwiseAccuracy: PAIRS,
    measures.Precision: COUNTED,
    measures.RPrecision: R_PRECISION,
    measures.RPrecisionAtMultiple: R_PRECISION,
    measures.RankBiasedPrecision: ADDITIVE,
    measures.Recall: COUNTED,
    measures.ReciprocalRank: FIRST_RELEVANT,
    measures.RelativePrecision: COUNTED,
    measures.ScaledDCG: ADDITIVE,
    measures.SetAveragePrecision: COUNTED,
    measures.SetF: COUNTED,
    measures.Utility: COUNTED,
    measures.Yaap: AVERAGE_PRECISION,
}
"""Measures that have bounds; `berryeval.measures.without_bounds` lists the others."""


def has_bounds(measure: Measure) -> bool:
    """Whether bounds of this measure can be found.

    These have none: bpref, inferred AP and nDCG, intent-aware measures, shares of judged documents,
    measures of judged documents only, and custom measures; and averages of nDCG whose table has
    gains below 0.
    """
    family = None if measure.judged_only else FAMILIES.get(type(measure))
    return family is not None and not (family is EXHAUSTIVE and _can_lose(measure))


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
        Any measure.
    ranking : sequence of bytes
        Document ids of one query, best first.
    grades : mapping from bytes to float
        The judgments of that query.
    holes : collection of bytes
        Documents without a usable grade, from `holes_of`: of this ranking, or of all rankings
        that are compared. Other documents without a grade stay unjudged.
    max_grade : float
        The highest grade that a hole may get, besides any whole number from 0 on.

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
        None if the measure has no bounds. Outer bounds, of two scores that vary independently,
        where the exact ones would take too long: AP, ERR and yaap with more than 14 holes (of
        ERR, those that both rankings have), interpolated precision, pairwise accuracy, binary
        gain, averages of nDCG, compatibility, BPM, INST and the NERR family with more than 1,000
        assignments, F of two whole rankings of unequal length with more than 20,000 counts.
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
