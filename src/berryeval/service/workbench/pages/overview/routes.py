"""The first page: is search good, did it get better or worse, and what to look at next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredGate, StoredRun, StoredVerdict
from berryeval.charts.change import change_mark, widest_of
from berryeval.errors import BerryEvalError, NotFoundError
from berryeval.evaluation.standing import FEW_QUERIES, Standing, worst_first
from berryeval.measures import Measure
from berryeval.reports.history import look_sentence
from berryeval.service.dependencies import ArchiveDep
from berryeval.service.workbench.choosing import choose_measure
from berryeval.service.workbench.pages.overview.trend import trend_of, window_of
from berryeval.service.workbench.polling import is_seen, renewal_of
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
from berryeval.service.workbench.state.run_summaries import Kept
from berryeval.service.workbench.state.score_keeper import KeeperDep
from berryeval.service.workbench.state.scoring import ScoringDep

__all__ = ["router"]

_WORST = 10
_RECENT = 5

router = APIRouter()


@dataclass(frozen=True)
class GateState:
    """A gate and its last verdict on a run."""

    gate: StoredGate
    verdict: StoredVerdict | None
    is_earlier: bool
    """Whether it was decided with earlier judgments."""

    @property
    def sentence(self) -> str:
        """The reason for the verdict."""
        return "" if self.verdict is None else str(self.verdict.report.get("sentence", ""))


@dataclass(frozen=True)
class Newest:
    """The figures of the newest run, with the judgments of the trend."""

    whole: Standing | None
    """Of the chosen measure; None if the run is not scored, or cannot be."""
    sentence: str | None
    """A sentence about its score."""
    reason: str | None
    """Why it cannot be scored."""
    worst: Sequence[Standing]
    n_slices: int
    judged: float | None
    """Judged share of its top ten documents."""
    n_holes: int


@router.get("/")
def show_overview(
    request: Request,
    archive: ArchiveDep,
    scoring: ScoringDep,
    directories: DirectoryDep,
    keeper: KeeperDep,
    figures: FiguresDep,
    series: str | None = None,
    measure: str = "",
    until: str | None = None,
) -> Response:
    """Return the page; it polls while runs are being scored."""
    directory = directories.current()
    if not directory.runs:
        return page(
            request,
            "overview_empty.html",
            origin=str(request.base_url).rstrip("/"),
            n_judgments=archive.judgments.revision(),
        )
    chosen = _series(directory, series)
    wanted = choose_measure(scoring.measures, measure)
    newest = chosen.newest
    against = reference_run(archive, directory, newest)
    window = window_of(chosen, until)
    recent = chosen.runs[: -_RECENT - 1 : -1]
    others = [] if against is None else [against.run]
    wanted_runs = (*recent, *others, *reversed(window.runs))
    kept = keeper.summaries(run.run_id for run in wanted_runs)
    if is_seen(request, kept):
        return Response(status_code=204)
    gates = gate_states(archive, newest, kept)
    newest_figures = newest_of(figures, kept, newest, against, wanted)
    return page(
        request,
        "overview.html",
        series=chosen,
        all_series=directory.series.values(),
        measures=[str(one) for one in scoring.measures],
        measure=str(wanted),
        newest=newest,
        against=against,
        decided=[one for one in gates if one.verdict is not None],
        undecided=[one for one in gates if one.verdict is None],
        newest_figures=newest_figures,
        recent=recent,
        sentence=newest_figures.sentence,
        kept=kept,
        renewal=renewal_of(request, kept),
        window=window,
        trend=trend_of(window, kept, str(wanted), against),
        change_mark=change_mark,
        widest=widest_of(one.change for one in newest_figures.worst),
        few=FEW_QUERIES,
        depth=DEPTH,
        address_of_window=_addresses(chosen, wanted),
    )


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
    trend = figures.alarm(chosen, wanted, scoring.state())
    looks = () if trend is None else trend.looks
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
    kept: Kept,
    newest: StoredRun,
    against: ReferenceRun | None,
    measure: Measure,
) -> Newest:
    """Return the figures of the newest run, once it is scored for the trend."""
    if kept.state is None or newest.run_id not in kept.summaries:
        return Newest(None, None, None, (), 0, None, 0)
    other = None if against is None else against.run.run_id
    try:
        all_measures = figures.standings(newest.run_id, other, kept.state)
    except BerryEvalError as error:
        return Newest(None, None, str(error), (), 0, None, 0)
    whole = next(one for one in all_measures if one.measure == measure)
    slices = figures.slices(newest.run_id, other, measure, kept.state)
    judged, n_holes = figures.judged(newest.run_id, kept.state)
    sentence = figures.sentence(whole, newest, against, kept.state)
    return Newest(whole, sentence, None, worst_first(slices)[:_WORST], len(slices), judged, n_holes)


def gate_states(archive: Archive, run: StoredRun, kept: Kept) -> list[GateState]:
    """Return every gate with its newest verdict on a run; those that block it come first."""
    found = []
    for gate in archive.gates.page().items:
        verdicts = archive.verdicts.page(gate=gate.name, run_id=run.run_id, limit=1).items
        verdict = verdicts[0] if verdicts else None
        is_earlier = (
            verdict is not None
            and kept.state is not None
            and verdict.judgments_hash != kept.state.hash
        )
        found.append(GateState(gate, verdict, is_earlier))
    order = ("fail", "inconclusive", "pass")
    return sorted(found, key=lambda one: order.index(one.verdict.verdict) if one.verdict else 3)


def _addresses(series: Series, measure: Measure) -> Any:  # noqa: ANN401 - called by a template
    def address(until: str = "") -> str:
        chosen = {"series": series.name, "measure": str(measure)} | (
            {"until": until} if until else {}
        )
        return "/?" + urlencode(chosen, errors="surrogateescape")

    return address
