"""How far two passes of judging agree: Cohen's kappa with linear weights."""

from __future__ import annotations

from dataclasses import dataclass

from berryeval.golden.golden_set import Passes
from berryeval.stats import Interval, kappa_interval, weighted_kappa

__all__ = ["Agreement", "agreement_of"]


@dataclass(frozen=True)
class Agreement:
    """How far the first pass and the second agree on the same pairs of query and chunk."""

    n_pairs: int
    n_equal: int
    """Pairs that both passes gave the same grade."""
    kappa: float | None
    """None where it is not defined: no pairs, or a single grade everywhere."""
    interval: Interval | None
    """Of kappa, at 95 %; resampled by query. None where `berryeval.stats.kappa_interval` has none,
    as for full agreement."""


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
    both = [
        (query_id, (first, second))
        for query_id, chunks in passes.items()
        for first, second, _ in chunks.values()
        if max(first, second) >= least
    ]
    pairs = [pair for _, pair in both]
    n_equal = sum(first == second for first, second in pairs)
    interval = kappa_interval(pairs, groups=[query_id for query_id, _ in both])
    return Agreement(len(pairs), n_equal, weighted_kappa(pairs).value, interval)
