"""Cumulated gain: the total value of the first k documents, regardless of their order."""

from __future__ import annotations

from berryeval.kernels.cumulated_gain import normalised_cumulated_gain
from berryeval.kernels.gains import LINEAR, Gain
from berryeval.measures._base import Measure, register

__all__ = ["NCG"]


@register
class NCG(Measure):
    """Normalised cumulated gain.

    References
    ----------
    Järvelin and Kekäläinen (2002), ACM TOIS 20(4), 422-446.
    """

    gain: Gain = LINEAR

    kernel = staticmethod(normalised_cumulated_gain)
    name = "NCG"
    title = "Normalised cumulated gain"
    aliases = ("ncg",)
    definition = (
        "The sum of the gains of the first k documents, divided by the largest possible gain of k "
        "documents."
    )
    use_when = (
        "A first stage passes k documents to a second one, which orders them: the graded "
        "counterpart of recall."
    )
    avoid_when = "People see the ranking: order within the first k is ignored."
    edge_cases = (
        "Nothing judged above 0: 0.",
        "Grades below 0 gain nothing. The relevance level is ignored.",
        "Accepts the same gains as nDCG: NCG(gain=exp2)@100.",
    )
