"""The confusion matrix of a judge and people, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from berryeval.stats.checked_pairs import CheckedPairs
from berryeval.stats.interval import Interval
from berryeval.stats.moments import sums_of

__all__ = ["ConfusionCell", "confusion_of", "share_interval"]


@dataclass(frozen=True)
class ConfusionCell:
    """The grades of a judge for the documents of one grade."""

    people: float
    """The grade that people gave."""
    judge: float | None
    """The grade that the judge gave; None if it could not judge."""
    n_pairs: int
    share: float
    """Share of the pairs to which people gave that grade, reweighted."""
    interval: Interval
    """Interval of the share, by Clopper and Pearson."""


def confusion_of(pairs: CheckedPairs, confidence: float = 0.95) -> Iterator[ConfusionCell]:
    """Iterate over the cells of the confusion matrix, by the grade of people, then of the judge.

    Each row has every grade that occurs on either side; "could not judge" comes last and only if it
    occurs anywhere. Unequal weights widen intervals: they are worth fewer pairs of equal weight.

    Examples
    --------
    >>> cells = list(confusion_of(CheckedPairs([0, 0, 0, 1], [0, 0, 1, 1])))
    >>> [(cell.people, cell.judge, cell.n_pairs, round(cell.share, 2)) for cell in cells]
    [(0.0, 0.0, 2, 0.67), (0.0, 1.0, 1, 0.33), (1.0, 0.0, 0, 0.0), (1.0, 1.0, 1, 1.0)]
    """
    people, judge, counts = pairs.of_people, pairs.of_judge, pairs.counts
    answered = judge[~np.isnan(judge)]
    columns: list[float | None] = np.unique(np.concatenate([people, answered])).tolist()
    if len(answered) < len(judge):
        columns.append(None)
    for grade in np.unique(people).tolist():
        is_in_row = people == grade
        total, squares = sums_of(counts[is_in_row]), sums_of(counts[is_in_row] ** 2)
        worth = float(total**2 / squares)
        for other in columns:
            is_here = is_in_row & (np.isnan(judge) if other is None else judge == other)
            share = float(sums_of(np.append(counts[is_here], 0.0)) / total)
            interval = share_interval(min(worth, share * worth), worth, confidence)
            yield ConfusionCell(grade, other, int(np.count_nonzero(is_here)), share, interval)


def share_interval(n_hits: float, n: float, confidence: float = 0.95) -> Interval:
    """Return Clopper and Pearson's interval of a share; both numbers may be fractions.

    References
    ----------
    Korn and Graubard (1998), Survey Methodology 24(2), 193-201, for weighted samples.

    Examples
    --------
    >>> interval = share_interval(8, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.4439, 0.9748)
    """
    alpha = (1 - confidence) / 2
    low = float(betaincinv(n_hits, n - n_hits + 1, alpha)) if n_hits > 0 else 0.0
    high = float(betaincinv(n_hits + 1, n - n_hits, 1 - alpha)) if n_hits < n else 1.0
    return Interval(low, high, confidence, "clopper-pearson")
