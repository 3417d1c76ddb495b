"""nDCG averaged over several ranks: at the relevant documents, or where the ideal gain falls."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.discounts import log2_ranks
from berryeval.kernels.gains import LINEAR, Gain, gains, ideal_gains
from berryeval.kernels.relevance import count_relevant

__all__ = ["ndcg_at_gain_levels", "ndcg_at_relevant"]


def ndcg_at_relevant(
    grades: Sequence[float], judged: Sequence[float], gain: Gain = LINEAR
) -> float:
    """Average nDCG over the documents that gain something, each at its own rank.

    One that was not retrieved counts with the DCG of the whole ranking over that of the ideal.
    """
    gained = gains(grades, gain)
    ideal = ideal_gains(judged, gain)
    if not ideal:
        return 0.0
    dcgs = _running_dcg(gained, len(gained))
    ideals = _running_dcg(ideal, max(len(gained), len(ideal)))
    n_found = 0
    total = 0.0
    for value, found, possible in zip(gained, dcgs[1:], ideals[1:], strict=False):
        if value > 0.0:
            total += found / possible
            n_found += 1
    total += (len(ideal) - n_found) * dcgs[-1] / ideals[-1]
    return max(total / len(ideal), 0.0)


def ndcg_at_gain_levels(
    grades: Sequence[float], judged: Sequence[float], gain: Gain = LINEAR, level: float = 1.0
) -> float:
    """Average nDCG over the ranks at which the gain of the ideal ranking falls.

    The last of them is the number of documents that gain something. As in trec_eval, the end
    of the ranking is one more such point if it comes at least two ranks later; and if nothing is
    relevant, the value is 0, regardless of gains.
    """
    ideal = ideal_gains(judged, gain)
    if not ideal or not count_relevant(judged, level):
        return 0.0
    n = len(ideal)
    dcgs = _running_dcg(gains(grades, gain), max(len(grades), n))
    ideals = _running_dcg(ideal, n)
    n_points = 0
    total = 0.0
    for rank in range(1, n + 1):
        if rank == n or ideal[rank] != ideal[rank - 1]:
            total += dcgs[rank] / ideals[rank]
            n_points += 1
    if len(grades) > n + 1:
        total += dcgs[-1] / ideals[-1]
        n_points += 1
    return total / n_points


def _running_dcg(values: Sequence[float], n_ranks: int) -> list[float]:
    """Return the DCG at rank 0, 1, … `n_ranks`; past the end nothing is gained."""
    total = 0.0
    running = [total]
    for value, log2_rank in zip(values, log2_ranks(n_ranks), strict=False):
        total += value / log2_rank
        running.append(total)
    running += [total] * (n_ranks - len(values))
    return running
