"""How far two passes of judging agree: Cohen's kappa with linear weights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from berryeval.golden.golden_set import Passes

__all__ = ["Agreement", "agreement_of", "weighted_kappa"]


@dataclass(frozen=True)
class Agreement:
    """How far the first pass and the second agree on the same pairs of query and chunk."""

    n_pairs: int
    n_equal: int
    """Pairs that both passes gave the same grade."""
    kappa: float | None
    """None where it is not defined: no pairs, or a single grade everywhere."""


def weighted_kappa(pairs: Iterable[tuple[int, int]]) -> float | None:
    """Return Cohen's kappa of pairs of grades; a disagreement weighs as much as it is far.

    1 is full agreement, 0 what chance would give, and below 0 less than that.

    Returns
    -------
    float or None
        None where chance could not disagree: no pairs, or a single grade everywhere.

    References
    ----------
    Cohen (1968), Psychological Bulletin 70(4), 213-220.

    Examples
    --------
    >>> weighted_kappa([(0, 0), (3, 3), (1, 1)])
    1.0
    >>> round(weighted_kappa([(0, 0), (0, 1), (2, 2), (3, 2)]), 4)
    0.6
    """
    both = Counter(pairs)
    n_pairs = sum(both.values())
    first: Counter[int] = Counter()
    second: Counter[int] = Counter()
    for (one, other), times in both.items():
        first[one] += times
        second[other] += times
    # Whole numbers up to the end, so that the order of pairs changes no digit.
    observed = n_pairs * sum(abs(one - other) * times for (one, other), times in both.items())
    by_chance = sum(abs(one - other) * n * m for one, n in first.items()
                    for other, m in second.items())  # fmt: skip
    return None if by_chance == 0 else 1 - observed / by_chance


def agreement_of(passes: Passes, *, least: int = 0) -> Agreement:
    """Return how far two passes agree.

    Parameters
    ----------
    passes : mapping
        Query, chunk, and the grades of the first pass, of the second, and settled.
    least : int
        Only pairs that either pass gave at least this grade. Most chunks of a deep pool serve
        nobody, and agreeing on them is easy: 1 leaves them out.
    """
    pairs = [
        (first, second)
        for chunks in passes.values()
        for first, second, _ in chunks.values()
        if max(first, second) >= least
    ]
    n_equal = sum(first == second for first, second in pairs)
    return Agreement(len(pairs), n_equal, weighted_kappa(pairs))
