"""The list of runs: searched by name, tag, commit or id, fifty per page."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from berryeval.service.dependencies import ArchiveDep
from berryeval.service.paging import numbered_page
from berryeval.service.paths import address
from berryeval.service.workbench.choosing import baseline_names
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.run_directory import DirectoryDep
from berryeval.service.workbench.state.score_keeper import KeeperDep
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
    wanted: Annotated[int, Query(alias="page")] = 1,
) -> Response:
    """Return runs, newest first; their means appear once they are computed."""
    directory = directories.current()
    found = directory.search(q, series or None)
    part = numbered_page(len(found), wanted, ON_A_PAGE)
    shown = found[part.rows]
    known = keeper.summaries(run.run_id for run in shown)
    if is_seen(request, known):
        return Response(status_code=204)

    def link(number: int) -> str | None:
        if not 1 <= number <= part.n_pages:
            return None
        return address("/runs", q=q, series=series, page=number if number > 1 else "")

    measures = [str(measure) for measure in scoring.measures]
    scores = [(name, "n on-wide" if number else "n") for number, name in enumerate(measures)]
    return page(
        request,
        "runs.html",
        headings=["Run", ("Commit", "on-wide"), "Stored", *scores, ("Queries", "n on-wide")],
        q=q,
        series=series,
        all_series=directory.series.values(),
        n_runs=len(directory.runs),
        n_found=len(found),
        runs=shown,
        first=part.rows.start + 1,
        measures=measures,
        origin=str(request.base_url).rstrip("/"),
        known=known,
        renewal=renewal_of(request, known),
        baselines=baseline_names(archive),
        previous=link(part.number - 1),
        next=link(part.number + 1),
    )
