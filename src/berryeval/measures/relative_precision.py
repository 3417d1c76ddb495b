"""Relative precision: what was found, of what the first k ranks could hold."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.relative_precision import relative_precision
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["RelativePrecision"]


@register
class RelativePrecision(Measure):
    """Relative precision, also called capped recall. Equals trec_eval's ``relative_P``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(relative_precision)
    name: ClassVar[str] = "RelP"
    title: ClassVar[str] = "Relative precision"
    aliases: ClassVar[tuple[str, ...]] = ("relative_P", "set_relative_P", "R_cap", "capped_recall")
    uncut_name: ClassVar[str | None] = "SetRelP"
    definition: ClassVar[str] = (
        "Relevant documents in the first k, divided by the smaller of k and the number of "
        "relevant documents."
    )
    use_when: ClassVar[str] = (
        "Some queries have more relevant documents than k and some have fewer, and a perfect "
        "ranking should always score 1."
    )
    avoid_when: ClassVar[str] = (
        "You compare with recall or precision in other reports: it is neither."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Without k, written SetRelP, k is the number of documents returned.",
        "No relevant document: 0.",
    )
