"""How large a difference is, regardless of whether it is due to chance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from berryeval.stats.moments import (
    are_equal,
    average_ranks,
    deviations_of,
    means_of,
    sums_of,
    without_rounding,
)
from berryeval.stats.validation import as_values

__all__ = ["cohens_dz", "rank_biserial"]


def cohens_dz(differences: ArrayLike) -> float | None:
    """Return the mean difference in standard deviations of the differences.

    Parameters
    ----------
    differences : sequence of float
        One finite number per query: candidate minus baseline.

    Returns
    -------
    float or None
        None for fewer than two queries, and where all differences are equal.

    References
    ----------
    Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 48.

    Examples
    --------
    >>> round(cohens_dz([0.1, 0.3, 0.2, 0.4]), 4)
    1.9365
    """
    values = as_values(differences)
    if len(values) < 2 or are_equal(values):  # noqa: PLR2004 - one query has no spread
        return None
    deviation = float(deviations_of(values))
    if deviation == 0.0:  # the squares of differences below 1e-154 are 0
        return None
    return float(means_of(values)) / deviation


def rank_biserial(differences: ArrayLike) -> float | None:
    """Return the matched-pairs rank-biserial correlation, which belongs to Wilcoxon's test.

    Differences are ranked by size. The result is the share of the ranks that belongs to differences
    above 0, minus the share of those below: 1 if all are above, -1 if all are below. Differences of
    0 are left out, and differences that are equal except for rounding tie.

    Parameters
    ----------
    differences : sequence of float
        One finite number per query: candidate minus baseline.

    Returns
    -------
    float or None
        None where all differences are 0, and for no query.

    References
    ----------
    Kerby (2014), Comprehensive Psychology 3, 11.IT.3.1.

    Examples
    --------
    >>> rank_biserial([0.1, -0.2, 0.3, 0.0])
    0.3333333333333333
    """
    values = as_values(differences)
    if not values.any():
        return None
    values = without_rounding(values)
    values = values[values != 0]
    ranks = average_ranks(np.abs(values))
    above = float(sums_of(np.where(values > 0, ranks, 0.0)))
    return (2 * above - float(sums_of(ranks))) / float(sums_of(ranks))
