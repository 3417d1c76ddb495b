"""Automated judges: their grades and their checks."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, Field, StringConstraints

from berryeval.judges.admissions import StoredAdmission
from berryeval.judges.metering import Price
from berryeval.judges.model_grades import ModelGrade, Purpose
from berryeval.reports.judging import judge_as_dict
from berryeval.service.answers import Answer, shape_of, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.fields import Body, Grade, Id, Many, ShortText
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.problems import documented, existing
from berryeval.suite.archived_judges import judges_in

__all__ = ["router"]

router = APIRouter(prefix="/v1/judges", tags=["judges"], route_class=JsonRoute)

MAX_GRADES = 10_000
MAX_CHECKS = 100
_EXAMPLE_HASH = "0f1e2d3c4b5a6978"
_HASH = r"^[0-9a-f]{16,64}$"

Hash = Annotated[str, StringConstraints(pattern=_HASH)]
Count = Annotated[int, Field(ge=0, lt=2**53)]
Identity = Annotated[
    str,
    Path(description="Identity of a judge, a hash.", examples=["3b1f0c9a7d5e2468"], pattern=_HASH),
]
PriceText = Annotated[
    str | None,
    Query(
        max_length=50,
        description="Prices per million input and output tokens, to show the cost.",
        examples=["0.10,0.40"],
    ),
]

_IDENTITY = "3b1f0c9a7d5e2468"
_GRADE: dict[str, Any] = {
    "query_id": "q1", "doc_id": "d7", "grade": 2.0, "reason": "It answers a part.",
    "confidence": 0.8, "judge": "qwen3@localhost:11434", "identity": _IDENTITY,
    "guideline": _EXAMPLE_HASH, "model": "qwen3:8b", "content": "a1b2c3d4e5f60718",
    "number": 0, "purpose": "pool", "judged_at": "2026-11-18T08:00:00+00:00", "n_calls": 1,
    "input_tokens": 310, "output_tokens": 24,
}  # fmt: skip
_CHECK: dict[str, Any] = {
    "judge": "qwen3@localhost:11434", "fingerprint": {"model": "qwen3", "template": "1:9c41"},
    "guideline": _EXAMPLE_HASH, "models": ["qwen3:8b"],
    "checked_at": "2026-11-18T07:30:00+00:00", "is_admitted": True, "reasons": [],
    "rule": {"min_kappa": 0.6}, "n_pairs": 200, "n_changed": 0, "n_repeated": 20, "result": {},
}  # fmt: skip
_JUDGE: dict[str, Any] = {
    "judge": "qwen3@localhost:11434", "identity": _IDENTITY, "models": ["qwen3:8b"], "pairs": 840,
    "unanswered": 0, "calls": 845, "input_tokens": 157_247, "output_tokens": 13_580, "cost": None,
    "last_judged_at": "2026-11-18T08:00:00+00:00",
    "standing": {"state": "admitted", "counts": True, "why": "admitted on 2026-11-18"},
    "drift": {"repeated": 5, "changed": 0, "expected_rate": 0.05, "suspicious": False},
}  # fmt: skip


class NewGrade(Body):
    """A grade of a judge, like a line of model-grades.jsonl."""

    model_config = with_examples(_GRADE)

    query_id: Id
    doc_id: Id
    grade: Grade | None = Field(description="null if the judge could not judge.")
    reason: Annotated[str, StringConstraints(max_length=1000)] = ""
    confidence: Annotated[float, Field(ge=0, le=1)] | None = None
    judge: ShortText
    identity: Hash = Field(description="Hash of the judge, its fingerprint and the guideline.")
    guideline: Hash = Field(description="Hash of the guideline and the scale.")
    model: ShortText | None = Field(None, description="The model that answered.")
    content: Hash = Field(description="Hash of the identity and of the texts.")
    number: Annotated[int, Field(ge=0, lt=2**31)] = Field(
        0, description="0, or which repetition it is."
    )
    purpose: Purpose = "pool"
    judged_at: Annotated[str, StringConstraints(min_length=10, max_length=40)]
    n_calls: Count = 1
    input_tokens: Count = 0
    output_tokens: Count = 0
    source: Literal["model"] = "model"


class NewGrades(Body):
    """Grades to store together, all or none."""

    model_config = with_examples({"grades": [_GRADE]})

    grades: Annotated[list[NewGrade], Many] = Field(min_length=1, max_length=MAX_GRADES)


class Stored(BaseModel):
    """How many records were received, and how many are new."""

    model_config = with_examples({"received": 840, "new": 840})

    received: int
    new: int


class GradeState(shape_of(ModelGrade)):  # type: ignore[misc] # built from the record
    """A stored grade of a judge."""

    model_config = with_examples({**_GRADE, "source": "model"})


class NewCheck(Body):
    """The result of a check, like an entry of judge-admissions.json."""

    model_config = with_examples(_CHECK)

    judge: ShortText
    fingerprint: dict[str, str] = Field(description="What the grades of the judge depend on.")
    guideline: Hash
    models: list[ShortText] = Field([], max_length=100)
    checked_at: Annotated[str, StringConstraints(min_length=10, max_length=40)]
    is_admitted: bool
    reasons: list[ShortText] = Field(
        [], max_length=1000, description="Why the judge was not admitted."
    )
    rule: dict[str, float | str] = Field(description="The rule that was applied.")
    n_pairs: Count
    n_changed: Count = 0
    n_repeated: Count = 0
    result: dict[str, Any] = Field(
        default={}, description="The figures of `berryeval judge check --json`."
    )


class NewChecks(Body):
    """Results of checks to store together, all or none."""

    model_config = with_examples({"admissions": [_CHECK]})

    admissions: Annotated[list[NewCheck], Many] = Field(min_length=1, max_length=MAX_CHECKS)


class CheckState(shape_of(StoredAdmission)):  # type: ignore[misc] # built from the record
    """The stored result of a check."""

    model_config = with_examples(_CHECK)


class JudgeState(BaseModel):
    """A judge, what it did so far, and whether its grades count."""

    model_config = with_examples(_JUDGE)

    judge: str
    identity: str
    models: list[str]
    pairs: int = Field(description="Pairs with a grade or an answer that the judge cannot judge.")
    unanswered: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None = Field(description="In the currency of `price`; null without it.")
    last_judged_at: str
    standing: dict[str, Any] = Field(
        description="`admitted`, `rejected`, `expired` or `unchecked`, and why."
    )
    drift: dict[str, Any] = Field(description="Pairs that were judged again since the check.")


class JudgeList(BaseModel):
    """All judges of the archive."""

    model_config = with_examples({"judges": [_JUDGE]})

    judges: list[JudgeState]


class JudgeDetails(JudgeState):
    """A judge with all its checks."""

    model_config = with_examples({**_JUDGE, "checks": [_CHECK]})

    checks: list[CheckState] = Field(description="Oldest first; the last one decides.")


@router.get("", response_model=JudgeList)
def list_judges(archive: ArchiveDep, price: PriceText = None) -> Answer:
    """List automated judges, in the order of their first grades."""
    paid = None if price is None else Price.parse(price)
    return Answer({"judges": [judge_as_dict(one, paid) for one in judges_in(archive)]})


@router.get("/grades", response_model=Listed[GradeState])
def list_model_grades(
    archive: ArchiveDep,
    paging: PagingDep,
    judge: Annotated[
        str | None,
        Query(pattern=_HASH, description="Only grades of this judge.", examples=[_EXAMPLE_HASH]),
    ] = None,
) -> Answer:
    """List grades of automated judges, by query and document."""
    found = archive.model_grades.page(identity=judge, **paging.bounds)
    return paging.answer(found, GradeState.of)


@router.post("/grades", response_model=Stored, dependencies=[require("judge")])
def store_model_grades(given: NewGrades, archive: ArchiveDep) -> Answer:
    """Store grades of automated judges, all or none.

    They are stored apart from people's judgments, and existing grades are kept. They count in
    comparisons and gates with a label draw, while the judge is admitted.
    """
    grades = [ModelGrade(**one.model_dump()) for one in given.grades]
    return Answer({"received": len(grades), "new": archive.model_grades.put(grades)})


@router.get("/admissions", response_model=list[CheckState])
def list_admissions(archive: ArchiveDep) -> Answer:
    """List all checks of judges against people, oldest first."""
    return Answer([CheckState.of(one) for one in archive.admissions.all()])


@router.post("/admissions", response_model=Stored, dependencies=[require("admin")])
def store_admissions(given: NewChecks, archive: ArchiveDep, caller: CallerDep) -> Answer:
    """Store results of `berryeval judge check`, all or none.

    The last check of a judge decides whether its grades count.
    """
    checks = [
        StoredAdmission(
            **{**one.model_dump(), "models": tuple(one.models), "reasons": tuple(one.reasons)}
        )
        for one in given.admissions
    ]
    new = archive.admissions.put(checks, stored_by=caller.name)
    return Answer({"received": len(checks), "new": new})


@router.get("/{identity}", response_model=JudgeDetails, responses=documented(404))
def get_judge(identity: Identity, archive: ArchiveDep, price: PriceText = None) -> Answer:
    """Return a judge with the results of its checks."""
    judges = {one.identity: one for one in judges_in(archive)}
    found = existing(judges.get(identity), "judge", identity)
    checks = [
        CheckState.of(one) for one in archive.admissions.all() if one.identity.digest == identity
    ]
    paid = None if price is None else Price.parse(price)
    return Answer({**judge_as_dict(found, paid), "checks": checks})
