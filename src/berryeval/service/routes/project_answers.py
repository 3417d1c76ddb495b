"""Pairs of a judging project: answers of its judges, disagreements and agreement."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field, StringConstraints

from berryeval.archive.projects.records import (
    AskedPair,
    JudgeProgress,
    ProjectAnswer,
    ProjectBoard,
    ProjectPair,
)
from berryeval.service.agreement import Agreement
from berryeval.service.answers import Answer, Shape, shape_of, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.fields import Body, Grade
from berryeval.service.judging_projects import agreement_of_board, project_for
from berryeval.service.paths import Name
from berryeval.service.problems import documented
from berryeval.service.routes.judgments import JudgmentState, PairInBody

__all__ = ["EXAMPLE_JUDGE", "JudgeShape", "router"]

router = APIRouter(prefix="/v1/projects/{name}", tags=["projects"], route_class=JsonRoute)

_MAX_ANSWERS = 1000
_Note = Annotated[str, StringConstraints(max_length=10_000)]

EXAMPLE_JUDGE = {
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


class JudgeShape(
    shape_of(  # type: ignore[misc] # built from the record
        JudgeProgress,
        n_refused="Pairs that the judge cannot judge.",
        n_left="Pairs that are open for this judge.",
        per_minute="Answers per minute of judging, without long pauses; null if there are few.",
        last_at="Time of the last answer.",
    )
):
    """The progress of a judge."""

    model_config = with_examples(EXAMPLE_JUDGE)

    minutes_left: float | None = Field(description="How long the open pairs take at this pace.")


class AnswerShape(
    shape_of(ProjectAnswer, grade="null if the judge cannot judge it.")  # type: ignore[misc]
):
    """The answer of a judge."""

    model_config = with_examples(_ANSWER)


class PairShape(
    shape_of(  # type: ignore[misc] # built from the record
        AskedPair,
        without=("asked", "answers"),
        is_conflict="Whether judges disagree, unsettled.",
        settled_by="Who settled a conflict.",
        grade="The grade that counts.",
        revision="The revision of the judgment that counts; 0 if none.",
    ),
    shape_of(  # type: ignore[misc]
        ProjectPair,
        effect="How much judging it could change the measure.",
        ranks="Its rank in each run, by the name of the run.",
    ),
):
    """A pair of a project with its answers."""

    model_config = with_examples(_PAIR)

    answers: list[AnswerShape]


class ProjectPairs(Shape):
    """Pairs of a project, in the order of its queue."""

    model_config = with_examples({"items": [_PAIR], "n_found": 1})

    items: list[PairShape]
    n_found: int = Field(description="Total number of pairs.")


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

    answers: list[GivenAnswer] = Field(min_length=1, max_length=_MAX_ANSWERS)


class AnswersStored(Shape):
    """The progress of the caller after their answers."""

    model_config = with_examples({"received": 1, "progress": EXAMPLE_JUDGE})

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


@router.get("/pairs", response_model=ProjectPairs, responses=documented(404))
def list_project_pairs(
    name: Name,
    archive: ArchiveDep,
    caller: CallerDep,
    show: Annotated[
        Literal["all", "open", "conflicts", "refused"],
        Query(description="All pairs, those open for the caller, disagreements, or those that a "
                          "judge cannot judge."),
    ] = "all",
    start: Annotated[int, Query(ge=0, lt=2**31, description="Number of pairs to skip.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1000, description="Maximum number of pairs.")] = 100,
) -> Answer:  # fmt: skip
    """List pairs of a project in the order of its queue, with their answers."""
    board = archive.projects.board(name)
    found = _shown(board, show, caller.name)
    items = [_pair(one) for one in islice(found, start, start + limit)]
    return Answer({"items": items, "n_found": len(found)})


@router.post(
    "/answers",
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
    "/settle",
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


@router.get("/agreement", response_model=AgreementShape, responses=documented(404))
def get_project_agreement(name: Name, archive: ArchiveDep) -> Answer:
    """Return how well the judges of a project agree, in pairs and by category of query."""
    board = archive.projects.board(name)
    return Answer(_agreement(agreement_of_board(board, archive.queries.all())))


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
    found: dict[str, Any] = PairShape.of(one, one.asked, answers=answers)
    return found


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
