"""Work that may take long: answered at once, or as a job if the caller prefers that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Header
from pydantic import BaseModel, Field
from starlette.responses import Response

from berryeval.service.answers import Answer
from berryeval.service.dependencies import Caller
from berryeval.service.examples import with_examples
from berryeval.service.jobs import Job, Jobs, State, Work, no_progress
from berryeval.service.problems import ProblemDetails

__all__ = [
    "ACCEPTED",
    "EXAMPLE_JOB",
    "JobState",
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

EXAMPLE_JOB = {
    "id": "5f0c2a9be1d34c77",
    "kind": "comparison",
    "state": "running",
    "done": 1,
    "total": 3,
    "step": "reading run 2 of 2",
    "owner": "ci",
    "created": "2026-11-16T08:00:00+00:00",
    "finished": None,
    "result": None,
    "problem": None,
}


class JobState(BaseModel):
    """How far a job is."""

    model_config = with_examples(EXAMPLE_JOB)

    id: str
    kind: str
    state: State
    done: int = Field(description="Steps that are done.")
    total: int = Field(description="Steps in all; 0 as long as nobody knows.")
    step: str = Field(description="What is being done.")
    owner: str = Field(description="Who asked for it.")
    created: str
    finished: str | None
    result: str | None = Field(description="Where the result is, once the job is done.")
    problem: ProblemDetails | None = Field(description="Why it failed.")


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
    return Answer(job.as_dict(), status, headers=headers)


def prefers_job(prefer: str | None) -> bool:
    """Whether a caller asks for a job rather than for an answer at once."""
    parts = (prefer or "").replace(";", ",").split(",")
    return "respond-async" in {part.strip().lower() for part in parts}
