"""Prices of expensive requests, which are computed and checked before the work."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from berryeval.evaluation.bounds import has_bounds
from berryeval.measures import Measure
from berryeval.service.problems import Problem

__all__ = ["CHEAP", "PRICE_OF_BOUNDS", "check_price", "price_of_holes"]

CHEAP = 1e8
"""Price up to which work takes less time than sending its data to a process."""

PRICE_OF_BOUNDS = 20_000
"""Maximum number of grades that the bounds of a difference try for each query."""

_PLAIN_PYTHON = 30
"""Price of a step in plain Python. A step in the native extension costs 1."""


def check_price(what: str, formula: str, price: float, most: float, way_out: str) -> None:
    """Raise if a request is too expensive.

    Parameters
    ----------
    what, formula : str
        What is requested, such as ``"comparison"``, and what determines its price.
    price, most : float
        The price, and the highest that the operator allows.
    way_out : str
        How to lower the price.

    Raises
    ------
    Problem
        422.
    """
    if price <= most:
        return
    way_out = f"{way_out}, or raise max_comparison"
    raise Problem(
        422,
        f"this {what} is too expensive: expected {formula} of at most {most:.2g}, "
        f"found {price:.2g}; {way_out}",
        kind="too-expensive",
        expected=f"a price of at most {most:.2g}",
        found=f"{price:.2g}",
        way_out=way_out,
    )


def price_of_holes(
    measures: Iterable[Measure], depths: Collection[float], n_queries: int, *, has_baseline: bool
) -> float:
    """Return the price of the holes of some runs.

    Every hole of a ranking is graded once, and the whole ranking scored each time.

    Parameters
    ----------
    measures : iterable of Measure
        A measure without a cutoff looks at whole rankings.
    depths : collection of float
        Documents per query, for each run.
    n_queries : int
        The largest number of queries of a run.
    has_baseline : bool
        Whether the bounds of differences are computed.
    """
    per_query = 0.0
    for measure in measures:
        for depth in depths:
            ranks = depth if measure.depth is None else min(depth, measure.depth)
            per_query += ranks * (ranks + len(depths)) * _PLAIN_PYTHON
            per_query += PRICE_OF_BOUNDS * (has_baseline and has_bounds(measure))
    return n_queries * per_query
