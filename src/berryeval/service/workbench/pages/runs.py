"""The list of runs: searched by name, tag, commit or id, fifty per page."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from berryeval.service.dependencies import ArchiveDep
from berryeval.service.workbench.choosing import baseline_names
from berryeval.service.workbench.polling import is_seen, renewal_of
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.run_directory import DirectoryDep
from berryeval.service.workbench.state.score_keeper import KeeperDep
from berryeval.service.workbench.state.scoring import ScoringDep

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
    n_pages = max(1, -(-len(found) // ON_A_PAGE))
    number = min(max(1, wanted), n_pages)
    shown = found[(number - 1) * ON_A_PAGE : number * ON_A_PAGE]
    kept = keeper.summaries(run.run_id for run in shown)
    if is_seen(request, kept):
        return Response(status_code=204)

    def address(of_page: int) -> str | None:
        if not 1 <= of_page <= n_pages:
            return None
        chosen = {"q": q, "series": series, "page": of_page if of_page > 1 else ""}
        kept = {name: value for name, value in chosen.items() if value}
        return "/runs?" + urlencode(kept, errors="surrogateescape")

    return page(
        request,
        "runs.html",
        q=q,
        series=series,
        all_series=directory.series.values(),
        n_runs=len(directory.runs),
        n_found=len(found),
        runs=shown,
        first=(number - 1) * ON_A_PAGE + 1,
        measures=[str(measure) for measure in scoring.measures],
        origin=str(request.base_url).rstrip("/"),
        kept=kept,
        renewal=renewal_of(request, kept),
        baselines=baseline_names(archive),
        previous=address(number - 1),
        next=address(number + 1),
    )
