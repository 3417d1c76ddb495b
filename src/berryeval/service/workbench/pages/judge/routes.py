"""The routes of the page Judge and of its script."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any
from urllib.parse import unquote

from anyio import to_thread
from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.core.grade import default_labels
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.service.answers import Answer
from berryeval.service.bodies import JsonRoute, received_form
from berryeval.service.dependencies import ArchiveDep, Caller, CallerDep, from_state, require
from berryeval.service.judging_projects import waiting_projects
from berryeval.service.paths import NAME, DocId
from berryeval.service.problems import Problem, existing
from berryeval.service.workbench.grading import change_sentence, grade_labels, read_revision
from berryeval.service.workbench.pages.judge.answering import (
    Outcome,
    Reply,
    answer,
    read_answer,
)
from berryeval.service.workbench.pages.judge.cards import PIECE, card_of
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.agreement import TableDep
from berryeval.service.workbench.state.judging_modes import MODES, JudgingTask, Mode
from berryeval.service.workbench.state.judging_queues import Given, Queues
from berryeval.service.workbench.waiting import once_read

__all__ = ["router"]

router = APIRouter(route_class=JsonRoute)

_MAX_AT_ONCE = 20
_MAX_ANSWERS = 100
_MAX_SHOWN = 1000
"""Maximum number of pairs on a page, which fetches ten at a time."""
_IN_A_ROW = 5
"""Number of grades whose buttons fit into one row; more take two."""

_MEANINGS = (
    "does not help with this question",
    "helps with exactly this question, but contains no part of the answer",
    "contains a usable part of the answer; the person would read on",
    "answers the question; the person could stop searching",
)
"""The grades of the default scale."""


QueuesDep = Annotated[Queues, from_state("queues")]


async def _wanted(
    mode: str | None = None,
    a: str | None = None,
    b: str | None = None,
    project: Annotated[str | None, Query(pattern=NAME)] = None,
) -> JudgingTask:
    """Read the queue that an address names; two runs mean a comparison."""
    if project is not None:
        return JudgingTask("project", project=project)
    if mode is None:
        mode = "compare" if a and b else "holes"
    if mode not in MODES or mode == "project":
        raise NotFoundError("judging mode", mode)
    found: Mode = mode  # type: ignore[assignment]  # one of them
    if found == "draw":
        return JudgingTask(found, a)
    return JudgingTask(found, a, b) if found == "compare" else JudgingTask(found)


TaskDep = Annotated[JudgingTask, Depends(_wanted)]


@router.get("/judge", dependencies=[once_read])
def show_judge(
    request: Request,
    archive: ArchiveDep,
    queues: QueuesDep,
    latest: TableDep,
    caller: CallerDep,
    wanted: TaskDep,
) -> Response:
    """Show the first document to judge; the script continues from there."""
    project = None
    if wanted.project is not None:
        project = existing(archive.projects.get(wanted.project), "project", wanted.project)
    given = queues.first(wanted, caller.name) if caller.may("judge") else Given([], 0)
    cards = [card_of(archive, turn, wanted.mode) for turn in given.turns]
    asks = caller.may("judge") and wanted.mode == "holes"
    table = latest.get()
    labels = grade_labels(archive, table)
    return page(
        request,
        "judge.html",
        wanted=wanted,
        project=project,
        modes=MODES,
        card=cards[0] if cards else None,
        first=asdict(cards[0]) if cards else None,
        n_left=given.n_left,
        is_ready=given.is_ready,
        waiting=waiting_projects(archive, caller.name) if asks else [],
        labels=labels,
        n_columns=len(labels) if len(labels) <= _IN_A_ROW else (len(labels) + 1) // 2,
        meanings=_MEANINGS if labels == default_labels(3) else None,
        has_runs=bool(archive.runs.page(limit=1).items),
        counts={"conflicts": table.n_conflicts, "stale": table.n_stale} if table else {},
    )


@router.post("/judge", dependencies=[require("judge")])
async def judge_by_form(
    request: Request,
    archive: ArchiveDep,
    queues: QueuesDep,
    caller: CallerDep,
    wanted: TaskDep,
) -> Response:
    """Store a grade from a browser without scripts, and show the next document."""
    form = await received_form(request)
    grade = str(form.get("grade") or "")
    # Ids are escaped, as in addresses: a form cannot contain bytes that are not text.
    content = {
        name: unquote(str(form.get(name) or ""), errors="surrogateescape")
        for name in ("query_id", "doc_id", "hash")
    }
    given = read_answer(
        {
            **content,
            "kind": grade if grade in ("skip", "cannot") else "grade",
            "mode": wanted.mode,
            "project": wanted.project,
            "note": str(form.get("note") or "").strip(),
            "grade": _number(grade),
            "revision": read_revision(str(form.get("revision") or "0")),
        },
        0,
    )
    outcome = await to_thread.run_sync(lambda: answer(archive, queues, given, author=caller.name))
    if outcome.status == "refused":
        raise Problem(422, outcome.reason, kind="input")
    if outcome.status == "conflict":
        changed = change_sentence(outcome.there)
        raise Problem(412, f"{changed}; open the queue again to decide", kind="conflict")
    return RedirectResponse(f"/judge?{wanted.query}", 303)


@router.post("/judge/next", dependencies=[require("judge")])
async def next_documents(
    request: Request, archive: ArchiveDep, queues: QueuesDep, caller: CallerDep, wanted: TaskDep
) -> Response:
    """Return the next documents to judge."""
    content = await _content(request, caller)
    have = content.get("have", [])
    if not isinstance(have, list) or len(have) > _MAX_SHOWN:
        raise ArgumentError("have", f"a list of at most {_MAX_SHOWN:,} pairs", "something else")
    pairs = [
        (str(one[0]), str(one[1]))
        for one in have
        if isinstance(one, list) and len(one) == 2  # noqa: PLR2004
    ]
    n = content.get("n", 10)
    if not isinstance(n, int) or not 1 <= n <= _MAX_AT_ONCE:
        raise ArgumentError("n", f"a number from 1 to {_MAX_AT_ONCE}", repr(n)[:40])

    def work() -> dict[str, Any]:
        given = queues.next(
            wanted, caller.name, session=str(content.get("session"))[:100], n=n, have=pairs
        )
        return {
            "cards": [card_of(archive, turn, wanted.mode) for turn in given.turns],
            "n_left": given.n_left,
            "is_ready": given.is_ready,
        }

    return Answer(await to_thread.run_sync(work))


@router.post("/judge/answers", dependencies=[require("judge")])
async def take_answers(
    request: Request, archive: ArchiveDep, queues: QueuesDep, caller: CallerDep
) -> Response:
    """Store answers in order, and return the outcome of each."""
    content = await _content(request, caller)
    answers = content.get("answers")
    if not isinstance(answers, list) or not 1 <= len(answers) <= _MAX_ANSWERS:
        raise ArgumentError("answers", f"1 to {_MAX_ANSWERS} answers", "something else")
    given = [read_answer(one, number) for number, one in enumerate(answers)]
    done = await to_thread.run_sync(_all, archive, queues, given, caller)
    return Answer({"outcomes": done})


@router.get("/judge/text/{doc_id:id}", tags=["part"])
def get_text(archive: ArchiveDep, doc_id: DocId, start: Annotated[int, Query(ge=0)] = 0) -> Answer:
    """Return the next part of a document's text."""
    document = archive.documents.get(doc_id)
    if document is None or document.text is None:
        raise NotFoundError("document", doc_id)
    end = start + 25 * PIECE
    return Answer({"text": document.text[start:end], "n_characters": len(document.text)})


def _all(archive: Archive, queues: Queues, given: list[Reply], caller: Caller) -> list[Outcome]:
    return [answer(archive, queues, one, author=caller.name) for one in given]


async def _content(request: Request, caller: Caller) -> dict[str, Any]:
    """Return the JSON of a request from a page that was opened by the same user.

    Raises
    ------
    Problem
        409 if another user has logged in since: answers would get the wrong author.
    """
    try:
        content = await request.json()
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise ArgumentError("body", "a JSON object", "something else")
    name = content.get("author")
    if name != caller.name:
        message = f"this page was opened by {name!r}, but {caller.name!r} is logged in now"
        raise Problem(409, message, kind="other-judge", expected=caller.name, found=str(name))
    return content


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
