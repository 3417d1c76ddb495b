"""Measures by the names that they are written with: ``nDCG``, ``AP``, ``P``.

`berryeval` has these names, too: ``be.nDCG @ 10``, ``be.AP(rel=2)``, ``be.P(rel=2) @ 5``.

Examples
--------
>>> import berryeval as be
>>> [str(measure) for measure in (be.nDCG @ 10, be.AP(rel=2), be.P(rel=2) @ 5, be.IPrec @ 0.1)]
['nDCG@10', 'AP(rel=2)', 'P(rel=2)@5', 'IPrec@0.1']
"""

# ruff: noqa: N811, N813, N814, N817 - people write the names like this

from __future__ import annotations

from berryeval.measures.average_precision import AveragePrecision as AP
from berryeval.measures.average_precision import GeometricAveragePrecision as GMAP
from berryeval.measures.bpref import Bpref
from berryeval.measures.bpref import GeometricBpref as GMBpref
from berryeval.measures.compatibility import Compatibility as Compat
from berryeval.measures.counts import Holes
from berryeval.measures.counts import NumNonrelevantRetrieved as NumNonrelJudgedRet
from berryeval.measures.counts import NumQueries as NumQ
from berryeval.measures.counts import NumRelevant as NumRel
from berryeval.measures.counts import NumRelevantRetrieved as NumRelRet
from berryeval.measures.counts import NumRetrieved as NumRet
from berryeval.measures.cumulated_gain import NCG
from berryeval.measures.expected_reciprocal_rank import ExpectedReciprocalRank as ERR
from berryeval.measures.f1 import F1
from berryeval.measures.f_beta import FBeta as F
from berryeval.measures.hit_rate import HitRate as Success
from berryeval.measures.inferred_ap import InferredAveragePrecision as infAP
from berryeval.measures.intent_aware import GradedIntentAwareERR as gERR_IA
from berryeval.measures.intent_aware import IntentAwareAveragePrecision as AP_IA
from berryeval.measures.intent_aware import IntentAwarePrecision as P_IA
from berryeval.measures.intent_aware import SubtopicRecall as StRecall
from berryeval.measures.interpolated_precision import ElevenPointAverage as AP11
from berryeval.measures.interpolated_precision import InterpolatedPrecision as IPrec
from berryeval.measures.judged_share import Hole, Judged, Unjudged
from berryeval.measures.latency import Milliseconds as ms
from berryeval.measures.ndcg import DCG, IDCG
from berryeval.measures.ndcg import NDCG as nDCG
from berryeval.measures.ndcg_points import NDCGAtGainLevels as Rndcg
from berryeval.measures.ndcg_points import NDCGAtRelevant as nDCGRel
from berryeval.measures.normalised_gain import BinaryNormalisedGain as binG
from berryeval.measures.normalised_gain import NormalisedGain as G
from berryeval.measures.novelty import AlphaDCG as alpha_DCG
from berryeval.measures.novelty import AlphaNDCG as alpha_nDCG
from berryeval.measures.novelty import IntentAwareERR as ERR_IA
from berryeval.measures.novelty import NormalisedIntentAwareERR as nERR_IA
from berryeval.measures.novelty import NormalisedNoveltyRBP as nNRBP
from berryeval.measures.novelty import NoveltyRBP as NRBP
from berryeval.measures.pairwise_accuracy import PairwiseAccuracy
from berryeval.measures.precision import Precision as P
from berryeval.measures.r_precision import RPrecision as Rprec
from berryeval.measures.r_precision import RPrecisionAtMultiple as RprecMult
from berryeval.measures.rank_biased_precision import RankBiasedPrecision as RBP
from berryeval.measures.rank_biased_precision import RankBiasedResidual as RBPResidual
from berryeval.measures.reading import TimeBiasedGain as TBG
from berryeval.measures.reading import Tokens as tokens
from berryeval.measures.reading import UMeasure as U
from berryeval.measures.recall import Recall as R
from berryeval.measures.reciprocal_rank import ReciprocalRank as RR
from berryeval.measures.relative_precision import RelativePrecision as RelP
from berryeval.measures.sampled import InferredNDCG as infNDCG
from berryeval.measures.sampled import StratifiedInferredAP as xinfAP
from berryeval.measures.set_based import SetAveragePrecision as SetAP
from berryeval.measures.set_based import SetF
from berryeval.measures.user_models import INSQ, INST, NERR8, NERR9, NERR10, NERR11
from berryeval.measures.user_models import BejeweledPlayerModel as BPM
from berryeval.measures.user_models import ScaledDCG as SDCG
from berryeval.measures.utility import Utility
from berryeval.measures.yaap import Yaap as yaap

__all__ = [
    "AP",
    "AP11",
    "AP_IA",
    "BPM",
    "DCG",
    "ERR",
    "ERR_IA",
    "F1",
    "GMAP",
    "IDCG",
    "INSQ",
    "INST",
    "NCG",
    "NERR8",
    "NERR9",
    "NERR10",
    "NERR11",
    "NRBP",
    "P_IA",
    "RBP",
    "RR",
    "SDCG",
    "TBG",
    "Bpref",
    "Compat",
    "F",
    "G",
    "GMBpref",
    "Hole",
    "Holes",
    "IPrec",
    "Judged",
    "NumNonrelJudgedRet",
    "NumQ",
    "NumRel",
    "NumRelRet",
    "NumRet",
    "P",
    "PairwiseAccuracy",
    "R",
    "RBPResidual",
    "RelP",
    "Rndcg",
    "Rprec",
    "RprecMult",
    "SetAP",
    "SetF",
    "StRecall",
    "Success",
    "U",
    "Unjudged",
    "Utility",
    "alpha_DCG",
    "alpha_nDCG",
    "binG",
    "gERR_IA",
    "infAP",
    "infNDCG",
    "ms",
    "nDCG",
    "nDCGRel",
    "nERR_IA",
    "nNRBP",
    "tokens",
    "xinfAP",
    "yaap",
]
