"""The comparison of the page Compare as a report: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from fastapi import APIRouter, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.documents import Document
from berryeval.errors import ArgumentError
from berryeval.reports.html import comparison_to_html
from berryeval.service.dependencies import ArchiveDep, SettingsDep
from berryeval.service.paths import name_from
from berryeval.service.prices import check_price
from berryeval.service.stored_runs import labels_of
from berryeval.service.workbench.choosing import choose_measure, choose_revision, choose_run
from berryeval.service.workbench.pages.compare.many import references_in
from berryeval.service.workbench.state.many_comparisons import compare_runs
from berryeval.service.workbench.state.scoring import ScoringDep, State
from berryeval.service.workbench.waiting import once_read

__all__ = ["router"]

router = APIRouter(prefix="/compare", dependencies=[once_read])

_FORMULA = "candidates x measures x queries x price per query"
_FEWEST, _LONGEST_NAME = 2, 80
_PRICE_PER_QUERY = 2_000
"""Price per query of tests, slices, and its row in the file, in resamples."""


@router.get("/report", tags=["part"])
def download_report(
    request: Request, archive: ArchiveDep, scoring: ScoringDep, settings: SettingsDep
) -> Response:
    """Download the comparison as ``berryeval compare -o report.html`` writes it.

    It contains all measures of the pages, the chosen one first, with slices and titles of
    documents.
    """
    given = request.query_params
    runs = [choose_run(archive, one) for one in references_in(archive, given)]
    measure = choose_measure(scoring.measures, given.get("measure", ""))
    if len(runs) < _FEWEST:
        raise ArgumentError("a and b", "two runs that differ", str(len(runs)))
    measures = [measure, *(one for one in scoring.measures if one != measure)]
    n_queries = max(run.n_queries for run in runs)
    price = float((len(runs) - 1) * len(measures) * n_queries * _PRICE_PER_QUERY)
    check_price("report", _FORMULA, price, settings.max_comparison, "compare fewer runs")
    at = choose_revision(given)
    state = scoring.recent() if at is None else scoring.pinned(at)
    queries = scoring.all_queries().queries
    comparison = compare_runs(scoring, state, labels_of(runs), measures, queries)
    text = comparison_to_html(
        comparison, notes=[_pinned(runs, state)], documents=partial(_titled, archive)
    )
    name = name_from(" vs ".join(labels_of(runs)), _LONGEST_NAME) or "report"
    return Response(
        text.encode("utf-8", "replace"),
        media_type="text/html",
        headers={
            "Content-Disposition": f'attachment; filename="{name}.html"',
            "Cache-Control": "private, no-store",
        },
    )


def _titled(archive: Archive, doc_ids: Iterable[str]) -> dict[str, Document]:
    """Return the documents among the ids that have a title."""
    titles = archive.documents.titles(doc_ids)
    return {doc_id: Document(doc_id, "", title) for doc_id, title in titles.items()}


def _pinned(runs: Sequence[StoredRun], state: State) -> str:
    """State which runs and judgments the report is based on."""
    baseline, *candidates = (run.run_id[:12] for run in runs)
    return (
        f"Baseline {baseline}, compared with {', '.join(candidates)}; judgments {state.hash[:12]} "
        f"as of {state.as_of:%Y-%m-%d %H:%M} UTC."
    )
