"""The pages of projects: their list, the form, progress and agreement."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.projects.records import AskedPair, ProjectState, StoredProject
from berryeval.errors import ArgumentError, InputError, NotFoundError
from berryeval.service.agreement import in_words
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, CallerDep, HomeDep, require
from berryeval.service.judging_projects import (
    agreement_of_board,
    check_judges,
    judges_of,
    waiting_projects,
)
from berryeval.service.paging import numbered_page
from berryeval.service.paths import Name
from berryeval.service.workbench.choosing import run_choices
from berryeval.service.workbench.pages.judgments.routes import SHADES
from berryeval.service.workbench.pages.projects.form import (
    KINDS,
    ProjectForm,
    plan_of_form,
    read_form,
)
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/projects")

_MAX_AT_ONCE, _MAX_PAIRS_AT_ONCE = 50, 10_000
"""Maximum numbers of projects on a page of the list, and of their pairs, which are all read."""
_SHOWN = 50
_FEW_RUNS = 3
"""Number of runs up to which all of them are selected in a new form."""
_MISSING = {
    "name": "Enter a name with a letter or a digit.",
    "runs": "Choose at least one run.",
    "limit": "Enter the size of the sample.",
}
"""Messages for fields that are empty."""
_STATES: dict[str, ProjectState] = {
    "pause": "paused",
    "continue": "running",
    "finish": "finished",
}


@router.get("")
def list_projects(
    request: Request,
    archive: ArchiveDep,
    caller: CallerDep,
    page_number: Annotated[int, Query(alias="page", ge=1)] = 1,
) -> Response:
    """List projects with their progress; those that are running come first."""
    parts = _parts(archive.projects.all())
    part = numbered_page(len(parts), page_number, 1)
    boards = [archive.projects.board(one.name) for one in chain(*parts[part.rows])]
    left = {one.project.name: len(one.open_for(caller.name)) for one in boards}
    waiting = waiting_projects(archive, caller.name) if caller.may("judge") else []
    return page(request, "projects.html", boards=boards, left=left, part=part, waiting=waiting)


@router.get("/+new", dependencies=[require("admin")])
def show_form(
    request: Request,
    archive: ArchiveDep,
    home: HomeDep,
    caller: CallerDep,
    kind: str = "holes",
    a: str = "",
    b: str = "",
    verdict: str = "",
) -> Response:
    """Show the form that starts a project; links from other pages fill it in."""
    newest = archive.runs.page(limit=_FEW_RUNS + 1, newest_first=True).items
    few = tuple(run.run_id for run in newest) if len(newest) <= _FEW_RUNS else ()
    form = ProjectForm(
        kind=kind if kind in KINDS else "holes",
        baseline=a,
        runs=(b,) if b else few,
        verdict=verdict,
    )
    judges = judges_of(home, request.state.collection.name, caller)
    return _form(request, archive, judges, form)


@router.post("", dependencies=[require("admin")])
async def create_project(
    request: Request, archive: ArchiveDep, home: HomeDep, caller: CallerDep
) -> Response:
    """Start a project, or show the form again with its errors."""
    form = read_form(await received_form(request))
    here: str = request.state.collection.name

    def work() -> Response:
        try:
            check_judges(home, here, caller, form.judges)
            plan = plan_of_form(archive, form)
            archive.projects.create(form.name, plan, author=caller.name)
        except (InputError, NotFoundError) as error:
            where = error.argument if isinstance(error, ArgumentError) else "all"
            wrong = replace(form, wrong={where: _message(error)})
            judges = judges_of(home, here, caller)
            return _form(request, archive, judges, wrong, status=422)
        return RedirectResponse(f"/projects/{form.name}", 303)

    return await to_thread.run_sync(work)


@router.get("/{name}")
def show_project(request: Request, archive: ArchiveDep, caller: CallerDep, name: Name) -> Response:
    """Show the progress of a project, and how well its judges agree."""
    board = archive.projects.board(name)
    found = agreement_of_board(board, archive.queries.all())
    refused = board.refused[:_SHOWN]
    plan = board.project.plan
    get_run = partial(archive.runs.get, with_durations=False)
    runs = [get_run(run_id) for run_id in plan.pairs.runs]
    base = None if plan.pairs.baseline is None else get_run(plan.pairs.baseline)
    return page(
        request,
        "project.html",
        board=board,
        project=board.project,
        plan=plan,
        kinds=KINDS,
        runs=[one for one in runs if one is not None],
        baseline=base,
        judges=board.judges(),
        n_left=len(board.open_for(caller.name)),
        found=found,
        in_words=in_words,
        shades=SHADES,
        refused=refused,
        texts=texts_of(archive, refused),
        n_settled=sum(one.settled_by is not None for one in board.pairs),
    )


@router.post("/{name}", dependencies=[require("admin")])
async def change_project(request: Request, archive: ArchiveDep, name: Name) -> Response:
    """Pause, continue, finish or remove a project."""
    action = str((await received_form(request)).get("action") or "")
    if action == "remove":
        if not await to_thread.run_sync(archive.projects.remove, name):
            raise NotFoundError("project", name)
        return RedirectResponse("/projects", 303)
    if action not in _STATES:
        raise ArgumentError("action", " or ".join([*_STATES, "remove"]), repr(action)[:40])
    await to_thread.run_sync(archive.projects.set_state, name, _STATES[action])
    return RedirectResponse(f"/projects/{name}", 303)


def texts_of(archive: Archive, pairs: list[AskedPair]) -> dict[str, dict[str, str]]:
    """Return the texts of the queries and the titles of the documents of some pairs."""
    queries = archive.queries.some({one.asked.query_id for one in pairs})
    titles = archive.documents.titles({one.asked.doc_id for one in pairs})
    return {
        "queries": {query_id: query.text for query_id, query in queries.items()},
        "titles": {doc_id: title for doc_id, title in titles.items() if title},
    }


def _parts(projects: list[StoredProject]) -> list[list[StoredProject]]:
    """Return projects in the order of the list, divided into pages with a limited cost."""
    order = ("running", "paused", "finished")
    parts: list[list[StoredProject]] = []
    for one in sorted(projects, key=lambda one: order.index(one.state)):
        n_pairs = sum(other.n_pairs for other in parts[-1]) if parts else 0
        has_room = n_pairs + one.n_pairs <= _MAX_PAIRS_AT_ONCE
        if parts and has_room and len(parts[-1]) < _MAX_AT_ONCE:
            parts[-1].append(one)
        else:
            parts.append([one])
    return parts


def _form(
    request: Request,
    archive: Archive,
    judges: list[str] | None,
    form: ProjectForm,
    status: int = 200,
) -> Response:
    baselines, newest = run_choices(archive)
    return page(
        request,
        "project_new.html",
        status=status,
        form=form,
        kinds=KINDS,
        baselines=baselines,
        newest=newest,
        judges=judges,
    )


def _message(error: InputError | NotFoundError) -> str:
    if isinstance(error, ArgumentError):
        if error.got == "none" and error.argument in _MISSING:
            return _MISSING[error.argument]
        return f"Expected {error.expected}, got {error.got}."
    return str(error)
