"""A document in the drawer: its text, piece by piece, and its judgments."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.judgments.opinions import counted_state
from berryeval.archive.records import StoredJudgment
from berryeval.errors import NotFoundError
from berryeval.service.dependencies import ArchiveDep, StoresDep
from berryeval.service.paths import DocId, QueryId, quoted
from berryeval.service.paths import address as address_of
from berryeval.service.stores.stores import Stores
from berryeval.service.workbench.choosing import read_number
from berryeval.service.workbench.grading import grade_labels
from berryeval.service.workbench.rendering import fragment, page
from berryeval.service.workbench.state.agreement import TableDep

__all__ = ["PIECE", "DocumentText", "router", "text_of"]

PIECE = 40_000
"""Number of characters of a document that are sent at once."""

router = APIRouter(prefix="/queries")


@dataclass(frozen=True)
class DocumentText:
    """A piece of a document."""

    doc_id: str
    title: str | None
    piece: str
    is_known: bool
    """Whether the archive has its text."""
    start: int
    n_characters: int
    """Length of the whole text."""
    hash: str | None = None
    """Hash of the document as shown; None if it is not in the archive."""
    query: str = ""
    """The query whose words are highlighted."""

    @property
    def next(self) -> int | None:
        """Start of the next piece; None if this is the last."""
        end = self.start + len(self.piece)
        return end if end < self.n_characters else None


def text_of(archive: Archive, doc_id: str, start: int, query: str = "") -> DocumentText:
    """Return a piece of a document, starting at a character, to highlight a query in."""
    found = archive.documents.get(doc_id)
    digest = None if found is None else found.hash
    if found is None or found.text is None:
        return DocumentText(doc_id, None, "", is_known=False, start=0, n_characters=0, hash=digest)
    piece = found.text[start : start + PIECE]
    return DocumentText(doc_id, found.title, piece, is_known=True, start=start,
                        n_characters=len(found.text), hash=digest, query=query)  # fmt: skip


@router.get("/{query_id:id}/documents/{doc_id:id}", tags=["part"])
def show_document(
    request: Request,
    query_id: QueryId,
    doc_id: DocId,
    archive: ArchiveDep,
    stores: StoresDep,
    latest: TableDep,
    store: str = "",
) -> Response:
    """Show a document with its judgments for the query; the text may be that of a store."""
    start = read_number(request.query_params.get("from", ""), 0)
    query = archive.queries.get(query_id)
    document = text_of(archive, doc_id, start, "" if query is None else query.text or "")
    address = f"/queries/{quoted(query_id)}/documents/{quoted(doc_id)}"
    if store and not document.is_known:
        document = _text_in_store(stores, store, document, start)
        address = address_of(address, store=store)
    is_part = "hx-request" in request.headers
    if start and is_part:
        return fragment(request, "document_piece.html", document=document, address=address)
    history: list[StoredJudgment] = archive.judgments.history(query_id, doc_id)
    return page(
        request,
        "document_part.html" if is_part else "document.html",
        document=document,
        address=address,
        query=query,
        query_id=query_id,
        history=history[::-1],
        current=counted_state(history),
        judgment=f"/v1/judgments/{quoted(query_id)}/{quoted(doc_id)}",
        heading="h2" if is_part else "h1",
        below="h3" if is_part else "h2",
        labels=grade_labels(archive, latest.get()),
    )


def _text_in_store(stores: Stores, name: str, unknown: DocumentText, start: int) -> DocumentText:
    """Return a piece of a document of a store; the given one if the store does not have it."""
    try:
        found = stores.find(name).find([unknown.doc_id]).get(unknown.doc_id)
    except NotFoundError:
        return unknown
    if found is None:
        return unknown
    piece = found.text[start : start + PIECE]
    return replace(unknown, title=found.title, piece=piece, is_known=True, start=start,
                   n_characters=len(found.text))  # fmt: skip
