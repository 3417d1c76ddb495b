"""Ways to fuse runs, whose weights or probabilities are fitted to some of the queries."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import score
from berryeval.errors import ArgumentError, InputError, MismatchError
from berryeval.evaluation.folds import QueryWeights
from berryeval.evaluation.weight_search import WeightSearch, proportions, with_share
from berryeval.fusion.fuse import check_parameters, fuse_runs
from berryeval.fusion.methods import Method, find_method, find_norm
from berryeval.fusion.training import Training, TrainingSet
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.core.query import Query

__all__ = ["FusionChoice", "FusionData", "FusionWay", "list_ways"]

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


class FusionData:
    """Runs, judgments and a measure; scores are negated for measures of which less is better."""

    def __init__(
        self,
        runs: dict[str, Run],
        judgments: Judgments,
        measure: Measure,
        n_starts: int,
        seed: int,
        queries: Mapping[str, Query] | None = None,
    ) -> None:
        self.runs = runs
        self.judgments = judgments
        self.measure = measure
        self.query_ids = sorted(judgments.query_ids.iter_bytes())
        self.weights = QueryWeights(queries or {}, self.query_ids)
        self.n_starts = n_starts
        self.seed = seed

    def scores_of(self, run: Run) -> dict[bytes, float]:
        """Return the score of each judged query."""
        found = score(self.judgments, run, [self.measure])
        return dict(zip(found.query_ids.iter_bytes(), found.values[str(self.measure)], strict=True))

    @property
    def sign(self) -> float:
        """1, or -1 if lower scores are better."""
        return 1.0 if self.measure.higher_is_better else -1.0

    def mean_of(
        self, scores: Mapping[bytes, float], query_ids: Sequence[bytes] | None = None
    ) -> float:
        """Return the mean over some queries, or over all judged ones."""
        return self.weights.mean_score(scores, self.query_ids if query_ids is None else query_ids)

    @cached_property
    def starts(self) -> list[tuple[float, ...]]:
        """Starting weights: equal, by the quality of each run alone, and random."""
        n_runs = len(self.runs)
        found = [tuple([1.0 / n_runs] * n_runs)]
        alone = [max(self.mean_of(self.scores_of(run)), 0.0) for run in self.runs.values()]
        found.append(_shares(alone))
        draw = random.Random(self.seed)  # noqa: S311 - no secret
        while len(found) < self.n_starts:
            found.append(_shares([draw.random() for _ in range(n_runs)]))
        return found[: self.n_starts]

    def training_set(self, level: float) -> TrainingSet:
        """Return the judged rankings of the runs, which all methods share."""
        if level not in self._training_sets:
            self._training_sets[level] = TrainingSet([*self.runs.values()], self.judgments, level)
        return self._training_sets[level]

    @cached_property
    def _training_sets(self) -> dict[float, TrainingSet]:
        return {}


class FusionWay:
    """A candidate: fits its weights, or trains, on some of the queries."""

    def __init__(
        self, data: FusionData, method: str, norm: str | None, parameters: Mapping[str, float]
    ) -> None:
        self.data = data
        self.method = find_method(method)
        self.norm = norm
        self.parameters = parameters
        self.is_weighted = self.method.is_weighted
        self._fits: dict[frozenset[bytes], FusionChoice] = {}
        self._scores: dict[frozenset[bytes], dict[bytes, float]] = {}

    def choice(
        self, weights: tuple[float, ...] | None = None, training: Training | None = None
    ) -> FusionChoice:
        """Return this way with weights, or with what was learned."""
        return FusionChoice(self.method.name, self.norm, weights, self.parameters, training)

    def fit(self, query_ids: Sequence[bytes]) -> FusionChoice:
        """Return weights, or what was learned, from these queries alone."""
        key = self._key(query_ids)
        if key not in self._fits:
            self._fits[key] = self._fit(sorted(query_ids))
        return self._fits[key]

    def find_problem(self) -> str | None:
        """Return why scores cannot be fused in this way, or None."""
        try:
            self.scores(self.data.query_ids)  # needed anyway
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

    def scores(self, fitted_to: Sequence[bytes]) -> dict[bytes, float]:
        """Return the score of each judged query, fused as fitted to some of them."""
        key = self._key(fitted_to)
        if key not in self._scores:
            self._scores[key] = self.data.scores_of(self.fit(fitted_to).fuse(self.data.runs))
        return self._scores[key]

    def _key(self, fitted_to: Sequence[bytes]) -> frozenset[bytes]:
        """Return what a fit depends on: the queries, if anything is fitted to them."""
        is_fitted = self.is_weighted or self.method.is_trained
        return frozenset(fitted_to if is_fitted else ())

    @cached_property
    def _search(self) -> WeightSearch | None:
        """The search for exact weights; None if the measure is too deep, or votes are counted."""
        k = self.data.measure.k
        if k is None or k > _DEEPEST_EXACT or self.method.name == "w_condorcet":
            return None
        parts = [
            self.choice(tuple(float(i == run) for i in range(len(self.data.runs)))).fuse(
                self.data.runs
            )
            for run in range(len(self.data.runs))
        ]
        return WeightSearch(
            parts, self.data.judgments, self.data.measure, worth=self.data.weights.of
        )

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


def list_ways(
    data: FusionData,
    methods: Iterable[str],
    norms: Iterable[str | None],
    parameters: Mapping[str, float],
) -> tuple[list[FusionWay], list[str]]:
    """Return the candidates; normalisations that the scores do not allow are left out and noted."""
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
    problems = [way.find_problem() for way in ways]
    possible = [way for way, problem in zip(ways, problems, strict=True) if problem is None]
    notes = [
        f"{way.choice().name} is left out: {problem}."
        for way, problem in zip(ways, problems, strict=True)
        if problem is not None
    ]
    if not possible:
        is_shared = len(problems) > 1 and len({*problems}) == 1
        why = problems[0] if is_shared else " ".join(notes)
        raise InputError(f"no way to fuse is possible: {why}")
    return possible, notes


def _ways(
    data: FusionData, method: Method, norm: str | None, parameters: Mapping[str, float]
) -> Iterator[FusionWay]:
    """Yield a candidate for each set of parameters to try."""
    own = {name: one for name, one in parameters.items() if name in method.parameters}
    for tried in ({},) if own else _TRIED.get(method.name, ({},)):
        yield FusionWay(data, method.name, norm, check_parameters(method, {**tried, **own}))


def _rank_norm(norms: Sequence[str | None]) -> str | None:
    """Return what methods that use ranks need to know: whether scores are distances."""
    return "min-max-inverted" if {*norms} == {"min-max-inverted"} else None


def _shares(numbers: Sequence[float]) -> tuple[float, ...]:
    """Return numbers that add up to 1; equal ones if all are 0."""
    total = reduce(add, numbers, 0.0)
    if total <= 0:
        return tuple([1.0 / len(numbers)] * len(numbers))
    return tuple(number / total for number in numbers)
