"""Running a gate: the page waits for a job if the verdict is not quick."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.service.dependencies import ArchiveDep, CallerDep, JobsDep, RunsDep, require
from berryeval.service.jobs import FINISHED, Job, Progress
from berryeval.service.paths import Name
from berryeval.service.problems import Problem
from berryeval.service.references import find_run
from berryeval.service.verdicts import decide_on
from berryeval.service.workbench.pages.gates.editing import Posted, found_gate
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

_PATIENCE_SECONDS = 1.0

router = APIRouter()


@router.post("/gates/{name}/verdicts", dependencies=[require("judge")])
def run_gate(
    name: Name,
    archive: ArchiveDep,
    runs: RunsDep,
    jobs: JobsDep,
    caller: CallerDep,
    posted: Posted,
) -> Response:
    """Run a gate with the current judgments, and redirect to its verdict."""
    gate = found_gate(archive, name)
    run = find_run(archive, str(posted.get("run") or ""))
    reference = gate.settings.get("baseline")
    baseline = None if reference is None else find_run(archive, reference)

    def work(progress: Progress) -> Response:
        stored = decide_on(archive, runs, gate, run, baseline, milliseconds=None, progress=progress)
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
