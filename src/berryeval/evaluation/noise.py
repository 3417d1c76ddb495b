"""The noise of a system itself: how much its scores vary when it is asked the same again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import (
    JudgmentsSource,
    MeasureLike,
    RunSource,
    evaluate,
    load_judgments,
    load_run,
    read_measures,
)
from berryeval.evaluation.result import averaged
from berryeval.measures import Measure
from berryeval.stats._moments import means_of, variances_of

__all__ = ["noise_of", "together"]


def noise_of(
    judgments: JudgmentsSource,
    runs: Sequence[RunSource],
    measures: Iterable[MeasureLike] | MeasureLike,
    query_ids: Iterable[str] | None = None,
) -> dict[Measure, float]:
    """Return how much the score of one query varies from run to run of the same system.

    It is a standard deviation: the variance of each query over the runs, then the mean over the
    queries. Of a measure with a geometric mean it is that of logarithms. A query that is missing
    from a run scores 0 there.

    Parameters
    ----------
    judgments : Judgments, path, dict of dicts or data frame
    runs : sequence of Run, paths, dicts or data frames
        What the system answered, each time; at least two.
    measures : one or several measures
    query_ids : iterable of str, optional
        The queries to look at, of those judged; all of them unless given.

    Raises
    ------
    ArgumentError
        For fewer than two runs.

    Examples
    --------
    >>> runs = [{"q1": ["d1", "d2"]}, {"q1": ["d2", "d1"]}]
    >>> {str(measure): sd for measure, sd in noise_of({"q1": {"d1": 1}}, runs, "P@1").items()}
    {'P@1': 0.7071067811865476}
    """
    if len(runs) < 2:  # noqa: PLR2004
        raise ArgumentError("runs", "at least two of the same system", str(len(runs)))
    chosen = read_measures(measures)
    known: Judgments = load_judgments(judgments)
    loaded: list[Run] = [load_run(run) for run in runs]
    scored = [evaluate(known, run, chosen) for run in loaded]
    judged = scored[0].scores.query_ids
    counted = set(judged if query_ids is None else query_ids)
    rows = [number for number, query_id in enumerate(judged) if query_id in counted]
    found = {}
    for measure in chosen:
        columns = [
            np.fromiter(averaged(measure, one[str(measure)].values), np.float64)[rows]
            for one in scored
        ]
        # From the first run, so that equal scores have a variance of 0 to the last bit.
        changes = np.stack([column - columns[0] for column in columns])
        found[measure] = math.sqrt(float(means_of(variances_of(changes))))
    return found


def together(*noises: float) -> float:
    """Return the noise of a difference of systems that vary by themselves: variances add up."""
    return math.sqrt(math.fsum(noise * noise for noise in noises))
