"""Baselines: named runs that candidates are compared with."""

from __future__ import annotations

from datetime import datetime

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from berryeval.archive.records import StoredBaseline
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.service.answers import Answer, Shape, conditional_answer, json_bytes, written
from berryeval.service.dependencies import ArchiveDep, require
from berryeval.service.examples import EXAMPLE_RUN, with_examples
from berryeval.service.fields import Body
from berryeval.service.paging import After, Limit, Listed, listed
from berryeval.service.paths import Name
from berryeval.service.preconditions import IfMatch, IfNoneMatch, WriteCheck, precondition
from berryeval.service.problems import documented

__all__ = ["router"]

router = APIRouter(prefix="/v1/baselines", tags=["baselines"])

_EXAMPLE = {
    "name": "main",
    "run_id": EXAMPLE_RUN,
    "updated_at": "2026-11-16T08:00:00+00:00",
    "released_at": None,
}
_LENGTH_OF_IDS = 64


class BaselineState(Shape):
    """A baseline: a named run."""

    model_config = with_examples(_EXAMPLE)

    name: str
    run_id: str
    updated_at: datetime
    released_at: datetime | None = Field(
        description="When it was marked as a release; null if it was not."
    )


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
def list_baselines(
    request: Request, archive: ArchiveDep, after: After = None, limit: Limit = 100
) -> Answer:
    """List baselines by name."""
    page = archive.baselines.page(after=after, limit=limit)
    return listed(request, page.items, page.next, BaselineState.of)


@router.get(
    "/{name}",
    response_model=BaselineState,
    responses=documented(404) | {304: {"description": "Not modified"}},
)
def get_baseline(request: Request, name: Name, archive: ArchiveDep) -> Response:
    """Return a baseline; its ETag is the id of its run, with a mark if it is a release."""
    found = archive.baselines.get(name)
    if found is None:
        raise NotFoundError("baseline", name)
    return conditional_answer(request, json_bytes(BaselineState.of(found)), _etag(found))


@router.put(
    "/{name}",
    response_model=BaselineState,
    responses=documented(404, 412) | {201: {"model": BaselineState, "description": "Created"}},
    dependencies=[require("admin")],
)
def set_baseline(
    name: Name,
    given: BaselineContent,
    archive: ArchiveDep,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> Answer:
    """Set a baseline; `If-Match`, if given, must match its current ETag."""
    if len(name) == _LENGTH_OF_IDS:
        raise ArgumentError("name", "a name that is not as long as the id of a run", str(len(name)))
    check = WriteCheck(precondition(if_match, if_none_match), _etag, f"baseline {name!r}")
    stored = archive.baselines.put(name, given.run_id, is_release=given.is_release, check=check)
    place = f"/v1/baselines/{name}"
    return written(BaselineState.of(stored), place, is_new=check.is_new, etag=_etag(stored))


@router.delete(
    "/{name}",
    status_code=204,
    response_class=Response,
    responses=documented(404, 412),
    dependencies=[require("admin")],
)
def remove_baseline(name: Name, archive: ArchiveDep, if_match: IfMatch = None) -> Response:
    """Remove a baseline; its run is kept. `If-Match`, if given, must match its current ETag."""
    check = WriteCheck(precondition(if_match, None), _etag, f"baseline {name!r}")
    if not archive.baselines.remove(name, check=check):
        raise NotFoundError("baseline", name)
    return Response(status_code=204)


def _etag(baseline: StoredBaseline) -> str:
    mark = "" if baseline.released_at is None else "-release"
    return f'"{baseline.run_id}{mark}"'
