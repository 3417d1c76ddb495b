"""The page Overview: the state of a series, its trend, and what to look at next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredGate, StoredRun, StoredVerdict
from berryeval.charts import Chart
from berryeval.charts.marks import change_mark, widest_of
from berryeval.charts.theme import SERIES
from berryeval.charts.trend import Reference, TrendLine, TrendPoint, trend_chart
from berryeval.errors import BerryEvalError, NotFoundError
from berryeval.evaluation.standing import FEW_QUERIES, Standing, worst_first
from berryeval.measures import Measure
from berryeval.reports.history import look_sentence
from berryeval.service.demo import content_of
from berryeval.service.dependencies import ArchiveDep, CallerDep
from berryeval.service.judging_projects import waiting_projects
from berryeval.service.paths import address
from berryeval.service.verdicts import Headline, headline_of
from berryeval.service.workbench.choosing import choose_measure
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.query_table import DEPTH
from berryeval.service.workbench.state.run_directory import (
    Directory,
    DirectoryDep,
    ReferenceRun,
    Series,
    reference_run,
)
from berryeval.service.workbench.state.run_figures import FiguresDep, RunFigures
from berryeval.service.workbench.state.run_summaries import KnownSummaries, Mean
from berryeval.service.workbench.state.score_keeper import KeeperDep
from berryeval.service.workbench.state.scoring import ScoringDep
from berryeval.service.workbench.waiting import is_seen, renewal_of

__all__ = ["router", "window_of"]

SHOWN = 100
"""Number of runs per trend; links lead to older ones."""

_MAX_SERIES, _SHOWN_OF_OTHERS = 12, 20
"""Numbers of series to compare, and of the newest runs of each in their chart."""
_WORST = 10
_RECENT = 5
_MAX_WITH_HOLES = 0.994
_NOTHING_JUDGED = "No document is judged yet. Import judgments, or judge what the runs have found."

router = APIRouter()


@dataclass(frozen=True)
class GateState:
    """A gate and its last verdict on a run."""

    gate: StoredGate
    verdict: StoredVerdict | None
    is_earlier: bool
    """Whether it was decided with earlier judgments."""

    @property
    def headline(self) -> Headline:
        """The sentence of the verdict, and its doubt."""
        return headline_of({} if self.verdict is None else self.verdict.report)


@dataclass(frozen=True)
class Newest:
    """The figures of the newest run, with the judgments of the trend."""

    whole: Standing | None
    """The chosen measure over all queries; None if the run is not scored, or cannot be."""
    sentence: str | None
    """A sentence about its score."""
    reason: str | None
    """Why it cannot be scored."""
    worst: Sequence[Standing]
    n_slices: int
    judged: float | None
    """Judged share of its top ten documents; shown as 100 % only if there are no holes."""
    n_holes: int


@dataclass(frozen=True)
class Window:
    """The runs of a trend, oldest first, with the adjacent windows."""

    runs: Sequence[StoredRun]
    older: str | None
    """The newest older run."""
    newer: str | None
    """The last run of the next window; empty for the newest."""


@dataclass(frozen=True)
class SeriesTrend:
    """The drawings of a trend, and what they show."""

    points: Sequence[TrendPoint]
    wide: Chart
    narrow: Chart
    """The chart for phones, where the text of the wide one would be too small."""

    @property
    def has_failures(self) -> bool:
        """Whether a store failed to answer some queries."""
        return any(point.n_failed for point in self.points)


@dataclass(frozen=True)
class AllSeries:
    """The newest runs of several series side by side."""

    newest: Sequence[tuple[Series, Mean | None]]
    """The series with the best newest mean first; None if it is not scored, or cannot be."""
    n_omitted: int
    charts: Sequence[Chart]
    """Their trends in one chart, for wide and for narrow screens; none if most have one run."""


@router.get("/")
def show_overview(
    request: Request,
    archive: ArchiveDep,
    scoring: ScoringDep,
    directories: DirectoryDep,
    keeper: KeeperDep,
    figures: FiguresDep,
    caller: CallerDep,
    series: str | None = None,
    measure: str = "",
    until: str | None = None,
) -> Response:
    """Return the page; it polls while runs are being scored."""
    directory = directories.current()
    waiting = waiting_projects(archive, caller.name) if caller.may("judge") else []
    if not directory.runs:
        return page(
            request,
            "overview_empty.html",
            n_judgments=archive.judgments.revision(),
            has_nothing=content_of(archive) is None,
            waiting=waiting,
        )
    chosen = _series(directory, series)
    wanted = choose_measure(scoring.measures, measure)
    newest = chosen.newest
    against = reference_run(archive, directory, newest)
    window = window_of(chosen, until)
    recent = chosen.runs[: -_RECENT - 1 : -1]
    others = [] if against is None else [against.run]
    several = compared_series(directory, chosen)
    newest_runs = [run for one in several for run in reversed(one.runs[-_SHOWN_OF_OTHERS:])]
    wanted_runs = (*recent, *others, *reversed(window.runs), *newest_runs)
    known = keeper.summaries(run.run_id for run in wanted_runs)
    if is_seen(request, known):
        return Response(status_code=204)
    gates = gate_states(archive, newest, known)
    newest_figures = newest_of(figures, known, newest, against, wanted)
    return page(
        request,
        "overview.html",
        series=chosen,
        all_series=directory.series.values(),
        measures=[str(one) for one in scoring.measures],
        measure=str(wanted),
        newest=newest,
        against=against,
        n_runs=len(directory.runs),
        waiting=waiting,
        decided=[one for one in gates if one.verdict is not None],
        undecided=[one for one in gates if one.verdict is None],
        newest_figures=newest_figures,
        recent=recent,
        sentence=newest_figures.sentence,
        known=known,
        renewal=renewal_of(request, known),
        window=window,
        trend=trend_of(window, known, str(wanted), against),
        several=all_series_of(several, directory, known, wanted),
        change_mark=partial(
            change_mark, widest=widest_of(one.change for one in newest_figures.worst)
        ),
        few=FEW_QUERIES,
        depth=DEPTH,
        address_of_window=partial(address, "/", series=chosen.name, measure=wanted),
        address_of_series=lambda name: address("/", series=name, measure=wanted),
    )


def compared_series(directory: Directory, chosen: Series) -> list[Series]:
    """Return the chosen series and those with the newest runs; none if there is only one."""
    found = [chosen, *(one for one in directory.series.values() if one.name != chosen.name)]
    return found[:_MAX_SERIES] if len(found) > 1 else []


def all_series_of(
    several: Sequence[Series], directory: Directory, known: KnownSummaries, measure: Measure
) -> AllSeries | None:
    """Return the newest runs of several series; None without any."""
    if not several:
        return None

    def mean_of(run: StoredRun) -> Mean | None:
        summary = known.summaries.get(run.run_id)
        return None if summary is None else summary.means.get(str(measure))

    def place(found: tuple[Series, Mean | None]) -> float:
        mean = found[1]
        if mean is None:
            return math.inf
        return -mean.value if measure.higher_is_better else mean.value

    newest = sorted(((one, mean_of(one.newest)) for one in several), key=place)
    lines = [
        TrendLine(
            [
                replace(_point(run, known, str(measure), None), commit=None)  # no room for all
                for run in one.runs[-_SHOWN_OF_OTHERS:]
            ],
            one.name,
        )
        for one in several[: len(SERIES)]
    ]
    is_drawn = sum(len(line.points) > 1 for line in lines) > 1
    charts = [
        trend_chart(lines, str(measure), by_time=True, width=width, height=height)
        for width, height in (((900, 300), (340, 280)) if is_drawn else ())
    ]
    return AllSeries(newest, len(directory.series) - len(several), charts)


@router.get("/alarm", tags=["part"])
def show_alarm(
    request: Request,
    scoring: ScoringDep,
    directories: DirectoryDep,
    figures: FiguresDep,
    series: str,
    measure: str = "",
) -> Response:
    """Return the part of the page that shows whether a series has declined."""
    chosen = _series(directories.current(), series)
    wanted = choose_measure(scoring.measures, measure)
    looks = figures.alarms(chosen, wanted, scoring.recent())
    return page(
        request,
        "overview_alarm.html",
        alarms=[look_sentence(look) for look in looks if look.is_decline],
        calm=look_sentence(looks[-1]) if looks and not looks[-1].is_decline else None,
    )


def _series(directory: Directory, name: str | None) -> Series:
    if name is None:
        return next(iter(directory.series.values()))
    if name not in directory.series:
        raise NotFoundError("series of runs", name)
    return directory.series[name]


def newest_of(
    figures: RunFigures,
    known: KnownSummaries,
    newest: StoredRun,
    against: ReferenceRun | None,
    measure: Measure,
) -> Newest:
    """Return the figures of the newest run, once it is scored for the trend."""
    if known.state is None or newest.run_id not in known.summaries:
        return Newest(None, None, None, (), 0, None, 0)
    if not known.state.judgments.n_queries:
        return Newest(None, None, _NOTHING_JUDGED, (), 0, None, 0)
    other = None if against is None else against.run.run_id
    try:
        all_measures = figures.standings(newest.run_id, other, known.state)
    except BerryEvalError as error:
        return Newest(None, None, str(error), (), 0, None, 0)
    whole = next(one for one in all_measures if one.measure == measure)
    slices = figures.slices(newest.run_id, other, measure, known.state)
    judged, n_holes = figures.judged(newest.run_id, known.state)
    if judged is not None and n_holes:
        judged = min(judged, _MAX_WITH_HOLES)
    sentence = figures.sentence(whole, newest, against, known.state)
    return Newest(whole, sentence, None, worst_first(slices)[:_WORST], len(slices), judged, n_holes)


def gate_states(archive: Archive, run: StoredRun, known: KnownSummaries) -> list[GateState]:
    """Return every gate with its newest verdict on a run; those that block it come first."""
    found = []
    for gate in archive.gates.page().items:
        verdicts = archive.verdicts.page(gate=gate.name, run_id=run.run_id, limit=1).items
        verdict = verdicts[0] if verdicts else None
        is_earlier = (
            verdict is not None
            and known.state is not None
            and verdict.judgments_hash != known.state.hash
        )
        found.append(GateState(gate, verdict, is_earlier))
    order = ("fail", "inconclusive", "pass")
    return sorted(found, key=lambda one: order.index(one.verdict.verdict) if one.verdict else 3)


def window_of(series: Series, until: str | None) -> Window:
    """Return the latest runs of a series, or those up to a given one.

    Raises
    ------
    NotFoundError
        If the series has no such run.
    """
    runs = series.runs
    end = len(runs)
    if until is not None:
        end = 1 + next((i for i, run in enumerate(runs) if run.run_id == until), -1)
        if not end:
            raise NotFoundError("run in this series", until)
    start = max(0, end - SHOWN)
    older = runs[start - 1].run_id if start else None
    newer = None
    if end < len(runs):
        newer = "" if end + SHOWN >= len(runs) else runs[end + SHOWN - 1].run_id
    return Window(runs[start:end], older, newer)


def trend_of(
    window: Window, known: KnownSummaries, measure: str, against: ReferenceRun | None
) -> SeriesTrend:
    """Draw the scored runs of a window; the others are gaps."""
    points = [_point(run, known, measure, against) for run in window.runs]
    lines = [TrendLine(points)]
    reference = _reference(known, measure, against)
    return SeriesTrend(
        points,
        trend_chart(lines, measure, reference),
        trend_chart(lines, measure, reference, width=340, height=250),
    )


def _reference(
    known: KnownSummaries, measure: str, against: ReferenceRun | None
) -> Reference | None:
    if against is None or against.baseline is None:
        return None
    summary = known.summaries.get(against.run.run_id)
    mean = None if summary is None else summary.means.get(measure)
    return None if mean is None else Reference(f"{against.name} {mean.value:.3f}", mean.value)


def _point(
    run: StoredRun, known: KnownSummaries, measure: str, against: ReferenceRun | None
) -> TrendPoint:
    summary = known.summaries.get(run.run_id)
    mean = None if summary is None else summary.means.get(measure)
    interval = None if mean is None else mean.interval
    commit = run.facts.commit
    return TrendPoint(
        run.stored_at,
        f"{commit[:8] if commit else run.run_id[:8]}, {run.stored_at:%Y-%m-%d %H:%M}",
        None if mean is None else mean.value,
        None if interval is None else interval.low,
        None if interval is None else interval.high,
        f"/runs/{run.run_id}",
        commit,
        is_baseline=against is not None
        and against.baseline is not None
        and against.run.run_id == run.run_id,
        n_failed=len(run.facts.failed),
    )
