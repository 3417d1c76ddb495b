"""Measures as people name and report them: ``nDCG@10``, ``R@100``. One module per family.

Examples
--------
>>> from berryeval.measures import NDCG
>>> str(NDCG(k=10))
'nDCG@10'
>>> NDCG(k=2).score(grades=[0, 1], judged=[1])
0.6309297535714575
"""

from berryeval.measures._base import GEOMETRIC_FLOOR, Measure, all_measures, depth_of, find_measure
from berryeval.measures.average_precision import AveragePrecision, GeometricAveragePrecision
from berryeval.measures.bpref import Bpref, GeometricBpref
from berryeval.measures.compatibility import Compatibility
from berryeval.measures.counts import (
    Holes,
    NumNonrelevantRetrieved,
    NumQueries,
    NumRelevant,
    NumRelevantRetrieved,
    NumRetrieved,
)
from berryeval.measures.cumulated_gain import NCG
from berryeval.measures.custom import define_measure
from berryeval.measures.expected_reciprocal_rank import ExpectedReciprocalRank
from berryeval.measures.f1 import F1
from berryeval.measures.f_beta import FBeta
from berryeval.measures.hit_rate import HitRate
from berryeval.measures.inferred_ap import InferredAveragePrecision
from berryeval.measures.intent_aware import (
    GradedIntentAwareERR,
    IntentAwareAveragePrecision,
    IntentAwarePrecision,
    SubtopicRecall,
)
from berryeval.measures.interpolated_precision import ElevenPointAverage, InterpolatedPrecision
from berryeval.measures.judged_share import Hole, Judged, Unjudged
from berryeval.measures.latency import Milliseconds
from berryeval.measures.ndcg import DCG, IDCG, NDCG
from berryeval.measures.ndcg_points import NDCGAtGainLevels, NDCGAtRelevant
from berryeval.measures.normalised_gain import BinaryNormalisedGain, NormalisedGain
from berryeval.measures.novelty import (
    AlphaDCG,
    AlphaNDCG,
    IntentAwareERR,
    NormalisedIntentAwareERR,
    NormalisedNoveltyRBP,
    NoveltyRBP,
)
from berryeval.measures.pairwise_accuracy import PairwiseAccuracy
from berryeval.measures.parse import parse_measure, parse_measures
from berryeval.measures.precision import Precision
from berryeval.measures.r_precision import RPrecision, RPrecisionAtMultiple
from berryeval.measures.rank_biased_precision import RankBiasedPrecision, RankBiasedResidual
from berryeval.measures.reading import TimeBiasedGain, Tokens, UMeasure
from berryeval.measures.recall import Recall
from berryeval.measures.reciprocal_rank import ReciprocalRank
from berryeval.measures.relative_precision import RelativePrecision
from berryeval.measures.sampled import InferredNDCG, StratifiedInferredAP
from berryeval.measures.set_based import SetAveragePrecision, SetF
from berryeval.measures.user_models import (
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    BejeweledPlayerModel,
    ScaledDCG,
)
from berryeval.measures.utility import Utility
from berryeval.measures.yaap import Yaap

__all__ = [
    "DCG",
    "F1",
    "GEOMETRIC_FLOOR",
    "IDCG",
    "INSQ",
    "INST",
    "NCG",
    "NDCG",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "AlphaDCG",
    "AlphaNDCG",
    "AveragePrecision",
    "BejeweledPlayerModel",
    "BinaryNormalisedGain",
    "Bpref",
    "Compatibility",
    "ElevenPointAverage",
    "ExpectedReciprocalRank",
    "FBeta",
    "GeometricAveragePrecision",
    "GeometricBpref",
    "GradedIntentAwareERR",
    "HitRate",
    "Hole",
    "Holes",
    "InferredAveragePrecision",
    "InferredNDCG",
    "IntentAwareAveragePrecision",
    "IntentAwareERR",
    "IntentAwarePrecision",
    "InterpolatedPrecision",
    "Judged",
    "Measure",
    "Milliseconds",
    "NDCGAtGainLevels",
    "NDCGAtRelevant",
    "NormalisedGain",
    "NormalisedIntentAwareERR",
    "NormalisedNoveltyRBP",
    "NoveltyRBP",
    "NumNonrelevantRetrieved",
    "NumQueries",
    "NumRelevant",
    "NumRelevantRetrieved",
    "NumRetrieved",
    "PairwiseAccuracy",
    "Precision",
    "RPrecision",
    "RPrecisionAtMultiple",
    "RankBiasedPrecision",
    "RankBiasedResidual",
    "Recall",
    "ReciprocalRank",
    "RelativePrecision",
    "ScaledDCG",
    "SetAveragePrecision",
    "SetF",
    "StratifiedInferredAP",
    "SubtopicRecall",
    "TimeBiasedGain",
    "Tokens",
    "UMeasure",
    "Unjudged",
    "Utility",
    "Yaap",
    "all_measures",
    "define_measure",
    "depth_of",
    "find_measure",
    "parse_measure",
    "parse_measures",
]
