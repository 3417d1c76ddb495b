"""Documents: their hashes, and their texts if they are stored."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, StringConstraints, model_validator
from starlette.responses import Response

from berryeval.core.documents import Document
from berryeval.errors import NotFoundError
from berryeval.service.answers import Answer, Shape
from berryeval.service.dependencies import ArchiveDep, require
from berryeval.service.examples import OTHER_RUN, with_examples
from berryeval.service.fields import Body, Id, ShortText
from berryeval.service.paging import After, Limit, Listed, listed
from berryeval.service.paths import DocId
from berryeval.service.problems import documented

__all__ = ["router"]

router = APIRouter(prefix="/v1/documents", tags=["documents"])

MOST_AT_ONCE = 10_000

_EXAMPLE = {"doc_id": "d7", "title": "OAuth", "text": "How to configure OAuth …"}


class NewDocument(Body):
    """A document: its text, or only a hash if the text is stored elsewhere."""

    model_config = with_examples(_EXAMPLE)

    doc_id: Id
    title: Annotated[str, StringConstraints(max_length=10_000)] = ""
    text: str | None = None
    hash: ShortText | None = None

    @model_validator(mode="after")
    def _has_one(self) -> NewDocument:
        if (self.text is None) == (self.hash is None):
            raise ValueError("a text or a hash, not both")
        return self


class ManyDocuments(Body):
    """Documents to store together."""

    model_config = with_examples({"documents": [_EXAMPLE]})

    documents: list[NewDocument] = Field(min_length=1, max_length=MOST_AT_ONCE)


class StoredDocuments(BaseModel):
    """The number of stored documents."""

    model_config = with_examples({"received": 2, "changed": 1})

    received: int
    changed: int


class DocumentState(Shape):
    """A stored document."""

    model_config = with_examples(
        {**_EXAMPLE, "hash": OTHER_RUN, "updated_at": "2026-11-16T08:00:00+00:00"}
    )

    doc_id: str
    hash: str
    title: str | None
    text: str | None
    updated_at: datetime


@router.get("", response_model=Listed[DocumentState])
def list_documents(
    request: Request, archive: ArchiveDep, after: After = None, limit: Limit = 100
) -> Answer:
    """List documents by id."""
    page = archive.documents.page(after=after, limit=limit)
    return listed(request, page.items, page.next, DocumentState.of)


@router.post("", response_model=StoredDocuments, dependencies=[require("judge")])
def store_documents(given: ManyDocuments, archive: ArchiveDep) -> Answer:
    """Store documents; judgments of changed ones become stale."""
    texts = [
        Document(one.doc_id, one.text, one.title) for one in given.documents if one.text is not None
    ]
    hashes = {one.doc_id: one.hash for one in given.documents if one.hash is not None}
    changed = archive.documents.put(texts, hashes=hashes)
    return Answer({"received": len(given.documents), "changed": changed})


@router.get("/{doc_id:id}", response_model=DocumentState, responses=documented(404))
def get_document(doc_id: DocId, archive: ArchiveDep) -> Answer:
    """Return a document."""
    found = archive.documents.get(doc_id)
    if found is None:
        raise NotFoundError("document", doc_id)
    return Answer(DocumentState.of(found))


@router.delete(
    "/{doc_id:id}",
    status_code=204,
    response_class=Response,
    responses=documented(404),
    dependencies=[require("judge")],
)
def remove_document(doc_id: DocId, archive: ArchiveDep) -> Response:
    """Remove a document; its judgments are kept."""
    if not archive.documents.remove(doc_id):
        raise NotFoundError("document", doc_id)
    return Response(status_code=204)
