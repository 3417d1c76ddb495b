"""The page Rule and scale: which grade counts if judges disagree, labels, and the guideline."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.judgments.table import JudgmentTable
from berryeval.archive.records import JudgingPolicy
from berryeval.core.judging import COUNTED
from berryeval.errors import ArgumentError
from berryeval.judges.protocol import LONGEST_GUIDELINE
from berryeval.reports.wording import count
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, require
from berryeval.service.shared_work import Latest
from berryeval.service.workbench.grading import grade_labels
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.agreement import TableDep

__all__ = ["router"]

router = APIRouter(prefix="/judgments/policy")

_LONGEST = 2000
"""Maximum length of invalid labels that are shown again, in characters."""


@dataclass(frozen=True)
class _Refused:
    """The input of a form, and its errors."""

    field: str
    text: str
    message: str


@router.get("")
def show_policy(
    request: Request,
    archive: ArchiveDep,
    latest: TableDep,
    saved: str | None = None,
    changed: Annotated[int, Query(ge=0)] = 0,
) -> Response:
    """Show the rule and the scale, and what other rules would change."""
    message = {"rule": f"Saved. {count(changed, 'grade')} changed."}
    message |= dict.fromkeys(("labels", "guideline"), "Saved.")
    return _page(request, archive, latest, message=message.get(saved or ""))


@router.post("", dependencies=[require("admin")])
async def set_policy(request: Request, archive: ArchiveDep, latest: TableDep) -> Response:
    """Declare the rule or the scale; each form leaves the other unchanged."""
    form = await received_form(request)
    field = next((one for one in ("labels", "guideline") if one in form), "rule")
    text = str(form.get(field) or "")

    def work() -> Response:
        try:
            n_changed = archive.judging.put(_changed(archive.judging.get(), field, text))
        except ArgumentError as error:
            most = LONGEST_GUIDELINE if field == "guideline" else _LONGEST
            refused = _Refused(field, text[:most], _message(error))
            return _page(request, archive, latest, refused=refused)
        return RedirectResponse(f"/judgments/policy?saved={field}&changed={n_changed}", 303)

    return await to_thread.run_sync(work)


def _changed(policy: JudgingPolicy, field: str, text: str) -> JudgingPolicy:
    if field == "rule":
        rule: Any = text
        return replace(policy, rule=rule)
    if field == "guideline":
        return replace(policy, guideline=text)
    labels = text.rstrip().splitlines()
    return replace(policy, labels=tuple(labels) or None)


def _message(error: ArgumentError) -> str:
    """Return the error message for the form."""
    line = re.fullmatch(r"labels\[(\d+)\]", error.argument)
    where = f"Line {int(line[1]) + 1}" if line else error.argument.capitalize()
    return f"{where}: expected {error.expected}, got {error.got}."


def _page(
    request: Request,
    archive: Archive,
    latest: Latest[JudgmentTable],
    *,
    message: str | None = None,
    refused: _Refused | None = None,
) -> Response:
    policy, table = archive.judging.get(), latest.get()
    labels = "\n".join(grade_labels(archive, table))
    changes = archive.judging.preview()
    n_above = 0
    if table is not None and policy.highest is not None:
        n_above = int((table.grades > policy.highest).sum())
    return page(
        request,
        "policy.html",
        status=200 if refused is None else 422,
        policy=policy,
        rules={
            rule: (
                f"{words[0].upper()}{words[1:]} counts",
                "Current rule." if rule == policy.rule else _effect(changes[rule]),
            )
            for rule, words in COUNTED.items()
        },
        guideline=refused.text if refused and refused.field == "guideline" else policy.guideline,
        labels=refused.text if refused and refused.field == "labels" else labels,
        wrong={} if refused is None else {refused.field: refused.message},
        n_above=n_above,
        message=message,
    )


def _effect(n: int) -> str:
    """Return what another rule would do to n grades."""
    if not n:
        return "Would change nothing."
    them = "it" if n == 1 else "them"
    return f"Would change {count(n, 'grade')} and the scores that depend on {them}."
