"""G and binG: gains, discounted by what was not gained above them."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.gains import LINEAR, Gain
from berryeval.kernels.normalised_gain import binary_normalised_gain, normalised_gain
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["BinaryNormalisedGain", "NormalisedGain"]


@register
class NormalisedGain(Measure):
    """Normalised gain. Equals trec_eval's ``G``."""

    gain: Gain = LINEAR

    kernel: ClassVar[Kernel] = staticmethod(normalised_gain)
    name: ClassVar[str] = "G"
    title: ClassVar[str] = "Normalised gain"
    aliases: ClassVar[tuple[str, ...]] = ("normalised_gain",)
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "The sum of gain / log2(2 + cost - gained so far), divided by all there is to gain; a"
        " rank costs what the ideal ranking gains there, at least 1."
    )
    use_when: ClassVar[str] = "A good document after other good ones shall count nearly in full."
    avoid_when: ClassVar[str] = "Values are to be compared with published ones: few report it."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Nothing judged above 0: 0. The level of relevance plays no part.",
    )


@register
class BinaryNormalisedGain(Measure):
    """Normalised gain of binary judgments. Equals trec_eval's ``binG``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(binary_normalised_gain)
    name: ClassVar[str] = "binG"
    title: ClassVar[str] = "Binary normalised gain"
    aliases: ClassVar[tuple[str, ...]] = ("binary_gain",)
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "1 / log2(2 + documents above that are not relevant), averaged over all relevant documents."
    )
    use_when: ClassVar[str] = (
        "Each useless document above a relevant one costs, and the first cost most."
    )
    avoid_when: ClassVar[str] = "There are grades, which it ignores."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Relevant documents that were not retrieved count 0.",
        "No relevant document: 0.",
    )
