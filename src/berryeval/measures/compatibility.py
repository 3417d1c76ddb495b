"""Compatibility: how similar a ranking is to the ideal ranking that resembles it most."""

from __future__ import annotations

from berryeval.kernels.compatibility import compatibility
from berryeval.measures._base import Measure, register

__all__ = ["Compatibility"]


@register
class Compatibility(Measure):
    """Compatibility with the ideal ranking.

    Parameters
    ----------
    p : float
        The persistence of rank-biased overlap, between 0 and 1: higher values look deeper.
    normalise : bool
        Whether to divide by the overlap of the ideal ranking with itself.

    References
    ----------
    Clarke, Vtyurina and Smucker (2021), "Assessing Top-k Preferences", ACM TOIS 39(3).
    """

    p: float = 0.95
    normalise: bool = True

    kernel = staticmethod(compatibility)
    name = "Compat"
    title = "Compatibility"
    at = None
    definition = (
        "The highest rank-biased overlap of the ranking with an ideal ranking: all documents with "
        "a grade above 0, by falling grade, equal grades in any order."
    )
    use_when = (
        "Preferences between documents matter more than their gains: grades count by their order "
        "only, and can come from pairwise judgments."
    )
    avoid_when = (
        "Most relevant documents are not judged: documents that the ideal ranking lacks only push "
        "others down."
    )
    edge_cases = (
        "Of equal grades, retrieved documents come first in the ideal ranking, in their order.",
        "Depths count down to the end of the longer ranking. Without normalise, queries with few "
        "relevant documents stay below 1.",
        "ir_measures orders equal grades by score, where a document that was not retrieved has "
        "score 0; with negative scores its values are lower.",
        "Nothing judged above 0: 0.",
    )
