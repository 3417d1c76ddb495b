"""Judging projects: who judges which pairs, and their progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field, StringConstraints

from berryeval.archive import Archive
from berryeval.archive.projects.records import (
    MAX_PAIRS,
    PairSelection,
    ProjectPlan,
    ProjectState,
    SelectionKind,
    StoredProject,
)
from berryeval.judges.protocol import LONGEST_GUIDELINE
from berryeval.service.answers import (
    EXAMPLE_RUN,
    REMOVAL,
    Answer,
    shape_of,
    with_examples,
    written,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, HomeDep, require
from berryeval.service.fields import Body, Label, RunReference, ShortText
from berryeval.service.judging_projects import check_judges, plan_pairs
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import NAME, Name
from berryeval.service.problems import documented, existing
from berryeval.service.routes.project_answers import EXAMPLE_JUDGE, JudgeShape

__all__ = ["router"]

router = APIRouter(prefix="/v1/projects", tags=["projects"], route_class=JsonRoute)

_SELECTION = {
    "kind": "holes",
    "runs": [EXAMPLE_RUN],
    "baseline": None,
    "depth": 10,
    "measure": "nDCG@10",
    "limit": 500,
    "seed": 0,
}
_PLAN = {
    "pairs": _SELECTION,
    "n_opinions": 2,
    "judges": ["ada", "bob"],
    "shows_grades": False,
    "shows_systems": False,
    "guideline": "3 if the person could stop searching.",
}
_EXAMPLE = {
    **_PLAN,
    "name": "holes-of-dense",
    "state": "running",
    "created_by": "eve",
    "created_at": "2026-11-16T08:00:00+00:00",
    "updated_at": "2026-11-16T08:00:00+00:00",
    "n_pairs": 10,
}


class WantedPairs(Body):
    """Which pairs to judge."""

    model_config = with_examples({"kind": "holes", "runs": [EXAMPLE_RUN], "limit": 500})

    kind: SelectionKind = Field(
        "holes",
        description="Unjudged documents of the runs (holes), those that could change the "
        "difference to the baseline (deciding), all documents of the runs (depth), or a random "
        "sample of these (sample).",
    )
    runs: list[RunReference] = Field(
        default_factory=list,
        max_length=50,
        description="Runs, or names of baselines. A sample without runs is drawn from the judged "
        "pairs.",
    )
    baseline: RunReference | None = Field(None, description="For deciding documents.")
    verdict: int | None = Field(
        None,
        ge=1,
        lt=2**63,
        description="For deciding documents: the verdict that names the run and the baseline.",
    )
    depth: int = Field(10, ge=1, le=1000, description="Ranks of each run to consider.")
    measure: Label = Field(
        "nDCG@10", description="The measure whose possible change orders the queries."
    )
    limit: int | None = Field(
        None, ge=1, le=MAX_PAIRS, description="Maximum number of pairs; the size of a sample."
    )
    seed: int = Field(0, ge=0, lt=2**63, description="Random seed for the sample.")


class NewProject(Body):
    """A project to start."""

    model_config = with_examples(
        {
            "name": "holes-of-dense",
            "pairs": {"kind": "holes", "runs": [EXAMPLE_RUN], "limit": 500},
            "n_opinions": 2,
            "judges": ["ada", "bob"],
        }
    )

    name: Annotated[str, StringConstraints(pattern=NAME)] = Field(examples=["holes-of-dense"])
    pairs: WantedPairs
    n_opinions: int = Field(1, ge=1, le=20, description="Number of judges per pair.")
    judges: list[ShortText] | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Names of tokens with the role judge or admin; null for every caller who may "
        "judge.",
        examples=[["ada", "bob"]],
    )
    shows_grades: bool = Field(
        default=False, description="Whether judges see the grades of other judges."
    )
    shows_systems: bool = Field(
        default=False, description="Whether judges see names of runs and ranks."
    )
    guideline: (
        Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_GUIDELINE)] | None
    ) = Field(
        None, description="What the grades mean here; null for the guideline of the collection."
    )


class SelectedPairs(
    shape_of(PairSelection, runs="Ids of runs.", baseline="The id of a run.")  # type: ignore[misc]
):
    """Which pairs a project has."""

    model_config = with_examples(_SELECTION)


class ProjectShape(
    shape_of(  # type: ignore[misc] # built from the record
        ProjectPlan,
        without=("pairs",),
        n_opinions="Number of judges per pair.",
        judges="null for every caller who may judge.",
    ),
    shape_of(  # type: ignore[misc]
        StoredProject,
        without=("plan",),
        n_pairs="Number of pairs, which never changes.",
        updated_at="Time of the last change of its state.",
    ),
):
    """A project."""

    model_config = with_examples(_EXAMPLE)

    pairs: SelectedPairs


class ProjectProgress(ProjectShape):
    """A project and its progress."""

    model_config = with_examples(
        {
            **_EXAMPLE,
            "n_done": 8,
            "n_given": 17,
            "n_wanted": 20,
            "n_conflicts": 2,
            "progress": [EXAMPLE_JUDGE],
        }
    )

    n_done: int = Field(description="Number of pairs with all required answers.")
    n_given: int = Field(description="Number of answers given.")
    n_wanted: int = Field(description="Number of answers required.")
    n_conflicts: int = Field(description="Number of pairs on which judges disagree.")
    progress: list[JudgeShape] = Field(description="By judge.")


class NewState(Body):
    """The new state of a project."""

    model_config = with_examples({"state": "paused"})

    state: ProjectState = Field(
        description="A paused project offers no documents, but still accepts answers that were "
        "already being sent. A finished one accepts none."
    )


@router.get("", response_model=Listed[ProjectShape])
def list_projects(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List projects by name."""
    return paging.answer(archive.projects.page(**paging.bounds), _shape)


@router.post(
    "",
    response_model=ProjectProgress,
    status_code=201,
    responses=documented(404, 409),
    dependencies=[require("admin")],
)
def create_project(
    given: NewProject, request: Request, archive: ArchiveDep, home: HomeDep, caller: CallerDep
) -> Answer:
    """Start a project: its pairs are selected now, and never change."""
    check_judges(home, request.state.collection.name, caller, given.judges)
    wanted = given.pairs
    pairs = plan_pairs(archive, **wanted.model_dump())
    plan = _plan(given, pairs)
    archive.projects.create(given.name, plan, author=caller.name)
    return written(_progress(archive, given.name), f"/v1/projects/{given.name}", is_new=True)


@router.get("/{name}", response_model=ProjectProgress, responses=documented(404))
def get_project(name: Name, archive: ArchiveDep) -> Answer:
    """Return a project and its progress."""
    return Answer(_progress(archive, name))


@router.put(
    "/{name}/state",
    response_model=ProjectProgress,
    responses=documented(404),
    dependencies=[require("admin")],
)
def set_project_state(name: Name, given: NewState, archive: ArchiveDep) -> Answer:
    """Pause, continue or finish a project."""
    archive.projects.set_state(name, given.state)
    return Answer(_progress(archive, name))


@router.delete("/{name}", **REMOVAL, responses=documented(404), dependencies=[require("admin")])
def remove_project(name: Name, archive: ArchiveDep) -> None:
    """Remove a project; its judgments are kept."""
    existing(archive.projects.remove(name) or None, "project", name)


def _plan(given: NewProject, pairs: PairSelection) -> ProjectPlan:
    return ProjectPlan(
        pairs,
        given.n_opinions,
        None if given.judges is None else tuple(given.judges),
        shows_grades=given.shows_grades,
        shows_systems=given.shows_systems,
        guideline=given.guideline,
    )


def _shape(project: StoredProject) -> dict[str, Any]:
    plan = project.plan
    found: dict[str, Any] = ProjectShape.of(project, plan, pairs=asdict(plan.pairs))
    return found


def _progress(archive: Archive, name: str) -> Mapping[str, Any]:
    board = archive.projects.board(name)
    return {
        **_shape(board.project),
        "n_done": board.n_done,
        "n_given": board.n_given,
        "n_wanted": board.n_wanted,
        "n_conflicts": len(board.conflicts),
        "progress": [JudgeShape.of(one) for one in board.judges()],
    }
