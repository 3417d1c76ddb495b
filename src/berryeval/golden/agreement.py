"""The agreement of two judging passes: Cohen's kappa with linear weights."""

from __future__ import annotations

from dataclasses import dataclass

from berryeval.golden.golden_set import Passes
from berryeval.stats import Interval, kappa_interval, weighted_kappa

__all__ = ["Agreement", "agreement_of"]


@dataclass(frozen=True)
class Agreement:
    """How well two passes agree on the same pairs of query and chunk."""

    n_pairs: int
    n_equal: int
    """Number of pairs with the same grade in both passes."""
    kappa: float | None
    """Kappa; None if it is undefined: without pairs, or with a single grade everywhere."""
    interval: Interval | None
    """95% interval of kappa, resampled by query; None if `berryeval.stats.kappa_interval` returns
    None, as for full agreement.
    """


def agreement_of(passes: Passes, *, least: int = 0) -> Agreement:
    """Return how well two passes agree.

    Parameters
    ----------
    passes : mapping
        By query and chunk, the grades of both passes, and the settled one.
    least : int
        Only use pairs with at least this grade in either pass. Most chunks of a deep pool are
        irrelevant, and agreeing on them is easy: 1 leaves them out.
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
