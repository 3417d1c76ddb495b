"""The list of runs: searched by name, tag, commit or id; newest first, or a leaderboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from berryeval.archive.records import StoredRun
from berryeval.measures import Measure
from berryeval.service.dependencies import ArchiveDep
from berryeval.service.paging import numbered_page
from berryeval.service.paths import address
from berryeval.service.workbench.choosing import baseline_names
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.many_comparisons import MAX_COMPARED
from berryeval.service.workbench.state.run_directory import MAIN, Directory, DirectoryDep
from berryeval.service.workbench.state.run_summaries import KnownSummaries
from berryeval.service.workbench.state.score_keeper import MAX_RUNS, KeeperDep
from berryeval.service.workbench.state.scoring import ScoringDep
from berryeval.service.workbench.waiting import is_seen, renewal_of

__all__ = ["router"]

ON_A_PAGE = 50

router = APIRouter()


@router.get("/runs")
def show_runs(
    request: Request,
    archive: ArchiveDep,
    scoring: ScoringDep,
    directories: DirectoryDep,
    keeper: KeeperDep,
    q: str = "",
    series: str = "",
    sort: str = "",
    wanted: Annotated[int, Query(alias="page")] = 1,
) -> Response:
    """Return runs, newest first or the best first; their means appear once they are computed.

    Runs are ordered by a measure if `sort` is its name; by time otherwise.
    """
    directory = directories.current()
    found = directory.search(q, series or None)
    part = numbered_page(len(found), wanted, ON_A_PAGE)
    order = next((one for one in scoring.measures if str(one) == sort), None)
    baselines = baseline_names(archive)
    main = next((run_id for run_id, names in baselines.items() if MAIN in names), None)
    if order is None:
        shown = found[part.rows]
        known = keeper.summaries(_with(main, shown, directory))
    else:
        known = keeper.summaries(_with(main, found[:MAX_RUNS], directory))
        shown = _best_first(found, known, order)[part.rows]
    if is_seen(request, known):
        return Response(status_code=204)

    def link(number: int, by: str = sort) -> str | None:
        if not 1 <= number <= part.n_pages:
            return None
        return address("/runs", q=q, series=series, sort=by, page=number if number > 1 else "")

    measures = [str(measure) for measure in scoring.measures]
    lead = measures[0] if order is None else sort
    reference = known.summaries.get(main) if main else None
    return page(
        request,
        "runs.html",
        q=q,
        series=series,
        sort="" if order is None else sort,
        sorted_by={name: link(1, name) for name in ("", *measures)},
        lead=lead,
        reference=None if reference is None or reference.reason else reference,
        all_series=directory.series.values(),
        n_runs=len(directory.runs),
        n_found=len(found),
        runs=shown,
        first=part.rows.start + 1,
        measures=measures,
        measures_shown=sorted(measures, key=lambda name: name != lead),
        most_compared=MAX_COMPARED,
        known=known,
        renewal=renewal_of(request, known),
        baselines=baselines,
        main=main,
        previous=link(part.number - 1),
        next=link(part.number + 1),
    )


def _with(main: str | None, runs: Sequence[StoredRun], directory: Directory) -> list[str]:
    """Return the ids of runs, after that of the baseline of their differences, if any."""
    found = [run.run_id for run in runs]
    return [main, *found] if main is not None and main in directory.by_id else found


def _best_first(
    runs: Sequence[StoredRun], known: KnownSummaries, measure: Measure
) -> list[StoredRun]:
    """Return runs by a measure; those without a mean come last, newest first."""

    def place(run: StoredRun) -> tuple[bool, float]:
        summary = known.summaries.get(run.run_id)
        mean = None if summary is None else summary.means.get(str(measure))
        if mean is None:
            return True, 0.0
        return False, -mean.value if measure.higher_is_better else mean.value

    return sorted(runs, key=place)
