"""What pages tell of single runs, remembered: the next page with the same figures has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NamedTuple, TypeAlias

from fastapi import Depends, Request

from berryeval.archive.records import StoredRun
from berryeval.core.query import Query
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
from berryeval.service.workbench.held_against import HeldAgainst
from berryeval.service.workbench.query_table import DEPTH, QueryTable
from berryeval.service.workbench.run_directory import Series
from berryeval.service.workbench.scoring import JudgmentsLike, Remembered, Scoring
from berryeval.stats import HORIZON
from berryeval.suite.archived_history import entry_of_run
from berryeval.suite.history import History
from berryeval.suite.trends import Trend, trends

__all__ = ["FiguresDep", "RunFigures"]

_Standings: TypeAlias = "tuple[Standing, ...]"


class _Sliced(NamedTuple):
    """Slices with the queries whose labels made them."""

    queries: Mapping[str, Query]
    """Kept, so that no others can have their address in memory."""
    standings: _Standings


class RunFigures:
    """Figures of runs at the judgments of now, or at those of a state."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._standings: Remembered[tuple[str, str | None, str, str], _Standings]
        self._standings = Remembered(128)
        self._slices: Remembered[tuple[str, str | None, Measure, str, int], _Sliced]
        self._slices = Remembered(128)
        self._judged: Remembered[tuple[str, str], tuple[float | None, int]] = Remembered(128)
        self._tables: Remembered[tuple[str, str, int], QueryTable] = Remembered(16)
        self._alarms: Remembered[tuple[str, Measure, str], Trend | None] = Remembered(64)

    def standings(
        self, run_id: str, against: str | None, state: JudgmentsLike | None = None
    ) -> _Standings:
        """Return each measure of a run, and how far it is from another run's.

        Raises
        ------
        NotFoundError
            If there is no such run.
        MismatchError
            If there are no judgments, or none of the run's queries.
        """
        at = state or self._scoring.state()

        def make() -> _Standings:
            evaluation = self._scoring.evaluation(run_id, at)
            return standings(evaluation, self.reference(against, at))

        return self._standings.get((run_id, against, at.hash, at.sampling), make)

    def sentence(
        self, standing: Standing, run: StoredRun, against: HeldAgainst | None, state: JudgmentsLike
    ) -> str:
        """Return how a run stands, as a comparison with the other run says it."""
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
        queries = self._scoring.queries()

        def make() -> _Sliced:
            evaluation = self._scoring.evaluation(run_id, at)
            reference = self.reference(against, at)
            return _Sliced(queries, slice_standings(evaluation, reference, measure, queries))

        return self._slices.get((run_id, against, measure, at.hash, id(queries)), make).standings

    def judged(self, run_id: str, state: JudgmentsLike) -> tuple[float | None, int]:
        """Return which share of the first ten documents is judged, and how many are not."""

        def make() -> tuple[float | None, int]:
            evaluation = self._scoring.evaluation(run_id, state)
            run = self._scoring.run(run_id)
            found = query_figures(evaluation, lambda: state.judgments, run, DEPTH)
            return found.judged_share, found.n_unjudged

        return self._judged.get((run_id, state.hash), make)

    def table(self, run_id: str, evaluation: Evaluation, state: JudgmentsLike) -> QueryTable:
        """Return the queries of a run as a table."""
        queries = self._scoring.queries()

        def make() -> QueryTable:
            return QueryTable(evaluation, state, self._scoring.run(run_id), queries)

        return self._tables.get((run_id, state.hash, id(queries)), make)

    def alarm(self, series: Series, measure: Measure, state: JudgmentsLike) -> Trend | None:
        """Return the daily alarm of a series since it last started anew, at most 52 runs ago.

        None if none of its runs can be scored.
        """
        since = (len(series.runs) - 1) // HORIZON * HORIZON

        def make() -> Trend | None:
            entries = []
            for run in series.runs[since:]:
                try:
                    evaluation = self._scoring.evaluation_once(run.run_id, state)
                except (MismatchError, NotFoundError):
                    continue
                entries.append(entry_of_run(run, evaluation, str(measure), state.hash))
            if not entries:
                return None
            [found] = trends(History("archive", tuple(entries)), str(measure), daily=True)
            return found

        return self._alarms.get((series.newest.run_id, measure, state.hash), make)

    def reference(self, run_id: str | None, state: JudgmentsLike) -> Evaluation | None:
        """Return what a run is held against; None if there is none, or it has no judged query."""
        if run_id is None:
            return None
        try:
            return self._scoring.evaluation(run_id, state)
        except (MismatchError, NotFoundError):
            return None


async def _figures(request: Request) -> RunFigures:
    figures: RunFigures = request.app.state.run_figures
    return figures


FiguresDep: TypeAlias = Annotated[RunFigures, Depends(_figures)]
