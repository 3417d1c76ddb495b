"""Hit rate, also called success: whether anything relevant was found."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.hit_rate import hit_rate
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["HitRate"]


@register
class HitRate(Measure):
    """Success at k. Equals trec_eval's ``success``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(hit_rate)
    name: ClassVar[str] = "Success"
    title: ClassVar[str] = "Hit rate"
    aliases: ClassVar[tuple[str, ...]] = ("hit_rate", "hit", "success")
    definition: ClassVar[str] = (
        "1 if a relevant document is in the first k, else 0. The mean is the share of queries "
        "with a hit."
    )
    use_when: ClassVar[str] = (
        "One good document is enough: fact checking, an answer box, a RAG prompt with room for k "
        "passages."
    )
    avoid_when: ClassVar[str] = (
        "Most queries already have a hit: improvements elsewhere in the ranking stay invisible."
    )
    edge_cases: ClassVar[tuple[str, ...]] = ("Nothing relevant, or nothing returned: 0.",)
    functions: ClassVar[tuple[str, ...]] = (
        "berryeval.ranking.hit_rate_at_k",
        "berryeval.metrics.hit_rate",
    )
