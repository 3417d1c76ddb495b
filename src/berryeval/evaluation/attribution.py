"""Distributing a difference over the documents that moved.

Between the two rankings lie hybrid ones: some documents are where the second ranking has them, the
others still where the first had them. A hybrid ranking lists them by rank. Where two claim
the same rank, the one that has moved comes first and the other next, at the next rank that is
free. Ranks that no document claims hold documents that do not count. If every document counts to
a measure, the list closes up instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from berryeval.core.lengths import SizedGrade
from berryeval.kernels.gains import gains
from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.measures import Measure

__all__ = ["MAX_EXACT", "Method", "MovedDocument", "Shares", "distribute", "view_of"]

Method: TypeAlias = Literal["additive", "shapley", "path"]
"""How a difference is shared out: see `Explanation.method`."""

Arrangement: TypeAlias = Literal["additive", "standing", "first", "closed", "set"]
"""``additive``: the value is a sum over documents, each at its rank. ``standing``: documents that
count keep their ranks, whatever stands between them. ``first``: so, and only the best of them
matters. ``closed``: every document counts, and the list has no gaps. ``set``: so, and ranks do
not matter."""

MAX_EXACT = 12
"""Up to this many documents all orders of moving are averaged: 4,096 hybrid rankings."""

_ROUNDING = 1e-14
"""Contributions smaller than this share of the largest are rounding errors."""

Value: TypeAlias = Callable[[int], float]
"""The score of a hybrid ranking, by the set of documents that have moved, as the bits of a
number."""


@dataclass(frozen=True)
class MovedDocument:
    """A document by its grade, as kernels take it, and its ranks; None if it has none."""

    grade: float
    before: int | None
    after: int | None

    def within(self, k: int | None) -> MovedDocument:
        """Return the document with ranks below the cutoff as None."""
        if k is None:
            return self
        before, after = (
            None if rank is None or rank > k else rank for rank in (self.before, self.after)
        )
        return MovedDocument(self.grade, before, after)


@dataclass(frozen=True)
class Shares:
    """The contribution of each document, in the order in which they were given."""

    contributions: Sequence[float]
    method: Method
    n_shared: int


def distribute(
    measure: Measure, documents: Sequence[MovedDocument], judged: Sequence[float], difference: float
) -> Shares:
    """Return the contribution of each document to the difference of the scores."""
    view = view_of(measure)
    seen = [document.within(measure.depth) for document in documents]
    if view.arrangement == "set":
        seen = [_by_presence(document) for document in seen]
    counting = [i for i, document in enumerate(seen) if view.counts(document.grade)]
    movers = [i for i in counting if seen[i].before != seen[i].after]
    contributions = [0.0] * len(documents)
    method: Method = "additive"
    if view.arrangement == "additive":
        for i in movers:
            contributions[i] = _by_itself(measure, seen[i], judged)
    else:
        if view.arrangement == "first":
            movers = _may_be_first([seen[i] for i in counting], seen, movers)
        value = _value_of_hybrids(measure, seen, counting, movers, judged, view.arrangement)
        method = "shapley" if len(movers) <= MAX_EXACT else "path"
        order = sorted(range(len(movers)), key=lambda bit: _path_key(seen[movers[bit]]))
        shares = _shapley(value, len(movers)) if method == "shapley" else _along_path(value, order)
        for i, share in zip(movers, shares, strict=True):
            contributions[i] = share
    _settle(contributions, difference)
    return Shares(contributions, method, len(movers))


def _by_presence(document: MovedDocument) -> MovedDocument:
    before, after = (None if rank is None else 1 for rank in (document.before, document.after))
    return MovedDocument(document.grade, before, after)


def _by_itself(measure: Measure, document: MovedDocument, judged: Sequence[float]) -> float:
    """Return the amount that a document adds at its new rank minus that at its old one."""
    return _alone(measure, document.grade, document.after, judged) - _alone(
        measure, document.grade, document.before, judged
    )


def _alone(measure: Measure, grade: float, rank: int | None, judged: Sequence[float]) -> float:
    if rank is None:
        return 0.0
    above = [SizedGrade(NOT_IN_POOL, 0.0)] * (rank - 1)
    return measure.score([*above, grade], judged) - measure.score(above, judged)


def _may_be_first(
    counting: Sequence[MovedDocument], seen: Sequence[MovedDocument], movers: Sequence[int]
) -> list[int]:
    """Omit those that are never above all others that count, in any hybrid ranking."""
    surely = min(max(_rank(d.before), _rank(d.after)) for d in counting) if counting else math.inf
    return [i for i in movers if min(_rank(seen[i].before), _rank(seen[i].after)) < surely]


def _rank(rank: int | None) -> float:
    return math.inf if rank is None else rank


def _path_key(document: MovedDocument) -> tuple[float, float]:
    return _rank(document.after), _rank(document.before)


def _value_of_hybrids(
    measure: Measure,
    seen: Sequence[MovedDocument],
    counting: Sequence[int],
    movers: Sequence[int],
    judged: Sequence[float],
    arrangement: Arrangement,
) -> Value:
    bit_of = {i: 1 << bit for bit, i in enumerate(movers)}
    keeps_gaps = arrangement in ("standing", "first")

    def value(moved: int) -> float:
        placed = []
        for i in counting:
            has_moved = bool(moved & bit_of.get(i, 0))
            rank = seen[i].after if has_moved else seen[i].before
            if rank is not None:
                placed.append((rank, not has_moved, i))
        grades: list[float] = []
        for rank, _, i in sorted(placed):
            if keeps_gaps:
                grades += [NOT_IN_POOL] * (rank - 1 - len(grades))
            grades.append(seen[i].grade)
        return measure.score(grades, judged)

    return value


def _shapley(value: Value, n: int) -> list[float]:
    """Average the change by each move over all orders in which documents could move."""
    values = [value(moved) for moved in range(1 << n)]
    # The share of all orders in which exactly these others moved before this document.
    weights = [1.0 / (n * math.comb(n - 1, size)) for size in range(n)]
    return [
        math.fsum(
            weights[moved.bit_count()] * (values[moved | 1 << bit] - values[moved])
            for moved in range(1 << n)
            if not moved & 1 << bit
        )
        for bit in range(n)
    ]


def _along_path(value: Value, order: Sequence[int]) -> list[float]:
    """Move one document after the other, and return the change of the score at each step."""
    shares = [0.0] * len(order)
    moved = 0
    last = value(moved)
    for bit in order:
        moved |= 1 << bit
        current = value(moved)
        shares[bit] = current - last
        last = current
    return shares


def _settle(contributions: list[float], difference: float) -> None:
    """Set contributions by rounding to 0, and add the remainder to the largest.

    Both are far below the digits that are shown. The contributions then add up to the difference,
    however large the gains are.
    """
    largest_size = max(map(abs, contributions), default=0.0)
    for i, contribution in enumerate(contributions):
        if abs(contribution) <= _ROUNDING * largest_size:
            contributions[i] = 0.0
    if largest_size > 0.0:
        largest = max(range(len(contributions)), key=lambda i: abs(contributions[i]))
        contributions[largest] += difference - math.fsum(contributions)


@dataclass(frozen=True)
class View:
    """What a measure sees of a ranking, and so which moves can change its value."""

    counts: Callable[[float], bool]
    """Whether a document of this grade, as kernels take it, can change the value. To the measure,
    all others are equivalent to an unjudged document."""
    arrangement: Arrangement


_RELEVANT_ADDITIVE = {
    "n_relevant_retrieved",
    "r_precision",
    "r_precision_at_multiple",
    "rank_biased_precision",
    "recall",
}
# Sums over documents at a cutoff; without one, they divide by the number retrieved.
_RELEVANT_BY_DEPTH = {"f1", "f_beta", "precision", "precision_ia", "relative_precision"}
_RELEVANT_STANDING = {
    "alpha_ndcg",
    "average_precision",
    "average_precision_ia",
    "binary_normalised_gain",
    "eleven_point_average",
    "graded_err_ia",
    "interpolated_precision",
    "nerr_ia",
    "nnrbp",
    "nrbp",
    "subtopic_recall",
    "yaap",
}
# At a cutoff; without one, the divisor depends on how many were retrieved.
_RELEVANT_STANDING_AT_K = {"alpha_dcg", "err_ia"}
_RELEVANT_FIRST = {"hit_rate", "reciprocal_rank"}
_GAINING_ADDITIVE = {"dcg", "ndcg", "normalised_cumulated_gain"}
_GAINING_STANDING = {"ndcg_at_relevant", "normalised_gain"}
_EVERY_SET = {"set_average_precision", "set_f"}
_READER_ADDITIVE = {"insq", "scaled_dcg"}
_READER_STANDING = {"bejeweled_player_model", "inst", "nerr8", "nerr9", "nerr10", "nerr11"}


def view_of(measure: Measure) -> View:
    """Return what a measure sees of a ranking; one unknown here, such as a custom one, sees all."""
    kernel = getattr(getattr(measure, "kernel", None), "__name__", "")
    if measure.judged_only:
        return View(_is_judged, "closed")
    return (
        _view_by_relevance(kernel, measure)
        or _view_by_gain(kernel, measure)
        or _view_by_reader(kernel, measure)
        or _view_by_judgment(kernel, measure)
        or View(_every, "closed")
    )


def _view_by_relevance(kernel: str, measure: Any) -> View | None:  # noqa: ANN401 - of any kind
    def is_relevant(grade: float) -> bool:
        return bool(grade >= measure.rel)

    if kernel in _RELEVANT_ADDITIVE or (kernel in _RELEVANT_BY_DEPTH and measure.k is not None):
        return View(is_relevant, "additive")
    if kernel in _RELEVANT_STANDING or (
        kernel in _RELEVANT_STANDING_AT_K and measure.k is not None
    ):
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


def _view_by_reader(kernel: str, measure: Any) -> View | None:  # noqa: ANN401
    def gains_something(grade: float) -> bool:
        return bool(grade > measure.min_grade)

    if kernel in _READER_ADDITIVE:
        return View(gains_something, "additive")
    return View(gains_something, "standing") if kernel in _READER_STANDING else None


def _view_by_judgment(kernel: str, measure: Measure) -> View | None:
    if kernel in ("hole_share", "unjudged_share"):
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
    "inferred_ndcg": View(_is_in_pool, "standing"),
    "n_nonrelevant_retrieved": View(_is_judged, "additive"),
    "n_queries": View(_none, "additive"),
    "n_relevant": View(_none, "additive"),
    "n_retrieved": View(_every, "additive"),
    "n_unjudged_retrieved": View(_every, "additive"),
    "rank_biased_residual": View(_is_judged, "additive"),
    "stratified_average_precision": View(_is_in_pool, "standing"),
    "token_count": View(_every, "additive"),
    "utility": View(_every, "additive"),
}
