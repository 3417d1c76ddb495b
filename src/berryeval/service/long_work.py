"""Work that may take long: done within the request, or as a job if the caller prefers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Header
from starlette.responses import Response

from berryeval.service.answers import Answer
from berryeval.service.dependencies import Caller
from berryeval.service.jobs import Job, Jobs, JobState, Work, no_progress

__all__ = [
    "ACCEPTED",
    "Prefer",
    "answer_or_start",
    "job_answer",
    "prefers_job",
]

Prefer = Annotated[
    str | None,
    Header(
        alias="Prefer",
        description="`respond-async`: run as a job (RFC 7240).",
        examples=["respond-async"],
        max_length=1000,
    ),
]

ACCEPTED: Mapping[int | str, dict[str, Any]] = {
    202: {
        "model": JobState,
        "description": "A job was started; `Location` is its address",
        "headers": {"Location": {"schema": {"type": "string"}}},
    }
}
"""The response that starts a job, for a route's ``responses``."""


def answer_or_start(
    kind: str, work: Work, *, prefer: str | None, jobs: Jobs, caller: Caller
) -> Response:
    """Do the work and return its response, or start a job."""
    if not prefers_job(prefer):
        return work(no_progress)
    return job_answer(jobs.start(kind, work, owner=caller.name), 202)


def job_answer(job: Job, status: int = 200) -> Answer:
    """Return the response that starts a job."""
    headers = {"Location": f"/v1/jobs/{job.id}"}
    if status == 202:  # noqa: PLR2004
        headers["Preference-Applied"] = "respond-async"
    return Answer(job.shape(), status, headers=headers)


def prefers_job(prefer: str | None) -> bool:
    """Whether a caller prefers a job."""
    parts = (prefer or "").replace(";", ",").split(",")
    return "respond-async" in {part.strip().lower() for part in parts}
