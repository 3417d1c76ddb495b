"""The page of a verdict, stored or replayed."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.errors import NotFoundError
from berryeval.service.dependencies import ArchiveDep
from berryeval.service.paths import Name
from berryeval.service.problems import Problem
from berryeval.service.references import find_run
from berryeval.service.workbench.pages.gates.editing import ReplaysDep
from berryeval.service.workbench.pages.gates.findings import findings_of
from berryeval.service.workbench.pages.gates.replay_strip import question_of
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

MOST_HOLES = 20

router = APIRouter()


@router.get("/gates/{name}/verdicts/{verdict_id}")
def show_verdict(
    request: Request,
    name: Name,
    verdict_id: Annotated[int, Path(ge=1, lt=2**63)],
    archive: ArchiveDep,
) -> Response:
    """Show a verdict and its reasons."""
    found = archive.verdicts.get(verdict_id)
    if found is None or found.gate != name:
        raise NotFoundError("verdict", str(verdict_id))
    return page(
        request,
        "verdict.html",
        name=name,
        verdict=found,
        findings=findings_of(found.report),
        most_holes=MOST_HOLES,
        run_id=found.run_id,
        run=archive.runs.get(found.run_id),
        baseline_id=found.baseline_id,
        baseline=_run(archive, found.baseline_id),
        is_old=found.judgments_hash != archive.judgments.hash(),
        has_gate=archive.gates.get(name) is not None,
        failure=None,
        is_waiting=False,
    )


@router.get("/gates/{name}/replay/{run_id}")
def show_replayed(
    request: Request,
    name: str,
    run_id: Annotated[str, Path(pattern="^[0-9a-f]{64}$")],
    archive: ArchiveDep,
    replays: ReplaysDep,
    of: Annotated[str, Query(max_length=64)],
) -> Response:
    """Show the verdict that an edited gate would have given on a run."""
    settings = replays.settings_of(of)
    if settings is None:
        raise Problem(
            404,
            "this replay is no longer available because the service was restarted or the guards "
            "were edited often; replay them on the page of the gate",
            kind="not-found",
        )
    run = find_run(archive, run_id)
    question = question_of(archive, settings, [run])
    (outcome,) = replays.ask(question)
    report = None if outcome is None else outcome.report
    return page(
        request,
        "verdict.html",
        name=name,
        verdict=None,
        findings=None if report is None else findings_of(report),
        most_holes=MOST_HOLES,
        run_id=run_id,
        run=run,
        baseline_id=None if question.baseline is None else question.baseline.run_id,
        baseline=question.baseline,
        is_old=False,
        has_gate=archive.gates.get(name) is not None if name != "+new" else False,
        failure=None if outcome is None or report is not None else outcome.sentence,
        is_waiting=outcome is None,
    )


def _run(archive: Archive, run_id: str | None) -> StoredRun | None:
    return None if run_id is None else archive.runs.get(run_id)
