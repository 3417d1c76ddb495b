"""The judging policy: which of several grades counts, what grades mean, and the guideline."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from berryeval.archive.records import JudgingPolicy
from berryeval.core.judging import Judges
from berryeval.judges.protocol import LONGEST_GUIDELINE
from berryeval.service.answers import Answer, Shape, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, require
from berryeval.service.fields import Body

__all__ = ["router"]

router = APIRouter(prefix="/v1/judging", tags=["judgments"], route_class=JsonRoute)

_RULE = "Which grade counts if there are second opinions."
_LABELS = ["Not relevant", "Marginal", "Relevant", "Highly relevant"]


_STATE = {
    "rule": "majority",
    "labels": _LABELS,
    "highest_grade": 3,
    "guideline": "Judge by the text alone.",
    "changes": {"first": 1, "latest": 5, "max": 2, "mean": 6, "majority": 0},
}


class JudgingState(Shape):
    """The judging policy."""

    model_config = with_examples(_STATE)

    rule: Judges = Field(description=_RULE)
    labels: list[str] | None = Field(
        description="Labels of the grades, from 0 up; null if no scale is declared."
    )
    highest_grade: int | None = Field(description="The highest grade of the declared scale.")
    guideline: str = Field(description="What judges should consider, as Markdown.")
    changes: dict[str, int] = Field(
        description="For each rule, the number of judgments whose grade it would change."
    )


class JudgingContent(Body):
    """The judging policy to declare."""

    model_config = with_examples({"rule": "majority", "labels": _LABELS})

    rule: Judges = Field("first", description=_RULE)
    labels: list[str] | None = Field(
        None,
        description="Labels of the grades, from 0 up: 2 to 10. null declares no scale.",
        max_length=10,
    )
    guideline: str | None = Field(
        None,
        description="What judges should consider, as Markdown. null keeps the current one.",
        max_length=LONGEST_GUIDELINE,
    )


class JudgingChanged(JudgingState):
    """The current judging policy."""

    model_config = with_examples({**_STATE, "changed": 1})

    changed: int = Field(description="The number of judgments whose grade has changed.")


@router.get("", response_model=JudgingState)
def get_judging(archive: ArchiveDep) -> Answer:
    """Return the judging policy, and what each rule would change."""
    return Answer(_shape(archive))


@router.put("", response_model=JudgingChanged, dependencies=[require("admin")])
def set_judging(given: JudgingContent, archive: ArchiveDep) -> Answer:
    """Declare the judging policy.

    Another rule may change which grades count, and thereby every score. Histories show the
    change, and restoring the rule restores the grades. Automated judges have to be
    checked again under another guideline or scale.
    """
    labels = None if given.labels is None else tuple(given.labels)
    guideline = archive.judging.get().guideline if given.guideline is None else given.guideline
    changed = archive.judging.put(JudgingPolicy(given.rule, labels, guideline))
    return Answer(_shape(archive) | {"changed": changed})


def _shape(archive: ArchiveDep) -> dict[str, Any]:
    policy, changes = archive.judging.get(), archive.judging.preview()
    return JudgingState.of(policy, highest_grade=policy.highest, changes=changes)
