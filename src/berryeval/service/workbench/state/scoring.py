"""Scores of runs with the current judgments, as pages show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Protocol, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.queries import AllQueries
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measures
from berryeval.evaluation.result import Evaluation
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache
from berryeval.service.stored_runs import RunCache

__all__ = ["JudgmentsLike", "Scoring", "ScoringDep", "State"]


class State:
    """The judgments of a moment, read on access: a million takes seconds."""

    def __init__(self, archive: Archive, hashed: str, sampling: str) -> None:
        self._archive = archive
        self.hash = hashed
        self.sampling = sampling

    @cached_property
    def judgments(self) -> Judgments:
        """The judgments."""
        return self._archive.judgments.at(self.hash)


class JudgmentsLike(Protocol):
    """Judgments with their hash, and that of the design of the queries."""

    @property
    def judgments(self) -> Judgments:
        """The judgments."""

    @property
    def hash(self) -> str:
        """Their hash."""

    @property
    def sampling(self) -> str:
        """The hash of the weights, groups and strata of the queries."""


class Scoring:
    """Scores of single runs with the current judgments, cached in memory.

    Parameters
    ----------
    archive : Archive
        The archive; its stored evaluations are used if they match. None is written.
    runs : RunCache
        Rankings by the id of their run.
    measures : sequence of str or Measure
        Measures of the pages; the first is the default.
    """

    def __init__(self, archive: Archive, runs: RunCache, measures: Sequence[MeasureLike]) -> None:
        self._archive = archive
        self._runs = runs
        self.measures = tuple(read_measures(measures))
        self._evaluations: LruCache[tuple[str, str, str], Evaluation] = LruCache(64)
        self._sampling: str | None = None
        self._n_resampled = 0

    def state(self) -> State:
        """Return the current judgments and their hash."""
        archive = self._archive
        return State(archive, archive.judgments.hash(), archive.queries.sampling())

    def revision(self) -> int:
        """Return a number that grows with every changed judgment, weight, group or stratum."""
        sampling = self._archive.queries.sampling()
        if self._sampling is not None and sampling != self._sampling:
            self._n_resampled += 1
        self._sampling = sampling
        return self._archive.judgments.revision() + self._n_resampled

    def queries(self) -> Mapping[str, Query]:
        """Return every query by its id."""
        return self._archive.queries.all()

    def all_queries(self) -> AllQueries:
        """Return every query, and their hash."""
        return self._archive.queries.snapshot()

    def run(self, run_id: str) -> Run:
        """Return the rankings of a run.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        return self._runs.load(run_id)

    def evaluation(self, run_id: str, state: JudgmentsLike | None = None) -> Evaluation:
        """Return a run's score of every query, with the queries for slices.

        With the current judgments, or those of a given state.

        Raises
        ------
        NotFoundError
            If there is no such run.
        MismatchError
            If no query of the run is judged.
        """
        at = self.state() if state is None else state
        key = run_id, at.hash, at.sampling
        return self._evaluations.get_or_compute(key, lambda: self._scored(run_id, at, self.run))

    def evaluation_once(self, run_id: str, state: JudgmentsLike) -> Evaluation:
        """Return a run's scores without caching them: many runs would evict those in use.

        Raises as `evaluation` does.
        """
        return self._scored(run_id, state, self._archive.runs.load)

    def _scored(self, run_id: str, state: JudgmentsLike, load: Callable[[str], Run]) -> Evaluation:
        stored = self._archive.evaluations.find(run_id, self.measures, judgments_hash=state.hash)
        if stored is not None:
            return stored
        return evaluate(
            state.judgments,
            load(run_id),
            self.measures,
            missing=self._archive.runs.missing_of(run_id),
            queries=self.queries().values(),
        )


ScoringDep: TypeAlias = Annotated[Scoring, from_state("scoring")]
