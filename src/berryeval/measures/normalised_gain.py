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
        "The sum of gain / log2(2 + cost - gained so far), divided by the total possible gain; "
        "a rank costs what the ideal ranking gains there, at least 1."
    )
    use_when: ClassVar[str] = "A good document after other good ones should count almost fully."
    avoid_when: ClassVar[str] = "You want to compare with published values: few papers report it."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Nothing judged above 0: 0. The relevance level is ignored.",
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
        "1 / log2(2 + non-relevant documents above), averaged over all relevant documents."
    )
    use_when: ClassVar[str] = (
        "Each useless document above a relevant one has a cost, and the first ones cost most."
    )
    avoid_when: ClassVar[str] = "Judgments are graded, since it ignores grades."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Relevant documents that were not retrieved count 0.",
        "No relevant document: 0.",
    )
