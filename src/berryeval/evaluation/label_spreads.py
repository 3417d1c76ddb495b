"""How much the scores of runs differ in each stratum, according to a model, before a draw."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import evaluate
from berryeval.measures import NDCG, Measure
from berryeval.stats.moments import means_of, variances_of

__all__ = ["MIN_SHARE", "estimate_spreads", "spreads_of"]

MIN_SHARE = 0.5
"""A stratum has at least this share of the spread over all queries: a judge may not see what
differs in it."""

_MIN_RUNS = 2


def estimate_spreads(
    grades: Judgments,
    runs: Mapping[str, Run],
    strata: Mapping[str, str],
    measure: Measure | None = None,
) -> dict[str, float]:
    """Return the standard deviation of the model's differences between runs, by stratum.

    No label of people is used: a draw whose size depended on its own labels would be biased.

    Parameters
    ----------
    grades : Judgments
        By the model, for everything that the runs return.
    runs : mapping of str to Run
        Baseline first; with several candidates, variances are averaged.
    strata : mapping of str to str
        The stratum of each query. A query without grades differs by 0.
    measure : Measure, optional
        What is compared. Default: nDCG@10.

    Returns
    -------
    dict of str to float
        At least `MIN_SHARE` of the standard deviation over all queries.

    Raises
    ------
    ArgumentError
        If there are fewer than two runs.

    Examples
    --------
    >>> grades = Judgments.from_dict({f"q{i}": {"d1": 1, "d2": 0} for i in range(40)})
    >>> old = Run.from_lists({f"q{i}": ["d1", "d2"] for i in range(40)})
    >>> new = Run.from_lists({f"q{i}": ["d1"] if i < 30 else ["d2"] for i in range(40)})
    >>> strata = {f"q{i}": "hard" if i >= 20 else "easy" for i in range(40)}
    >>> found = estimate_spreads(grades, {"old": old, "new": new}, strata)
    >>> {stratum: round(spread, 3) for stratum, spread in found.items()}
    {'easy': 0.219, 'hard': 0.513}
    """
    if len(runs) < _MIN_RUNS:
        raise ArgumentError("runs", "at least two", str(len(runs)))
    measure = NDCG(10) if measure is None else measure
    baseline, *candidates = (_scores(grades, run, measure) for run in runs.values())
    ids = sorted(strata)  # sums do not depend on the given order
    differences = [
        np.array([one.get(name, 0.0) - baseline.get(name, 0.0) for name in ids])
        for one in candidates
    ]
    return spreads_of(differences, [strata[name] for name in ids])


def spreads_of(
    differences: Sequence[NDArray[np.float64]], strata: Sequence[str]
) -> dict[str, float]:
    """Return the standard deviation of each stratum, at least `MIN_SHARE` of that of all.

    There is one array of differences per candidate, with one number per query.
    """
    rows: dict[str, list[int]] = {}
    for row, stratum in enumerate(strata):
        rows.setdefault(stratum, []).append(row)
    least = MIN_SHARE * _spread(differences)
    return {
        stratum: max(least, _spread([one[own] for one in differences]))
        for stratum, own in rows.items()
    }


def _spread(differences: Sequence[NDArray[np.float64]]) -> float:
    known = [float(variances_of(own)) if len(own) > 1 else 0.0 for own in differences]
    return math.sqrt(float(means_of(np.array(known))))


def _scores(grades: Judgments, run: Run, measure: Measure) -> dict[str, float]:
    scores = evaluate(grades, run, [measure]).scores
    return dict(zip(scores.query_ids, map(float, scores.values[str(measure)]), strict=True))
