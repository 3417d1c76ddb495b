"""The page of a run: its scores, their distribution, and all queries."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredBaseline, StoredRun
from berryeval.charts import Chart
from berryeval.charts.distribution import distribution
from berryeval.charts.marks import change_mark, widest_of
from berryeval.core.notes import caution_notes
from berryeval.errors import ArgumentError, ConflictError, MismatchError, NotFoundError
from berryeval.evaluation.percentiles import percentile_of
from berryeval.evaluation.result import Evaluation, MeasureResult
from berryeval.evaluation.slices import Slice
from berryeval.evaluation.standing import FEW_QUERIES
from berryeval.measures import Measure
from berryeval.reports.wording import count
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, RunsDep, require
from berryeval.service.paths import address
from berryeval.service.stored_runs import check_baseline_name
from berryeval.service.workbench.choosing import baseline_names, choose_measure, choose_run
from berryeval.service.workbench.rendering import fragment, page
from berryeval.service.workbench.state.query_table import DEPTH, QueryFilter, QueryTable
from berryeval.service.workbench.state.run_directory import (
    MAIN,
    DirectoryDep,
    ReferenceRun,
    reference_run,
)
from berryeval.service.workbench.state.run_figures import FiguresDep
from berryeval.service.workbench.state.score_keeper import KeeperDep
from berryeval.service.workbench.state.scoring import ScoringDep
from berryeval.service.workbench.waiting import is_seen, once_read, renewal_of

__all__ = ["Choices", "router"]

_PERCENTILES = (50, 95)
_WIDE, _NARROW = (560, 260), (340, 220)

router = APIRouter(dependencies=[once_read])


@dataclass(frozen=True)
class Choices:
    """What to show of a run."""

    measure: Measure
    wanted: QueryFilter

    def address(self, run_id: str, **changes: object) -> str:
        """Return the address of the page with some parameters changed; defaults are omitted."""
        table = self.wanted
        chosen: dict[str, object] = {
            "measure": str(self.measure),
            "q": table.text,
            "slice": "" if table.slice is None else str(table.slice),
            "only": table.only,
            "sort": "" if table.sort == str(self.measure) else table.sort,
            "order": "desc" if table.is_descending else "",
            "page": table.page if table.page > 1 else "",
        }
        return address(f"/runs/{run_id}", **chosen | changes)


@router.get("/runs/{reference}")
def show_run(
    request: Request,
    reference: str,
    archive: ArchiveDep,
    scoring: ScoringDep,
    directories: DirectoryDep,
    keeper: KeeperDep,
    figures: FiguresDep,
    measure: str = "",
    q: str = "",
    part: Annotated[str, Query(alias="slice")] = "",
    only: str = "",
    sort: str = "",
    order: str = "",
    number: Annotated[int, Query(alias="page")] = 1,
) -> Response:
    """Return the page of a run, by its id or the name of a baseline, or only its table."""
    run = choose_run(archive, reference)
    shown = choose_measure(scoring.measures, measure)
    wanted = QueryFilter(
        text=q,
        slice=Slice.read(part),
        only="nothing" if only == "nothing" else "holes" if only == "holes" else "",
        sort=sort or str(shown),
        is_descending=order == "desc",
        page=number,
    )
    known = keeper.summaries([run.run_id])
    if is_seen(request, known):
        return Response(status_code=204)
    context = _context(run, Choices(shown, wanted))
    context |= {"known": known, "renewal": renewal_of(request, known)}
    # While newer judgments are counted, show the same state as all other pages.
    state = known.state or scoring.recent()
    try:
        evaluation = scoring.evaluation(run.run_id, state)
    except MismatchError as error:  # nothing is judged, or none of its queries
        facts = _facts(archive, run)
        return page(request, "run.html", **context, **facts, reason=str(error), against=None)
    context |= _table(figures.table(run.run_id, evaluation, state), wanted)
    if request.headers.get("hx-target") == "queries":
        return fragment(request, "run_queries.html", **context)
    against = reference_run(archive, directories.current(), run)
    other = None if against is None else against.run.run_id
    slices = figures.slices(run.run_id, other, shown, state)
    compared = figures.reference(other, state)
    before = None if compared is None else compared[str(shown)].values
    return page(
        request,
        "run.html",
        **context,
        **_facts(archive, run),
        reason=None,
        against=against,
        is_compared=compared is not None,
        evaluation=evaluation,
        scored=scored_sentence(evaluation, run),
        cautions=[str(note) for note in caution_notes(evaluation.cautions)],
        tiles=figures.standings(run.run_id, other, state),
        distribution=_drawings(evaluation[str(shown)], before, against),
        slices=slices,
        change_mark=partial(change_mark, widest=widest_of(one.change for one in slices)),
        few=FEW_QUERIES,
    )


def scored_sentence(evaluation: Evaluation, run: StoredRun) -> str:
    """Return which queries of a run were scored, and how."""
    counts, parts = evaluation.counts, [count(evaluation.n_queries, "query", "queries")]
    if evaluation.effective_queries:
        parts.append(f", weighted: worth {evaluation.effective_queries:.1f} of equal weight")
    if counts.missing and run.facts.missing == "skip":
        parts.append(f": those that the store answered, of {counts.judged:,} judged")
    elif counts.missing:
        parts.append(f", {counts.missing:,} of them missing from the run and scored 0")
    if counts.no_relevant:
        parts.append(f", {counts.no_relevant:,} without a relevant document")
    if counts.ignored:
        parts.append(f"; {counts.ignored:,} more in the run are not judged")
    return "".join(parts) + "."


def _context(run: StoredRun, chosen: Choices) -> dict[str, Any]:
    return {
        "run": run,
        "wanted": chosen.wanted,
        "measure": str(chosen.measure),
        "address": partial(chosen.address, run.run_id),
        "depth": DEPTH,
    }


def _table(table: QueryTable, wanted: QueryFilter) -> dict[str, Any]:
    return {
        "table": table,
        "measures": table.measures,
        "rows": table.page(wanted),
        "slices_to_choose": table.slices(),
    }


def _drawings(
    result: MeasureResult, before: Sequence[float] | None, against: ReferenceRun | None
) -> list[Chart]:
    """Return charts of the distribution of scores, for wide and narrow screens."""
    names = ("this run", "" if against is None else against.name)
    return [
        distribution(
            result.measure,
            result.values,
            result.mean,
            before,
            names=names,
            width=width,
            height=height,
        )
        for width, height in (_WIDE, _NARROW)
    ]


def _facts(archive: Archive, run: StoredRun) -> dict[str, Any]:
    """Return the facts about a run other than its rankings."""
    main = archive.baselines.get(MAIN)
    whole = archive.runs.get(run.run_id)
    durations = [*((whole and whole.facts.durations) or {}).values()]
    settings = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in run.facts.settings.items()
    }
    return {
        "names": baseline_names(archive).get(run.run_id, []),
        "main": MAIN,
        "main_id": "" if main is None else main.run_id,
        "settings": settings,
        "milliseconds": [percentile_of(durations, p) for p in _PERCENTILES] if durations else None,
    }


@router.post("/runs/{run_id}", dependencies=[require("admin")])
async def change_run(
    request: Request, run_id: str, archive: ArchiveDep, runs: RunsDep, keeper: KeeperDep
) -> Response:
    """Make the run a baseline, or remove it, depending on `do`."""
    form = await received_form(request)
    if form.get("do") == "remove":
        if not await to_thread.run_sync(archive.runs.remove, run_id):
            raise NotFoundError("run", run_id)
        runs.forget(run_id)
        keeper.forget(run_id)
        return RedirectResponse("/runs", 303)
    if form.get("do") != "baseline":
        raise ArgumentError("do", "'baseline' or 'remove'", repr(str(form.get("do"))[:40]))
    name, seen = str(form.get("name") or MAIN), form.get("seen")
    await to_thread.run_sync(
        _set_baseline, archive, name, run_id, None if seen is None else str(seen)
    )
    return RedirectResponse(f"/runs/{run_id}", 303)


def _set_baseline(archive: Archive, name: str, run_id: str, seen: str | None) -> None:
    """Make a run the baseline of a name, unless it was changed in the meantime."""
    check_baseline_name(name)

    def check(there: StoredBaseline | None) -> None:
        found = "" if there is None else there.run_id
        if seen is not None and found != seen:
            now = f"run {found[:8]}" if found else "no run"
            raise ConflictError(f"baseline {name!r}", "the run that the page showed", now)

    archive.baselines.put(name, run_id, check=check)
