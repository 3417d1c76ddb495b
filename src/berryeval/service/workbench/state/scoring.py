"""Scores of runs with the current judgments, as pages show them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Annotated, Protocol, TypeAlias
from weakref import ref

from berryeval.archive import Archive
from berryeval.archive.queries import AllQueries
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import NotFoundError
from berryeval.evaluation.evaluate import (
    MeasureLike,
    evaluate,
    read_measures,
)
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.evaluation.sources import find_cautions
from berryeval.evaluation.unknown_ids import find_unknown_ids
from berryeval.service.allocation import return_free_memory
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache, at_least
from berryeval.service.shared_work import Latest
from berryeval.service.stored_runs import RunCache
from berryeval.service.workbench.state.rescoring import rescore

__all__ = ["JudgmentsLike", "Scoring", "ScoringDep", "State", "bytes_of_scores"]

_MAX_BYTES, _MAX_CACHED = 32 << 20, 64
"""Maximum size in bytes, and number, of the cached evaluations."""
_MAX_STATES = 256
_MAX_CHANGES = 2000
"""With more changes since the last scores, a run is scored as a whole."""


class State:
    """The judgments at a point in time, read on access: a million takes seconds.

    They are not kept here either: pages keep many states, and the archive derives earlier judgments
    from the current ones.

    Attributes
    ----------
    revision : int
        The judgments contain every change up to this one, and perhaps later ones.
    hash : str
        Hash of the judgments.
    sampling : str
        Identifies the weights, groups and strata of the queries, and lengths of documents.
    as_of : datetime
        Time at which these were the current judgments.
    """

    def __init__(
        self,
        revision: int,
        hashed: str,
        sampling: str,
        read: Callable[[], Judgments],
        as_of: datetime | None = None,
    ) -> None:
        self.revision = revision
        self.hash = hashed
        self.sampling = sampling
        self.as_of = as_of or datetime.now(timezone.utc)
        self._read = read
        self._judgments: Callable[[], Judgments | None] = lambda: None

    @property
    def judgments(self) -> Judgments:
        """The judgments."""
        # Not a cached_property, which until Python 3.12 lets all states wait for one another.
        found = self._judgments()
        if found is None:
            found = self._read()
            self._judgments = ref(found)
        return found


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
        self._evaluations: LruCache[tuple[str, str, str], Evaluation] = LruCache(
            _MAX_BYTES, at_least(_MAX_BYTES // _MAX_CACHED, bytes_of_scores)
        )
        self._revisions: LruCache[str, int] = LruCache(_MAX_STATES)  # by hash of the state
        self._changes: LruCache[int, bytes] = LruCache(2 * _MAX_CHANGES)  # queries, by revision
        self._recent = Latest(self.state, is_current=self.is_current)
        self._has_read = False
        self._sampling: str | None = None
        self._n_resampled = 0

    def state(self) -> State:
        """Return the current judgments and their hash."""
        archive = self._archive
        revision = archive.judgments.revision()  # first, so that later changes are seen
        if self._has_read:
            _, hashed = archive.judgments.as_of(None, is_recorded=False)
        else:
            hashed = archive.judgments.hash()
        self._revisions.put(hashed, revision)
        exact = archive.judgments.revision_of(hashed)
        return State(revision, hashed, self._design(), lambda: self._read(hashed, exact))

    def pinned(self, revision: int) -> State:
        """Return the judgments at a revision; weights and groups of queries are the current ones.

        Raises
        ------
        NotFoundError
            If there is no such revision.
        """

        def read() -> Judgments:
            return self._archive.judgments.as_of(revision, is_recorded=False)[0]

        _, hashed = self._archive.judgments.as_of(revision, is_recorded=False)
        self._revisions.put(hashed, revision)
        last = self._archive.judgments.of_revisions([revision]).get(revision)
        as_of = None if last is None else last.judged_at
        return State(revision, hashed, self._design(), read, as_of)

    def pin_of(self, state: State) -> int:
        """Return a revision that has exactly the judgments of a state."""
        try:
            return self._archive.judgments.revision_of(state.hash)
        except NotFoundError:  # many changes ago, and not recorded
            return state.revision

    def _read(self, hashed: str, revision: int) -> Judgments:
        """Return the judgments of a state; a page may show it hundreds of changes later."""
        try:
            found = self._archive.judgments.at(hashed)
        except NotFoundError:  # its hash is forgotten, and was not recorded
            found, _ = self._archive.judgments.as_of(revision, is_recorded=False)
        self._has_read = True  # from now on, the newest are in memory
        return found

    def _design(self) -> str:
        """Return what else scores depend on: queries, and lengths of documents if used."""
        found = self._archive.queries.sampling()
        if not any(measure.uses_lengths for measure in self.measures):
            return found
        return f"{found} {self._archive.documents.updated_at()}"

    def recent(self) -> State:
        """Return the current judgments, or those of an earlier page if that takes a while."""
        return self._recent.get() or self.state()

    def is_current(self, state: State) -> bool:
        """Whether nothing has been judged, weighted or grouped since; one quick query."""
        return (state.revision, state.sampling) == (
            self._archive.judgments.revision(),
            self._design(),
        )

    def revision(self) -> int:
        """Return a number that grows with every changed judgment, weight, group or stratum."""
        sampling = self._design()
        if self._sampling is not None and sampling != self._sampling:
            self._n_resampled += 1
        self._sampling = sampling
        return self._archive.judgments.revision() + self._n_resampled

    def release_memory(self) -> None:
        """Drop the judgments before the current ones, and return free memory to the system."""
        self._archive.judgments.forget_earlier()
        return_free_memory()

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

    def read_run(self, run_id: str) -> Run:
        """Return the rankings of a run as `run` does, without keeping them in memory."""
        return self._runs.read(run_id)

    def evaluation(self, run_id: str, state: JudgmentsLike | None = None) -> Evaluation:
        """Return a run's score of every query, with the queries for slices.

        It uses the current judgments, or those of a given state.

        Raises
        ------
        NotFoundError
            If there is no such run.
        MismatchError
            If no query of the run is judged.
        """
        at = self.state() if state is None else state
        key = run_id, at.hash, at.sampling
        return self._evaluations.get_or_compute(key, lambda: self._scored(run_id, at))

    def evaluation_once(self, run_id: str, state: JudgmentsLike) -> Evaluation:
        """Return a run's scores without caching them: many runs would evict those in use.

        Raises as `evaluation` does.
        """
        return self._scored(run_id, state)

    def _scored(self, run_id: str, state: JudgmentsLike) -> Evaluation:
        stored = self._archive.evaluations.find(run_id, self.measures, judgments_hash=state.hash)
        if stored is not None:
            return stored
        rescored = self._rescored(run_id, state)
        if rescored is not None:
            return rescored
        run = self._runs.read(run_id)
        return evaluate(
            self._archive.documents.with_lengths(state.judgments, self.measures, [run]),
            run,
            self.measures,
            missing=self._archive.runs.missing_of(run_id),
            queries=self.queries().values(),
        )

    def _rescored(self, run_id: str, state: JudgmentsLike) -> Evaluation | None:
        """Score only what changed since an earlier evaluation; None without a suitable one."""
        before = self._evaluations.find(lambda key: key[0] == run_id)
        if before is None:
            return None
        (_, hashed, design), known = before
        changed = self._changed_queries(hashed, state.hash)
        if changed is None:
            return None
        if design != state.sampling and any(one.uses_lengths for one in self.measures):
            return None  # lengths may differ
        counted = dict.fromkeys((*self.measures, *map(holes_measure, self.measures)))
        run = self._runs.read(run_id)
        judgments = self._archive.documents.with_lengths(state.judgments, self.measures, [run])
        scores = rescore(known.scores, judgments, run, [*counted], changed)
        if scores is None:
            return None
        of_scores = find_unknown_ids(scores, self.measures, judgments, run)
        cautions = (*find_cautions(run), *of_scores)
        return Evaluation(scores, self.measures, self.queries(), cautions=cautions)

    def _changed_queries(self, before: str, after: str) -> set[bytes] | None:
        """Return at least the queries that two states judge differently; None if unknown."""
        revisions = [self._revisions.get(hashed) for hashed in (before, after)]
        known = [revision for revision in revisions if revision is not None]
        if len(known) < len(revisions):
            return None
        # A state may contain later changes than its revision, but none after now.
        since, until = min(known), self._archive.judgments.revision()
        if until - since > _MAX_CHANGES:
            return None
        wanted = range(since + 1, until + 1)
        found = {one: query_id for one in wanted if (query_id := self._changes.get(one))}
        unread = [revision for revision in wanted if revision not in found]
        for revision, change in self._archive.judgments.of_revisions(unread).items():
            found[revision] = encode_id(change.query_id)
            self._changes.put(revision, found[revision])
        return {*found.values()}


_PER_QUERY = 200
"""Size of a query besides its scores, in bytes: its id as text, a dict entry and flags."""


def bytes_of_scores(evaluation: Evaluation) -> int:
    """Return about how much memory the scores of all queries take."""
    scores = evaluation.scores
    return (8 * len(scores.values) + _PER_QUERY) * len(scores.query_ids)


ScoringDep: TypeAlias = Annotated[Scoring, from_state("scoring")]
