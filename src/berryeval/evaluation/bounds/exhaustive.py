"""Measures without a structure to exploit: all assignments of grades are tried, if there are few.

Of interpolated precision and binary gain only differences are. They ask for relevant documents
high up, out of all there are: a score is extreme where the top j holes of the ranking are
relevant and no others, or the bottom j and all others, since holes outside of the ranking only
add to the number of relevant documents, which lowers the score. Pairwise accuracy ignores holes
outside of the ranking, and the same j are extreme.

Readers who stop at good documents gain more per document, the more any document gains. So scores
of INST and the NERR family are extreme where all holes are worst or best.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from berryeval.evaluation.bounds.case import Bounds, Case, Family, Ranking
from berryeval.measures import Measure

__all__ = ["EXHAUSTIVE", "ORDERED", "PAIRS", "RISING"]

_MAX_ASSIGNMENTS = 1000
_MAX_HOLES = 100


def _score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Score a ranking with every assignment; return the measure's range if there are too many."""
    assignments = _assignments(measure, case)
    if assignments is None:
        return Bounds(*measure.bounds, is_outer=True)
    return Bounds.over(case.score(measure, ranking, given) for given in assignments)


def _difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds | None:
    """Score both rankings with every assignment; None if there are too many."""
    assignments = _assignments(measure, case)
    if assignments is None:
        return None
    return Bounds.over(
        case.score(measure, candidate, given) - case.score(measure, baseline, given)
        for given in assignments
    )


def _assignments(measure: Measure, case: Case) -> Iterator[dict[bytes, float]] | None:
    is_binary = hasattr(measure, "rel") and not hasattr(measure, "gain")
    steps = [0.0, case.max_grade] if is_binary else case.steps
    if len(steps) ** len(case.holes) > _MAX_ASSIGNMENTS:
        return None
    return (
        dict(zip(case.holes, grades, strict=True))
        for grades in product(steps, repeat=len(case.holes))
    )


EXHAUSTIVE = Family(_score, _difference)


def _ordered_score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Make the top j or the bottom j holes relevant, for each j.

    With more than 100 holes the bounds are outer: none found and all to be found, or the reverse.
    """
    holes = list(case.ranks(ranking))
    others = dict.fromkeys(case.nothing.keys() - set(holes), case.max_grade)
    if len(holes) <= _MAX_HOLES:
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
    """Score a ranking repeatedly, while one hole after the other becomes relevant."""
    grades = dict(given)
    yield case.score(measure, ranking, grades)
    for hole in holes:
        grades[hole] = case.max_grade
        yield case.score(measure, ranking, grades)


ORDERED = Family(_ordered_score, _difference, is_binary=True)


def _rising_score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Give every hole 0, or the highest grade."""
    best = dict.fromkeys(case.holes, case.max_grade)
    return Bounds(case.score(measure, ranking, case.nothing), case.score(measure, ranking, best))


RISING = Family(_rising_score, _difference)


def _pairs_score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Make the top j or the bottom j holes relevant, for each j; up to 100 holes."""
    holes = list(case.ranks(ranking))
    if len(holes) > _MAX_HOLES:
        return Bounds(*measure.bounds, is_outer=True)
    return Bounds(
        min(_scores(measure, case, ranking, case.nothing, reversed(holes))),
        max(_scores(measure, case, ranking, case.nothing, holes)),
    )


PAIRS = Family(_pairs_score, _difference, is_binary=True)
