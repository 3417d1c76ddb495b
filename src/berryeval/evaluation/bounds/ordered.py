"""Interpolated precision and binary gain: relevant documents high up, out of all there are.

Of so many relevant holes in a ranking the topmost are the best and the lowest the worst; holes
that are not in it only raise the number of relevant documents, which lowers the score. So a
score is extreme where the top j holes are relevant and no others, or the bottom j and all
others. For a difference every assignment is tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds.case import Case, Ranking
from berryeval.evaluation.bounds.exhaustive import difference
from berryeval.measures import Measure

__all__ = ["difference", "score"]

_MOST_TRIED = 100


def score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Make the top j or the bottom j holes relevant, for each j.

    With very many holes, outer bounds: none of them found and all of them to be found, or the
    reverse.
    """
    holes = list(case.ranks(ranking))
    others = dict.fromkeys(case.nothing.keys() - set(holes), case.max_grade)
    if len(holes) <= _MOST_TRIED:
        worst = min(_scores(measure, case, ranking, case.nothing | others, reversed(holes)))
        best = max(_scores(measure, case, ranking, case.nothing, holes))
        return Bounds(worst, best)
    everything = dict.fromkeys(case.holes, case.max_grade)
    to_be_found = sorted([*case.judged, *everything.values()], reverse=True)
    return Bounds(
        measure.score(case.seen(ranking, {}), to_be_found),
        measure.score(case.seen(ranking, everything), case.judged),
        is_outer=True,
    )


def _scores(
    measure: Measure,
    case: Case,
    ranking: Ranking,
    given: Mapping[bytes, float],
    holes: Iterable[bytes],
) -> Iterator[float]:
    """Score a ranking again and again, while one hole after the other becomes relevant."""
    grades = dict(given)
    yield case.score(measure, ranking, grades)
    for hole in holes:
        grades[hole] = case.max_grade
        yield case.score(measure, ranking, grades)
