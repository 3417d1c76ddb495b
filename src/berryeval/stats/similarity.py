"""How similar two rankings, or two orders of systems, are."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError
from berryeval.stats.validation import as_pair, check_share

__all__ = ["kendall_tau", "overlap_bounds", "rank_biased_overlap", "tau_ap"]


def rank_biased_overlap(a: Sequence[Hashable], b: Sequence[Hashable], p: float = 0.9) -> float:
    """Return the rank-biased overlap of two rankings, extrapolated.

    The share of documents that the first d ranks of both have in common, averaged over all
    depths d with weights that fall by the factor p. Beyond the ends of the lists the agreement
    seen last is assumed to continue; where one list ends before the other, its missing ranks are
    assumed to agree as its present ones do (Webber's RBO_EXT).

    Parameters
    ----------
    a, b : sequence
        Document ids, best first, without repeats. Lengths and contents may differ.
    p : float
        Between 0 and 1. With 0.9 the first ten ranks have 86% of the weight.

    Returns
    -------
    float
        From 0, nothing in common, to 1, the same ranking. Two empty rankings are the same, and
        an empty one has nothing in common with another.

    Raises
    ------
    ArgumentError
        For a repeated document, or p out of range.

    References
    ----------
    Webber, Moffat and Zobel (2010), ACM Transactions on Information Systems 28(4), 20:1-38.

    Examples
    --------
    >>> rank_biased_overlap(["d1", "d2", "d3"], ["d1", "d2", "d3"])
    1.0
    >>> round(rank_biased_overlap(["d1", "d2", "d3"], ["d2", "d1"]), 4)
    0.9
    """
    _check(a, b, p)
    if not a or not b:
        return float(len(a) == len(b))
    short, long = sorted((a, b), key=len)
    overlaps = _overlaps(short, long)
    n_short, n_long = len(short), len(long)
    at_short, at_long = overlaps[n_short - 1], overlaps[n_long - 1]
    # Weights are powers of p from p^0 on; those beyond the longer list add up to p^n_long.
    total, weight = 0.0, 1.0 - p
    for depth, overlap in enumerate(overlaps, start=1):
        assumed = at_short * max(0, depth - n_short) / n_short
        total += (overlap + assumed) / depth * weight
        weight *= p
    beyond = (at_long - at_short) / n_long + at_short / n_short
    return min(1.0, total + beyond * p**n_long)


def overlap_bounds(
    a: Sequence[Hashable], b: Sequence[Hashable], p: float = 0.9
) -> tuple[float, float]:
    """Return the least and the greatest rank-biased overlap of two rankings that were cut off.

    The rankings are assumed to continue below their last ranks: with no further document in common,
    or with as many as possible. The distance of the two values is Webber's residual.

    Parameters
    ----------
    a, b, p
        As `rank_biased_overlap` takes them.

    Returns
    -------
    tuple of float
        Webber's RBO_MIN, and RBO_MIN + RBO_RES.

    References
    ----------
    Webber, Moffat and Zobel (2010), ACM Transactions on Information Systems 28(4), 20:1-38.

    Examples
    --------
    >>> low, high = overlap_bounds(["d1", "d2", "d3"], ["d2", "d1", "d4"])
    >>> round(low, 4), round(high, 4)
    (0.3117, 0.873)
    """
    _check(a, b, p)
    short, long = sorted((a, b), key=len)
    overlaps = _overlaps(short, long)
    n_short, n_long = len(short), len(long)
    at_long = overlaps[-1] if overlaps else 0
    n_all = n_short + n_long - at_long  # where the best continuation has everything in common
    least = most = share = 0.0
    weight = 1.0 - p
    for depth in range(1, n_all + 1):
        overlap = overlaps[depth - 1] if depth <= n_long else at_long
        n_new = max(0, depth - n_short) + max(0, depth - n_long)
        least += overlap / depth * weight
        most += min(depth, overlap + n_new) / depth * weight
        share += weight / depth
        weight *= p
    # 1 / depth, weighted, over all depths.
    share_of_all = -math.log1p(-p) * (1.0 - p) / p
    least += at_long * max(0.0, share_of_all - share)
    return min(1.0, least), min(1.0, most + p**n_all)


def kendall_tau(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return Kendall's tau-b, which corrects for ties.

    Parameters
    ----------
    x, y : sequence of float
        Two scores of the same items, in the same order; at least two.

    Returns
    -------
    float or None
        From -1 to 1; None for fewer than two items, and where all items of one side tie.

    Examples
    --------
    >>> kendall_tau([1, 2, 3, 4], [1, 3, 2, 4])
    0.6666666666666666
    """
    one, other = as_pair(x, y)
    balance = n_one = n_other = 0
    for i in range(1, len(one)):
        sign_one, sign_other = _signs(one, i), _signs(other, i)
        balance += int(np.dot(sign_one, sign_other))
        n_one += int(np.count_nonzero(sign_one))
        n_other += int(np.count_nonzero(sign_other))
    if n_one == 0 or n_other == 0:
        return None
    return float(balance / np.sqrt(float(n_one) * float(n_other)))


def tau_ap(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return the AP rank correlation, in which the top counts most.

    For each item but the best, it takes the share of the items above it by one score that are also
    above it by the other, and averages these shares, scaled to -1 to 1. This is done in both
    directions, and the mean of the two is returned. Items that tie are neither above nor below each
    other, and all that tie for the top count as best (tau_AP,b of Urbano and Marrero).

    Parameters
    ----------
    x, y : sequence of float
        Two scores of the same items, in the same order; higher is better.

    Returns
    -------
    float or None
        From -1 to 1; None for fewer than two items, and where all items of one side tie.

    References
    ----------
    Yilmaz, Aslam and Robertson (2008), SIGIR, 587-594.
    Urbano and Marrero (2017), ICTIR, 321-324.

    Examples
    --------
    >>> tau_ap([4, 3, 2, 1], [4, 3, 2, 1])
    1.0
    >>> tau_ap([4, 3, 2, 1], [3, 4, 2, 1])
    0.33333333333333326
    """
    one, other = as_pair(x, y)
    there, back = _tau_ap_one_way(one, other), _tau_ap_one_way(other, one)
    return None if there is None or back is None else (there + back) / 2


def _check(a: Sequence[Hashable], b: Sequence[Hashable], p: float) -> None:
    check_share("p", p)
    for name, ranking in (("a", a), ("b", b)):
        if len(set(ranking)) < len(ranking):
            raise ArgumentError(name, "each document once", "one of them twice")


def _overlaps(short: Sequence[Hashable], long: Sequence[Hashable]) -> list[int]:
    """Return, for each depth of the longer list, how many documents are in both."""
    seen_short: set[Hashable] = set()
    seen_long: set[Hashable] = set()
    overlap, overlaps = 0, []
    for depth, document in enumerate(long):
        seen_long.add(document)
        overlap += document in seen_short
        if depth < len(short):
            seen_short.add(short[depth])
            overlap += short[depth] in seen_long
        overlaps.append(overlap)
    return overlaps


def _signs(values: NDArray[np.float64], i: int) -> NDArray[np.int64]:
    """Compare each item before the i-th with it: 1 if above, 0 if the same, -1 if below."""
    signs: NDArray[np.int64] = (values[:i] > values[i]).astype(np.int64) - (values[:i] < values[i])
    return signs


def _tau_ap_one_way(one: NDArray[np.float64], other: NDArray[np.float64]) -> float | None:
    shares, n_items = 0.0, 0
    for i in range(len(one)):
        is_above = one > one[i]
        n_above = int(np.count_nonzero(is_above))
        if n_above > 0:
            shares += int(np.count_nonzero(is_above & (other > other[i]))) / n_above
            n_items += 1
    return None if n_items == 0 else 2 * shares / n_items - 1
