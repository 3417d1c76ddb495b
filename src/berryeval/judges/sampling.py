"""Draws a stratified sample, with the probability of each drawn item."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

__all__ = ["allocate", "draw_stratified"]

Stratum = TypeVar("Stratum", bound=Hashable)


def allocate(sizes: Mapping[Stratum, int], n: int) -> dict[Stratum, int]:
    """Return how many items to draw from each stratum: as equally as their sizes allow.

    Rare grades are what a check needs to see, so strata count equally, regardless of their sizes;
    the
    probabilities of the sample make up for it.

    Examples
    --------
    >>> allocate({"frequent": 100, "rare": 3}, 10)
    {'frequent': 7, 'rare': 3}
    """
    left = min(n, sum(sizes.values()))
    taken = dict.fromkeys(sizes, 0)
    while left:
        open_strata = [name for name, size in sizes.items() if taken[name] < size]
        share = max(1, left // len(open_strata))
        for name in open_strata:
            more = min(share, sizes[name] - taken[name], left)
            taken[name] += more
            left -= more
    return taken


def draw_stratified(strata: Sequence[Hashable], n: int, seed: int | str) -> list[tuple[int, float]]:
    """Draw items at random from each stratum.

    Parameters
    ----------
    strata : sequence
        The stratum of each item.
    n : int
        Items to draw; all, if there are not more.
    seed : int or str
        Equal seeds draw equal samples.

    Returns
    -------
    list of (int, float)
        Positions of the drawn items in order, each with the probability that it was drawn.

    Examples
    --------
    >>> draw_stratified(["a", "a", "b"], 3, seed=0)
    [(0, 1.0), (1, 1.0), (2, 1.0)]
    """
    members: dict[Hashable, list[int]] = {}
    for position, stratum in enumerate(strata):
        members.setdefault(stratum, []).append(position)
    taken = allocate({name: len(own) for name, own in members.items()}, n)
    draw = random.Random(f"{seed}")  # noqa: S311 - a sample, not a secret
    found = []
    for name, own in members.items():
        chance = taken[name] / len(own)
        found += [(position, chance) for position in draw.sample(own, taken[name])]
    return sorted(found)
