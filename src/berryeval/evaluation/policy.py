"""How a comparison decides, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.evaluation.headline import listing

if TYPE_CHECKING:  # reports of single runs load this module, and do without numpy
    from berryeval.evaluation.comparison import Comparison

__all__ = ["policy_note"]


def policy_note(comparison: Comparison) -> str:
    """Return which differences decide, and how their intervals and p-values are found."""
    n_leading = len(comparison.candidates)
    n_others = len(comparison.differences) - n_leading
    notes = [
        f"Intervals: {comparison.statistics.level * 100:.4g}%, Student's t and Hall's correction "
        "for skewness, whichever reaches further; p-values come from the same construction. A "
        "difference is better or worse if its interval excludes 0.",
        f"{comparison.lead} decides"
        + (" alone." if n_leading == 1 else f"; its {n_leading} candidates form one family."),
    ]
    if n_others == 1:
        notes.append("The other difference is reported with it.")
    elif n_others > 1:
        notes.append(f"The other {n_others} differences form one family.")
    if comparison.sliced:
        notes.append("The slices of a label form one family per measure.")
    if max(n_leading, n_others) > 1 or comparison.sliced:
        notes.append(
            "Within a family intervals are simultaneous and p-values adjusted: single-step max-t."
        )
    if comparison.statistics.tests:
        tests = listing(comparison.statistics.tests)
        notes.append(f"The p-values of {tests} are not adjusted and do not affect the result.")
    return " ".join(notes)
