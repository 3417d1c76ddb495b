"""What a measure sees of a ranking, and so which moves can change its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from berryeval.kernels.gains import gains
from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.measures import Measure

__all__ = ["Arrangement", "View", "view_of"]

Arrangement: TypeAlias = Literal["additive", "standing", "first", "closed", "set"]
"""``additive``: the value is a sum over documents, each at its rank. ``standing``: documents that
count keep their ranks, whatever stands between them. ``first``: so, and only the best of them
matters. ``closed``: every document counts, and the list has no gaps. ``set``: so, and ranks do
not matter."""


@dataclass(frozen=True)
class View:
    """How a measure looks at a ranking."""

    counts: Callable[[float], bool]
    """Whether a document of this grade, as kernels take it, can change the value. To the
    measure all others are as one that nobody judged."""
    arrangement: Arrangement


_RELEVANT_ADDITIVE = {
    "n_relevant_retrieved",
    "r_precision",
    "r_precision_at_multiple",
    "rank_biased_precision",
    "recall",
}
# Sums over documents if they divide by k; without it they divide by how many were retrieved.
_RELEVANT_BY_DEPTH = {"f1", "f_beta", "precision", "relative_precision"}
_RELEVANT_STANDING = {
    "average_precision",
    "binary_normalised_gain",
    "eleven_point_average",
    "interpolated_precision",
    "yaap",
}
_RELEVANT_FIRST = {"hit_rate", "reciprocal_rank"}
_GAINING_ADDITIVE = {"dcg", "ndcg", "normalised_cumulated_gain"}
_GAINING_STANDING = {"ndcg_at_relevant", "normalised_gain"}
_EVERY_SET = {"set_average_precision", "set_f"}


def view_of(measure: Measure) -> View:
    """Return how a measure looks at a ranking.

    One that is not known here, such as a user's own, is taken to look at every document.
    """
    kernel = getattr(getattr(measure, "kernel", None), "__name__", "")
    return (
        _view_by_relevance(kernel, measure)
        or _view_by_gain(kernel, measure)
        or _view_by_judgment(kernel, measure)
        or View(_every, "closed")
    )


def _view_by_relevance(kernel: str, measure: Any) -> View | None:  # noqa: ANN401 - of any kind
    def is_relevant(grade: float) -> bool:
        return bool(grade >= measure.rel)

    if kernel in _RELEVANT_ADDITIVE or (kernel in _RELEVANT_BY_DEPTH and measure.k is not None):
        return View(is_relevant, "additive")
    if kernel in _RELEVANT_STANDING:
        return View(is_relevant, "standing")
    if kernel in _RELEVANT_FIRST:
        return View(is_relevant, "first")
    return View(_every, "set") if kernel in _RELEVANT_BY_DEPTH | _EVERY_SET else None


def _view_by_gain(kernel: str, measure: Any) -> View | None:  # noqa: ANN401
    def gains_something(grade: float) -> bool:
        return gains([grade], measure.gain)[0] != 0.0

    if kernel in _GAINING_ADDITIVE:
        return View(gains_something, "additive")
    if kernel in _GAINING_STANDING:
        return View(gains_something, "standing")
    return View(_is_positive, "standing") if kernel == "expected_reciprocal_rank" else None


def _view_by_judgment(kernel: str, measure: Measure) -> View | None:
    if kernel == "unjudged_share":
        return View(_every, "set" if measure.k is None else "additive")
    return _BY_JUDGMENT.get(kernel)


def _is_positive(grade: float) -> bool:
    return grade > 0.0


def _is_judged(grade: float) -> bool:
    return grade >= 0.0


def _is_in_pool(grade: float) -> bool:
    return grade != NOT_IN_POOL


def _every(_grade: float) -> bool:
    return True


def _none(_grade: float) -> bool:
    return False


_BY_JUDGMENT = {
    "bpref": View(_is_judged, "standing"),
    "ideal_dcg": View(_none, "additive"),
    "inferred_average_precision": View(_is_in_pool, "standing"),
    "n_nonrelevant_retrieved": View(_is_judged, "additive"),
    "n_queries": View(_none, "additive"),
    "n_relevant": View(_none, "additive"),
    "n_retrieved": View(_every, "additive"),
    "n_unjudged_retrieved": View(_every, "additive"),
    "rank_biased_residual": View(_is_judged, "additive"),
    "utility": View(_every, "additive"),
}
