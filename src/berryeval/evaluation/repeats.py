"""Repeated runs of the same system: its mean scores, and their noise."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measures
from berryeval.evaluation.percentiles import percentile_in, percentile_of
from berryeval.evaluation.result import Evaluation, averaged
from berryeval.evaluation.sampling import sampling_of
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments, load_run
from berryeval.measures import Measure
from berryeval.stats.moments import means_of, sums_of, variances_of

__all__ = ["Noise", "mean_evaluation", "noise_between", "noise_in", "noise_of", "rounds_of"]


@dataclass(frozen=True)
class Noise:
    """How much the scores of a system vary from run to run, as standard deviations.

    For a measure with a geometric mean, they are those of logarithms.
    """

    per_query: float
    """Standard deviation of the score of one query. The spread of differences between queries
    contains it already."""
    shared: float
    """Standard deviation of what all queries of a run have in common, such as a rebuilt index. No
    number of queries reveals it."""
    n_runs: int
    """Number of runs of the system."""


def noise_of(
    judgments: JudgmentsSource,
    runs: Sequence[RunSource],
    measures: Iterable[MeasureLike] | MeasureLike,
    query_ids: Iterable[str] | None = None,
) -> dict[Measure, Noise]:
    """Return how much scores vary from run to run of the same system.

    A query that is missing from a run scores 0 there.

    Parameters
    ----------
    judgments : Judgments, path, dict of dicts or data frame
    runs : sequence of Run, paths, dicts or data frames
        What the system answered, each time; at least two.
    measures : one or several measures
    query_ids : iterable of str, optional
        The judged queries to consider. Default: all.

    Raises
    ------
    ArgumentError
        For fewer than two runs.

    Examples
    --------
    >>> runs = [{"q1": ["d1", "d2"]}, {"q1": ["d2", "d1"]}]
    >>> {str(measure): found for measure, found in noise_of({"q1": {"d1": 1}}, runs, "P@1").items()}
    {'P@1': Noise(per_query=0.7071067811865476, shared=0.7071067811865476, n_runs=2)}
    """
    if len(runs) < 2:  # noqa: PLR2004
        raise ArgumentError("runs", "at least two runs of the same system", str(len(runs)))
    chosen = read_measures(measures)
    known = load_judgments(judgments)
    scored = [evaluate(known, load_run(run), chosen) for run in runs]
    counted = None if query_ids is None else set(query_ids)
    return {measure: noise_in(scored, measure, counted) for measure in chosen}


def noise_in(
    evaluations: Sequence[Evaluation], measure: Measure, query_ids: Iterable[str] | None = None
) -> Noise:
    """Return the noise in evaluations of the same system, all over the same queries.

    The means of the runs vary for two reasons: because single queries do, which averages out over
    queries, and because of what queries share. The second is the rest of the variance of the
    means after the first, the variance of the interaction over the number of queries, is removed;
    over their effective number if they have weights. Of a percentile the whole variance counts.
    """
    ids = evaluations[0].scores.query_ids
    counted = set(ids if query_ids is None else query_ids)
    rows = [number for number, query_id in enumerate(ids) if query_id in counted]
    columns = [
        np.fromiter(averaged(measure, one[str(measure)].values), np.float64)[rows]
        for one in evaluations
    ]
    # From the first run, so that equal scores have a variance of 0 to the last bit.
    changes = np.stack([column - columns[0] for column in columns])
    n_runs, n_queries = changes.shape
    per_query = float(means_of(variances_of(changes)))
    plain = np.array([float(means_of(change)) for change in changes])
    around = changes - plain[:, None] - means_of(changes) + means_of(plain)
    freedom = (n_runs - 1) * (n_queries - 1)
    interaction = float(sums_of((around**2).ravel())) / freedom if freedom > 0 else 0.0
    sampling = sampling_of(evaluations[0].queries, [ids[row] for row in rows])
    of_runs = np.array([sampling.mean_over(change) for change in changes])
    n_effective = sampling.effective_queries or n_queries
    shared = float(variances_of(of_runs)) - interaction / n_effective
    if measure.aggregate == "percentile":  # single queries decide: no noise averages out
        percentile = percentile_in(measure)
        shared = float(variances_of(np.array([percentile_of(c, percentile) for c in columns])))
    return Noise(math.sqrt(per_query), math.sqrt(max(0.0, shared)), n_runs)


def noise_between(baseline: Noise | None, candidate: Noise | None) -> float | None:
    """Return the standard deviation of a mean difference by the noise that queries share.

    A mean over several runs has less of it. A system that was asked once is taken to be as noisy as
    the other; None if both were.
    """
    known = [noise for noise in (baseline, candidate) if noise is not None]
    if not known:
        return None
    both = known if len(known) > 1 else [known[0], replace(known[0], n_runs=1)]
    return math.sqrt(math.fsum(noise.shared**2 / noise.n_runs for noise in both))


def rounds_of(
    runs: Mapping[str, Run], repeats: Mapping[str, Sequence[Run]]
) -> list[dict[str, Run]]:
    """Return rounds with one run of each system, such that each run occurs equally often."""
    all_of = {name: (run, *repeats.get(name, ())) for name, run in runs.items()}
    n_rounds = math.lcm(*map(len, all_of.values()))
    return [
        {name: several[number % len(several)] for name, several in all_of.items()}
        for number in range(n_rounds)
    ]


def mean_evaluation(evaluations: Sequence[Evaluation]) -> Evaluation:
    """Return one evaluation with the mean scores of several, all over the same queries.

    A query that one of the runs lacks counts as missing.
    """
    first = evaluations[0]
    scores = first.scores
    names = {str(measure) for measure in first.measures}
    columns = {
        name: array("d", means_of(np.array([one.scores.values[name] for one in evaluations])))
        if name in names
        else values
        for name, values in scores.values.items()
    }
    is_missing = [
        any(some) for some in zip(*(e.scores.is_missing for e in evaluations), strict=True)
    ]
    return Evaluation(
        replace(
            scores,
            values=columns,
            is_missing=is_missing,
            counts=replace(scores.counts, missing=max(e.counts.missing for e in evaluations)),
        ),
        first.measures,
        first.queries,
        cautions=[*dict.fromkeys(caution for one in evaluations for caution in one.cautions)],
        reduced=first.reduced,
    )
