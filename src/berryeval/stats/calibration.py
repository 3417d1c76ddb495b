"""The average grade of a judge for each grade of people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from berryeval.stats.checked_pairs import CheckedPairs
from berryeval.stats.interval import Interval

__all__ = ["CalibrationPoint", "calibrate"]


@dataclass(frozen=True)
class CalibrationPoint:
    """The mean grade of a judge among documents to which people gave one grade."""

    people: float
    """The grade that people gave."""
    n_pairs: int
    mean: float
    """The judge's mean, reweighted. Without bias, it equals the grade of people."""
    interval: Interval | None
    """Interval of the mean; None if it cannot be estimated."""


def calibrate(pairs: CheckedPairs, confidence: float = 0.95) -> Iterator[CalibrationPoint]:
    """Iterate over the grades of people, lowest first. The judge must have graded all pairs.

    Examples
    --------
    >>> pairs = CheckedPairs([0, 0, 0, 1], [0, 0, 1, 1])
    >>> [(point.people, point.n_pairs, round(point.mean, 2)) for point in calibrate(pairs)]
    [(0.0, 3, 0.33), (1.0, 1, 1.0)]
    """
    for grade in np.unique(pairs.of_people).tolist():
        own = pairs.take(np.flatnonzero(pairs.of_people == grade).tolist())
        sample = own.mean_of(own.of_judge)
        interval = None if sample is None else sample.interval(confidence)
        yield CalibrationPoint(grade, own.n_pairs, own.mean_over(own.of_judge), interval)
