"""Hold runs against a baseline, query by query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.engine import MissingQueries, NoRelevant
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.comparison import ROUNDING, Comparison, Difference, Statistics
from berryeval.evaluation.evaluate import (
    DEFAULT_MEASURES,
    JudgmentsSource,
    MeasureLike,
    RunSource,
    evaluate,
    load_judgments,
    load_run,
    read_measures,
)
from berryeval.evaluation.extremes import bound_differences
from berryeval.evaluation.margins import widened
from berryeval.evaluation.noise import noise_of, together
from berryeval.evaluation.notes import query_notes
from berryeval.evaluation.result import Evaluation, averaged, change_of_mean
from berryeval.evaluation.slices import QueriesSource, Slice, find_slices, load_queries
from berryeval.formats import Duplicates
from berryeval.measures import Measure
from berryeval.stats import (
    CorrectionName,
    Interval,
    TestResult,
    adjust,
    bca_intervals,
    cohens_dz,
    paired_test,
    rank_biserial,
    student_interval,
)

__all__ = ["compare", "compare_evaluations", "statistics_of"]

_BLIND_TO_NOISE = ("wilcoxon", "sign")


def compare(
    judgments: JudgmentsSource,
    runs: Mapping[str, RunSource],
    measures: Iterable[MeasureLike] | MeasureLike = DEFAULT_MEASURES,
    *,
    baseline: str | None = None,
    queries: QueriesSource | None = None,
    slices: Iterable[str] = (),
    bounds: bool = False,
    max_grade: float | None = None,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    duplicates: Duplicates = "error",
    judges: Judges | None = None,
    repeats: Mapping[str, Sequence[RunSource]] | None = None,
    **statistics: Any,  # noqa: ANN401 - as Statistics has them
) -> Comparison:
    """Compare runs with a baseline, query by query.

    Parameters
    ----------
    judgments, measures, missing, no_relevant, duplicates, judges
        As `evaluate` takes them. Queries that are left out for one run are left out for all.
    runs : mapping of str to run
        At least two, by name; each as `evaluate` takes it.
    baseline : str, optional
        The name of the run that the others are held against; the first unless told.
    queries : path or Query objects, optional
        Texts and labels.
    slices : iterable of {"category", "difficulty", "tag"}
        Labels: differences are told for each of their values, too.
    bounds : bool
        Whether to find what differences could be whatever the grades of unjudged documents.
    max_grade : float, optional
        The highest grade of the scale, for bounds; the highest that was given unless told.
    repeats : mapping of str to sequence of runs, optional
        By the name of a run, what the same system answered when it was asked again. The noise of
        the systems themselves follows from it, and is added to the variance of the differences:
        for intervals, for the t-test, randomisation and the bootstrap, and for a gate. Ranks and
        signs, and so Wilcoxon's test and the sign test, know nothing of it.
    level, interval, test, correction, n_resamples, seed
        As in `Statistics`.

    Returns
    -------
    Comparison

    Raises
    ------
    MismatchError
        If judgments and a run, or two runs, have no query in common.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 1}, "q2": {"d2": 1}, "q3": {"d3": 1}}
    >>> words = {"q1": ["d1"], "q2": ["d9", "d2"], "q3": ["d8", "d9", "d3"]}
    >>> stems = {"q1": ["d1"], "q2": ["d2"], "q3": ["d9", "d3"]}
    >>> comparison = compare(judgments, {"words": words, "stems": stems}, "RR")
    >>> comparison
    <Comparison with words over 3 queries
    stems: RR +0.2222>
    >>> difference = comparison.difference("stems", "RR")
    >>> (difference.wins, difference.ties, difference.losses)
    (2, 1, 0)
    """
    how = statistics_of(**statistics)
    chosen = read_measures(measures)
    reference = _check_runs(runs, baseline)
    known_queries = load_queries(queries)
    loaded = load_judgments(judgments, duplicates, judges)
    loaded_runs = {name: load_run(source, duplicates) for name, source in runs.items()}
    evaluations = {
        name: evaluate(
            loaded,
            run,
            chosen,
            queries=known_queries.values(),
            missing=missing,
            no_relevant=no_relevant,
        )
        for name, run in loaded_runs.items()
    }
    _check_common(loaded, loaded_runs, reference)
    query_ids = _common_queries(evaluations)
    noise = _noise(loaded, loaded_runs, repeats or {}, chosen, duplicates, query_ids)
    return _compared(
        loaded,
        loaded_runs,
        evaluations,
        reference,
        known_queries,
        query_ids,
        labels=tuple(dict.fromkeys(slices)),
        noise=noise,
        bounds=bounds,
        max_grade=max_grade,
        how=how,
    )


def compare_evaluations(
    judgments: Judgments,
    runs: Mapping[str, Run],
    evaluations: Mapping[str, Evaluation],
    *,
    queries: Mapping[str, Query],
    slices: Iterable[str] = (),
    **statistics: Any,  # noqa: ANN401 - as Statistics has them
) -> Comparison:
    """Compare runs that were scored already; otherwise as `compare`.

    Parameters
    ----------
    judgments : Judgments
        What the runs were scored with.
    runs, evaluations : mapping
        By the same names, the baseline first; all evaluations of the same measures.
    queries, slices, statistics
        As `compare` takes them; queries by their ids.

    Raises
    ------
    MismatchError
        If two runs have no query in common.
    """
    how = statistics_of(**statistics)
    reference = _check_runs(runs, None)
    _check_common(judgments, runs, reference)
    return _compared(
        judgments,
        runs,
        evaluations,
        reference,
        queries,
        _common_queries(evaluations),
        labels=tuple(dict.fromkeys(slices)),
        noise={},
        bounds=False,
        max_grade=None,
        how=how,
    )


def _compared(
    judgments: Judgments,
    runs: Mapping[str, Run],
    evaluations: Mapping[str, Evaluation],
    reference: str,
    queries: Mapping[str, Query],
    query_ids: Sequence[str],
    *,
    labels: Sequence[str],
    noise: Mapping[str, Mapping[Measure, float]],
    bounds: bool,
    max_grade: float | None,
    how: Statistics,
) -> Comparison:
    measures = evaluations[reference].measures
    pairs = [
        replace(
            _pair(evaluations[reference], evaluations[name], name, measure, query_ids),
            noise_sd=_noise_between(noise, (reference, name), measure),
        )
        for name in runs
        if name != reference
        for measure in measures
    ]
    parts: list[tuple[Slice, list[int]]] = [
        item for label in labels for item in find_slices(queries, label, query_ids).items()
    ]
    whole = _describe(pairs, None, how)
    sliced = [
        difference
        for part, positions in parts
        for difference in _describe([pair.take(positions) for pair in pairs], part, how)
    ]
    whole, sliced = _correct(whole, sliced, how.correction)
    if bounds:
        bounded = bound_differences(
            [*whole, *sliced], judgments, runs, reference, query_ids, dict(parts), max_grade
        )
        whole, sliced = bounded[: len(whole)], bounded[len(whole) :]
    return Comparison(
        judgments=judgments,
        runs=runs,
        queries=queries,
        measures=measures,
        baseline=reference,
        query_ids=query_ids,
        evaluations=evaluations,
        differences=whole,
        sliced=sliced,
        statistics=how,
        notes=(
            *query_notes(evaluations),
            *_depth_notes(runs, measures),
            *_sum_notes(measures),
            *_noise_notes(noise, how.test),
        ),
        max_grade=max_grade,
    )


def statistics_of(**settings: Any) -> Statistics:  # noqa: ANN401 - checked here
    """Return settings of statistics, or raise for those that cannot be."""
    unknown = settings.keys() - Statistics.__dataclass_fields__.keys()
    if unknown:
        raise TypeError(f"compare() got an unexpected keyword argument {min(unknown)!r}")
    how = Statistics(**settings)
    choices = {
        "interval": ("bca", "t"),
        "test": ("t", "wilcoxon", "sign", "randomisation", "bootstrap"),
        "correction": ("holm", "bonferroni", "benjamini-hochberg", "none"),
    }
    for name, known in choices.items():
        if getattr(how, name) not in known:
            raise ArgumentError(name, " or ".join(map(repr, known)), repr(getattr(how, name)))
    if not 0 < how.level < 1:
        raise ArgumentError("level", "a number between 0 and 1", repr(how.level))
    if how.n_resamples < 1:
        raise ArgumentError("n_resamples", "at least 1", repr(how.n_resamples))
    return how


@dataclass(frozen=True, eq=False)
class _Pair:
    """The scores of baseline and candidate, as far as a mean is taken of them."""

    system: str
    measure: Measure
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    noise_sd: float | None = None

    @property
    def differences(self) -> NDArray[np.float64]:
        found = self.candidate - self.baseline
        found[np.abs(found) < ROUNDING] = 0.0
        return found

    def take(self, positions: Sequence[int]) -> _Pair:
        return replace(self, baseline=self.baseline[positions], candidate=self.candidate[positions])


def _check_runs(runs: Mapping[str, RunSource], baseline: str | None) -> str:
    if len(runs) < 2:  # noqa: PLR2004
        raise ArgumentError("runs", "at least two", f"{len(runs)}")
    if baseline is None:
        return next(iter(runs))
    if baseline not in runs:
        known = " or ".join(map(repr, runs))
        raise ArgumentError("baseline", f"the name of a run, {known}", repr(baseline))
    return baseline


def _check_common(judgments: Judgments, runs: Mapping[str, Run], reference: str) -> None:
    """Refuse runs of other queries: each would be worth 0 where the other has documents."""
    judged = set(judgments.query_ids.iter_bytes())
    before = judged.intersection(runs[reference].query_ids.iter_bytes())
    for name, run in runs.items():
        if before.isdisjoint(run.query_ids.iter_bytes()):
            raise MismatchError(f"{reference} and {name} have no judged query in common")


def _common_queries(evaluations: Mapping[str, Evaluation]) -> list[str]:
    first, *others = (evaluation.scores.query_ids for evaluation in evaluations.values())
    if all(other == first for other in others):
        return list(first)
    common = set(first).intersection(*others)
    if not common:
        raise MismatchError(f"no query is scored for all runs: {', '.join(evaluations)}")
    return [query_id for query_id in first if query_id in common]


def _pair(
    baseline: Evaluation,
    candidate: Evaluation,
    system: str,
    measure: Measure,
    query_ids: Sequence[str],
) -> _Pair:
    columns = []
    for evaluation in (baseline, candidate):
        values = np.fromiter(averaged(measure, evaluation[str(measure)].values), np.float64)
        if len(values) != len(query_ids):
            place_of = {query_id: i for i, query_id in enumerate(evaluation.scores.query_ids)}
            values = values[[place_of[query_id] for query_id in query_ids]]
        columns.append(values)
    return _Pair(system, measure, columns[0], columns[1])


def _describe(pairs: Sequence[_Pair], part: Slice | None, how: Statistics) -> list[Difference]:
    """Describe differences over the same queries; they share the draw of their bootstrap."""
    columns = [pair.differences for pair in pairs]
    spread = [widened(d, pair.noise_sd or 0.0) for d, pair in zip(columns, pairs, strict=True)]
    intervals = _intervals(np.stack(spread, axis=1), how)
    found = []
    for pair, values, noisy, interval in zip(pairs, columns, spread, intervals, strict=True):
        before = _mean(pair.measure, pair.baseline)
        found.append(
            Difference(
                system=pair.system,
                measure=pair.measure,
                slice=part,
                baseline_mean=before,
                candidate_mean=_mean(pair.measure, pair.candidate),
                values=values,
                interval=_of_mean(interval, pair.measure, before),
                test=_test(values if how.test in _BLIND_TO_NOISE else noisy, how),
                p_adjusted=None,
                cohens_dz=cohens_dz(values),
                rank_biserial=rank_biserial(values),
                noise_sd=pair.noise_sd,
            )
        )
    return found


def _intervals(columns: NDArray[np.float64], how: Statistics) -> Sequence[Interval | None]:
    if how.interval == "t":
        return [student_interval(column, how.level) for column in columns.T]
    return bca_intervals(columns, how.level, n_resamples=how.n_resamples, seed=how.seed)


def _test(values: NDArray[np.float64], how: Statistics) -> TestResult:
    return paired_test(how.test, values, n_resamples=how.n_resamples, seed=how.seed)


def _mean(measure: Measure, values: NDArray[np.float64]) -> float:
    mean = float(np.add.accumulate(values)[-1] / len(values))
    return math.exp(mean) if measure.aggregate == "geometric" else mean


def _of_mean(interval: Interval | None, measure: Measure, before: float) -> Interval | None:
    if interval is None:
        return None
    low, high = (change_of_mean(measure, end, before) for end in (interval.low, interval.high))
    return replace(interval, low=low, high=high)


def _correct(
    whole: list[Difference], sliced: list[Difference], method: CorrectionName
) -> tuple[list[Difference], list[Difference]]:
    everything = [*whole, *sliced]
    adjusted = adjust([difference.test.p_value for difference in everything], method)
    everything = [replace(d, p_adjusted=p) for d, p in zip(everything, adjusted, strict=True)]
    return everything[: len(whole)], everything[len(whole) :]


def _noise(
    judgments: Judgments,
    runs: Mapping[str, Run],
    repeats: Mapping[str, Sequence[RunSource]],
    measures: Sequence[Measure],
    duplicates: Duplicates,
    query_ids: Iterable[str],
) -> dict[str, dict[Measure, float]]:
    """Return how much the scores of each system vary by themselves, of those asked again.

    Only over the queries that are compared: others would water it down.
    """
    found = {}
    for name, again in repeats.items():
        if name not in runs:
            known = " or ".join(map(repr, runs))
            raise ArgumentError("repeats", f"the name of a run, {known}", repr(name))
        if again:
            loaded = [load_run(source, duplicates) for source in again]
            found[name] = noise_of(judgments, [runs[name], *loaded], measures, query_ids)
    return found


def _noise_between(
    noise: Mapping[str, Mapping[Measure, float]], names: Iterable[str], measure: Measure
) -> float | None:
    """Return the noise of a difference between systems; None if neither was asked again."""
    known = [noise[name][measure] for name in names if name in noise]
    return together(*known) if known else None


def _noise_notes(noise: Mapping[str, Mapping[Measure, float]], test: str) -> Iterator[str]:
    for name, own in noise.items():
        told = ", ".join(f"{measure} {sd:.4f}" for measure, sd in own.items())
        counted = "intervals" if test in _BLIND_TO_NOISE else "intervals and p-values"
        yield (
            f"{name}: asked again, the score of a query varies by itself (standard deviation): "
            f"{told}; {counted} count that in."
        )


def _depth_notes(runs: Mapping[str, Run], measures: Sequence[Measure]) -> Iterator[str]:
    """Say that runs differ in depth, where a measure looks deeper than the shallowest."""
    depths = {name: _depth(run) for name, run in runs.items()}
    shallow = min(depths.values())
    is_seen = any(measure.k is None or measure.k > shallow for measure in measures)
    if len(set(depths.values())) > 1 and is_seen:
        told = ", ".join(f"{name} up to {depth:,}" for name, depth in depths.items())
        yield f"Caution: runs differ in depth (documents a query): {told}."


def _sum_notes(measures: Sequence[Measure]) -> Iterator[str]:
    """Say that a sum and a difference of means are not of the same size."""
    summed = ", ".join(str(measure) for measure in measures if measure.aggregate == "sum")
    if summed:
        yield f"Of {summed} the sum over queries is told; differences are means."


def _depth(run: Run) -> int:
    return int(np.max(np.diff(np.asarray(run.starts)), initial=0))
