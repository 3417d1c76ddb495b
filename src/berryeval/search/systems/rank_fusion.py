"""Reciprocal rank fusion: combines several rankings of one query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, get_args

from berryeval.errors import ArgumentError
from berryeval.fusion.combining import reciprocal_rank, weighted_sum
from berryeval.search.hits import Hit, best_hits

__all__ = ["Fusion", "check_fusion", "fuse_hits"]

Fusion: TypeAlias = Literal["scores", "ranks"]
"""Whether two rankings are fused by scores, in two rounds, or by reciprocal ranks."""


def check_fusion(
    weights: Sequence[float], constant: float, depth: int, fusion: str = "ranks"
) -> None:
    """Raise if these settings for the fusion of two rankings are invalid."""
    if fusion not in get_args(Fusion):
        raise ArgumentError("fusion", " or ".join(map(repr, get_args(Fusion))), repr(fusion))
    if len(weights) != 2 or min(weights) < 0 or max(weights) <= 0:  # noqa: PLR2004
        raise ArgumentError("weights", "two numbers of at least 0, not both 0", repr(weights))
    if constant < 0:
        raise ArgumentError("constant", "a number from 0", repr(constant))
    if depth < 1:
        raise ArgumentError("depth", "at least 1", repr(depth))


def fuse_hits(
    rankings: Iterable[Sequence[Hit]],
    k: int,
    *,
    weights: Sequence[float],
    constant: float = 60.0,
) -> list[Hit]:
    """Return the best k documents of several rankings.

    The score of a document is the sum of weight / (constant + rank) over the rankings that contain
    it. Ranks count from 1.

    References
    ----------
    Cormack, Clarke and Büttcher (2009), SIGIR, 758-759.

    Examples
    --------
    >>> lexical, vector = [Hit("a", 9.1), Hit("b", 2.0)], [Hit("b", 0.8)]
    >>> fuse_hits([lexical, vector], k=1, weights=(1, 1), constant=0)
    [Hit(doc_id='b', score=1.5)]
    """
    parts = (
        (1.0, {hit.doc_id: reciprocal_rank(rank, constant, weight) for rank, hit in ranked})
        for ranked, weight in zip(map(_ranked, rankings), weights, strict=True)
    )
    found = weighted_sum(parts).items()
    return best_hits(((d, score) for d, score in found if score > 0), k)


def _ranked(hits: Sequence[Hit]) -> Iterable[tuple[int, Hit]]:
    return enumerate(hits, start=1)
