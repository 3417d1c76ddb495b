"""Tuning of a fusion, with scores that hold up on unseen queries.

The judged queries are divided into folds. For each fold, a way to fuse is chosen on the other
folds only: every candidate is fitted to all of them but one, in turn, and scored on that one; the
candidate with the best score is fitted to all of them. The fold that was left out then scores the
choice. The mean of these scores is an honest estimate, since no query was scored by a choice that
it had a part in. What is recommended in the end is chosen in the same way from all queries.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

from berryeval.core.grouped import Grouping
from berryeval.core.judging import Judges
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import score
from berryeval.errors import ArgumentError, InputError, MismatchError
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measures
from berryeval.evaluation.fusing import load_runs
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments
from berryeval.evaluation.weight_search import WeightSearch, proportions, with_share
from berryeval.formats import Duplicates
from berryeval.fusion.fuse import check_parameters, fuse_runs
from berryeval.fusion.methods import Method, find_method, find_norm
from berryeval.fusion.training import Training, TrainingSet
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
    "FusionChoice",
    "FusionTuning",
    "tune_fusion",
]

TUNED_METHODS = ("wsum", "rrf", "mnz", "isr", "rbc", "bordafuse", "mapfuse", "slidefuse")
"""What is tried where no method is named."""
TUNED_NORMS = ("min-max", "zmuv", "rank")
"""What is tried, for methods that use scores, where no normalisation is named."""
_TRIED: Mapping[str, tuple[Mapping[str, float], ...]] = {
    "rrf": ({"k": 60.0}, {"k": 10.0}),
    "rbc": ({"phi": 0.9}, {"phi": 0.8}, {"phi": 0.95}),
    "gmnz": ({"gamma": 0.25}, {"gamma": 0.5}, {"gamma": 1.0}),
    "slidefuse": ({"window": 2.0}, {"window": 5.0}),
    "probfuse": ({"n_segments": 10.0}, {"n_segments": 25.0}),
}
"""Parameters that are tried; other methods have their defaults."""
_DEEPEST_EXACT = 100
"""Line searches are exact up to this cutoff; beyond it, they try steps of one hundredth."""
_N_STEPS = 100
_N_DRAWN = 20
_FUSION = "Tuned fusion"


@dataclass(frozen=True)
class FusionChoice:
    """A way to fuse runs."""

    method: str
    norm: str | None
    """None for methods that use ranks only."""
    weights: tuple[float, ...] | None = None
    """One per run, adding up to 1; None for methods without weights."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    training: Training | None = None

    def fuse(self, runs: Mapping[str, Run], depth: int | None = None) -> Run:
        """Fuse runs in this way; they have to be in the order of the tuning."""
        return fuse_runs(
            runs,
            self.method,
            norm=self.norm,
            weights=self.weights,
            parameters=self.parameters,
            training=self.training,
            depth=depth,
        )

    @property
    def name(self) -> str:
        """Method, normalisation and parameters, such as ``wsum, min-max``."""
        shown = [f"{name}={number:g}" for name, number in self.parameters.items() if name != "rel"]
        return ", ".join([self.method, *([self.norm] if self.norm else []), *shown])


@dataclass(frozen=True)
class Candidate:
    """One method, normalisation and set of parameters, and how it did."""

    choice: FusionChoice
    """Fitted to all queries."""
    training: float
    """Mean score of the queries it was fitted to, averaged over folds."""
    held_out: float
    """Mean score of queries in folds that it was not fitted to."""


@dataclass(frozen=True)
class FoldChoice:
    """What was chosen without a fold, and how it did there."""

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
    """What to use: chosen and fitted on all queries."""
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
    """Of the held-out fusion with the best single run, as of `berryeval.compare`."""
    curves: Mapping[str, tuple[tuple[float, float], ...]]
    """By run: its share of the weight, and the mean score of all queries, while the other runs keep
    their proportions. Empty if no candidate has weights."""
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
        """Whether fusion beats the best single run on held-out queries, beyond doubt."""
        return self.difference.finding == "better"

    @property
    def sentence(self) -> str:
        """The result in words."""
        compared = self.comparison.sentence
        if self.is_better:
            return compared
        return f"Nothing that was tried clearly beats {self.best_single} alone. {compared}"

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
) -> FusionTuning:
    """Choose method, normalisation and weights of a fusion by cross-validation over queries.

    Parameters
    ----------
    judgments : judgments
        As `evaluate` takes them.
    runs : mapping of str to run, or several runs
        At least two, as `fuse` takes them.
    measure : Measure or str
        What to improve.
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
        Random seed of folds and starts.
    duplicates, judges
        As `evaluate` takes them.

    Returns
    -------
    FusionTuning

    Raises
    ------
    ArgumentError
        For fewer queries than folds, and for unknown methods or normalisations.

    Examples
    --------
    >>> judgments = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: ["a", "b"] for query in judgments}
    >>> bad = {query: ["b", "a"] for query in judgments}
    >>> tuning = tune_fusion(judgments, {"good": good, "bad": bad}, "RR@10", n_folds=3)
    >>> tuning.held_out.mean, tuning.best_single, tuning.is_better
    (1.0, 'good', False)
    """
    [chosen] = read_measures(measure)
    loaded = load_runs(runs, duplicates)
    if len(loaded) < 2:  # noqa: PLR2004
        raise ArgumentError("runs", "at least two", f"{len(loaded)}")
    if n_starts < 1:
        raise ArgumentError("n_starts", "at least 1", repr(n_starts))
    judged = load_judgments(judgments, duplicates, judges)
    data = _Data(loaded, judged, chosen, n_starts, seed)
    folds = fold_queries(judged, n_folds, seed)
    ways, notes = _candidates(data, methods, norms, parameters or {})
    validated = [_Validated(way, folds) for way in ways]
    by_fold = [_choose(validated, fold) for fold in range(len(folds))]
    best = max(validated, key=lambda one: one.held_out_mean)
    held_out = held_out_run(folds, [one.choice.fuse(loaded) for one in by_fold])
    singles = {name: data.mean_of(data.scores_of(run)) for name, run in loaded.items()}
    sign = 1 if chosen.higher_is_better else -1
    best_single = max(singles, key=lambda name: sign * singles[name])
    comparison = compare(
        judged,
        {best_single: loaded[best_single], _FUSION: held_out},
        chosen,
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
        held_out=evaluate(judged, held_out, chosen)[str(chosen)],
        training=_mean([one.training for one in by_fold]),
        singles=singles,
        best_single=best_single,
        comparison=comparison,
        curves={} if drawn is None else drawn.way.curves(),
        curve_choice=None if drawn is None else drawn.way.fit(data.query_ids),
        notes=tuple(notes),
        seed=seed,
    )


class _Data:
    """Runs, judgments and a measure; scores are negated for measures of which less is better."""

    def __init__(
        self, runs: dict[str, Run], judgments: Judgments, measure: Measure, n_starts: int, seed: int
    ) -> None:
        self.runs = runs
        self.judgments = judgments
        self.measure = measure
        self.query_ids = sorted(judgments.query_ids.iter_bytes())
        self.n_starts = n_starts
        self.seed = seed

    def scores_of(self, run: Run) -> dict[bytes, float]:
        """Return the score of each judged query."""
        found = score(self.judgments, run, [self.measure])
        return dict(zip(found.query_ids.iter_bytes(), found.values[str(self.measure)], strict=True))

    @property
    def sign(self) -> float:
        return 1.0 if self.measure.higher_is_better else -1.0

    def mean_of(
        self, scores: Mapping[bytes, float], query_ids: Sequence[bytes] | None = None
    ) -> float:
        return _mean([scores[one] for one in (self.query_ids if query_ids is None else query_ids)])

    @cached_property
    def starts(self) -> list[tuple[float, ...]]:
        """Weights to start from: equal, by how good each run is alone, and random ones."""
        n_runs = len(self.runs)
        found = [tuple([1.0 / n_runs] * n_runs)]
        alone = [max(self.mean_of(self.scores_of(run)), 0.0) for run in self.runs.values()]
        found.append(_shares(alone))
        draw = random.Random(self.seed)  # noqa: S311 - no secret
        while len(found) < self.n_starts:
            found.append(_shares([draw.random() for _ in range(n_runs)]))
        return found[: self.n_starts]

    def training_set(self, level: float) -> TrainingSet:
        """Return the judged rankings of the runs, which are the same for all methods."""
        if level not in self._training_sets:
            self._training_sets[level] = TrainingSet([*self.runs.values()], self.judgments, level)
        return self._training_sets[level]

    @cached_property
    def _training_sets(self) -> dict[float, TrainingSet]:
        return {}


class _Way:
    """A candidate: fits its weights, or trains, on some of the queries."""

    def __init__(
        self, data: _Data, method: str, norm: str | None, parameters: Mapping[str, float]
    ) -> None:
        self.data = data
        self.method = find_method(method)
        self.norm = norm
        self.parameters = parameters
        self.is_weighted = self.method.is_weighted
        self._fits: dict[frozenset[bytes], FusionChoice] = {}
        self._scores: dict[int, dict[bytes, float]] = {}

    def choice(
        self, weights: tuple[float, ...] | None = None, training: Training | None = None
    ) -> FusionChoice:
        return FusionChoice(self.method.name, self.norm, weights, self.parameters, training)

    def fit(self, query_ids: Sequence[bytes]) -> FusionChoice:
        """Return weights, or what was learned, from these queries alone."""
        key = frozenset(query_ids)
        if key not in self._fits:
            self._fits[key] = self._fit(sorted(query_ids))
        return self._fits[key]

    def find_problem(self) -> str | None:
        """Return why scores cannot be fused in this way, or None."""
        try:
            self.scores(self.fit(self.data.query_ids))  # which is needed anyway
        except (ArgumentError, MismatchError):
            raise
        except InputError as error:
            return str(error)
        return None

    def _fit(self, query_ids: Sequence[bytes]) -> FusionChoice:
        if self.method.is_trained:
            known = self.data.training_set(self.parameters["rel"])
            return self.choice(
                training=known.train(self.method.name, self.parameters, {*query_ids})
            )
        if not self.is_weighted:
            return self.choice()
        if self._search is None:
            return self.choice(self._try_shares(query_ids))
        return self.choice(self._search.search(query_ids, self.data.starts)[0])

    def scores(self, choice: FusionChoice) -> dict[bytes, float]:
        """Return the score of each judged query, fused in this way."""
        key = id(choice)  # fits are kept, so that their addresses are not used again
        if key not in self._scores:
            self._scores[key] = self.data.scores_of(choice.fuse(self.data.runs))
        return self._scores[key]

    @cached_property
    def _search(self) -> WeightSearch | None:
        """What finds exact weights; None if the measure is too deep, or votes are counted."""
        k = self.data.measure.k
        if k is None or k > _DEEPEST_EXACT or self.method.name == "w_condorcet":
            return None
        parts = [
            self.choice(tuple(float(i == run) for i in range(len(self.data.runs)))).fuse(
                self.data.runs
            )
            for run in range(len(self.data.runs))
        ]
        return WeightSearch(parts, self.data.judgments, self.data.measure)

    def _try_shares(self, query_ids: Sequence[bytes]) -> tuple[float, ...]:
        """Return the best weights on a grid, one weight after the other."""
        n_runs = len(self.data.runs)
        weights = self.data.starts[0]
        best = -float("inf")
        for run in range(1 if n_runs == 2 else 0, n_runs):  # noqa: PLR2004
            others = proportions(weights, run)
            for step in range(_N_STEPS + 1):
                tried = with_share(others, run, step / _N_STEPS)
                found = self.data.sign * self.data.mean_of(self._scores_at(tried), query_ids)
                if found > best:
                    weights, best = tried, found
        return weights

    def _scores_at(self, weights: tuple[float, ...]) -> dict[bytes, float]:
        if weights not in self._scores_by_weights:
            fused = self.choice(weights).fuse(self.data.runs)
            self._scores_by_weights[weights] = self.data.scores_of(fused)
        return self._scores_by_weights[weights]

    @cached_property
    def _scores_by_weights(self) -> dict[tuple[float, ...], dict[bytes, float]]:
        return {}

    def curves(self) -> dict[str, tuple[tuple[float, float], ...]]:
        """Return the mean score by the share of each run, the others in their proportions."""
        weights = self.fit(self.data.query_ids).weights
        assert weights is not None
        found = {}
        for run, name in enumerate(self.data.runs):
            others = proportions(weights, run)
            points = []
            for step in range(_N_DRAWN + 1):
                share = step / _N_DRAWN
                scores = self._scores_at(with_share(others, run, share))
                points.append((share, self.data.mean_of(scores)))
            found[name] = tuple(points)
        return found


class _Validated:
    """A candidate with its scores on held-out folds."""

    def __init__(self, way: _Way, folds: Sequence[Sequence[bytes]]) -> None:
        self.way = way
        self.folds = folds

    def without(self, *left_out: int) -> list[bytes]:
        """Return the queries of the other folds."""
        return [q for i, fold in enumerate(self.folds) if i not in left_out for q in fold]

    def mean_without(self, fitted_without: Sequence[int], over: Sequence[bytes]) -> float:
        """Return the mean over queries of what was fitted without some folds; higher is better."""
        choice = self.way.fit(self.without(*fitted_without))
        data = self.way.data
        return data.sign * data.mean_of(self.way.scores(choice), sorted(over))

    @cached_property
    def held_out_mean(self) -> float:
        """The mean over all queries, each by what was fitted without its fold."""
        return self._held_out(range(len(self.folds)), ())

    def inner_mean(self, fold: int) -> float:
        """Return the same without one fold, which has no part in it."""
        return self._held_out([i for i in range(len(self.folds)) if i != fold], (fold,))

    def _held_out(self, tested: Sequence[int], left_out: Sequence[int]) -> float:
        n_queries, total = 0, 0.0
        for fold in tested:
            n_queries += len(self.folds[fold])
            total += len(self.folds[fold]) * self.mean_without((*left_out, fold), self.folds[fold])
        return total / n_queries

    @cached_property
    def training_mean(self) -> float:
        """The mean over the queries fitted to, averaged over folds."""
        return _mean([self.mean_without((i,), self.without(i)) for i in range(len(self.folds))])


def _choose(validated: Sequence[_Validated], fold: int) -> FoldChoice:
    """Choose without a fold, and score the choice on it."""
    best = max(validated, key=lambda one: one.inner_mean(fold))
    queries = best.folds[fold]
    sign = best.way.data.sign
    return FoldChoice(
        tuple(one.decode("utf-8", "surrogateescape") for one in queries),
        best.way.fit(best.without(fold)),
        sign * best.mean_without((fold,), best.without(fold)),
        sign * best.mean_without((fold,), queries),
    )


def fold_queries(judgments: Judgments, n_folds: int, seed: int) -> list[list[bytes]]:
    """Divide queries at random; the same seed gives the same folds."""
    query_ids = sorted(judgments.query_ids.iter_bytes())
    if not 3 <= n_folds <= len(query_ids):  # noqa: PLR2004 - two to fit and validate, one to test
        expected = f"a number from 3 to {len(query_ids)}, the number of judged queries"
        raise ArgumentError("n_folds", expected, repr(n_folds))
    random.Random(seed).shuffle(query_ids)  # noqa: S311 - no secret
    return [sorted(query_ids[fold::n_folds]) for fold in range(n_folds)]


def _candidates(
    data: _Data,
    methods: Iterable[str],
    norms: Iterable[str | None],
    parameters: Mapping[str, float],
) -> tuple[list[_Way], list[str]]:
    """Return what to try; normalisations that the scores do not allow are left out, and noted."""
    wanted = [find_method(name) for name in dict.fromkeys(methods)]
    scales = [*dict.fromkeys(map(find_norm, norms))]
    if not wanted or not scales:
        raise ArgumentError("methods" if not wanted else "norms", "at least one", "none")
    for name in parameters:
        if not any(name in method.parameters for method in wanted):
            shown = ", ".join(method.name for method in wanted)
            raise ArgumentError(name, f"a parameter of {shown}", repr(parameters[name]))
    ways = [
        way
        for method in wanted
        for norm in (scales if method.uses != "ranks" else [_rank_norm(scales)])
        for way in _ways(data, method, norm, parameters)
    ]
    possible: list[_Way] = []
    notes: list[str] = []
    for way in ways:
        problem = way.find_problem()
        if problem is None:
            possible.append(way)
        else:
            notes.append(f"{way.choice().name} is left out: {problem}.")
    if not possible:
        raise InputError(f"no way to fuse is possible: {' '.join(notes)}")
    return possible, notes


def _ways(
    data: _Data, method: Method, norm: str | None, parameters: Mapping[str, float]
) -> Iterator[_Way]:
    """Yield a candidate for each set of parameters to try."""
    own = {name: one for name, one in parameters.items() if name in method.parameters}
    for tried in ({},) if own else _TRIED.get(method.name, ({},)):
        yield _Way(data, method.name, norm, check_parameters(method, {**tried, **own}))


def _rank_norm(norms: Sequence[str | None]) -> str | None:
    """Return what methods that use ranks need to know: whether scores are distances."""
    return "min-max-inverted" if {*norms} == {"min-max-inverted"} else None


def held_out_run(folds: Sequence[Sequence[bytes]], by_fold: Sequence[Run]) -> Run:
    """Return one run with the queries of each fold from the run that was chosen without it."""
    rows = Grouping()
    for queries, chosen in zip(folds, by_fold, strict=True):
        for query_id in queries:
            for row in chosen.rows_of(query_id):
                rows.add(query_id, chosen.doc_ids.bytes_at(row), chosen.values[row])
    run = Run.collect(rows)
    run.cautions = ()
    return run


def _mean(numbers: Sequence[float]) -> float:
    return reduce(add, numbers, 0.0) / len(numbers)


def _shares(numbers: Sequence[float]) -> tuple[float, ...]:
    """Return numbers that add up to 1; equal ones if all are 0."""
    total = reduce(add, numbers, 0.0)
    if total <= 0:
        return tuple([1.0 / len(numbers)] * len(numbers))
    return tuple(number / total for number in numbers)
