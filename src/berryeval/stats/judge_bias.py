"""Whether a judge favours the documents of a system, long documents, high ranks or shared words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.stats.checked_pairs import CheckedPairs
from berryeval.stats.interval import Interval

__all__ = ["Bias", "BiasKind", "find_biases"]

BiasKind: TypeAlias = Literal["system", "length", "rank", "wording"]
"""How documents are grouped: by the system that retrieved them, or into thirds by length, rank, or
the share of the query's words that they contain."""

_FEWEST = 2  # a group of one has no spread


@dataclass(frozen=True)
class Bias:
    """How a judge grades one group of documents compared with all others."""

    kind: BiasKind
    group: str
    """The system, or which third: ``"up to 120"``, ``"120 to 480"``, ``"above 480"``."""
    n_pairs: int
    error: float
    """The mean of judge minus people in this group, in grades."""
    favour: float
    """How much that exceeds the mean of all other documents; above 0, the group is favoured."""
    interval: Interval | None
    """Interval of the favour; None if it cannot be estimated."""


def find_biases(pairs: CheckedPairs, confidence: float = 0.95) -> Iterator[Bias]:
    """Iterate over the biases by system, document length, rank and wording that are known.

    A group that has no pair, or all of them, is left out: there is nothing to compare. All pairs
    have been graded by the judge.

    Examples
    --------
    >>> pairs = CheckedPairs([0, 1, 2, 3] * 3, [1, 2, 2, 3] * 3, systems={"a": [1, 1, 0, 0] * 3})
    >>> [bias] = find_biases(pairs)
    >>> bias.group, bias.error, bias.favour
    ('a', 1.0, 1.0)
    """
    for system, retrieved in pairs.systems.items():
        yield from _bias(pairs, "system", system, np.asarray(retrieved, dtype=bool), confidence)
    numbers: tuple[tuple[BiasKind, ArrayLike | None], ...] = (
        ("length", pairs.lengths),
        ("rank", pairs.ranks),
        ("wording", pairs.overlaps),
    )
    for kind, values in numbers:
        if values is not None:
            column = np.asarray(values, dtype=np.float64)
            is_known = np.flatnonzero(~np.isnan(column))
            known, column = pairs.take(is_known.tolist()), column[is_known]
            for label, is_in_third in _thirds(column):
                yield from _bias(known, kind, label, is_in_third, confidence)


def _thirds(values: NDArray[np.float64]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Iterate over the lowest, middle and highest third; those without any value are left out."""
    if not len(values):
        return
    low, high = np.quantile(values, (1 / 3, 2 / 3), method="inverted_cdf").tolist()
    yield f"up to {low:g}", values <= low
    yield f"{low:g} to {high:g}", (low < values) & (values <= high)
    yield f"above {high:g}", values > high


def _bias(
    pairs: CheckedPairs,
    kind: BiasKind,
    group: str,
    is_member: NDArray[np.bool_],
    confidence: float,
) -> Iterator[Bias]:
    n_members = int(np.count_nonzero(is_member))
    if n_members in (0, pairs.n_pairs):
        return
    share = pairs.mean_over(is_member.astype(np.float64))
    errors = pairs.errors
    inside = pairs.mean_over(np.where(is_member, errors, 0.0)) / share
    outside = pairs.mean_over(np.where(is_member, 0.0, errors)) / (1 - share)
    # A difference of two ratios, linearised: what each pair adds to it.
    influence = np.where(is_member, (errors - inside) / share, -(errors - outside) / (1 - share))
    sample = pairs.mean_of(influence)
    is_estimable = min(n_members, pairs.n_pairs - n_members) >= _FEWEST and sample is not None
    interval = None
    if is_estimable and sample is not None:
        interval = replace(sample, mean=inside - outside).interval(confidence)
    yield Bias(kind, group, n_members, inside, inside - outside, interval)
