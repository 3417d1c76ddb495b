"""The routes of the pages Queries and Query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fastapi import APIRouter, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.query import Query
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.measures import Measure
from berryeval.service.dependencies import ArchiveDep
from berryeval.service.paths import QueryId, address, quoted
from berryeval.service.stored_runs import labels_of
from berryeval.service.workbench.choosing import (
    choose_measure,
    choose_run,
    read_number,
    run_choices,
)
from berryeval.service.workbench.grading import grade_labels
from berryeval.service.workbench.pages.compare.listing import (
    ComparedQueries,
    Pair,
    matching,
    read_wanted,
)
from berryeval.service.workbench.pages.query.answers import Answers, answers_of, judged_of
from berryeval.service.workbench.pages.query.chunks import chunk_of
from berryeval.service.workbench.pages.query.listing import SORTS, WantedQueries, list_queries
from berryeval.service.workbench.rendering import fragment, page
from berryeval.service.workbench.state.agreement import TableDep
from berryeval.service.workbench.state.comparisons import Comparisons, ComparisonsDep
from berryeval.service.workbench.state.run_directory import MAIN
from berryeval.service.workbench.state.scoring import Scoring, ScoringDep
from berryeval.service.workbench.waiting import once_read

__all__ = ["router"]

router = APIRouter(prefix="/queries", dependencies=[once_read])

_DEEPEST = 10_000_000
_N_MISSED = 12
_N_MOVES = 6
_WORDS = {"harm": "by loss", "gain": "by gain", "query": "by id"}


@dataclass(frozen=True)
class QueryView:
    """The parameters in the address of a query."""

    query_id: str
    a: str
    b: str
    wanted: ComparedQueries
    """The filters of the list that the page was opened from."""

    is_judgeable = True
    """Whether documents can be judged in place."""

    @property
    def measure(self) -> Measure:
        """The measure whose scores are shown."""
        return self.wanted.measure

    def address(self, query_id: str | None = None, /, **changes: str) -> str:
        """Return the address of this or another query with some parameters changed."""
        path = f"/queries/{quoted(self.query_id if query_id is None else query_id)}"
        return address(path, **{"a": self.a, "b": self.b, **self.wanted.parameters()} | changes)

    def document(self, doc_id: str) -> str:
        """Return the address of a document for the query."""
        return f"/queries/{quoted(self.query_id)}/documents/{quoted(doc_id)}"

    def judgment(self, doc_id: str) -> str:
        """Return the address of the judgment of a document."""
        return f"/v1/judgments/{quoted(self.query_id)}/{quoted(doc_id)}"

    def part(self, name: str) -> str:
        """Return the address of a part of the page."""
        start, _, rest = self.address().partition("?")
        return f"{start}/{name}?{rest}"

    @property
    def comparison(self) -> str:
        """Return the address of the comparison of both runs."""
        return Pair(self.a, self.b).with_(self.wanted)


@router.get("")
def show_queries(request: Request, archive: ArchiveDep, scoring: ScoringDep) -> Response:
    """List queries, with their scores in a run if one is chosen."""
    given = request.query_params
    sort = given.get("sort", "")
    measure = scoring.measures[0]
    wanted = WantedQueries(
        given.get("q", "").strip(),
        given.get("category", ""),
        given.get("difficulty", ""),
        bool(given.get("unjudged")),
        given.get("run", ""),
        next((one for one in SORTS if one == sort), "query"),
        given.get("order") == "desc",
        read_number(given.get("page", ""), 1),
    )
    state = scoring.recent()
    scores: Mapping[str, float] | None = None
    if wanted.run:
        evaluation = scoring.evaluation(choose_run(archive, wanted.run).run_id, state)
        scores = evaluation[str(measure)].by_query
    listing = list_queries(scoring.queries(), state.judgments, wanted, scores)
    baselines, newest = run_choices(archive)
    is_part = request.headers.get("hx-target") == "found"
    template = "queries_found.html" if is_part else "queries.html"
    as_of = None if scoring.is_current(state) else state.as_of
    return page(request, template, wanted=wanted, listing=listing, as_of=as_of, measure=measure,
                baselines=baselines, newest=newest)  # fmt: skip


@router.get("/{query_id:id}")
def show_query(
    request: Request,
    query_id: QueryId,
    archive: ArchiveDep,
    scoring: ScoringDep,
    comparisons: ComparisonsDep,
    latest: TableDep,
) -> Response:
    """Show the results of one or two runs for a query."""
    query = archive.queries.get(query_id)
    view = _view(request, archive, scoring, query_id)
    if not view.a and not view.b:
        return _without_runs(request, archive, query, query_id)
    runs = _runs(archive, view)
    answers = _answers(archive, scoring, runs, view)
    _check_known(query, answers)
    baselines, newest = run_choices(archive)
    return page(
        request,
        "query.html",
        **_shared(archive, answers, query, view, grade_labels(archive, latest.get())),
        chunk=chunk_of(archive, answers, _first(request)),
        neighbours=_neighbours(comparisons, scoring, runs, view, only_known=True),
        missed=_missed(archive, answers),
        baselines=baselines,
        newest=newest,
    )


@router.get("/{query_id:id}/scores", tags=["part"])
def show_scores(
    request: Request, query_id: QueryId, archive: ArchiveDep, scoring: ScoringDep, latest: TableDep
) -> Response:
    """Show only the scores, after a judgment."""
    shared = _context_of(request, archive, scoring, query_id, grade_labels(archive, latest.get()))
    return fragment(request, "query_scores.html", **shared)


@router.get("/{query_id:id}/ranks", tags=["part"])
def show_ranks(
    request: Request, query_id: QueryId, archive: ArchiveDep, scoring: ScoringDep, latest: TableDep
) -> Response:
    """Show fifty ranks of both lists, starting at a rank."""
    shared = _context_of(request, archive, scoring, query_id, grade_labels(archive, latest.get()))
    chunk = chunk_of(archive, shared["answers"], _first(request))
    return fragment(request, "query_ranks.html", **shared, chunk=chunk)


@router.get("/{query_id:id}/neighbours", tags=["part"])
def show_neighbours(
    request: Request,
    query_id: QueryId,
    archive: ArchiveDep,
    scoring: ScoringDep,
    comparisons: ComparisonsDep,
) -> Response:
    """Show links to the previous and next query, by loss; sorting may take a while."""
    view = _view(request, archive, scoring, query_id)
    runs = _runs(archive, view)
    found = _neighbours(comparisons, scoring, runs, view, only_known=False)
    return fragment(request, "query_neighbours.html", neighbours=found, view=view)


@dataclass(frozen=True)
class Neighbours:
    """The previous and the next query."""

    previous: str | None
    next: str | None
    place: int
    """Position of the query, from 1."""
    n_all: int
    order: str


def _view(request: Request, archive: Archive, scoring: Scoring, query_id: str) -> QueryView:
    """Read an address; by default its runs are the newest one and the baseline."""
    given = request.query_params
    measure = choose_measure(scoring.measures, given.get("measure", ""))
    a, b = given.get("a", ""), given.get("b", "")
    if not a and not b:
        newest = archive.runs.page(limit=2, newest_first=True).items
        if newest:
            b = newest[0].run_id
        main = archive.baselines.get(MAIN)
        if main is not None and main.run_id != b:
            a = MAIN
        elif len(newest) > 1:
            a = newest[1].run_id
    return QueryView(query_id, a, b, read_wanted(given, measure))


def _runs(archive: Archive, view: QueryView) -> dict[str, StoredRun]:
    """Return one or two runs by label; a repeated run counts once."""
    found = {one: choose_run(archive, one) for one in (view.a, view.b) if one}
    if not found:
        raise ArgumentError("runs", "a or b, or both", "neither")
    distinct = {run.run_id: run for run in found.values()}
    return dict(labels_of(list(distinct.values())))


def _answers(
    archive: Archive, scoring: Scoring, runs: dict[str, StoredRun], view: QueryView
) -> Answers:
    loaded = {label: (run, scoring.run(run.run_id)) for label, run in runs.items()}
    judged = judged_of(archive, view.query_id)
    judged_for_any: frozenset[bytes] = frozenset()
    if any(measure.across_queries for measure in (*scoring.measures, view.measure)):
        judged_for_any = frozenset(scoring.recent().judgments.doc_ids.iter_bytes())
    lengths = None
    if any(measure.uses_lengths for measure in (*scoring.measures, view.measure)):
        shown = {one for _, run in loaded.values() for one in run.ranking(view.query_id)}
        lengths = archive.documents.lengths(shown)
    return answers_of(
        view.query_id, loaded, judged, scoring.measures, view.measure, judged_for_any, lengths
    )


def _check_known(query: Query | None, answers: Answers) -> None:
    is_known = query is not None or answers.judged
    if not is_known and all(side.is_missing for side in answers.sides):
        raise NotFoundError("query", answers.query_id)


def _context_of(
    request: Request, archive: Archive, scoring: Scoring, query_id: str, labels: Sequence[str]
) -> dict[str, Any]:
    """Return the results of the runs that the address of the page names."""
    view = _view(request, archive, scoring, query_id)
    answers = _answers(archive, scoring, _runs(archive, view), view)
    return _shared(archive, answers, archive.queries.get(query_id), view, labels)


def _shared(
    archive: Archive,
    answers: Answers,
    query: Query | None,
    view: QueryView,
    labels: Sequence[str],
) -> dict[str, Any]:
    moves = () if answers.explanation is None else answers.explanation.effective[:_N_MOVES]
    beginnings = archive.documents.beginnings(move.doc_id for move in moves)
    return {
        "titles": {doc_id: title for doc_id, (title, _) in beginnings.items() if title},
        "n_moves": _N_MOVES,
        "answers": answers,
        "view": view,
        "query": query,
        "labels": labels,
    }


def _first(request: Request) -> int:
    return min(max(1, read_number(request.query_params.get("from", ""), 1)), _DEEPEST)


def _without_runs(
    request: Request, archive: Archive, query: Query | None, query_id: str
) -> Response:
    judged = judged_of(archive, query_id)
    if query is None and not judged:
        raise NotFoundError("query", query_id)
    return page(request, "query_without_runs.html", query=query, query_id=query_id, judged=judged)


def _missed(archive: Archive, answers: Answers) -> list[tuple[Any, str]]:
    """Return the relevant documents that no run retrieved, with their titles."""
    found = answers.missed()
    titles = archive.documents.beginnings(one.doc_id for one in found[:_N_MISSED])
    return [(one, titles.get(one.doc_id, ("", ""))[0]) for one in found]


def _neighbours(
    comparisons: Comparisons,
    scoring: Scoring,
    runs: dict[str, StoredRun],
    view: QueryView,
    *,
    only_known: bool,
) -> Neighbours | None:
    """Return the adjacent queries: by loss for two runs, by score for one."""
    measure = view.measure
    if len(runs) > 1:
        a, b = runs.values()
        compared = comparisons.known(a, b)
        if compared is None:
            if only_known:
                return None
            compared = comparisons.compare(a, b)
        place, order = compared.position_of(view.query_id), matching(compared, view.wanted)
        ids, words = compared.comparison.query_ids, _WORDS[view.wanted.order]
        if view.wanted.is_filtered:
            words = f"filtered, {words}"
    else:
        scores = scoring.evaluation(next(iter(runs.values())).run_id).scores
        values = np.asarray(scores.values[str(measure)])
        order = np.argsort(values if measure.higher_is_better else -values, kind="stable")
        ids, words = scores.query_ids, "worst first"
        place = next((i for i, one in enumerate(ids) if one == view.query_id), None)
    found = [] if place is None else np.flatnonzero(order == place).tolist()
    if not found:
        return Neighbours(None, None, 0, len(order), words)
    [at] = found
    before = view.address(ids[int(order[at - 1])]) if at > 0 else None
    after = view.address(ids[int(order[at + 1])]) if at + 1 < len(order) else None
    return Neighbours(before, after, at + 1, len(order), words)
