"""The documents of a collection: searched, and one with its text, judgments and ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredJudgment
from berryeval.errors import NotFoundError
from berryeval.service.dependencies import ArchiveDep
from berryeval.service.paging import numbered_page
from berryeval.service.paths import DocId, address, quoted
from berryeval.service.workbench.choosing import read_number
from berryeval.service.workbench.pages.query.documents import text_of
from berryeval.service.workbench.rendering import fragment, page
from berryeval.service.workbench.state.run_directory import DirectoryDep, RunDirectory
from berryeval.service.workbench.state.scoring import Scoring, ScoringDep
from berryeval.service.workbench.texts import one_line
from berryeval.service.workbench.waiting import once_read

__all__ = ["router"]

ON_A_PAGE = 50
_MAX_FOUND = 1000
_MAX_JUDGMENTS = 200
_MAX_RUNS = 5
"""Number of runs whose ranks are shown; each is read as a whole."""
_BEGINNING = 200

router = APIRouter(prefix="/documents")


@dataclass(frozen=True)
class _Row:
    """A document in the list."""

    doc_id: str
    title: str
    beginning: str


@dataclass(frozen=True)
class _Listing:
    rows: list[_Row]
    n_found: int | None
    """None if all documents are listed."""
    n_all: int
    about: str
    """States which page it is; empty if there is only one."""
    previous: str | None
    next: str | None


@router.get("")
def show_documents(
    request: Request,
    archive: ArchiveDep,
    q: Annotated[str, Query(max_length=200)] = "",
    number: Annotated[int, Query(alias="page")] = 1,
    after: Annotated[str | None, Query(max_length=8192)] = None,
) -> Response:
    """List documents by id, or those that contain a text."""
    listing = _found(archive, q.strip(), number) if q.strip() else _all(archive, after)
    is_part = "hx-request" in request.headers
    template = "documents_found.html" if is_part else "documents.html"
    return page(request, template, q=q.strip(), listing=listing)


@router.get("/{doc_id:id}", dependencies=[once_read])
def show_document_page(
    request: Request,
    doc_id: DocId,
    archive: ArchiveDep,
    scoring: ScoringDep,
    directory: DirectoryDep,
    q: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Show a document: its text, the queries that it was judged for, and its ranks."""
    start = read_number(request.query_params.get("from", ""), 0)
    document = text_of(archive, doc_id, start, q)
    place = address(f"/documents/{quoted(doc_id)}", q=q)
    if start and "hx-request" in request.headers:
        return fragment(request, "document_piece.html", document=document, address=place)
    judged = archive.judgments.page(doc_id=doc_id, limit=_MAX_JUDGMENTS)
    if not document.is_known and document.hash is None and not judged.items:
        raise NotFoundError("document", doc_id)
    runs, ranks = _ranks(scoring, directory, doc_id, judged.items)
    return page(
        request,
        "document_page.html",
        document=document,
        address=place,
        judged=judged,
        queries=scoring.queries(),
        runs=runs,
        ranks=ranks,
    )


def _all(archive: Archive, after: str | None) -> _Listing:
    found = archive.documents.ids(after=after, limit=ON_A_PAGE)
    return _Listing(
        _rows(archive, list(found.items)),
        None,
        archive.documents.count(),
        "",
        None if after is None else "/documents",
        None if found.next is None else address("/documents", after=found.next),
    )


def _found(archive: Archive, text: str, number: int) -> _Listing:
    ids = archive.documents.search(text, most=_MAX_FOUND)
    part = numbered_page(len(ids), number, ON_A_PAGE)

    def link(wanted: int) -> str | None:
        is_there = 1 <= wanted <= part.n_pages
        return address("/documents", q=text, page=wanted) if is_there else None

    return _Listing(
        _rows(archive, ids[part.rows]),
        len(ids),
        archive.documents.count(),
        f"Page {part.number} of {part.n_pages}" if part.n_pages > 1 else "",
        link(part.number - 1),
        link(part.number + 1),
    )


def _rows(archive: Archive, ids: list[str]) -> list[_Row]:
    beginnings = archive.documents.beginnings(ids)
    rows = []
    for doc_id in ids:
        title, text = beginnings.get(doc_id, ("", ""))
        rows.append(_Row(doc_id, title, one_line(text)[:_BEGINNING]))
    return rows


def _ranks(
    scoring: Scoring, directory: RunDirectory, doc_id: str, judged: tuple[StoredJudgment, ...]
) -> tuple[list[tuple[str, str]], dict[tuple[str, str], int]]:
    """Return the newest runs with their names, and the ranks of a document by query and run."""
    runs = [(run.run_id, run.facts.name) for run in directory.current().runs[: -_MAX_RUNS - 1 : -1]]
    ranks: dict[tuple[str, str], int] = {}
    for run_id, _ in runs if judged else ():
        run = scoring.run(run_id)
        for judgment in judged:
            ranking = run.ranking(judgment.query_id)
            if doc_id in ranking:
                ranks[judgment.query_id, run_id] = ranking.index(doc_id) + 1
    return runs, ranks
