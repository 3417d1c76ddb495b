"""Systems that administrators register, which are then stores that clients can search."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field, StringConstraints
from starlette.responses import Response

from berryeval.archive.records import RegisteredSystem
from berryeval.search.tuning import LONGEST_VALUE
from berryeval.service.answers import REMOVAL, Answer, created, shape_of, with_examples, written
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, StoresDep, require
from berryeval.service.fields import Body
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import Name
from berryeval.service.problems import documented, existing

__all__ = ["router", "state_of"]

router = APIRouter(
    prefix="/v1/systems",
    tags=["stores"],
    route_class=JsonRoute,
    dependencies=[require("admin")],
)

_ADDRESS = "opensearch:http://search.example:9200/products"
_Value = Annotated[str, StringConstraints(max_length=LONGEST_VALUE)]


class SystemState(
    shape_of(  # type: ignore[misc] # built from the record
        RegisteredSystem,
        without=("secrets",),
        place="Its address, without credentials.",
        settings="Its settings as text.",
        author="Who registered it.",
    )
):
    """A registered system. Its credentials are never returned."""

    model_config = with_examples(
        {
            "name": "products",
            "place": _ADDRESS,
            "settings": {"mode": "bm25"},
            "author": "ada",
            "updated_at": "2026-11-16T08:00:00+00:00",
            "secrets": ["api_key"],
        }
    )

    secrets: list[str] = Field(description="Names of its credentials.")


class NewSystem(Body):
    """A system to register."""

    model_config = with_examples(
        {
            "place": _ADDRESS,
            "settings": {"mode": "bm25"},
            "secrets": {"api_key": "VnVhQ2ZHY0JDZGJrU"},
        }
    )

    place: str = Field(
        min_length=1,
        max_length=1000,
        description="An address with `http://` or `https://`; for OpenSearch and Elasticsearch "
        "after `opensearch:` or `elasticsearch:`, with the index as its last part. Its host must "
        "be among `search_hosts` of the service.",
    )
    settings: dict[str, _Value] = Field(
        default_factory=dict,
        max_length=50,
        description="Settings as text: `body`, `ids` and `scores` of an HTTP API; `index`, "
        "`mode`, `dialect`, `template`, `search_pipeline`, `fields`, `vector_field`, `weights`, "
        "`constant` and `depth` of OpenSearch.",
    )
    secrets: dict[str, _Value] = Field(
        default_factory=dict,
        max_length=50,
        description="Credentials: `header NAME`; for OpenSearch also `user`, `password` and "
        "`api_key`. They are never returned.",
    )


def state_of(system: RegisteredSystem) -> dict[str, object]:
    """Return a system without its credentials."""
    found: dict[str, object] = SystemState.of(system, secrets=sorted(system.secrets))
    return found


@router.get("", response_model=Listed[SystemState])
def list_systems(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List registered systems by name."""
    return paging.answer(archive.systems.page(**paging.bounds), state_of)


@router.get("/{name}", response_model=SystemState, responses=documented(404))
def get_system(name: Name, archive: ArchiveDep) -> Response:
    """Return a registered system."""
    return Answer(state_of(existing(archive.systems.get(name), "system", name)))


@router.put("/{name}", response_model=SystemState, responses=documented(409) | created(SystemState))
def register_system(name: Name, given: NewSystem, stores: StoresDep, caller: CallerDep) -> Answer:
    """Register a search system, or replace it with its credentials; it becomes a store.

    No request is sent to it yet.
    """
    stored, is_new = stores.register(
        name, given.place, given.settings, given.secrets, author=caller.name
    )
    return written(state_of(stored), f"/v1/systems/{name}", is_new=is_new)


@router.delete("/{name}", **REMOVAL, responses=documented(404))
def remove_system(name: Name, stores: StoresDep) -> None:
    """Remove a registered system with its credentials; its runs are kept."""
    stores.unregister(name)
