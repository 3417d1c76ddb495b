"""F1: one number for precision and recall."""

from __future__ import annotations

from berryeval.kernels.f1 import f1
from berryeval.measures._base import Measure, register

__all__ = ["F1"]


@register
class F1(Measure):
    """F1 at k, the harmonic mean of precision and recall at k."""

    rel: float = 1.0

    kernel = staticmethod(f1)
    name = "F1"
    title = "F1"
    aliases = ("f1",)
    definition = "The harmonic mean of precision and recall at k: 2 P R / (P + R)."
    use_when = "A set is returned rather than a ranking, and both kinds of error matter."
    avoid_when = (
        "One of the two matters more, or readers will ask which of them changed: report precision "
        "and recall instead."
    )
    edge_cases = (
        "Precision and recall both 0: 0.",
        "Precision divides by k, in the array function by the documents returned unless "
        "denominator='k'.",
    )
    functions = ("berryeval.ranking.f1_at_k", "berryeval.metrics.f1_at_k")
