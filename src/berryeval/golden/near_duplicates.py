"""Chunks that say almost the same, found by the runs of words that they share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import combinations

__all__ = ["OVERLAP", "near_duplicates", "shingles"]

OVERLAP = 0.5
"""The share of common runs of words from which two texts are near-duplicates."""

_WORDS = 4
_WORD = re.compile(r"\w+")


def shingles(text: str) -> frozenset[tuple[str, ...]]:
    """Return every run of four words of a text; all of its words if it has fewer."""
    words = _WORD.findall(text.lower())
    if len(words) <= _WORDS:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(tuple(words[i : i + _WORDS]) for i in range(len(words) - _WORDS + 1))


def near_duplicates(
    shingled: Mapping[str, frozenset[tuple[str, ...]]], overlap: float = OVERLAP
) -> Iterator[tuple[str, str, float]]:
    """Iterate over pairs of texts with the share of shingles that both have (Jaccard).

    Parameters
    ----------
    shingled : mapping
        The shingles of each text.
    overlap : float
        Pairs that share less are left out.
    """
    holders: dict[tuple[str, ...], list[str]] = {}
    for name, own in shingled.items():
        for shingle in own:
            holders.setdefault(shingle, []).append(name)
    n_common: Counter[tuple[str, str]] = Counter()
    for names in holders.values():
        n_common.update(combinations(names, 2))
    for (a, b), common in sorted(n_common.items()):
        share = common / (len(shingled[a]) + len(shingled[b]) - common)
        if share >= overlap:
            yield a, b, share
