"""Draws of queries that people label, to correct the grades of a model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field, model_validator

from berryeval.archive.label_draws import StoredDraw
from berryeval.errors import NotFoundError
from berryeval.evaluation.label_draw import LabelDraw, draw_labels
from berryeval.service.answers import REMOVAL, Answer, Shape, created, with_examples, written
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.fields import Body, Id, Label
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import Name
from berryeval.service.problems import documented, existing

__all__ = ["draw_from_archive", "router"]

router = APIRouter(prefix="/v1/label-draws", tags=["judges"], route_class=JsonRoute)

MOST_QUERIES = 100_000

_ROW = {"stratum": "all", "probability": 0.25, "is_labelled": True}
_SUMMARY = {"name": "first", "n_queries": 120, "n_labelled": 50, "created_by": "ada",
            "created_at": "2026-11-18T08:00:00+00:00"}  # fmt: skip


class DrawnQuery(Body):
    """A query of a draw."""

    model_config = with_examples(_ROW)

    stratum: Label
    is_labelled: bool = Field(description="Whether people label it.")
    probability: Annotated[float, Field(ge=0, le=1)] | None = Field(
        None, description="Ignored: it follows from the strata."
    )


class DrawContent(Body):
    """How many queries to draw, or the content of a file that `berryeval judge draw` wrote."""

    model_config = with_examples({"n": 50, "by": "category"})

    n: Annotated[int, Field(ge=2, le=MOST_QUERIES)] | None = Field(
        None, description="Queries to draw from those of the archive."
    )
    by: Literal["category", "difficulty"] | None = Field(
        None, description="Label whose values are drawn from separately."
    )
    queries: Annotated[dict[Id, DrawnQuery], Field(max_length=MOST_QUERIES)] | None = None
    kind: Literal["label draw"] | None = None
    version: Literal[1] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> DrawContent:
        if (self.n is None) == (self.queries is None):
            raise ValueError("either n, or queries")
        return self


class DrawSummary(Shape):
    """A draw without its queries."""

    model_config = with_examples(_SUMMARY)

    name: str
    n_queries: int
    n_labelled: int
    created_at: str
    created_by: str


class DrawState(DrawSummary):
    """A draw."""

    model_config = with_examples({**_SUMMARY, "queries": {"q1": _ROW}})

    queries: dict[str, dict[str, Any]]


@router.get("", response_model=Listed[DrawSummary])
def list_label_draws(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List draws by name."""
    return paging.answer(archive.label_draws.page(**paging.bounds), _summary)


@router.get("/{name}", response_model=DrawState, responses=documented(404))
def get_label_draw(name: Name, archive: ArchiveDep) -> Answer:
    """Return a draw with all its queries."""
    return Answer(_state(existing(archive.label_draws.get(name), "label draw", name)))


@router.put(
    "/{name}",
    response_model=DrawState,
    responses=documented(409) | created(DrawState),
    dependencies=[require("admin")],
)
def store_label_draw(
    name: Name, given: DrawContent, archive: ArchiveDep, caller: CallerDep
) -> Answer:
    """Draw queries for people to label, or store a draw that was made elsewhere.

    The queries of the archive alone decide which ones are drawn. A draw never changes: storing
    another one by the same name is a conflict.
    """
    if given.queries is not None:
        rows = {query_id: row.model_dump() for query_id, row in given.queries.items()}
        draw = LabelDraw.from_dict(rows, "queries")
    else:
        draw = draw_from_archive(archive, given.n or 0, given.by)
    stored, is_new = archive.label_draws.put(name, draw, created_by=caller.name)
    return written(_state(stored), f"/v1/label-draws/{name}", is_new=is_new)


@router.delete("/{name}", **REMOVAL, responses=documented(404), dependencies=[require("admin")])
def remove_label_draw(name: Name, archive: ArchiveDep) -> None:
    """Remove a draw; the judgments of its queries are kept."""
    if not archive.label_draws.remove(name):
        raise NotFoundError("label draw", name)


def draw_from_archive(archive: ArchiveDep, n: int, by: str | None) -> LabelDraw:
    """Draw queries of an archive, from all or from those of each value of a label."""
    queries = archive.queries.all()
    strata = None
    if by is not None:
        strata = {name: getattr(query, by) or "none" for name, query in queries.items()}
    return draw_labels(queries, n, strata=strata)


def _summary(stored: StoredDraw) -> dict[str, Any]:
    draw = stored.draw
    return DrawSummary.of(
        stored,
        n_queries=len(draw.strata),
        n_labelled=len(draw.labelled),
        created_at=stored.created_at.isoformat(),
    )


def _state(stored: StoredDraw) -> dict[str, Any]:
    return {**_summary(stored), "queries": stored.draw.to_dict()["queries"]}
