"""Jobs: long tasks with an id, progress and cancellation.

Jobs end with the service: the results of the last 200 are kept in memory for an hour, and anything
permanent is in the archive. Two jobs run at the same time; the others wait.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, Protocol, TypeAlias

from pydantic import Field
from starlette.responses import Response

from berryeval.core.events import event_logger
from berryeval.errors import BerryEvalError
from berryeval.service.answers import Shape, json_bytes, with_examples
from berryeval.service.problems import Problem, ProblemDetails, problem_of

__all__ = [
    "EXAMPLE_JOB",
    "FINISHED",
    "CollectionJobs",
    "Job",
    "JobCancelled",
    "JobState",
    "Jobs",
    "Progress",
    "State",
    "Work",
    "no_progress",
]

State: TypeAlias = Literal["waiting", "running", "done", "failed", "cancelled"]

FINISHED: frozenset[State] = frozenset({"done", "failed", "cancelled"})


class Progress(Protocol):
    """Progress of some work. Both methods raise if the result is no longer wanted."""

    def __call__(self, done: int, total: int, step: str) -> None:
        """Report steps done, steps in total, and the next step."""

    def check(self) -> None:
        """Raise if the result is no longer wanted."""


Work: TypeAlias = Callable[[Progress], Response]
"""The work of a job; returns the response that the request would have had."""

_AT_ONCE = 2
_KEPT_SECONDS = 3600.0
_MAX_KEPT = 200
_HEARTBEAT_SECONDS = 15.0

_log = event_logger("berryeval.service")


class JobCancelled(Exception):  # noqa: N818 - nothing went wrong
    """The job was cancelled."""


class _NoProgress:
    """Progress of work that is not shown and never cancelled."""

    def __call__(self, done: int, total: int, step: str) -> None:
        pass

    def check(self) -> None:
        pass


no_progress = _NoProgress()


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


class JobState(Shape):
    """The state of a job."""

    model_config = with_examples(EXAMPLE_JOB)

    id: str
    kind: str
    state: State
    done: int = Field(description="Completed steps.")
    total: int = Field(description="Total steps; 0 while unknown.")
    step: str = Field(description="The current step.")
    owner: str = Field(description="The caller that started it.")
    created: str
    finished: str | None
    result: str | None = Field(description="Address of the result, once the job is done.")
    problem: ProblemDetails | None = Field(description="Why it failed.")


@dataclass(eq=False)
class Job:
    """A long task."""

    id: str
    kind: str
    owner: str
    created: datetime
    place: str | None = None
    """Identifies its collection."""
    prefix: str = ""
    """The beginning of its address."""
    on_end: Callable[[], None] = lambda: None
    state: State = "waiting"
    done: int = 0
    total: int = 0
    step: str = ""
    finished: datetime | None = None
    result: Response | None = None
    problem: Problem | None = None
    is_cancelled: bool = False
    _listeners: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(default_factory=set)
    _kept_until: float = float("inf")

    def shape(self) -> dict[str, Any]:
        """Return its state as routes report it."""
        result = f"{self.prefix}/v1/jobs/{self.id}/result" if self.state == "done" else None
        problem = None if self.problem is None else self.problem.content()
        return JobState.of(self, result=result, problem=problem)


class Jobs:
    """All jobs of a service.

    Parameters
    ----------
    most : int
        Largest number of jobs that wait or run.
    """

    def __init__(self, most: int = 100) -> None:
        self._most = most
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="berryeval-job")
        self._futures: dict[str, Future[None]] = {}
        self._is_closed = False
        self.on_finish: Callable[[], None] = lambda: None
        """Called when a job has finished, before its state is reported."""

    def start(
        self,
        kind: str,
        work: Work,
        *,
        owner: str,
        place: str | None = None,
        prefix: str = "",
        on_end: Callable[[], None] = lambda: None,
    ) -> Job:
        """Queue work.

        Parameters
        ----------
        kind, owner, place, prefix
            See `Job`.
        work : callable
            Does the work, in a thread.
        on_end : callable, optional
            Called once when the job has ended, even if it was cancelled before it began.

        Raises
        ------
        Problem
            503 if too many jobs are waiting, or the service is stopping.
        """
        job = Job(secrets.token_hex(8), kind, owner, _now(), place, prefix, on_end)
        with self._lock:
            self._forget_old()
            n_open = sum(job.state not in FINISHED for job in self._jobs.values())
            if n_open >= self._most or self._is_closed:
                reason = "the service is stopping" if self._is_closed else f"{n_open} are waiting"
                raise Problem(503, f"no more jobs can be started: {reason}; try again later",
                              kind="too-many-jobs", headers={"Retry-After": "5"})  # fmt: skip
            self._jobs[job.id] = job
            self._futures[job.id] = self._threads.submit(self._run, job, work)
        return job

    def get(self, job_id: str) -> Job | None:
        """Return a job by its id."""
        return self._jobs.get(job_id)

    def all(self) -> list[Job]:
        """Return all jobs, newest first."""
        with self._lock:
            self._forget_old()
            return sorted(self._jobs.values(), key=lambda job: job.created, reverse=True)

    def cancel(self, job: Job) -> None:
        """Cancel a job: at once if it is waiting, otherwise before its next step."""
        with self._lock:
            job.is_cancelled = True
            future = self._futures.get(job.id)
        if future is not None and future.cancel():
            self._finish(job, "cancelled")

    def wait(self, job: Job, seconds: float) -> bool:
        """Wait for a job, and return whether it has finished."""
        with self._lock:
            future = self._futures.get(job.id)
        if future is not None:
            wait([future], seconds)
        return job.state in FINISHED

    def close(self) -> None:
        """Cancel all jobs, and end all streams of events."""
        with self._lock:
            self._is_closed = True
            jobs = list(self._jobs.values())
        for job in jobs:
            if job.state not in FINISHED:
                self.cancel(job)
            self._notify(job)

    def join(self) -> None:
        """Wait for running jobs; after `close`."""
        self._threads.shutdown(wait=True, cancel_futures=True)

    def counts(self) -> dict[str, int]:
        """Return the number of jobs per state."""
        found: dict[str, int] = dict.fromkeys(
            ("waiting", "running", "done", "failed", "cancelled"), 0
        )
        for job in self.all():
            found[job.state] += 1
        return found

    async def events(self, job: Job) -> AsyncIterator[bytes]:
        """Iterate over the states of a job, as server-sent events, until it has finished."""
        loop, changed = asyncio.get_running_loop(), asyncio.Event()
        job._listeners.add((loop, changed))  # noqa: SLF001 - a job and its list belong together
        last = b""
        try:
            while True:
                changed.clear()
                is_last = job.state in FINISHED or self._is_closed
                state = json_bytes(job.shape())
                if state != last:
                    last = state
                    yield b"event: %s\ndata: %s\n\n" % (_event_name(job), state)
                if is_last:
                    return
                try:
                    await asyncio.wait_for(changed.wait(), _HEARTBEAT_SECONDS)
                except asyncio.TimeoutError:
                    yield b": keep-alive\n\n"  # keeps proxies from closing the connection
        finally:
            job._listeners.discard((loop, changed))  # noqa: SLF001

    def _run(self, job: Job, work: Work) -> None:
        progress = _JobProgress(job, self._notify)
        job.state = "running"
        try:
            progress(0, 0, "")
            job.result = work(progress)
        except JobCancelled:
            self._finish(job, "cancelled")
        except Problem as problem:
            job.problem = problem
            self._finish(job, "failed")
        except BerryEvalError as error:
            job.problem = problem_of(error)
            self._finish(job, "failed")
        except Exception:  # noqa: BLE001 - a bug must be logged, and must not end the thread
            _log.exception("bug", extra={"job": job.id})
            job.problem = Problem(500, "an internal error", kind="bug")
            self._finish(job, "failed")
        else:
            job.done, job.step = job.total, ""
            self._finish(job, "done")

    def _finish(self, job: Job, state: State) -> None:
        job.on_end()
        self.on_finish()
        job.state, job.finished = state, _now()
        job._kept_until = time.monotonic() + _KEPT_SECONDS  # noqa: SLF001
        with self._lock:  # `start` may not have stored it yet
            self._futures.pop(job.id, None)
        self._notify(job)

    def _notify(self, job: Job) -> None:
        for loop, changed in [*job._listeners]:  # noqa: SLF001
            if not loop.is_closed():
                loop.call_soon_threadsafe(changed.set)

    def _forget_old(self) -> None:
        now = time.monotonic()
        kept = [job for job in self._jobs.values() if now < job._kept_until]  # noqa: SLF001
        finished = [job for job in kept if job.state in FINISHED]
        forgotten = {job.id for job in finished[:-_MAX_KEPT]}
        self._jobs = {job.id: job for job in kept if job.id not in forgotten}


@dataclass(frozen=True)
class CollectionJobs:
    """The jobs of one collection, which is kept open while they wait or run."""

    _jobs: Jobs
    _place: str | None
    _prefix: str
    _take: Callable[[], None]
    _release: Callable[[], None]

    def start(self, kind: str, work: Work, *, owner: str) -> Job:
        """Queue work; see `Jobs.start`."""
        self._take()
        try:
            return self._jobs.start(
                kind, work, owner=owner, place=self._place, prefix=self._prefix,
                on_end=self._release,
            )  # fmt: skip
        except Problem:
            self._release()
            raise

    def get(self, job_id: str) -> Job | None:
        """Return a job by its id; None if it is of another collection."""
        job = self._jobs.get(job_id)
        return job if job is not None and job.place == self._place else None

    def all(self) -> list[Job]:
        """Return the jobs of the collection, newest first."""
        return [job for job in self._jobs.all() if job.place == self._place]

    def cancel(self, job: Job) -> None:
        """Cancel a job; see `Jobs.cancel`."""
        self._jobs.cancel(job)

    def wait(self, job: Job, seconds: float) -> bool:
        """Wait for a job, and return whether it has finished."""
        return self._jobs.wait(job, seconds)

    def events(self, job: Job) -> AsyncIterator[bytes]:
        """Iterate over the states of a job; see `Jobs.events`."""
        return self._jobs.events(job)


class _JobProgress:
    """The progress of a job, which its followers see."""

    def __init__(self, job: Job, notify: Callable[[Job], None]) -> None:
        self._job = job
        self._notify = notify

    def __call__(self, done: int, total: int, step: str) -> None:
        self.check()
        self._job.done, self._job.total, self._job.step = done, total, step
        self._notify(self._job)

    def check(self) -> None:
        if self._job.is_cancelled:
            raise JobCancelled


def _event_name(job: Job) -> bytes:
    return job.state.encode() if job.state in FINISHED else b"progress"


def _now() -> datetime:
    return datetime.now(timezone.utc)
