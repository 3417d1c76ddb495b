"""Tukey's honestly significant differences: every system against every other, at once.

Both forms take the queries into account: some are harder than others for every system. The
p-values hold for all pairs together and need no further correction.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.stats._moments import means_of, slack_of, sums_of
from berryeval.stats._validation import as_columns, check_resampling
from berryeval.stats.resampling import permuted_ranges

__all__ = ["randomised_tukey_hsd", "tukey_hsd"]


def tukey_hsd(values: ArrayLike) -> NDArray[np.float64]:
    """Return p-values of all pairs of systems, by the studentized range.

    The model is score = query + system + error; the error's variance comes from what query and
    system leave over, with (queries - 1) (systems - 1) degrees of freedom.

    Parameters
    ----------
    values : array of queries x systems
        Finite numbers, at least two queries and two systems.

    Returns
    -------
    ndarray of float64, systems x systems
        Symmetric, 1 on the diagonal and for equal means. Where query and system leave nothing
        over, different means have p = 0.

    Raises
    ------
    ArgumentError
        For fewer queries or systems.

    References
    ----------
    Carterette (2012), ACM Transactions on Information Systems 30(1), 4:1-34.
    """
    columns = as_columns(values, least=2, n_columns=2)
    n_queries, n_systems = columns.shape
    distances = _distances(columns)
    means = means_of(columns)
    of_queries = means_of(columns.T)[:, None]
    effects = of_queries + (means - means_of(means))
    freedom = (n_queries - 1) * (n_systems - 1)
    variance = float(sums_of(sums_of((columns - effects) ** 2))) / freedom
    if math.sqrt(variance) <= float(slack_of(columns).max()):
        return np.where(distances > 0, 0.0, 1.0)
    from scipy import stats  # takes over a second

    p_values = np.ones((n_systems, n_systems))
    above = np.triu_indices(n_systems, 1)
    found = stats.studentized_range.sf(
        distances[above] / math.sqrt(variance / n_queries), n_systems, freedom
    )
    p_values[above] = np.clip(found, 0.0, 1.0)
    return np.minimum(p_values, p_values.T)


def randomised_tukey_hsd(
    values: ArrayLike, n_resamples: int = 10_000, seed: int = 0
) -> NDArray[np.float64]:
    """Return p-values of all pairs of systems, by shuffling the scores of each query.

    A p-value is the share of shuffles in which the best and the worst system differ by at least
    as much as this pair does, the observed scores counted as one of them: it is never 0. All
    systems are taken to be the same, so one that stands apart makes the other pairs look alike.

    Parameters
    ----------
    values : array of queries x systems
        Finite numbers, at least one query and two systems.
    n_resamples, seed
        As those of `permuted_ranges`.

    Returns
    -------
    ndarray of float64, systems x systems
        Symmetric, 1 on the diagonal and for equal means.

    References
    ----------
    Carterette (2012), ACM Transactions on Information Systems 30(1), 4:1-34.
    """
    columns = as_columns(values, n_columns=2)
    check_resampling(n_resamples, seed)
    ranges = np.sort(permuted_ranges(columns, n_resamples, seed))
    slack = float(slack_of(columns).max())
    n_below = np.searchsorted(ranges, _distances(columns) - slack)
    p_values: NDArray[np.float64] = (n_resamples - n_below + 1) / (n_resamples + 1)
    return p_values


def _distances(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    means = means_of(columns)
    return np.abs(means[:, None] - means)
