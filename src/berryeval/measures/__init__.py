"""What people name and report: ``nDCG@10``, ``R@100``. One module a family.

Examples
--------
>>> from berryeval.measures import NDCG
>>> str(NDCG(k=10))
'nDCG@10'
>>> NDCG(k=2).score(grades=[0, 1], judged=[1])
0.6309297535714575
"""

from berryeval.measures._base import Measure, all_measures, find_measure
from berryeval.measures.average_precision import AveragePrecision
from berryeval.measures.f1 import F1
from berryeval.measures.hit_rate import HitRate
from berryeval.measures.ndcg import DCG, NDCG
from berryeval.measures.precision import Precision
from berryeval.measures.recall import Recall
from berryeval.measures.reciprocal_rank import ReciprocalRank

__all__ = [
    "DCG",
    "F1",
    "NDCG",
    "AveragePrecision",
    "HitRate",
    "Measure",
    "Precision",
    "Recall",
    "ReciprocalRank",
    "all_measures",
    "find_measure",
]
