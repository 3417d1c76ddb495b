"""Documents: their hashes, and their texts if they are stored."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field, StringConstraints, model_validator

from berryeval.archive.records import StoredDocument
from berryeval.core.documents import Document
from berryeval.core.lengths import MAX_LENGTH
from berryeval.errors import NotFoundError
from berryeval.service.answers import OTHER_RUN, REMOVAL, Answer, shape_of, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, require
from berryeval.service.fields import Body, Id, Many, ShortText
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import DocId
from berryeval.service.problems import documented, existing

__all__ = ["router"]

router = APIRouter(prefix="/v1/documents", tags=["documents"], route_class=JsonRoute)

MAX_AT_ONCE = 10_000

_EXAMPLE = {"doc_id": "d7", "title": "OAuth", "text": "How to configure OAuth …"}


class NewDocument(Body):
    """A document: its text, or only a hash if the text is stored elsewhere."""

    model_config = with_examples(_EXAMPLE)

    doc_id: Id
    title: Annotated[str, StringConstraints(max_length=10_000)] = ""
    text: str | None = None
    hash: ShortText | None = None
    length: int | None = Field(
        None,
        ge=0,
        le=int(MAX_LENGTH),
        description="Its length, for measures of reading (TBG in words, U in characters, tokens): "
        "in one unit for all documents. If omitted, a document whose content has not changed keeps "
        "its length.",
        examples=[120],
    )

    @model_validator(mode="after")
    def _has_one(self) -> NewDocument:
        if (self.text is None) == (self.hash is None):
            raise ValueError("a text or a hash, not both")
        return self


class ManyDocuments(Body):
    """Documents to store together."""

    model_config = with_examples({"documents": [_EXAMPLE]})

    documents: Annotated[list[NewDocument], Many] = Field(min_length=1, max_length=MAX_AT_ONCE)


class StoredDocuments(BaseModel):
    """The number of stored documents."""

    model_config = with_examples({"received": 2, "changed": 1})

    received: int
    changed: int


class DocumentState(shape_of(StoredDocument)):  # type: ignore[misc] # built from the record
    """A stored document."""

    model_config = with_examples(
        {
            **_EXAMPLE,
            "hash": OTHER_RUN,
            "updated_at": "2026-11-16T08:00:00+00:00",
            "length": 120,
        }
    )


@router.get("", response_model=Listed[DocumentState])
def list_documents(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List documents by id."""
    return paging.answer(archive.documents.page(**paging.bounds), DocumentState.of)


@router.post("", response_model=StoredDocuments, dependencies=[require("judge")])
def store_documents(given: ManyDocuments, archive: ArchiveDep) -> Answer:
    """Store documents; judgments of changed ones become stale."""
    texts = [
        Document(one.doc_id, one.text, one.title) for one in given.documents if one.text is not None
    ]
    hashes = {one.doc_id: one.hash for one in given.documents if one.hash is not None}
    lengths = {one.doc_id: one.length for one in given.documents if one.length is not None}
    changed = archive.documents.put(texts, hashes=hashes, lengths=lengths)
    return Answer({"received": len(given.documents), "changed": changed})


@router.get("/{doc_id:id}", response_model=DocumentState, responses=documented(404))
def get_document(doc_id: DocId, archive: ArchiveDep) -> Answer:
    """Return a document."""
    return Answer(DocumentState.of(existing(archive.documents.get(doc_id), "document", doc_id)))


@router.delete(
    "/{doc_id:id}", **REMOVAL, responses=documented(404), dependencies=[require("judge")]
)
def remove_document(doc_id: DocId, archive: ArchiveDep) -> None:
    """Remove a document; its judgments are kept."""
    if not archive.documents.remove(doc_id):
        raise NotFoundError("document", doc_id)
