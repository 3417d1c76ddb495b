"""Judging projects: pairs for several judges, their progress, agreement and disagreements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field, StringConstraints

from berryeval.archive import Archive
from berryeval.archive.projects.records import (
    MOST_PAIRS,
    AskedPair,
    PairSelection,
    ProjectBoard,
    ProjectPlan,
    ProjectState,
    SelectionKind,
    StoredProject,
)
from berryeval.judges.protocol import LONGEST_GUIDELINE
from berryeval.service.agreement import Agreement
from berryeval.service.answers import EXAMPLE_RUN, REMOVAL, Answer, Shape, with_examples, written
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.fields import Body, Grade, Label, RunReference, ShortText
from berryeval.service.judging_projects import agreement_of_board, plan_pairs, project_for
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import NAME, Name
from berryeval.service.problems import documented, existing
from berryeval.service.routes.judgments import JudgmentState, PairInBody

__all__ = ["router"]

router = APIRouter(prefix="/v1/projects", tags=["projects"], route_class=JsonRoute)

_MOST_ANSWERS = 1000
_Note = Annotated[str, StringConstraints(max_length=10_000)]

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
_JUDGE = {
    "judge": "ada",
    "n_graded": 9,
    "n_refused": 1,
    "n_left": 0,
    "per_minute": 4.2,
    "minutes_left": 0.0,
    "last_at": "2026-11-16T09:00:00+00:00",
}
_ANSWER = {
    "judge": "ada",
    "grade": 2.0,
    "note": "Names the error.",
    "given_at": "2026-11-16T08:30:00+00:00",
}
_PAIR = {
    "query_id": "q1",
    "doc_id": "d7",
    "effect": 0.012,
    "ranks": {"dense": 3},
    "answers": [_ANSWER],
    "is_conflict": False,
    "settled_by": None,
    "grade": 2.0,
    "revision": 3,
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
        description="For deciding documents: the verdict whose run and baseline are meant.",
    )
    depth: int = Field(10, ge=1, le=1000, description="Ranks of each run to consider.")
    measure: Label = Field(
        "nDCG@10", description="The measure whose possible change orders the queries."
    )
    limit: int | None = Field(
        None, ge=1, le=MOST_PAIRS, description="Largest number of pairs; the size of a sample."
    )
    seed: int = Field(0, ge=0, lt=2**63, description="Random seed of a sample.")


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
    n_opinions: int = Field(1, ge=1, le=20, description="How many judges answer each pair.")
    judges: list[ShortText] | None = Field(
        None,
        min_length=1,
        max_length=100,
        description="Names of the judges; null for every caller who may judge.",
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


class SelectedPairs(Shape):
    """Which pairs a project has."""

    model_config = with_examples(_SELECTION)

    kind: SelectionKind
    runs: list[str] = Field(description="Ids of runs.")
    baseline: str | None = Field(description="The id of a run.")
    depth: int
    measure: str
    limit: int | None
    seed: int


class ProjectShape(Shape):
    """A project."""

    model_config = with_examples(_EXAMPLE)

    name: str
    state: ProjectState
    pairs: SelectedPairs
    n_pairs: int = Field(description="Number of pairs, which never changes.")
    n_opinions: int = Field(description="How many judges answer each pair.")
    judges: list[str] | None = Field(description="null for every caller who may judge.")
    shows_grades: bool
    shows_systems: bool
    guideline: str | None
    created_by: str
    created_at: datetime
    updated_at: datetime = Field(description="When its state changed last.")


class JudgeShape(Shape):
    """How far a judge is."""

    model_config = with_examples(_JUDGE)

    judge: str
    n_graded: int
    n_refused: int = Field(description="Pairs that the judge cannot judge.")
    n_left: int = Field(description="Pairs that are open for this judge.")
    per_minute: float | None = Field(
        description="Answers per minute of judging, without long pauses; null if there are few."
    )
    minutes_left: float | None = Field(description="How long the open pairs take at this pace.")
    last_at: datetime | None = Field(description="When the judge answered last.")


class ProjectProgress(ProjectShape):
    """A project and its progress."""

    model_config = with_examples(
        {
            **_EXAMPLE,
            "n_done": 8,
            "n_given": 17,
            "n_wanted": 20,
            "n_conflicts": 2,
            "progress": [_JUDGE],
        }
    )

    n_done: int = Field(description="Pairs with all their answers.")
    n_given: int = Field(description="Answers that were given.")
    n_wanted: int = Field(description="Answers that the project asks for.")
    n_conflicts: int = Field(description="Pairs on which judges disagree.")
    progress: list[JudgeShape] = Field(description="By judge.")


class AnswerShape(Shape):
    """What a judge answered."""

    model_config = with_examples(_ANSWER)

    judge: str
    grade: float | None = Field(description="null if the judge cannot judge it.")
    note: str | None
    given_at: datetime


class PairShape(Shape):
    """A pair of a project with its answers."""

    model_config = with_examples(_PAIR)

    query_id: str
    doc_id: str
    effect: float | None = Field(description="How much judging it could change the measure.")
    ranks: dict[str, int] = Field(description="Its rank by the name of the run.")
    answers: list[AnswerShape]
    is_conflict: bool = Field(description="Whether judges disagree, and nobody has settled it.")
    settled_by: str | None = Field(description="Who settled a conflict.")
    grade: float | None = Field(description="The grade that counts.")
    revision: int = Field(description="The revision of the judgment that counts; 0 if none.")


class ProjectPairs(Shape):
    """Pairs of a project, in the order of its queue."""

    model_config = with_examples({"items": [_PAIR], "n_found": 1})

    items: list[PairShape]
    n_found: int = Field(description="How many there are in all.")


class NewState(Body):
    """The state to give a project."""

    model_config = with_examples({"state": "paused"})

    state: ProjectState = Field(
        description="A paused project offers no documents, but accepts answers on their way. A "
        "finished one accepts none."
    )


class GivenAnswer(PairInBody):
    """The answer of a judge."""

    model_config = with_examples({"query_id": "q1", "doc_id": "d7", "grade": 2})

    grade: Grade | None = Field(
        None, description="null if the judge cannot judge the document.", examples=[2]
    )
    note: _Note | None = Field(None, examples=["Names the error."])


class GivenAnswers(Body):
    """Answers of the caller."""

    model_config = with_examples({"answers": [{"query_id": "q1", "doc_id": "d7", "grade": 2}]})

    answers: list[GivenAnswer] = Field(min_length=1, max_length=_MOST_ANSWERS)


class AnswersStored(Shape):
    """The progress of the caller after their answers."""

    model_config = with_examples({"received": 1, "progress": _JUDGE})

    received: int
    progress: JudgeShape


class Settlement(PairInBody):
    """A grade that settles a disagreement."""

    model_config = with_examples({"query_id": "q1", "doc_id": "d7", "grade": 1, "revision": 3})

    grade: Grade
    note: _Note | None = Field(None, examples=["Names the error, but not the fix."])
    revision: int | None = Field(
        None,
        ge=0,
        lt=2**63,
        description="The revision of the judgment that the settler saw; 409 if it has another.",
    )


_AGREEMENT = {
    "alpha": 0.71,
    "n_shared": 9,
    "share_equal": 0.78,
    "pairs": [{"judges": ["ada", "bob"], "kappa": 0.7, "low": 0.4, "high": 0.9, "n": 9}],
    "categories": [{"category": "how-to", "alpha": 0.6, "share_equal": 0.5, "n": 4}],
}


class JudgePair(Shape):
    """How well two judges agree."""

    model_config = with_examples(_AGREEMENT["pairs"][0])  # type: ignore[index]

    judges: list[str]
    kappa: float | None = Field(description="Cohen's kappa with linear weights.")
    low: float | None = Field(description="Lower end of its 95% interval.")
    high: float | None = Field(description="Upper end.")
    n: int = Field(description="Pairs that both graded.")


class CategoryShape(Shape):
    """How well judges agree on the queries of a category."""

    model_config = with_examples(_AGREEMENT["categories"][0])  # type: ignore[index]

    category: str
    alpha: float | None
    share_equal: float
    n: int


class AgreementShape(Shape):
    """How well the judges of a project agree."""

    model_config = with_examples(_AGREEMENT)

    alpha: float | None = Field(description="Krippendorff's alpha, for ordinal grades.")
    n_shared: int = Field(description="Pairs with grades of two or more judges.")
    share_equal: float | None = Field(description="Share of these with the same grade from all.")
    pairs: list[JudgePair]
    categories: list[CategoryShape] = Field(description="The lowest share of equal grades first.")


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
def create_project(given: NewProject, archive: ArchiveDep, caller: CallerDep) -> Answer:
    """Start a project: its pairs are selected now, and never change."""
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


@router.get("/{name}/pairs", response_model=ProjectPairs, responses=documented(404))
def list_project_pairs(
    name: Name,
    archive: ArchiveDep,
    caller: CallerDep,
    show: Annotated[
        Literal["all", "open", "conflicts", "refused"],
        Query(description="All pairs, those open for the caller, disagreements, or those that a "
                          "judge cannot judge."),
    ] = "all",
    start: Annotated[int, Query(ge=0, lt=2**31, description="Pairs to leave out first.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000, description="Largest number of pairs.")] = 100,
) -> Answer:  # fmt: skip
    """List pairs of a project in the order of its queue, with their answers."""
    board = archive.projects.board(name)
    found = _shown(board, show, caller.name)
    items = [_pair(one) for one in islice(found, start, start + limit)]
    return Answer({"items": items, "n_found": len(found)})


@router.post(
    "/{name}/answers",
    response_model=AnswersStored,
    responses=documented(404, 409),
    dependencies=[require("judge")],
)
def answer_in_project(
    name: Name, given: GivenAnswers, archive: ArchiveDep, caller: CallerDep
) -> Answer:
    """Store answers of the caller in order; each is on disk when the response is sent.

    A grade is a second opinion, which never replaces that of another judge. If an answer is
    rejected, those before it are stored; storing one again changes nothing. 403 for a caller who is
    not a judge of the project, 409 if it is finished.
    """
    project_for(archive, name, caller)
    for one in given.answers:
        archive.projects.answer(
            name, one.query_id, one.doc_id, one.grade, author=caller.name, note=one.note
        )
    progress = archive.projects.board(name).progress_of(caller.name)
    return Answer({"received": len(given.answers), "progress": JudgeShape.of(progress)})


@router.post(
    "/{name}/settle",
    response_model=JudgmentState,
    responses=documented(404, 409),
    dependencies=[require("admin")],
)
def settle_in_project(
    name: Name, given: Settlement, archive: ArchiveDep, caller: CallerDep
) -> Answer:
    """Settle a disagreement: this grade counts, and its author is the caller."""
    stored = archive.projects.settle(
        name,
        given.query_id,
        given.doc_id,
        given.grade,
        author=caller.name,
        note=given.note,
        if_revision=given.revision,
    )
    return Answer(JudgmentState.of(stored))


@router.get("/{name}/agreement", response_model=AgreementShape, responses=documented(404))
def get_project_agreement(name: Name, archive: ArchiveDep) -> Answer:
    """Return how well the judges of a project agree, in pairs and by category of query."""
    board = archive.projects.board(name)
    return Answer(_agreement(agreement_of_board(board, archive.queries.all())))


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
    return ProjectShape.of(project, plan, pairs=asdict(plan.pairs))


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


def _shown(board: ProjectBoard, show: str, caller: str) -> list[AskedPair]:
    if show == "open":
        return board.open_for(caller)
    if show == "conflicts":
        return board.conflicts
    if show == "refused":
        return board.refused
    return [*board.pairs]


def _pair(one: AskedPair) -> dict[str, Any]:
    answers = [AnswerShape.of(answer) for answer in one.answers.values()]
    return PairShape.of(one, one.asked, answers=answers)


def _agreement(found: Agreement) -> dict[str, Any]:
    return {
        "alpha": found.alpha.value,
        "n_shared": found.alpha.n,
        "share_equal": found.share_equal if found.alpha.n else None,
        "pairs": [
            {
                "judges": [*names],
                "kappa": kappa.coefficient.value,
                "low": None if kappa.interval is None else kappa.interval.low,
                "high": None if kappa.interval is None else kappa.interval.high,
                "n": kappa.coefficient.n,
            }
            for names, kappa in sorted(found.kappas.items())
        ],
        "categories": [
            {
                "category": one.name,
                "alpha": one.alpha.value,
                "share_equal": one.share_equal,
                "n": one.alpha.n,
            }
            for one in found.categories
        ],
    }
