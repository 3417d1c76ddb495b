"""Figures of single runs, cached for the next page that shows them."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, TypeAlias

from berryeval.archive.records import StoredRun
from berryeval.errors import MismatchError, NotFoundError
from berryeval.evaluation.query_figures import query_figures
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.standing import (
    Standing,
    slice_standings,
    standing_sentence,
    standings,
)
from berryeval.measures import Measure
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache, at_least
from berryeval.service.workbench.state.query_table import DEPTH, QueryTable
from berryeval.service.workbench.state.run_directory import ReferenceRun, Series
from berryeval.service.workbench.state.scoring import JudgmentsLike, Scoring
from berryeval.stats.decline import HORIZON
from berryeval.suite.archived_history import entry_of_run
from berryeval.suite.history import History
from berryeval.suite.trends import Look, trends

__all__ = ["FiguresDep", "RunFigures"]

_MAX_BYTES, _MAX_TABLES = 16 << 20, 16
"""Maximum size in bytes, and number, of the cached tables of queries."""

_Standings: TypeAlias = "tuple[Standing, ...]"


class RunFigures:
    """Figures of runs with the current judgments, or those of a given state."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._standings: LruCache[tuple[object, ...], _Standings] = LruCache(128)
        self._slices: LruCache[tuple[object, ...], _Standings] = LruCache(128)
        self._judged: LruCache[tuple[str, str], tuple[float | None, int]] = LruCache(128)
        self._tables: LruCache[tuple[object, ...], QueryTable] = LruCache(
            _MAX_BYTES, at_least(_MAX_BYTES // _MAX_TABLES, lambda table: table.n_bytes)
        )
        self._alarms: LruCache[tuple[str, Measure, str], tuple[Look, ...]] = LruCache(64)

    def standings(
        self, run_id: str, against: str | None, state: JudgmentsLike | None = None
    ) -> _Standings:
        """Return each measure of a run, with its difference from another run.

        Raises
        ------
        NotFoundError
            If there is no such run.
        MismatchError
            If no query of the run is judged.
        """
        at = state or self._scoring.state()

        def make() -> _Standings:
            evaluation = self._scoring.evaluation(run_id, at)
            return standings(evaluation, self.reference(against, at))

        return self._standings.get_or_compute((run_id, against, at.hash, at.sampling), make)

    def sentence(
        self, standing: Standing, run: StoredRun, against: ReferenceRun | None, state: JudgmentsLike
    ) -> str:
        """Return a sentence about a run, compared with the other run."""
        reference = None if against is None else self.reference(against.run.run_id, state)
        return standing_sentence(
            standing,
            (run.facts.name, self._scoring.evaluation(run.run_id, state)),
            None if against is None or reference is None else (against.name, reference),
        )

    def slices(
        self,
        run_id: str,
        against: str | None,
        measure: Measure,
        state: JudgmentsLike | None = None,
    ) -> _Standings:
        """Return a measure of each slice; raises as `standings` does."""
        at = state or self._scoring.state()
        known = self._scoring.all_queries()

        def make() -> _Standings:
            evaluation = self._scoring.evaluation(run_id, at)
            return slice_standings(evaluation, self.reference(against, at), measure, known.queries)

        return self._slices.get_or_compute((run_id, against, measure, at.hash, known.stamp), make)

    def judged(self, run_id: str, state: JudgmentsLike) -> tuple[float | None, int]:
        """Return the judged share of the top ten documents, and how many are unjudged."""

        def make() -> tuple[float | None, int]:
            evaluation = self._scoring.evaluation(run_id, state)
            run = self._scoring.run(run_id)
            found = query_figures(evaluation, lambda: state.judgments, run, DEPTH)
            return found.judged_share, found.n_unjudged

        return self._judged.get_or_compute((run_id, state.hash), make)

    def table(self, run_id: str, evaluation: Evaluation, state: JudgmentsLike) -> QueryTable:
        """Return the queries of a run as a table."""
        known = self._scoring.all_queries()

        def make() -> QueryTable:
            return QueryTable(evaluation, state, self._scoring.run(run_id), known.queries)

        return self._tables.get_or_compute((run_id, state.hash, known.stamp), make)

    def alarms(self, series: Series, measure: Measure, state: JudgmentsLike) -> tuple[Look, ...]:
        """Return the daily tests of a series since its last restart, at most 52 runs ago.

        There are none if none of its runs can be scored.
        """
        since = (len(series.runs) - 1) // HORIZON * HORIZON

        def make() -> tuple[Look, ...]:
            entries = []
            for run in series.runs[since:]:
                try:
                    evaluation = self._scoring.evaluation_once(run.run_id, state)
                except (MismatchError, NotFoundError):
                    continue
                entries.append(entry_of_run(run, evaluation, str(measure), state.hash))
            if not entries:
                return ()
            [found] = trends(History("archive", tuple(entries)), str(measure), daily=True)
            return tuple(map(_without_queries, found.looks))

        return self._alarms.get_or_compute((series.newest.run_id, measure, state.hash), make)

    def reference(self, run_id: str | None, state: JudgmentsLike) -> Evaluation | None:
        """Return the reference of a run; None if there is none or it has no judged query."""
        if run_id is None:
            return None
        try:
            return self._scoring.evaluation(run_id, state)
        except (MismatchError, NotFoundError):
            return None


def _without_queries(look: Look) -> Look:
    """Return a test without the scores of all queries: those of 52 runs take 40 MB."""
    entries = (
        replace(one, scores={}, query_ids=None, weights=None, groups=None, strata=None)
        for one in look.entries
    )
    return replace(look, entries=tuple(entries))


FiguresDep: TypeAlias = Annotated[RunFigures, from_state("run_figures")]
