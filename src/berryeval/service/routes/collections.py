"""Collections: separate golden sets with their runs and gates."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field

from berryeval.archive.records import StoredCollection
from berryeval.service.answers import REMOVAL, Answer, Shape, created, with_examples, written
from berryeval.service.bodies import JsonRoute
from berryeval.service.collections import Collections
from berryeval.service.dependencies import (
    CallerDep,
    HomeDep,
    from_service,
    require,
    require_manager,
)
from berryeval.service.fields import Body
from berryeval.service.problems import Problem, documented, existing

__all__ = ["router"]

router = APIRouter(prefix="/v1/collections", tags=["collections"], route_class=JsonRoute)

_EXAMPLE = {"name": "shop", "title": "Shop", "created_at": "2026-11-18T08:00:00+00:00"}

CollectionName = Annotated[
    str,
    Path(
        description="Name of a collection.",
        examples=["shop"],
        pattern="^[a-z0-9][a-z0-9_-]{0,39}$",
    ),
]


class CollectionState(Shape):
    """A collection."""

    model_config = with_examples(_EXAMPLE)

    name: str = Field(description="Its name in addresses, which never changes.")
    title: str
    created_at: str | None = Field(description="null for the first collection.")


class CollectionList(BaseModel):
    """All collections that the caller may use."""

    model_config = with_examples({"items": [_EXAMPLE]})

    items: list[CollectionState]


class CollectionContent(Body):
    """The title of a collection."""

    model_config = with_examples({"title": "Shop"})

    title: str | None = Field(
        None, description="Default: its name.", min_length=1, max_length=200, examples=["Shop"]
    )


@router.get("", response_model=CollectionList)
def list_collections(archive: HomeDep, caller: CallerDep) -> Answer:
    """List the collections that the caller may use, the default one first."""
    found = (one for one in archive.collections.all() if caller.may_use(one.name))
    return Answer({"items": [_shape(one) for one in found]})


@router.get("/{name}", response_model=CollectionState, responses=documented(404))
def get_collection(name: CollectionName, archive: HomeDep, caller: CallerDep) -> Answer:
    """Return a collection."""
    if not caller.may_use(name):
        raise Problem(403, f"token {caller.name!r} may not use the collection {name!r}")
    return Answer(_shape(existing(archive.collections.get(name), "collection", name)))


@router.put(
    "/{name}",
    response_model=CollectionState,
    responses=documented(409) | created(CollectionState),
    dependencies=[require("admin"), require_manager],
)
def put_collection(name: CollectionName, given: CollectionContent, archive: HomeDep) -> Answer:
    """Create a collection, or change the title of an existing one."""
    found = archive.collections.get(name)
    if found is None:
        stored = archive.collections.create(name, given.title)
    elif given.title is None:
        stored = found
    else:
        stored = archive.collections.retitle(name, given.title)
    return written(_shape(stored), f"/v1/collections/{name}", is_new=found is None)


@router.delete(
    "/{name}",
    **REMOVAL,
    responses=documented(404, 409),
    dependencies=[require("admin"), require_manager],
)
def remove_collection(
    name: CollectionName, collections: Annotated[Collections, from_service("collections")]
) -> None:
    """Remove a collection with everything in it: documents, queries, judgments, runs and gates.

    The first collection cannot be removed. Running jobs of the collection are cancelled; 409 if
    requests still use it after some seconds.
    """
    collections.remove(name)


def _shape(stored: StoredCollection) -> dict[str, object]:
    return CollectionState.of(stored)
