"""Verdicts: running a gate as a job, and the page of a verdict, stored or replayed."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun, StoredVerdict
from berryeval.core.text import printable
from berryeval.errors import NotFoundError
from berryeval.service.dependencies import (
    ArchiveDep,
    CallerDep,
    JobsDep,
    RunsDep,
    WorkersDep,
    require,
)
from berryeval.service.jobs import FINISHED, Job, Progress
from berryeval.service.paths import Name
from berryeval.service.problems import Problem
from berryeval.service.stored_runs import find_run
from berryeval.service.verdicts import decide_on
from berryeval.service.workbench.pages.gates.editing import Posted, ReplaysDep, found_gate
from berryeval.service.workbench.pages.gates.findings import Findings, findings_of
from berryeval.service.workbench.pages.gates.replay_strip import question_of
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

MAX_HOLES = 20
_PATIENCE_SECONDS = 1.0
"""Seconds that a page waits for a verdict before it shows the progress."""

router = APIRouter()

VerdictId: TypeAlias = Annotated[int, Path(ge=1, lt=2**63)]


@router.post("/gates/{name}/verdicts", dependencies=[require("judge")])
def run_gate(
    name: Name,
    archive: ArchiveDep,
    runs: RunsDep,
    jobs: JobsDep,
    caller: CallerDep,
    workers: WorkersDep,
    posted: Posted,
) -> Response:
    """Run a gate with the current judgments, and redirect to its verdict."""
    gate = found_gate(archive, name)
    run = find_run(archive, str(posted.get("run") or ""))
    reference = gate.settings.get("baseline")
    baseline = None if reference is None else find_run(archive, reference)

    def work(progress: Progress) -> Response:
        stored = decide_on(
            archive,
            runs,
            gate,
            run,
            baseline,
            milliseconds=None,
            progress=progress,
            workers=workers,
        )
        return RedirectResponse(f"/gates/{name}/verdicts/{stored.verdict_id}", 303)

    job = jobs.start("verdict", work, owner=caller.name)
    if jobs.wait(job, _PATIENCE_SECONDS):
        return _outcome(job)
    return RedirectResponse(f"/gates/{name}/deciding/{job.id}", 303)


@router.get("/gates/{name}/deciding/{job_id}", tags=["part"])
def show_progress(request: Request, name: Name, job_id: str, jobs: JobsDep) -> Response:
    """Show the progress of a gate, and redirect to the verdict when it is ready."""
    job = jobs.get(job_id)
    if job is None or job.kind != "verdict":
        raise Problem(
            404,
            "this decision is no longer available because the service was restarted; "
            "see the verdicts on the page of the gate",
            kind="not-found",
        )
    is_part = "hx-request" in request.headers
    if job.state in FINISHED:
        outcome = _outcome(job)
        if not is_part:
            return outcome
        return Response(headers={"HX-Redirect": outcome.headers["location"]})
    template = "deciding_part.html" if is_part else "deciding.html"
    return page(request, template, name=name, job=job)


def _outcome(job: Job) -> Response:
    if job.problem is not None:
        raise job.problem
    if job.result is None:
        raise Problem(409, "the decision was cancelled", kind="cancelled")
    return job.result


@router.get("/gates/{name}/verdicts/{verdict_id}")
def show_verdict(
    request: Request,
    name: Name,
    verdict_id: VerdictId,
    archive: ArchiveDep,
) -> Response:
    """Show a verdict and its reasons."""
    found = _find(archive, name, verdict_id)
    findings = findings_of(found.report)
    return page(
        request,
        "verdict.html",
        name=name,
        verdict=found,
        findings=findings,
        titles=_titles(archive, findings),
        most_holes=MAX_HOLES,
        run_id=found.run_id,
        run=_run(archive, found.run_id),
        baseline_id=found.baseline_id,
        baseline=_run(archive, found.baseline_id),
        is_old=found.judgments_hash != archive.judgments.hash(),
        has_gate=archive.gates.get(name) is not None,
        failure=None,
        is_waiting=False,
    )


@router.get("/gates/{name}/verdicts/{verdict_id}/markdown", tags=["part"])
def download_markdown(name: Name, verdict_id: VerdictId, archive: ArchiveDep) -> Response:
    """Download a verdict as ``berryeval gate --format markdown`` writes it."""
    text = _find(archive, name, verdict_id).report.get("markdown")
    if text is None:
        raise Problem(
            404,
            f"verdict {verdict_id} has no Markdown, as an earlier version stored it; "
            "check the run again on its page",
            kind="not-found",
        )
    headers = {"Content-Disposition": f'attachment; filename="verdict-{verdict_id}.md"'}
    content = printable(text).encode()
    return Response(content, media_type="text/markdown; charset=utf-8", headers=headers)


def _find(archive: Archive, name: str, verdict_id: int) -> StoredVerdict:
    found = archive.verdicts.get(verdict_id)
    if found is None or found.gate != name:
        raise NotFoundError("verdict", str(verdict_id))
    return found


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
    findings = None if report is None else findings_of(report)
    return page(
        request,
        "verdict.html",
        name=name,
        verdict=None,
        findings=findings,
        titles=_titles(archive, findings),
        most_holes=MAX_HOLES,
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
    return None if run_id is None else archive.runs.get(run_id, with_durations=False)


def _titles(archive: Archive, findings: Findings | None) -> dict[str, str]:
    """Return the titles of the unjudged documents that a verdict depends on."""
    holes = [] if findings is None else findings.holes[:MAX_HOLES]
    return archive.documents.titles({hole["doc_id"] for hole in holes})
