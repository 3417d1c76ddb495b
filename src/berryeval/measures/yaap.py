"""Yaap: average precision on a scale of log odds."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.yaap import yaap
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["Yaap"]


@register
class Yaap(Measure):
    """Average precision as log odds. Equals trec_eval's ``yaap``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(yaap)
    name: ClassVar[str] = "yaap"
    title: ClassVar[str] = "Yet another average precision"
    aliases: ClassVar[tuple[str, ...]] = ("log_odds_ap",)
    bounds: ClassVar[tuple[float, float]] = (float("-inf"), float("inf"))
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "ln((1 + S) / (1 + R - S)), with S the sum of the precision at each relevant document"
        " and R their number."
    )
    use_when: ClassVar[str] = (
        "A mean or a test requires values that are not confined to the range 0 to 1."
    )
    avoid_when: ClassVar[str] = "People read the number: it has no familiar scale."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Negative if average precision is below one half.",
        "No relevant document: 0.",
    )
