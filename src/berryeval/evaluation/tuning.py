"""Tuning of a fusion, with scores that hold up on unseen queries.

The judged queries are divided into folds. For each fold, a way to fuse is chosen on the other
folds only: every candidate is fitted to all of them but one, in turn, and scored on that one; the
candidate with the best score is fitted to all of them. The fold that was left out then scores the
choice. The mean of these scores is an honest estimate, since no query was scored by a choice that
it had a part in. What is recommended in the end is chosen in the same way from all queries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from berryeval.core.judging import Judges
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measure
from berryeval.evaluation.folds import check_averaged, fold_queries, held_out_run
from berryeval.evaluation.fusing import load_runs
from berryeval.evaluation.fusion_ways import FusionChoice, FusionData, FusionWay, list_ways
from berryeval.evaluation.slices import QueriesSource, load_queries
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments
from berryeval.evaluation.weighting import mean_over
from berryeval.formats import Duplicates
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.differences import Difference
    from berryeval.evaluation.result import MeasureResult
    from berryeval.stats import Interval

__all__ = [
    "TUNED_METHODS",
    "TUNED_NORMS",
    "Candidate",
    "FoldChoice",
    "FusionTuning",
    "tune_fusion",
]

TUNED_METHODS = ("wsum", "rrf", "mnz", "isr", "rbc", "bordafuse", "mapfuse", "slidefuse")
"""Methods to try if none is named."""
TUNED_NORMS = ("min-max", "zmuv", "rank")
"""Normalisations to try for methods that use scores, if none is named."""
_FUSION = "Tuned fusion"


@dataclass(frozen=True)
class Candidate:
    """One method, normalisation and set of parameters, with its scores."""

    choice: FusionChoice
    """Fitted to all queries."""
    training: float
    """Mean score of the queries it was fitted to, averaged over folds."""
    held_out: float
    """Mean score of queries in folds that it was not fitted to."""


@dataclass(frozen=True)
class FoldChoice:
    """The fusion that was chosen without a fold, and its score there."""

    query_ids: tuple[str, ...]
    """The queries of the fold."""
    choice: FusionChoice
    training: float
    """Mean score of the other folds, to which it was fitted."""
    held_out: float
    """Mean score of the fold."""


@dataclass(frozen=True, eq=False)
class FusionTuning:
    """The recommended fusion, and what to expect of it."""

    measure: Measure
    runs: Mapping[str, Run]
    choice: FusionChoice
    """The candidate to use, chosen and fitted on all queries."""
    candidates: tuple[Candidate, ...]
    """All that was tried, the best on held-out folds first."""
    folds: tuple[FoldChoice, ...]
    held_out: MeasureResult
    """Scores of queries by the choice of the other folds."""
    training: float
    """The optimistic mean: that of the queries to which choices were fitted."""
    singles: Mapping[str, float]
    """The mean of each run alone."""
    best_single: str
    comparison: Comparison
    """Comparison of the held-out fusion with the best single run, as in `berryeval.compare`."""
    curves: Mapping[str, tuple[tuple[float, float], ...]]
    """For each run, its share of the weight and the mean score of all queries, while the others
    keep their proportions. Empty if no candidate has weights.
    """
    curve_choice: FusionChoice | None
    """Method and weights behind the curves: the choice, or the best candidate with weights."""
    notes: tuple[str, ...]
    seed: int

    @property
    def n_queries(self) -> int:
        """The number of judged queries."""
        return len(self.held_out.values)

    @property
    def interval(self) -> Interval | None:
        """The confidence interval of the held-out mean."""
        return self.held_out.interval

    @property
    def difference(self) -> Difference:
        """The held-out fusion compared with the best single run."""
        return self.comparison.differences[0]

    @property
    def is_better(self) -> bool:
        """Whether fusion clearly beats the best single run on held-out queries."""
        return self.difference.finding == "better"

    @property
    def sentence(self) -> str:
        """The result in words."""
        compared = self.comparison.sentence
        if self.is_better:
            return compared
        return f"No fusion tried clearly beats {self.best_single} alone. {compared}"

    def fuse(self, depth: int | None = None) -> Run:
        """Fuse the runs in the recommended way, all queries of them."""
        return self.choice.fuse(self.runs, depth)


def tune_fusion(
    judgments: JudgmentsSource,
    runs: Mapping[str, RunSource] | Iterable[RunSource],
    measure: MeasureLike = "nDCG@10",
    *,
    methods: Iterable[str] = TUNED_METHODS,
    norms: Iterable[str | None] = TUNED_NORMS,
    parameters: Mapping[str, float] | None = None,
    n_folds: int = 5,
    n_starts: int = 3,
    level: float = 0.95,
    seed: int = 0,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    queries: QueriesSource | None = None,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> FusionTuning:
    """Choose method, normalisation and weights of a fusion by cross-validation over queries.

    Parameters
    ----------
    judgments : judgments
        As `evaluate` takes them.
    runs : mapping of str to run, or several runs
        At least two, as `fuse` takes them.
    measure : Measure or str
        What to improve: a measure that is averaged over queries.
    methods : iterable of str
        Methods to try. Default: weighted sum, weighted reciprocal ranks and six others.
    norms : iterable of str or None
        Normalisations to try, for methods that use scores.
    parameters : mapping of str to float, optional
        Parameters of the methods to try, in place of a few usual ones; each method uses its own.
    n_folds : int
        Parts that queries are divided into, at least 3.
    n_starts : int
        For three runs and more, how many weights the search starts from. For two runs the best
        weight is found without.
    level : float
        Confidence level of intervals.
    seed : int
        Random seed for the folds and starting points.
    duplicates, judges
        As `evaluate` takes them.
    queries : path or Query objects, optional
        Their weights count in every mean, and in the search for weights of runs. Queries of one
        group are in the same fold.
    progress : callable
        Called with the number of steps done and in total, as each takes some time.

    Returns
    -------
    FusionTuning

    Raises
    ------
    ArgumentError
        For fewer queries, or groups of queries, than folds, for unknown methods or
        normalisations, and for a measure that is not averaged, such as GMAP.

    Examples
    --------
    >>> judgments = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: ["a", "b"] for query in judgments}
    >>> bad = {query: ["b", "a"] for query in judgments}
    >>> tuning = tune_fusion(judgments, {"good": good, "bad": bad}, "RR@10", n_folds=3)
    >>> tuning.held_out.mean, tuning.best_single, tuning.is_better
    (1.0, 'good', False)
    """
    chosen = read_measure(measure)
    check_averaged(chosen)
    loaded = load_runs(runs, duplicates)
    if len(loaded) < 2:  # noqa: PLR2004
        raise ArgumentError("runs", "at least two", f"{len(loaded)}")
    if n_starts < 1:
        raise ArgumentError("n_starts", "at least 1", repr(n_starts))
    judged = load_judgments(judgments, duplicates, judges)
    known = load_queries(queries)
    data = FusionData(loaded, judged, chosen, n_starts, seed, known)
    folds = fold_queries(judged, n_folds, seed, known)
    ways, notes = list_ways(data, methods, norms, parameters or {})
    validated = [_Validated(way, folds) for way in ways]
    by_fold = [_choose(validated, fold, progress) for fold in range(len(folds))]
    best = max(validated, key=lambda one: one.held_out_mean)
    held_out = held_out_run(folds, [one.choice.fuse(loaded) for one in by_fold])
    singles = {name: data.mean_of(data.scores_of(run)) for name, run in loaded.items()}
    sign = 1 if chosen.higher_is_better else -1
    best_single = max(singles, key=lambda name: sign * singles[name])
    comparison = compare(
        judged,
        {best_single: loaded[best_single], _FUSION: held_out},
        chosen,
        queries=known.values(),
        level=level,
        seed=seed,
    )
    ranked = sorted(validated, key=lambda one: -one.held_out_mean)
    drawn = next((one for one in ranked if one.way.is_weighted), None)
    if best.way.is_weighted:
        drawn = best
    return FusionTuning(
        measure=chosen,
        runs=loaded,
        choice=best.way.fit(data.query_ids),
        candidates=tuple(
            Candidate(
                one.way.fit(data.query_ids), sign * one.training_mean, sign * one.held_out_mean
            )
            for one in ranked
        ),
        folds=tuple(by_fold),
        held_out=evaluate(judged, held_out, chosen, queries=known.values())[str(chosen)],
        training=mean_over([one.training for one in by_fold]),
        singles=singles,
        best_single=best_single,
        comparison=comparison,
        curves={} if drawn is None else drawn.way.curves(),
        curve_choice=None if drawn is None else drawn.way.fit(data.query_ids),
        notes=tuple(notes),
        seed=seed,
    )


class _Validated:
    """A candidate with its scores on held-out folds."""

    def __init__(self, way: FusionWay, folds: Sequence[Sequence[bytes]]) -> None:
        self.way = way
        self.folds = folds

    def without(self, *left_out: int) -> list[bytes]:
        """Return the queries of the other folds."""
        return [q for i, fold in enumerate(self.folds) if i not in left_out for q in fold]

    def mean_without(self, fitted_without: Sequence[int], over: Sequence[bytes]) -> float:
        """Return the mean over queries of what was fitted without some folds; higher is better."""
        data = self.way.data
        scores = self.way.scores(self.without(*fitted_without))
        return data.sign * data.mean_of(scores, sorted(over))

    @cached_property
    def held_out_mean(self) -> float:
        """The mean over all queries, each by what was fitted without its fold."""
        return self._held_out(range(len(self.folds)), ())

    def inner_mean(self, fold: int) -> float:
        """Return the same without one fold."""
        return self._held_out([i for i in range(len(self.folds)) if i != fold], (fold,))

    def _held_out(self, tested: Sequence[int], left_out: Sequence[int]) -> float:
        worth, total = 0.0, 0.0
        for fold in tested:
            own = self.way.data.weights.total(self.folds[fold])
            worth += own
            total += own * self.mean_without((*left_out, fold), self.folds[fold])
        return total / worth

    @cached_property
    def training_mean(self) -> float:
        """The mean over the queries fitted to, averaged over folds."""
        return mean_over([self.mean_without((i,), self.without(i)) for i in range(len(self.folds))])


def _choose(
    validated: Sequence[_Validated], fold: int, progress: Callable[[int, int], None]
) -> FoldChoice:
    """Choose without a fold, and score the choice on it."""
    means = []
    n_folds = len(validated[0].folds)
    for number, one in enumerate(validated, start=1):
        means.append(one.inner_mean(fold))
        progress(fold * len(validated) + number, n_folds * len(validated))
    best = validated[means.index(max(means))]
    queries = best.folds[fold]
    sign = best.way.data.sign
    return FoldChoice(
        tuple(one.decode("utf-8", "surrogateescape") for one in queries),
        best.way.fit(best.without(fold)),
        sign * best.mean_without((fold,), best.without(fold)),
        sign * best.mean_without((fold,), queries),
    )
