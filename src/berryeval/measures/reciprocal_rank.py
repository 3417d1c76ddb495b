"""Reciprocal rank: how far down the first relevant document is."""

from __future__ import annotations

from berryeval.kernels.reciprocal_rank import reciprocal_rank
from berryeval.measures._base import Measure, register

__all__ = ["ReciprocalRank"]


@register
class ReciprocalRank(Measure):
    """Reciprocal rank, at k or uncut. Uncut it equals trec_eval's ``recip_rank``."""

    rel: float = 1.0

    kernel = staticmethod(reciprocal_rank)
    name = "RR"
    title = "Reciprocal rank"
    aliases = ("MRR", "mrr", "reciprocal_rank", "recip_rank")
    definition = (
        "1 / rank of the first relevant document in the first k. The mean over queries is MRR."
    )
    use_when = (
        "The first right answer ends the search: question answering, known items, navigation."
    )
    avoid_when = "People need more than one document: everything after the first hit is ignored."
    edge_cases = (
        "Nothing relevant in the first k: 0.",
        "Without a cutoff, a deeper list can only score higher: compare lists of the same depth.",
    )
    functions = ("berryeval.ranking.reciprocal_rank", "berryeval.metrics.mrr")
