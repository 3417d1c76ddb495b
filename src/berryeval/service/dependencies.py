"""Dependencies of routes: the state of the application, the caller, roles, and long work.

Each role includes the previous one. ``read`` sees everything and compares; ``judge`` adds queries,
documents, judgments, runs, evaluations and verdicts, and removes the first three; ``admin``
manages baselines, gates and stores, and removes runs. An admin whose token is not limited to some
collections also manages collections and tokens.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Header, Request
from fastapi.params import Depends as Dependency
from starlette.datastructures import State
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import ROLES, Role
from berryeval.service.answers import Answer
from berryeval.service.clients import ClientWait, client_wait
from berryeval.service.jobs import CollectionJobs, Job, Jobs, JobState, Work
from berryeval.service.lru_cache import LruCache
from berryeval.service.problems import Problem
from berryeval.service.settings import ServiceSettings
from berryeval.service.stored_runs import RunCache
from berryeval.service.stores.stores import Stores
from berryeval.service.workers.pool import Workers

__all__ = [
    "ACCEPTED",
    "LOCAL",
    "ROLES",
    "ArchiveDep",
    "Caller",
    "CallerDep",
    "DeadlineDep",
    "EvaluationsDep",
    "HomeDep",
    "JobsDep",
    "LongWorkDep",
    "Role",
    "RunsDep",
    "SettingsDep",
    "StoresDep",
    "WorkersDep",
    "check_role",
    "from_service",
    "from_state",
    "job_answer",
    "require",
    "require_manager",
    "state_of",
]


@dataclass(frozen=True)
class Caller:
    """The sender of a request."""

    name: str
    role: Role
    has_token: bool = False
    """Whether the name is that of a token."""
    collections: tuple[str, ...] | None = None
    """The collections that the caller may use; None for all."""

    def may(self, role: Role) -> bool:
        """Whether the caller has this role or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def may_use(self, collection: str) -> bool:
        """Whether the caller may use a collection."""
        return self.collections is None or collection in self.collections

    @property
    def manages(self) -> bool:
        """Whether the caller manages collections and tokens: an admin of all collections."""
        return self.may("admin") and self.collections is None


LOCAL = Caller("local", "admin")
"""The caller without a token, on the same machine."""


def state_of(request: Request) -> State:
    """Return the state that all requests to the same collection share."""
    found: State = request.state.collection.state
    return found


def from_state(name: str) -> Any:  # noqa: ANN401 - Depends() has no type of its own
    """Return a dependency: an attribute of the state of the request's collection."""

    # A coroutine that awaits nothing, since FastAPI would run a function in a thread.
    async def read(request: Request) -> Any:  # noqa: ANN401
        return getattr(state_of(request), name)

    return Depends(read)


def from_service(name: str) -> Any:  # noqa: ANN401
    """Return a dependency: an attribute of the application's state."""

    async def read(request: Request) -> Any:  # noqa: ANN401
        return getattr(request.app.state, name)

    return Depends(read)


def _from_request(name: str) -> Any:  # noqa: ANN401
    """Return a dependency: an attribute that middleware added to the request."""

    async def read(request: Request) -> Any:  # noqa: ANN401
        return getattr(request.state, name)

    return Depends(read)


_EvaluationAnswers: TypeAlias = LruCache[tuple[str, int], tuple[bytes, str]]
"""Bodies and ETags, by the id of an evaluation and the number of writes to queries."""


async def _jobs(request: Request) -> CollectionJobs:
    jobs: Jobs = request.app.state.jobs
    collection = request.state.collection
    return CollectionJobs(
        jobs, collection.place, collection.prefix, collection.take, collection.release
    )


HomeDep: TypeAlias = Annotated[Archive, from_service("archive")]
"""The archive of the first collection, which has the tokens and the list of collections."""
ArchiveDep: TypeAlias = Annotated[Archive, from_state("archive")]
SettingsDep: TypeAlias = Annotated[ServiceSettings, from_state("settings")]
JobsDep: TypeAlias = Annotated[CollectionJobs, Depends(_jobs)]
RunsDep: TypeAlias = Annotated[RunCache, from_state("runs")]
StoresDep: TypeAlias = Annotated[Stores, from_state("stores")]
WorkersDep: TypeAlias = Annotated[Workers, from_state("workers")]
EvaluationsDep: TypeAlias = Annotated[_EvaluationAnswers, from_state("evaluations")]
CallerDep: TypeAlias = Annotated[Caller, _from_request("caller")]
DeadlineDep: TypeAlias = Annotated[float, _from_request("deadline")]
"""When the request times out with 504, in the time of `time.monotonic`."""


def require(role: Role) -> Any:  # noqa: ANN401 - Depends() has no type of its own
    """Return a dependency that rejects callers without the role: ``dependencies=[…]``."""
    return _REQUIRED[role]


def check_role(caller: Caller, role: Role) -> None:
    """Raise if a caller does not have a role.

    Raises
    ------
    Problem
        403.
    """
    if not caller.may(role):
        raise Problem(
            403,
            f"this requires the role {role}; token {caller.name!r} has the role {caller.role}",
            where="Authorization",
            expected=role,
            found=caller.role,
            way_out=f"berryeval token create NAME --role {role} --archive ARCHIVE",
        )


def _requirement(role: Role) -> Callable[[Request], Awaitable[None]]:
    async def check(request: Request) -> None:
        check_role(request.state.caller, role)

    check.role = role  # type: ignore[attr-defined]  # shown in the description
    return check


_REQUIRED: dict[Role, Dependency] = {role: Depends(_requirement(role)) for role in ROLES}


async def _check_manager(request: Request) -> None:
    caller: Caller = request.state.caller
    if not caller.manages:
        allowed = ", ".join(caller.collections or ()) or "none"
        raise Problem(
            403,
            f"this requires the role admin for all collections; token {caller.name!r} is limited "
            f"to {allowed}",
            where="Authorization",
            expected="a token that is not limited to collections",
            found=f"one limited to {allowed}",
            way_out="berryeval token create NAME --role admin --archive ARCHIVE",
        )


require_manager: Any = Depends(_check_manager)
"""A dependency that rejects callers who do not manage collections and tokens; after the role."""


ACCEPTED: Mapping[int | str, dict[str, Any]] = {
    202: {
        "model": JobState,
        "description": "A job was started; `Location` is its address",
        "headers": {"Location": {"schema": {"type": "string"}}},
    }
}
"""The response that starts a job, for a route's ``responses``."""


@dataclass(frozen=True)
class LongWork:
    """How the caller requested long work: within the request, or as a job."""

    jobs: CollectionJobs
    caller: Caller
    wait: ClientWait
    is_job: bool

    def answer(self, kind: str, work: Work) -> Response:
        """Do the work and return its response, or start a job.

        Within the request, the work ends if the client disconnects or the request times out.
        """
        if not self.is_job:
            return work(self.wait)
        return job_answer(self.jobs.start(kind, work, owner=self.caller.name), 202)


def job_answer(job: Job, status: int = 200) -> Answer:
    """Return the state of a job, and its address."""
    headers = {"Location": f"/v1/jobs/{job.id}"}
    if status == 202:  # noqa: PLR2004
        headers["Preference-Applied"] = "respond-async"
    return Answer(job.shape(), status, headers=headers)


async def _long_work(
    request: Request,
    jobs: JobsDep,
    caller: CallerDep,
    prefer: Annotated[
        str | None,
        Header(
            alias="Prefer",
            description="`respond-async`: run as a job (RFC 7240).",
            examples=["respond-async"],
            max_length=1000,
        ),
    ] = None,
) -> AsyncIterator[LongWork]:
    preferences = {part.strip().lower() for part in (prefer or "").replace(";", ",").split(",")}
    async with client_wait(request) as wait:
        yield LongWork(jobs, caller, wait, "respond-async" in preferences)


LongWorkDep: TypeAlias = Annotated[LongWork, Depends(_long_work)]
