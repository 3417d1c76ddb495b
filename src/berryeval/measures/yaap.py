"""Yaap: average precision on a scale of log odds."""

from __future__ import annotations

from berryeval.kernels.yaap import yaap
from berryeval.measures._base import Measure, register

__all__ = ["Yaap"]


@register
class Yaap(Measure):
    """Average precision as log odds. Equals trec_eval's ``yaap``."""

    rel: float = 1.0

    kernel = staticmethod(yaap)
    name = "yaap"
    title = "Yet another average precision"
    aliases = ("log_odds_ap",)
    bounds = (float("-inf"), float("inf"))
    at = None
    definition = (
        "ln((1 + S) / (1 + R - S)), with S the sum of the precision at each relevant document"
        " and R their number."
    )
    use_when = "A mean or a test requires values that are not confined to the range 0 to 1."
    avoid_when = "People read the number: it has no familiar scale."
    edge_cases = ("Negative if average precision is below one half.", "No relevant document: 0.")
