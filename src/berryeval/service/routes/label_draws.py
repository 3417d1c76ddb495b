"""Draws of queries that people label, to correct the grades of a model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field, model_validator

from berryeval.archive import Archive
from berryeval.archive.label_draws import StoredDraw
from berryeval.errors import NotFoundError
from berryeval.evaluation.label_draw import LabelDraw
from berryeval.service.answers import REMOVAL, Answer, Shape, created, with_examples, written
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.fields import Body, Id, Label, RunReference
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import Name
from berryeval.service.problems import documented, existing
from berryeval.service.stored_runs import find_run, labels_of
from berryeval.suite.allocated_draws import draw_from_archive

__all__ = ["draw_of", "router"]

router = APIRouter(prefix="/v1/label-draws", tags=["judges"], route_class=JsonRoute)

MAX_QUERIES = 100_000

MAX_RUNS = 10

MAX_WHY = 1000

_ROW = {"stratum": "easy", "probability": 0.25, "is_labelled": True, "spread": 0.1}
_WHY = "In proportion to the number of queries: there are no two runs to compare."
_STRATUM = {"n_queries": 80, "n_labelled": 20, "probability": 0.25, "spread": 0.1}
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
    spread: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = Field(
        None, description="The spread of its stratum, if that determined how many were drawn."
    )


class DrawContent(Body):
    """How many queries to draw, or the content of a file that `berryeval judge draw` wrote."""

    model_config = with_examples({"n": 50, "by": "category"})

    n: Annotated[int, Field(ge=2, le=MAX_QUERIES)] | None = Field(
        None, description="Queries to draw from those of the archive."
    )
    by: Literal["category", "difficulty"] | None = Field(
        None, description="Label whose values are drawn from separately."
    )
    runs: Annotated[list[RunReference], Field(min_length=2, max_length=MAX_RUNS)] | None = Field(
        None,
        description="Runs to be compared, baseline first: with `by`, more queries are drawn where "
        "the judge's differences between them vary more. Default: the two newest.",
    )
    allocation: Literal["neyman", "proportional"] = Field(
        "neyman",
        description="With `by`, whether more queries are drawn where the judge's differences vary "
        "more, if they are known, or always in proportion to the number of queries.",
    )
    chosen: Annotated[list[Id], Field(max_length=MAX_QUERIES)] = Field(
        default_factory=list,
        description="Queries to label regardless of the draw, because the result depends on them "
        "or their labels were used to tune the prompt. They do not count towards `n`, and correct "
        "no other query.",
    )
    queries: Annotated[dict[Id, DrawnQuery], Field(max_length=MAX_QUERIES)] | None = None
    why: Annotated[str, Field(max_length=MAX_WHY)] = Field(
        "", description="With `queries`, how their number was determined."
    )
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


class DrawnStratum(Shape):
    """A stratum of a draw."""

    model_config = with_examples(_STRATUM)

    n_queries: int
    n_labelled: int
    probability: float
    spread: float | None


class DrawState(DrawSummary):
    """A draw."""

    model_config = with_examples(
        {**_SUMMARY, "strata": {"easy": _STRATUM}, "queries": {"q1": _ROW}, "why": _WHY}
    )

    strata: dict[str, DrawnStratum]
    queries: dict[str, dict[str, Any]]
    why: str = Field(
        description="How the number of queries of each stratum was determined; empty if unknown."
    )


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

    The archive determines which queries are drawn, and how many of each value of a label: more
    where the differences that an admitted judge sees between the runs vary more (Neyman's
    allocation), otherwise in proportion to the number of queries. A draw never changes: storing
    another one with the same name is a conflict.
    """
    if given.queries is not None:
        rows = {query_id: row.model_dump() for query_id, row in given.queries.items()}
        draw = LabelDraw.from_dict(rows, "queries", given.why)
    else:
        draw = draw_of(
            archive, given.n or 0, given.by, given.runs, given.chosen,
            is_proportional=given.allocation == "proportional",
        )  # fmt: skip
    stored, is_new = archive.label_draws.put(name, draw, created_by=caller.name)
    return written(_state(stored), f"/v1/label-draws/{name}", is_new=is_new)


@router.delete("/{name}", **REMOVAL, responses=documented(404), dependencies=[require("admin")])
def remove_label_draw(name: Name, archive: ArchiveDep) -> None:
    """Remove a draw; the judgments of its queries are kept."""
    if not archive.label_draws.remove(name):
        raise NotFoundError("label draw", name)


def draw_of(
    archive: Archive,
    n: int,
    by: str | None,
    references: Sequence[str] | None = None,
    chosen: Sequence[str] = (),
    *,
    is_proportional: bool = False,
) -> LabelDraw:
    """Draw queries of an archive, for a comparison of some runs or of the two newest."""
    if by is None or is_proportional:
        return draw_from_archive(archive, n, by=by, chosen=chosen, is_proportional=is_proportional)
    if references is None:
        stored = [*reversed(archive.runs.page(limit=2, newest_first=True).items)]
    else:
        stored = [find_run(archive, one) for one in references]
    runs = {name: archive.runs.load(run.run_id) for name, run in labels_of(stored).items()}
    return draw_from_archive(archive, n, by=by, runs=runs, chosen=chosen)


def _summary(stored: StoredDraw) -> dict[str, Any]:
    draw = stored.draw
    return DrawSummary.of(
        stored,
        n_queries=len(draw.strata),
        n_labelled=len(draw.labelled),
        created_at=stored.created_at.isoformat(),
    )


def _state(stored: StoredDraw) -> dict[str, Any]:
    draw = stored.draw
    strata = {
        stratum: {
            "n_queries": n,
            "n_labelled": n_drawn,
            "probability": n_drawn / n,
            "spread": draw.spreads.get(stratum),
        }
        for stratum, (n_drawn, n) in draw.counts.items()
    }
    rows = draw.to_dict()["queries"]
    return {**_summary(stored), "strata": strata, "queries": rows, "why": draw.why}
