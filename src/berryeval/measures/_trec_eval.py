"""trec_eval's names: ``ndcg_cut.5,10``, ``P_5``, ``set_F.0.5``, ``official``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from berryeval.kernels.interpolated_precision import ELEVEN_POINTS
from berryeval.measures._base import Measure
from berryeval.measures.average_precision import AveragePrecision, GeometricAveragePrecision
from berryeval.measures.bpref import Bpref, GeometricBpref
from berryeval.measures.counts import (
    NumNonrelevantRetrieved,
    NumQueries,
    NumRelevant,
    NumRelevantRetrieved,
    NumRetrieved,
)
from berryeval.measures.hit_rate import HitRate
from berryeval.measures.inferred_ap import InferredAveragePrecision
from berryeval.measures.interpolated_precision import ElevenPointAverage, InterpolatedPrecision
from berryeval.measures.judged_share import Unjudged
from berryeval.measures.ndcg import DCG, IDCG, NDCG
from berryeval.measures.ndcg_points import NDCGAtGainLevels, NDCGAtRelevant
from berryeval.measures.normalised_gain import BinaryNormalisedGain, NormalisedGain
from berryeval.measures.precision import Precision
from berryeval.measures.r_precision import RPrecision, RPrecisionAtMultiple
from berryeval.measures.rank_biased_precision import RankBiasedPrecision, RankBiasedResidual
from berryeval.measures.recall import Recall
from berryeval.measures.reciprocal_rank import ReciprocalRank
from berryeval.measures.relative_precision import RelativePrecision
from berryeval.measures.set_based import SetAveragePrecision, SetF
from berryeval.measures.utility import Utility
from berryeval.measures.yaap import Yaap

__all__ = ["FAMILIES", "NICKNAMES", "TEXTS", "Family", "split_name"]

_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_MULTIPLES = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0)
_PATIENCE = 0.9


@dataclass(frozen=True)
class Family:
    """The measures behind a name of trec_eval."""

    measure: type[Measure]
    parameter: str | None = None
    """The parameter that the text after the name sets."""
    defaults: tuple[float, ...] = ()
    """Its default values; one measure each."""


FAMILIES = {
    "num_q": Family(NumQueries),
    "num_ret": Family(NumRetrieved),
    "num_rel": Family(NumRelevant),
    "num_rel_ret": Family(NumRelevantRetrieved),
    "map": Family(AveragePrecision),
    "gm_map": Family(GeometricAveragePrecision),
    "Rprec": Family(RPrecision),
    "bpref": Family(Bpref),
    "recip_rank": Family(ReciprocalRank),
    "iprec_at_recall": Family(InterpolatedPrecision, "recall", ELEVEN_POINTS),
    "P": Family(Precision, "k", _CUTOFFS),
    "recall": Family(Recall, "k", _CUTOFFS),
    "infAP": Family(InferredAveragePrecision),
    "gm_bpref": Family(GeometricBpref),
    "Rprec_mult": Family(RPrecisionAtMultiple, "times", _MULTIPLES),
    "utility": Family(Utility, "worth"),
    "11pt_avg": Family(ElevenPointAverage),
    "binG": Family(BinaryNormalisedGain),
    "G": Family(NormalisedGain, "gain"),
    "ndcg": Family(NDCG, "gain"),
    "ndcg_rel": Family(NDCGAtRelevant, "gain"),
    "Rndcg": Family(NDCGAtGainLevels, "gain"),
    "ndcg_cut": Family(NDCG, "k", _CUTOFFS),
    "map_cut": Family(AveragePrecision, "k", _CUTOFFS),
    "relative_P": Family(RelativePrecision, "k", _CUTOFFS),
    "success": Family(HitRate, "k", (1, 5, 10)),
    "set_P": Family(Precision),
    "set_relative_P": Family(RelativePrecision),
    "set_recall": Family(Recall),
    "set_map": Family(SetAveragePrecision),
    "set_F": Family(SetF, "x"),
    "num_nonrel_judged_ret": Family(NumNonrelevantRetrieved),
    # Outside of all_trec, or new in trec_eval 10.
    "yaap": Family(Yaap),
    "dcg": Family(DCG, "gain"),
    "ideal_dcg": Family(IDCG, "gain"),
    "rbp": Family(RankBiasedPrecision, "p", (_PATIENCE,)),
    "rbp_resid": Family(RankBiasedResidual, "p", (_PATIENCE,)),
    "unj": Family(Unjudged, "k", (5, 10, 20)),
}
"""Families by name, in trec_eval's own order, which nicknames share."""

TEXTS = ("runid", "relstring")
"""Lines of trec_eval's output that are not numbers."""

_ALL_TREC = tuple(FAMILIES)[: tuple(FAMILIES).index("yaap")]

NICKNAMES = {
    "official": _ALL_TREC[: _ALL_TREC.index("recall")],
    "set": (
        "num_q", "num_ret", "num_rel", "num_rel_ret", "utility",
        "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    ),
    "all_trec": _ALL_TREC,
}  # fmt: skip
"""Names for several measures at once; what is in `TEXTS` is left out."""

_PARAMETERS = re.compile(r"[-+.\d]|p=")


def split_name(text: str) -> tuple[str, str] | None:
    """Return the name of a family and what follows it, or None if there is no such name.

    If a parameter follows, the case of the letters does not matter; otherwise it does, since
    ``success`` is three measures and ``Success`` one.
    """
    if text in FAMILIES or text in TEXTS:
        return text, ""
    lower = text.lower()
    for name in sorted((*FAMILIES, *TEXTS), key=len, reverse=True):
        parameters = text[len(name) + 1 :]
        if (
            lower.startswith((f"{name}.".lower(), f"{name}_".lower()))
            and _PARAMETERS.match(parameters)
        ):  # fmt: skip
            return name, parameters
    return None
