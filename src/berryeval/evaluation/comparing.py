"""Compare runs with a baseline, query by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import numpy as np

from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments
from berryeval.core.notes import Note
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.engine import MissingQueries, NoRelevant
from berryeval.errors import ArgumentError, InputTypeError, MismatchError
from berryeval.evaluation.comparison import Comparison, Statistics
from berryeval.evaluation.comparison_notes import comparison_notes, shallow_note
from berryeval.evaluation.differences import (
    describe,
    describe_common,
    describe_slices,
    find_pairs,
)
from berryeval.evaluation.evaluate import (
    COMPARED_MEASURES,
    DEFAULT_MEASURES,
    MeasureLike,
    evaluate,
    mismatches_of,
    read_measures,
)
from berryeval.evaluation.extremes import bound_differences
from berryeval.evaluation.model_judgments import (
    ModelJudgments,
    check_options,
    combine,
    evaluate_with_model,
    shared_weights,
)
from berryeval.evaluation.notes import query_notes
from berryeval.evaluation.repeats import Noise, mean_evaluation, noise_between, noise_in, rounds_of
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.risk import find_risks, risk_notes
from berryeval.evaluation.sampling import sampling_of
from berryeval.evaluation.slices import QueriesSource, Slice, find_slices, load_queries
from berryeval.evaluation.sources import (
    DocumentsOfChunks,
    JudgmentsSource,
    LengthsSource,
    RunSource,
    TimingsSource,
    load_judgments,
    load_run,
    load_timings,
    reshape_run,
)
from berryeval.formats import Duplicates
from berryeval.measures import Measure, Recall

__all__ = [
    "check_runs",
    "compare",
    "compare_evaluations",
    "compared",
    "measures_compared",
    "scored_for_all",
]


_EXPECTED_RUNS = "a mapping of names to runs, such as {'old': old_run, 'new': new_run}"


def measures_compared(runs: Mapping[str, Run]) -> tuple[Measure, ...]:
    """Return the default measures of a comparison.

    These are `COMPARED_MEASURES`, with recall at the greatest depth that all runs share if that
    is below 100.
    """
    depth = max(1, min(_depth(run) for run in runs.values()))
    *others, deepest = COMPARED_MEASURES
    assert deepest.k is not None
    return *others, Recall(min(deepest.k, depth))


def compare(
    judgments: JudgmentsSource,
    runs: Mapping[str, RunSource],
    measures: Iterable[MeasureLike] | MeasureLike | None = None,
    *,
    baseline: str | None = None,
    queries: QueriesSource | None = None,
    slices: Iterable[str] = (),
    bounds: bool = False,
    max_grade: float | None = None,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    model: ModelJudgments | None = None,
    repeats: Mapping[str, Sequence[RunSource]] | None = None,
    documents: DocumentsOfChunks | None = None,
    exclude_self: bool = False,
    judged_only: bool = False,
    lengths: LengthsSource | None = None,
    timings: Mapping[str, TimingsSource] | None = None,
    level: float = 0.95,
    tests: Iterable[str] = (),
    n_resamples: int = 10_000,
    seed: int = 0,
    risk: Iterable[float] = (),
    all_pairs: bool = False,
) -> Comparison:
    """Compare runs with a baseline, query by query.

    Parameters
    ----------
    judgments, missing, no_relevant, duplicates, judges, documents, exclude_self, judged_only, \
    lengths
        As `evaluate` takes them. Queries that are left out for one run are left out for all.
    measures : Measure, str, or several of them, optional
        The first one leads and decides. If omitted, nDCG@10 leads, RR, P@5 and R@100 (or recall
        at the greatest depth that all runs share) follow, and the default means of `evaluate` are
        reported as well.
    runs : mapping of str to run
        At least two, by name; each as `evaluate` takes it.
    baseline : str, optional
        The name of the run that the others are compared with. Default: the first.
    queries : path or Query objects, optional
        Texts and labels; weights, by which every mean is weighted; groups, which are tested;
        strata, within which the spread counts.
    slices : iterable of {"category", "difficulty", "tag", "traffic", "turn"}
        Labels: differences are also reported for each of their values.
    bounds : bool
        Whether to compute bounds of the differences over all grades of unjudged documents.
    max_grade : float, optional
        The highest grade of the scale, for bounds. Default: the highest that was given.
    model : ModelJudgments, optional
        Grades by a model for every query, and which queries people labelled. `judgments` are then
        people's. Means and differences are based on both: they are corrected by the labelled
        queries.
        Not together with `bounds`, `repeats`, `risk`, `tests` and ``no_relevant="skip"``.
    repeats : mapping of str to sequence of runs, optional
        By the name of a run, further runs of the same system. The scores of a query are averaged
        over all runs of a system. Noise of single queries is then part of the spread between
        queries; noise that all queries of a run share is not, and is added to the variance: for
        intervals and p-values, the t-test, the randomisation test, and a gate. Wilcoxon's test and
        the sign test, which consider ranks and signs, ignore it.
    timings : mapping of str to path or mapping, optional
        By the name of a run, how long each query took, as `evaluate` takes it.
    level : float
        Confidence level of intervals, simultaneous over each family; between 0 and 1.
    tests : iterable of {"t", "wilcoxon", "sign", "randomisation"}
        Additional tests whose p-values are reported; ``"t"`` is Student's paired t-test. They
        never decide.
    n_resamples, seed : int
        Number of draws of signs, at least 100, and their random seed: for families of several
        differences and the randomisation test.
    risk : iterable of float
        Weights alpha, each 0 or more: U-risk, T-risk and geometric risk are reported in which a
        loss counts 1 + alpha times as much as a gain. For a geometric mean, gains and losses are
        differences of logarithms; percentiles have no risk.
    all_pairs : bool
        Whether to compare every run with every other, too: `Comparison.pairs`, and a table in all
        reports. The pairs of a measure form one family of their own.

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
    stems: RR +0.2222, too few changes to decide>
    >>> difference = comparison.difference("stems", "RR")
    >>> (difference.wins, difference.ties, difference.losses)
    (2, 1, 0)
    """
    how = Statistics(level, tuple(dict.fromkeys(tests)), n_resamples, seed)
    reference = check_runs(runs, baseline)
    if isinstance(measures, Mapping):  # compare(judgments, old, new)
        way_out = f"pass all runs as {_EXPECTED_RUNS}"
        raise InputTypeError("measures", "measures", f"{type(measures).__name__}; {way_out}")
    known_queries = load_queries(queries)
    loaded = load_judgments(judgments, duplicates, judges, lengths)
    risk = tuple(risk)
    if model is not None:
        is_skipped = no_relevant == "skip"
        check_options(
            bounds=bounds, repeats=repeats, risk=risk, tests=how.tests, no_relevant=is_skipped
        )
        by_model, draw = model.load()
        loaded = combine(loaded, by_model, draw)
    reshape = partial(_reshaped, documents=documents, exclude_self=exclude_self)
    loaded_runs = {name: reshape(load_run(source, duplicates)) for name, source in runs.items()}
    _check_names("timings", timings or {}, loaded_runs)
    for name, source in (timings or {}).items():
        loaded_runs[name] = loaded_runs[name].with_timings(load_timings(source))
    wanted = measures_compared(loaded_runs) if measures is None else measures
    chosen = read_measures(wanted, judged_only=judged_only)
    defaults = read_measures(DEFAULT_MEASURES, judged_only=judged_only) if measures is None else ()
    shown = tuple(dict.fromkeys((*defaults, *chosen)))
    again = {
        name: [*map(reshape, several)]
        for name, several in _load_repeats(repeats or {}, loaded_runs, duplicates).items()
    }
    by_run: dict[str, list[Evaluation]] = {}
    for name, run in loaded_runs.items():
        with mismatches_of(name):
            if model is not None:
                whole = evaluate_with_model(
                    loaded, by_model, draw, run, shown, queries=known_queries, missing=missing
                )
                by_run[name] = [whole]
                continue
            by_run[name] = [
                evaluate(
                    loaded,
                    one,
                    shown,
                    queries=known_queries.values(),
                    missing=missing,
                    no_relevant=no_relevant,
                )
                for one in (run, *again.get(name, ()))
            ]
    _check_common(loaded, loaded_runs, reference)
    query_ids = scored_for_all([one for several in by_run.values() for one in several], by_run)
    evaluations, noise = {}, {}
    for name, several in by_run.items():
        evaluations[name] = several[0]
        if len(several) > 1:  # only over the queries that are compared
            same = [_restricted(one, query_ids) for one in several]
            evaluations[name] = mean_evaluation(same)
            noise[name] = {measure: noise_in(same, measure) for measure in chosen}
    found = compared(
        loaded,
        loaded_runs,
        evaluations,
        reference,
        chosen,
        known_queries,
        query_ids,
        labels=slices,
        repeats=again,
        noise=noise,
        bounds=bounds,
        max_grade=max_grade,
        how=how,
        risk=risk,
    )
    if measures is None and chosen[-1].k != COMPARED_MEASURES[-1].k:
        note = shallow_note(chosen[-1], COMPARED_MEASURES[-1])
        found = replace(found, marked_notes=(*found.marked_notes, note))
    if all_pairs:
        from berryeval.evaluation.all_pairs import with_pairs  # loads more, and few need it

        found = with_pairs(found)
    return found


def _reshaped(run: Run, *, documents: DocumentsOfChunks | None, exclude_self: bool) -> Run:
    if documents is None and not exclude_self:
        return run
    return reshape_run(run, documents=documents, exclude_self=exclude_self)


def compare_evaluations(
    judgments: Judgments,
    runs: Mapping[str, Run],
    evaluations: Mapping[str, Evaluation],
    *,
    queries: Mapping[str, Query],
    slices: Iterable[str] = (),
) -> Comparison:
    """Compare runs that are already scored; otherwise as `compare`.

    Runs and evaluations have the same names, the baseline first; all evaluations have the same
    measures. Raises `MismatchError` if two runs have no query in common.
    """
    reference = check_runs(runs, None)
    _check_common(judgments, runs, reference)
    return compared(
        judgments,
        runs,
        evaluations,
        reference,
        evaluations[reference].measures,
        queries,
        scored_for_all([*evaluations.values()], evaluations),
        labels=slices,
    )


def compared(
    judgments: Judgments,
    runs: Mapping[str, Run],
    evaluations: Mapping[str, Evaluation],
    reference: str,
    measures: Sequence[Measure],
    queries: Mapping[str, Query],
    query_ids: Sequence[str],
    *,
    labels: Iterable[str],
    repeats: Mapping[str, Sequence[Run]] = MappingProxyType({}),
    noise: Mapping[str, Mapping[Measure, Noise]] = MappingProxyType({}),
    bounds: bool = False,
    max_grade: float | None = None,
    how: Statistics = Statistics(),  # noqa: B008 - frozen
    risk: Iterable[float] = (),
    depths: Mapping[str, int] | None = None,
) -> Comparison:
    """Compare evaluations that were checked; `depths` are those of the runs where these are empty.

    Everything else is as `compare` has prepared it.
    """
    if depths is None:
        depths = {name: _depth(run) for name, run in runs.items()}
    alphas = tuple(risk)
    sampling = sampling_of(queries, query_ids)
    over_same = {name: _restricted(one, query_ids) for name, one in evaluations.items()}
    candidates = {name: one for name, one in over_same.items() if name != reference}
    if over_same[reference].rests_on is not None:
        weights = shared_weights(over_same[reference], candidates, over_same[reference].measures)
        over_same = {name: one.with_weights(weights) for name, one in over_same.items()}
        candidates = {name: over_same[name] for name in candidates}
    pairs = [
        replace(
            pair,
            noise_sd=noise_between(
                *(noise.get(name, {}).get(pair.measure) for name in (reference, pair.system))
            ),
        )
        for pair in find_pairs(over_same[reference], candidates, measures, query_ids, sampling)
    ]
    parts: list[tuple[Slice, list[int]]] = [
        item
        for label in dict.fromkeys(labels)
        for item in find_slices(queries, label, query_ids).items()
    ]
    whole = describe(pairs, how, sampling)
    sliced = describe_slices(pairs, parts, how, sampling)
    if bounds:
        bounded = bound_differences(
            [*whole, *sliced],
            judgments,
            rounds_of(runs, repeats),
            reference,
            query_ids,
            dict(parts),
            max_grade,
        )
        whole, sliced = bounded[: len(whole)], bounded[len(whole) :]
    return Comparison(
        judgments=judgments,
        runs=runs,
        queries=queries,
        measures=tuple(measures),
        shown=over_same[reference].measures,
        baseline=reference,
        query_ids=query_ids,
        evaluations=over_same,
        differences=tuple(whole),
        common=tuple(describe_common(pairs, over_same.values(), how, sampling)),
        sliced=tuple(sliced),
        statistics=how,
        marked_notes=(
            *query_notes(evaluations, len(query_ids)),
            *comparison_notes(measures, sampling, len(query_ids), how.tests, depths, noise, whole),
            *map(Note, risk_notes(measures) if alphas else ()),
        ),
        max_grade=max_grade,
        repeats=repeats,
        noise=noise,
        sampling=sampling,
        risks=tuple(find_risks(pairs, over_same, reference, alphas, sampling)),
    )


def _restricted(evaluation: Evaluation, query_ids: Sequence[str]) -> Evaluation:
    """Return an evaluation over the compared queries; its counts are unchanged."""
    scores = evaluation.scores
    if len(scores.query_ids) == len(query_ids):
        return evaluation
    wanted = set(query_ids)
    positions = [i for i, query_id in enumerate(scores.query_ids) if query_id in wanted]
    taken = replace(scores.take(positions), counts=scores.counts, ignored_ids=scores.ignored_ids)
    return Evaluation(
        taken,
        evaluation.measures,
        evaluation.queries,
        cautions=evaluation.cautions,
        labelled=evaluation.labelled_at(positions),
    )


def check_runs(runs: Mapping[str, object], baseline: str | None) -> str:
    """Return the name of the baseline, or raise if there is none, or nothing to compare."""
    if not isinstance(runs, Mapping):
        raise InputTypeError("runs", _EXPECTED_RUNS, type(runs).__name__)
    if len(runs) < 2:  # noqa: PLR2004
        raise ArgumentError("runs", "at least two", f"{len(runs)}")
    if baseline is None:
        return next(iter(runs))
    if baseline not in runs:
        known = " or ".join(map(repr, runs))
        raise ArgumentError("baseline", f"the name of a run, {known}", repr(baseline))
    return baseline


def _check_common(judgments: Judgments, runs: Mapping[str, Run], reference: str) -> None:
    """Reject runs with different queries: each would score 0 where the other has documents."""
    judged = set(judgments.query_ids.iter_bytes())
    before = judged.intersection(runs[reference].query_ids.iter_bytes())
    for name, run in runs.items():
        if before.isdisjoint(run.query_ids.iter_bytes()):
            raise MismatchError(f"{reference} and {name} have no judged query in common")


def scored_for_all(evaluations: Sequence[Evaluation], names: Iterable[str]) -> list[str]:
    """Return the queries that are scored for all runs, or raise if there are none."""
    first, *others = (evaluation.scores.query_ids for evaluation in evaluations)
    if all(other == first for other in others):
        return list(first)
    common = set(first).intersection(*others)
    if not common:
        raise MismatchError(f"no query is scored for all runs: {', '.join(names)}")
    return [query_id for query_id in first if query_id in common]


def _check_names(argument: str, names: Iterable[str], runs: Mapping[str, Run]) -> None:
    for name in names:
        if name not in runs:
            known = " or ".join(map(repr, runs))
            raise ArgumentError(argument, f"the name of a run, {known}", repr(name))


def _load_repeats(
    repeats: Mapping[str, Sequence[RunSource]], runs: Mapping[str, Run], duplicates: Duplicates
) -> dict[str, list[Run]]:
    """Load the further runs of systems."""
    _check_names("repeats", repeats, runs)
    return {
        name: [load_run(source, duplicates) for source in again]
        for name, again in repeats.items()
        if again
    }


def _depth(run: Run) -> int:
    return int(np.max(np.diff(np.asarray(run.starts)), initial=0))
