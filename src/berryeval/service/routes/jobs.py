"""Jobs: progress, results and cancellation."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse

from berryeval.service.answers import EXAMPLE_RUN, Answer, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import CallerDep, JobsDep, job_answer
from berryeval.service.jobs import EXAMPLE_JOB, FINISHED, CollectionJobs, Job, JobState
from berryeval.service.problems import Problem, documented, existing

__all__ = ["router"]

router = APIRouter(prefix="/v1/jobs", tags=["jobs"], route_class=JsonRoute)

JobId = Annotated[
    str, Path(description="Id of a job.", examples=["5f0c2a9be1d34c77"], pattern="^[0-9a-f]{16}$")
]


_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["progress", "done", "failed", "cancelled"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}


class JobList(BaseModel):
    """All jobs, newest first."""

    model_config = with_examples({"items": [EXAMPLE_JOB]})

    items: list[JobState]


@router.get("", response_model=JobList)
async def list_jobs(jobs: JobsDep) -> Answer:
    """List the jobs of the last hour, newest first."""
    return Answer({"items": [job.shape() for job in jobs.all()]})


@router.get("/{job_id}", response_model=JobState, responses=documented(404))
async def get_job(job_id: JobId, jobs: JobsDep) -> Answer:
    """Return the state of a job."""
    return job_answer(_job(jobs, job_id))


@router.get(
    "/{job_id}/events",
    response_class=StreamingResponse,
    responses=documented(404)
    | {
        200: {
            "description": "Events `progress`, and finally `done`, `failed` or `cancelled`; each "
            "has the job as its data",
            "content": {
                "text/event-stream": {
                    "schema": _EVENT,
                    "example": {"event": "progress", "data": json.dumps(EXAMPLE_JOB)},
                }
            },
        }
    },
)
async def follow_job(job_id: JobId, jobs: JobsDep) -> StreamingResponse:
    """Stream the progress of a job as server-sent events until it has finished."""
    events = jobs.events(_job(jobs, job_id))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


@router.get(
    "/{job_id}/result",
    responses=documented(404, 409)
    | {
        200: {
            "description": "The response that the request would have had",
            "content": {
                "application/json": {
                    "schema": {"type": "object"},
                    "example": {"evaluation_id": EXAMPLE_RUN, "means": {"nDCG@10": 0.4121}},
                }
            },
        }
    },
)
async def get_job_result(job_id: JobId, jobs: JobsDep) -> Response:
    """Return the result of a job; 409 if there is none yet."""
    job = _job(jobs, job_id)
    if job.result is not None:
        return Answer(bytes(job.result.body))
    if job.state == "failed" and job.problem is not None:
        raise Problem(409, f"the job failed: {job.problem.detail}", kind="job-failed")
    raise Problem(409, f"the job is {job.state} and has no result", kind="no-result",
                  expected="done", found=job.state)  # fmt: skip


@router.delete("/{job_id}", response_model=JobState, responses=documented(403, 404, 409))
async def cancel_job(job_id: JobId, jobs: JobsDep, caller: CallerDep) -> Answer:
    """Cancel a job: at once if it is waiting, otherwise before its next step.

    Only its owner and admins can cancel it.
    """
    job = _job(jobs, job_id)
    if caller.name != job.owner and not caller.may("admin"):
        raise Problem(403, f"only the owner of the job, {job.owner!r}, or an admin can cancel it",
                      expected=job.owner, found=caller.name)  # fmt: skip
    if job.state in FINISHED:
        raise Problem(409, f"the job is already {job.state}", kind="finished", found=job.state)
    jobs.cancel(job)
    return job_answer(job)


def _job(jobs: CollectionJobs, job_id: str) -> Job:
    return existing(jobs.get(job_id), "job", job_id)
