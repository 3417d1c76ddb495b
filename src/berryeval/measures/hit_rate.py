"""Hit rate, also called success: whether a relevant document was found."""

from __future__ import annotations

from berryeval.kernels.hit_rate import hit_rate
from berryeval.measures._base import Measure, register

__all__ = ["HitRate"]


@register
class HitRate(Measure):
    """Success at k. Equals trec_eval's ``success``."""

    rel: float = 1.0

    kernel = staticmethod(hit_rate)
    name = "Success"
    title = "Hit rate"
    aliases = ("hit_rate", "hit", "success", "HitRate", "HR")
    definition = (
        "1 if a relevant document is in the first k, else 0. The mean is the share of queries "
        "with a hit."
    )
    use_when = (
        "One good document is enough: fact checking, an answer box, a RAG prompt with room for k "
        "passages."
    )
    avoid_when = (
        "Most queries already have a hit: improvements elsewhere in the ranking stay invisible."
    )
    edge_cases = (
        "Nothing relevant, or nothing returned: 0.",
        "Accuracy@k of BEIR and of sentence-transformers is read as this; Accuracy of ir_measures "
        "is PairwiseAccuracy.",
    )
    functions = ("berryeval.ranking.hit_rate_at_k", "berryeval.metrics.hit_rate")
