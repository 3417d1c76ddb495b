"""Baselines: named runs that candidates are compared with."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from berryeval.archive.records import StoredBaseline
from berryeval.errors import NotFoundError
from berryeval.service.answers import (
    EXAMPLE_RUN,
    NOT_MODIFIED,
    REMOVAL,
    Answer,
    conditional_answer,
    created,
    shape_of,
    with_examples,
    written,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, require
from berryeval.service.fields import Body
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import Name
from berryeval.service.preconditions import RemovalDep, WriteDep
from berryeval.service.problems import documented, existing
from berryeval.service.stored_runs import check_baseline_name

__all__ = ["router"]

router = APIRouter(prefix="/v1/baselines", tags=["baselines"], route_class=JsonRoute)

_EXAMPLE = {
    "name": "main",
    "run_id": EXAMPLE_RUN,
    "updated_at": "2026-11-16T08:00:00+00:00",
    "released_at": None,
}


class BaselineState(
    shape_of(  # type: ignore[misc] # built from the record
        StoredBaseline, released_at="When it was marked as a release; null if it was not."
    )
):
    """A baseline: a named run."""

    model_config = with_examples(_EXAMPLE)


class BaselineContent(Body):
    """The run of a baseline."""

    model_config = with_examples({"run_id": EXAMPLE_RUN})

    run_id: str = Field(pattern="^[0-9a-f]{64}$")
    is_release: bool = Field(
        default=False,
        description="Whether to mark the run as a release. The last release is the default "
        "anchor of gates.",
    )


@router.get("", response_model=Listed[BaselineState])
def list_baselines(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List baselines by name."""
    return paging.answer(archive.baselines.page(**paging.bounds), BaselineState.of)


@router.get("/{name}", response_model=BaselineState, responses=documented(404) | NOT_MODIFIED)
def get_baseline(request: Request, name: Name, archive: ArchiveDep) -> Response:
    """Return a baseline; its ETag is the id of its run, with a mark if it is a release."""
    found = existing(archive.baselines.get(name), "baseline", name)
    return conditional_answer(request, BaselineState.of(found), _etag(found))


@router.put(
    "/{name}",
    response_model=BaselineState,
    responses=documented(404, 412) | created(BaselineState),
    dependencies=[require("admin")],
)
def set_baseline(
    name: Name, given: BaselineContent, archive: ArchiveDep, headers: WriteDep
) -> Answer:
    """Set a baseline; `If-Match`, if given, must match its current ETag."""
    check_baseline_name(name)
    check = headers.check(_etag, f"baseline {name!r}")
    stored = archive.baselines.put(name, given.run_id, is_release=given.is_release, check=check)
    place = f"/v1/baselines/{name}"
    return written(BaselineState.of(stored), place, is_new=check.is_new, etag=_etag(stored))


@router.delete(
    "/{name}", **REMOVAL, responses=documented(404, 412), dependencies=[require("admin")]
)
def remove_baseline(name: Name, archive: ArchiveDep, headers: RemovalDep) -> None:
    """Remove a baseline; its run is kept. `If-Match`, if given, must match its current ETag."""
    if not archive.baselines.remove(name, check=headers.check(_etag, f"baseline {name!r}")):
        raise NotFoundError("baseline", name)


def _etag(baseline: StoredBaseline) -> str:
    mark = "" if baseline.released_at is None else "-release"
    return f'"{baseline.run_id}{mark}"'
