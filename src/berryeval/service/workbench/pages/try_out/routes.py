"""The routes of the page Try."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

from anyio import to_thread
from fastapi import APIRouter, Depends, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.core.documents import Document
from berryeval.core.query import Query
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.service.answers import Answer
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import (
    ArchiveDep,
    Caller,
    CallerDep,
    JobsDep,
    StoresDep,
    require,
)
from berryeval.service.jobs import CollectionJobs, Job, Progress
from berryeval.service.paths import address
from berryeval.service.stores.engines import missing_engine
from berryeval.service.stores.store import EmbeddedStore
from berryeval.service.stores.stores import DEFAULT, Stores
from berryeval.service.workbench.choosing import choose_run, read_number, run_choices
from berryeval.service.workbench.grading import grade_labels
from berryeval.service.workbench.pages.query.chunks import chunk_of
from berryeval.service.workbench.pages.try_out.scoring_all import (
    Scored,
    ScoredDep,
    save_runs,
    score_all,
)
from berryeval.service.workbench.pages.try_out.searching import TriesDep, search_sides
from berryeval.service.workbench.pages.try_out.view import NONE, Letter, TryView, read_view
from berryeval.service.workbench.rendering import fragment, page
from berryeval.service.workbench.state.agreement import TableDep
from berryeval.service.workbench.state.scoring import ScoringDep
from berryeval.service.workbench.waiting import once_read

__all__ = ["router"]

router = APIRouter(prefix="/try", dependencies=[once_read])

_WAIT_SECONDS = 1.5
_SUGGESTED = 50
_LONGEST_NAME = 200
_AT_ONCE = 1000
"""Number of documents that are read and indexed together."""
_JOBS = ("try", "store")
"""Kinds of jobs that this page starts."""


def _view(
    request: Request,
    archive: ArchiveDep,
    stores: StoresDep,
    caller: CallerDep,
    scoring: ScoringDep,
) -> TryView:
    return read_view(request.query_params, caller, archive, stores, scoring.measures)


ViewDep: TypeAlias = Annotated[TryView, Depends(_view)]


class _Searching:
    """Searches the sides of a view."""

    def __init__(
        self,
        request: Request,
        archive: ArchiveDep,
        scoring: ScoringDep,
        tries: TriesDep,
        latest: TableDep,
        view: ViewDep,
    ) -> None:
        self._archive, self._scoring, self._tries = archive, scoring, tries
        self._latest, self._view = latest, view
        self._first = max(1, read_number(request.query_params.get("from", ""), 1))

    def results(self) -> dict[str, Any]:
        """Return the results as templates show them."""
        archive = self._archive
        found = search_sides(archive, self._scoring, self._tries, self._view)
        answers = found.answers
        explanation = None if answers is None else answers.explanation
        moves = () if explanation is None else explanation.effective
        n_moves = 6
        beginnings = archive.documents.beginnings(move.doc_id for move in moves[:n_moves])
        known = {**found.texts, **beginnings}
        return {
            "found": found,
            "answers": answers,
            "chunk": None
            if answers is None
            else chunk_of(archive, answers, self._first, found.texts),
            "titles": {doc_id: title for doc_id, (title, _) in known.items() if title},
            "n_moves": n_moves,
            "labels": grade_labels(archive, self._latest.get()),
        }


SearchingDep: TypeAlias = Annotated[_Searching, Depends()]


def _part(view: ViewDep, searching: SearchingDep) -> dict[str, Any]:
    """Return the content of parts of the page, or raise if no system answered."""
    results = searching.results()
    if results["answers"] is None:
        problem = next(iter(results["found"].problems.values()), "no answer")
        raise ArgumentError("systems", "an answer", problem)
    return {"view": view, **results}


PartDep: TypeAlias = Annotated[dict[str, Any], Depends(_part)]


@router.get("")
def show_try(
    request: Request,
    archive: ArchiveDep,
    stores: StoresDep,
    scoring: ScoringDep,
    view: ViewDep,
    searching: SearchingDep,
) -> Response:
    """Show the form, and what the systems find for the query with its settings."""
    names, missing = stores.searchable(), missing_engine()
    is_empty = not names
    results: dict[str, Any] = {"answers": None, "found": None}
    if view.query.text and not is_empty:
        results = searching.results()
    is_part = request.headers.get("hx-target") == "tried"
    baselines, newest = run_choices(archive)
    return page(
        request,
        "try_part.html" if is_part else "try.html",
        headers={"HX-Push-Url": view.address()} if is_part else None,
        view=view,
        nothing=NONE,
        stores=sorted({*names, *(side.store.name for side in view.sides)}),
        is_empty=is_empty,
        missing=missing,
        left_out=[] if missing is None else _with_documents(stores),
        has_texts=is_empty and any(_documents(archive)),
        measures=scoring.measures,
        baselines=baselines,
        newest=newest,
        **results,
    )


@router.get("/scores", tags=["part"])
def show_try_scores(request: Request, part: PartDep) -> Response:
    """Show only the scores, after a judgment."""
    return fragment(request, "query_scores.html", **part)


@router.get("/ranks", tags=["part"])
def show_try_ranks(request: Request, part: PartDep) -> Response:
    """Show fifty ranks of both lists, starting at a rank."""
    return fragment(request, "query_ranks.html", **part)


@router.get("/suggestions", tags=["part"])
def show_suggestions(request: Request, archive: ArchiveDep, q: str = "") -> Response:
    """Show queries of the golden set that contain a text, as choices of the field."""
    found = archive.queries.some(archive.queries.find(q.strip(), most=_SUGGESTED))
    texts = [query.text for query in found.values() if query.text]
    return fragment(request, "try_suggestions.html", texts=texts)


@router.post("/queries", dependencies=[require("judge")])
async def add_query(
    request: Request,
    archive: ArchiveDep,
    stores: StoresDep,
    caller: CallerDep,
    scoring: ScoringDep,
) -> Response:
    """Add the query to the golden set, so that its documents can be judged."""
    form = await received_form(request)
    given = {name: str(value) for name, value in form.items()}

    def work() -> Response:
        view = read_view(given, caller, archive, stores, scoring.measures)
        if not view.query.text:
            raise ArgumentError("q", "a query", "none")
        if not view.is_stored:
            archive.queries.put([Query(view.query_id, view.query.text)])
        again = read_view(given, caller, archive, stores, scoring.measures)
        return RedirectResponse(again.address(), 303)

    return await to_thread.run_sync(work)


@router.post("/store", dependencies=[require("admin")])
async def index_archive(archive: ArchiveDep, stores: StoresDep, jobs: JobsDep, caller: CallerDep,
                        ) -> Response:  # fmt: skip
    """Index the documents of the archive in the default store."""

    def work(progress: Progress) -> Response:
        n_done = 0
        for some in _documents(archive):
            progress(n_done, 0, "adding documents")
            n_done += stores.put(DEFAULT, some)
        progress(n_done, 0, "indexing")
        stores.find(DEFAULT).prepare()
        return Answer({"place": "/try"})

    return await _started(jobs, "store", work, caller)


@router.post("/score", dependencies=[require("judge")])
async def start_scoring(
    request: Request,
    archive: ArchiveDep,
    stores: StoresDep,
    jobs: JobsDep,
    caller: CallerDep,
    scoring: ScoringDep,
    kept: ScoredDep,
) -> Response:
    """Score all queries with the settings of each side, as a job."""
    form = await received_form(request)
    given = {name: str(value) for name, value in form.items()}
    view = await to_thread.run_sync(read_view, given, caller, archive, stores, scoring.measures)
    for side in view.sides:
        if side.problem is not None:
            raise ArgumentError("settings", "valid ones", side.problem)

    def work(progress: Progress) -> Response:
        return score_all(archive, scoring, kept, view, caller.name, progress)

    return await _started(jobs, "try", work, caller)


@router.get("/jobs/{job_id}")
def show_try_job(
    request: Request,
    archive: ArchiveDep,
    jobs: JobsDep,
    caller: CallerDep,
    kept: ScoredDep,
    job_id: str,
) -> Response:
    """Show the progress of a job, and then its result."""
    job = _job(jobs, job_id, caller)
    outcome = None if job.result is None else json.loads(bytes(job.result.body))
    if outcome and "place" in outcome:
        return RedirectResponse(outcome["place"], 303)
    name = outcome["name"] if outcome else ""
    scored: Scored | None = kept.get((caller.name, name))
    is_part = "hx-request" in request.headers
    baselines, newest = run_choices(archive)
    return page(
        request,
        "try_job.html" if is_part else "try_job_page.html",
        job=job,
        name=name,
        scored=scored,
        baselines=baselines,
        newest=newest,
    )


@router.post("/save", dependencies=[require("judge")])
async def save_tried(
    request: Request, archive: ArchiveDep, caller: CallerDep, kept: ScoredDep
) -> Response:
    """Save the rankings of one or both sides as runs, and open or compare them."""
    form = await received_form(request)
    scored = kept.get((caller.name, str(form.get("scored") or "")))
    if scored is None:
        raise NotFoundError("result of Try", "this name; score all queries again")
    wanted = str(form.get("save") or "")
    letters: tuple[Letter, ...] = tuple(
        letter for letter in scored.runs if wanted in (letter, "both", "against")
    )
    names: dict[Letter, str] = {
        letter: str(form.get(f"name_{letter}") or scored.runs[letter].facts.name)[:_LONGEST_NAME]
        for letter in letters
    }
    if not names:
        raise ArgumentError("save", "a, b or both", repr(wanted[:20]))
    if wanted == "against":
        names = {letter: name for letter, name in names.items() if letter == letters[-1]}

    def work() -> str:
        reference = str(form.get("against") or "")
        other = choose_run(archive, reference) if wanted == "against" else None
        saved = [run.run_id for run in save_runs(archive, scored, names).values()]
        if other is not None:
            return address("/compare", a=reference, b=saved[0])
        if len(saved) > 1:
            return address("/compare", a=saved[0], b=saved[1])
        return f"/runs/{saved[0]}"

    return RedirectResponse(await to_thread.run_sync(work), 303)


async def _started(jobs: CollectionJobs, kind: str, work: Any, caller: Caller) -> Response:  # noqa: ANN401
    job = jobs.start(kind, work, owner=caller.name)
    await to_thread.run_sync(jobs.wait, job, _WAIT_SECONDS)
    return RedirectResponse(f"/try/jobs/{job.id}", 303)


def _job(jobs: CollectionJobs, job_id: str, caller: Caller) -> Job:
    job = jobs.get(job_id)
    if job is None or job.kind not in _JOBS or job.owner != caller.name:
        raise NotFoundError("job", job_id)
    return job


def _with_documents(stores: Stores) -> list[str]:
    """Return the names of the stores of the service that have documents."""
    left_out = {*stores.names()} - {*stores.searchable()}
    found = map(stores.find, sorted(left_out))
    return [one.name for one in found if isinstance(one, EmbeddedStore) and one.n_documents]


def _documents(archive: Archive) -> Iterator[list[Document]]:
    """Iterate over the documents of the archive that have texts, many at once."""
    after = None
    while True:
        found = archive.documents.page(after=after, limit=_AT_ONCE)
        some = [
            Document(one.doc_id, one.text, one.title or "")
            for one in found.items
            if one.text is not None
        ]
        if some:
            yield some
        after = found.next
        if after is None:
            return
