"""Dependencies of routes: the archive, the caller, and roles.

Each role includes the previous one. ``read`` sees everything and compares; ``judge`` adds queries,
documents, judgments, runs, evaluations and verdicts, and removes the first three; ``admin``
manages baselines, gates and stores, and removes runs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import Depends, Request
from fastapi.params import Depends as Dependency

from berryeval.archive import Archive
from berryeval.archive.records import ROLES, Role
from berryeval.service.jobs import Jobs
from berryeval.service.lru_cache import LruCache
from berryeval.service.problems import Problem
from berryeval.service.run_cache import RunCache
from berryeval.service.settings import ServiceSettings

__all__ = [
    "LOCAL",
    "ROLES",
    "ArchiveDep",
    "Caller",
    "CallerDep",
    "DeadlineDep",
    "EvaluationsDep",
    "JobsDep",
    "Role",
    "RunsDep",
    "SettingsDep",
    "require",
]


@dataclass(frozen=True)
class Caller:
    """The sender of a request."""

    name: str
    role: Role

    def may(self, role: Role) -> bool:
        """Whether the caller has this role or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)


LOCAL = Caller("local", "admin")
"""The caller without a token, on the same machine."""


_EvaluationAnswers: TypeAlias = LruCache[tuple[str, int], tuple[bytes, str]]
"""Bodies and ETags, by the id of an evaluation and the number of writes to queries."""


# These are coroutines that await nothing, since FastAPI would run functions in a thread.
async def _archive(request: Request) -> Archive:
    archive: Archive = request.app.state.archive
    return archive


async def _settings(request: Request) -> ServiceSettings:
    settings: ServiceSettings = request.app.state.settings
    return settings


async def _jobs(request: Request) -> Jobs:
    jobs: Jobs = request.app.state.jobs
    return jobs


async def _runs(request: Request) -> RunCache:
    runs: RunCache = request.app.state.runs
    return runs


async def _evaluations(request: Request) -> _EvaluationAnswers:
    evaluations: _EvaluationAnswers = request.app.state.evaluations
    return evaluations


async def _caller(request: Request) -> Caller:
    caller: Caller = request.state.caller
    return caller


async def _deadline(request: Request) -> float:
    deadline: float = request.state.deadline
    return deadline


ArchiveDep: TypeAlias = Annotated[Archive, Depends(_archive)]
SettingsDep: TypeAlias = Annotated[ServiceSettings, Depends(_settings)]
JobsDep: TypeAlias = Annotated[Jobs, Depends(_jobs)]
RunsDep: TypeAlias = Annotated[RunCache, Depends(_runs)]
EvaluationsDep: TypeAlias = Annotated[_EvaluationAnswers, Depends(_evaluations)]
CallerDep: TypeAlias = Annotated[Caller, Depends(_caller)]
DeadlineDep: TypeAlias = Annotated[float, Depends(_deadline)]
"""When the request times out with 504, in the time of `time.monotonic`."""


def require(role: Role) -> Any:  # noqa: ANN401 - Depends() has no type of its own
    """Return a dependency that rejects callers without the role: ``dependencies=[…]``."""
    return _REQUIRED[role]


def _requirement(role: Role) -> Callable[[Request], Awaitable[None]]:
    async def check(request: Request) -> None:
        caller: Caller = request.state.caller
        if not caller.may(role):
            raise Problem(
                403,
                f"this requires the role {role}; token {caller.name!r} has the role {caller.role}",
                where="Authorization",
                expected=role,
                found=caller.role,
                way_out=f"berryeval token create NAME --role {role}",
            )

    check.role = role  # type: ignore[attr-defined]  # shown in the description
    return check


_REQUIRED: dict[Role, Dependency] = {role: Depends(_requirement(role)) for role in ROLES}
