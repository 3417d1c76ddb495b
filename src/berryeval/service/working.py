"""Work that may take long: answered at once, or as a job if the caller prefers that."""

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
        description="`respond-async`: answer with a job (RFC 7240).",
        examples=["respond-async"],
        max_length=1000,
    ),
]

ACCEPTED: Mapping[int | str, dict[str, Any]] = {
    202: {
        "model": JobState,
        "description": "A job was started; `Location` says where it is",
        "headers": {"Location": {"schema": {"type": "string"}}},
    }
}
"""The answer to those who prefer a job, for a route's ``responses``."""


def answer_or_start(
    kind: str, work: Work, *, prefer: str | None, jobs: Jobs, caller: Caller
) -> Response:
    """Do the work and return its answer, or start a job."""
    if not prefers_job(prefer):
        return work(no_progress)
    return job_answer(jobs.start(kind, work, owner=caller.name), 202)


def job_answer(job: Job, status: int = 200) -> Answer:
    """Return an answer that tells of a job."""
    headers = {"Location": f"/v1/jobs/{job.id}"}
    if status == 202:  # noqa: PLR2004
        headers["Preference-Applied"] = "respond-async"
    return Answer(job.shape(), status, headers=headers)


def prefers_job(prefer: str | None) -> bool:
    """Whether a caller asks for a job rather than for an answer at once."""
    parts = (prefer or "").replace(";", ",").split(",")
    return "respond-async" in {part.strip().lower() for part in parts}
