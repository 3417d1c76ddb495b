"""How many units of each stratum people should label: Neyman's allocation."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

from berryeval.errors import ArgumentError
from berryeval.stats.prediction_powered import MIN_LABELLED
from berryeval.stats.validation import check_count

__all__ = ["allocate_labels"]

Stratum = TypeVar("Stratum", bound=Hashable)


def allocate_labels(
    sizes: Mapping[Stratum, int],
    n_labels: int,
    *,
    spreads: Mapping[Stratum, float] | None = None,
    fewest: int = MIN_LABELLED,
) -> dict[Stratum, int]:
    """Return how many units of each stratum people should label, by Neyman's allocation.

    A stratum gets labels in proportion to its size times its spread, which estimates the mean best.
    Each gets at least `fewest`, or all of its units. The probability of a unit is the number of
    labels of its stratum divided by its size.

    Parameters
    ----------
    sizes : mapping of stratum to int
        Units in each stratum.
    n_labels : int
        Labels that people can give. All units are labelled if there are no more.
    spreads : mapping of stratum to float, optional
        The standard deviation of people minus model in each stratum, as far as it is known, such
        as from an earlier round. Default: the same everywhere, which is proportional allocation.
    fewest : int
        Minimum number of labels per stratum.

    Returns
    -------
    dict of stratum to int
        They add up to `n_labels`, or to the number of units if that is less.

    Raises
    ------
    ArgumentError
        If there are too few labels for every stratum to get the minimum, or a spread is missing or
        negative.

    References
    ----------
    Neyman (1934), Journal of the Royal Statistical Society 97(4), 558-625.

    Examples
    --------
    >>> allocate_labels({"easy": 700, "hard": 300}, 100)
    {'easy': 70, 'hard': 30}
    >>> allocate_labels({"easy": 700, "hard": 300}, 100, spreads={"easy": 0.1, "hard": 0.4})
    {'easy': 37, 'hard': 63}
    """
    check_count("n_labels", n_labels)
    check_count("fewest", fewest)
    for stratum, size in sizes.items():
        check_count(f"sizes[{stratum!r}]", size)
    least = {stratum: min(fewest, size) for stratum, size in sizes.items()}
    if n_labels >= sum(sizes.values()):
        return dict(sizes)
    if n_labels < sum(least.values()):
        expected = f"at least {sum(least.values())}: {fewest} per stratum, or all of it"
        raise ArgumentError("n_labels", expected, str(n_labels))
    weights = {stratum: size * _spread(spreads, stratum) for stratum, size in sizes.items()}
    if not any(weights.values()):
        weights = {stratum: float(size) for stratum, size in sizes.items()}
    # One label at a time to the stratum that is furthest from its share: within its limits.
    found = dict(least)
    for _ in range(n_labels - sum(least.values())):
        open_ones = [stratum for stratum in sizes if found[stratum] < sizes[stratum]]
        chosen = max(open_ones, key=lambda stratum: weights[stratum] / (found[stratum] + 0.5))
        found[chosen] += 1
    return found


def _spread(spreads: Mapping[Stratum, float] | None, stratum: Stratum) -> float:
    if spreads is None:
        return 1.0
    spread = spreads.get(stratum)
    if spread is None or not 0 <= spread < math.inf:
        raise ArgumentError(f"spreads[{stratum!r}]", "a finite number, at least 0", repr(spread))
    return float(spread)
