"""The DCG of the ideal ranking, which is higher the more each hole gains."""

from __future__ import annotations

from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds.case import Case, Ranking
from berryeval.measures import Measure

__all__ = ["difference", "score"]


def score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Give all holes the same grade, each that there is: one gains least, and one most."""
    return Bounds.over(
        case.score(measure, ranking, dict.fromkeys(case.holes, grade)) for grade in case.steps
    )


def difference(_measure: Measure, _case: Case, _baseline: Ranking, _candidate: Ranking) -> Bounds:
    """Return 0: rankings of one query have the same ideal."""
    return Bounds(0.0, 0.0)
