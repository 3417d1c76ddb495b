"""Corrections for many tests at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias, get_args

from berryeval.errors import ArgumentError
from berryeval.stats.validation import check_choice

__all__ = ["CorrectionName", "adjust"]

CorrectionName: TypeAlias = Literal["none", "bonferroni", "holm", "benjamini-hochberg"]
"""The names of corrections."""


def adjust(p_values: Sequence[float | None], method: CorrectionName) -> list[float | None]:
    """Return adjusted p-values, to be compared with the unchanged level.

    Parameters
    ----------
    p_values : sequence of float or None
        None stands for a test that is not defined: it stays None and does not count.
    method : {"none", "bonferroni", "holm", "benjamini-hochberg"}
        Bonferroni and Holm bound the chance of a single false finding; Holm is never worse.
        Benjamini-Hochberg bounds the expected share of false ones among the findings.

    Returns
    -------
    list of float or None
        In the order given, at most 1.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6, 65-70.
    Benjamini and Hochberg (1995), Journal of the Royal Statistical Society B 57, 289-300.

    Examples
    --------
    >>> adjust([0.25, None, 0.125], "holm")
    [0.25, None, 0.25]
    """
    check_choice("method", method, get_args(CorrectionName))
    defined = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    for p, _ in defined:
        if not 0 <= p <= 1:
            raise ArgumentError("p_values", "numbers from 0 to 1", repr(p))
    adjusted: list[float | None] = [None] * len(p_values)
    for (_, place), p in zip(defined, _ADJUST[method]([p for p, _ in defined]), strict=True):
        adjusted[place] = p
    return adjusted


def _bonferroni(ascending: list[float]) -> list[float]:
    return [min(1.0, p * len(ascending)) for p in ascending]


def _holm(ascending: list[float]) -> list[float]:
    adjusted, highest = [], 0.0
    for place, p in enumerate(ascending):
        highest = max(highest, min(1.0, p * (len(ascending) - place)))
        adjusted.append(highest)
    return adjusted


def _benjamini_hochberg(ascending: list[float]) -> list[float]:
    adjusted, lowest = [], 1.0
    for rank in range(len(ascending), 0, -1):
        lowest = min(lowest, ascending[rank - 1] * len(ascending) / rank)
        adjusted.append(lowest)
    return adjusted[::-1]


_ADJUST: dict[str, Callable[[list[float]], list[float]]] = {
    "none": list,
    "bonferroni": _bonferroni,
    "holm": _holm,
    "benjamini-hochberg": _benjamini_hochberg,
}
