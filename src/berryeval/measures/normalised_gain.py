"""G and binG: gains, discounted by what was not gained above them."""

from __future__ import annotations

from berryeval.kernels.gains import LINEAR, Gain
from berryeval.kernels.normalised_gain import binary_normalised_gain, normalised_gain
from berryeval.measures._base import Measure, register

__all__ = ["BinaryNormalisedGain", "NormalisedGain"]


@register
class NormalisedGain(Measure):
    """Normalised gain. Equals trec_eval's ``G``."""

    gain: Gain = LINEAR

    kernel = staticmethod(normalised_gain)
    name = "G"
    title = "Normalised gain"
    aliases = ("normalised_gain",)
    at = None
    definition = (
        "The sum of gain / log2(2 + cost - gained so far), divided by the total possible gain; "
        "a rank costs what the ideal ranking gains there, at least 1."
    )
    use_when = "A good document after other good ones should count almost fully."
    avoid_when = "You want to compare with published values: few papers report it."
    edge_cases = ("Nothing judged above 0: 0. The relevance level is ignored.",)


@register
class BinaryNormalisedGain(Measure):
    """Normalised gain of binary judgments. Equals trec_eval's ``binG``."""

    rel: float = 1.0

    kernel = staticmethod(binary_normalised_gain)
    name = "binG"
    title = "Binary normalised gain"
    aliases = ("binary_gain",)
    at = None
    definition = "1 / log2(2 + non-relevant documents above), averaged over all relevant documents."
    use_when = (
        "Each useless document above a relevant one has a cost, and the first ones cost most."
    )
    avoid_when = "Judgments are graded, since it ignores grades."
    edge_cases = ("Relevant documents that were not retrieved count 0.", "No relevant document: 0.")
