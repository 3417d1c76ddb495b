"""Stores: search indexes that clients create, fill and search, and configured systems."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from berryeval.archive import hash_of_document
from berryeval.archive.records import Page
from berryeval.core.documents import Document
from berryeval.core.query import Query as Asked
from berryeval.errors import NotFoundError
from berryeval.search.failures import failures_of
from berryeval.search.hits import Hit, to_hits
from berryeval.search.tuning import Tunable, read_changes
from berryeval.service.answers import (
    REMOVAL,
    Answer,
    Shape,
    created,
    shape_of,
    with_examples,
    written,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, DeadlineDep, StoresDep, require
from berryeval.service.fields import LONGEST_QUERY, Body, Id, Many
from berryeval.service.paging import Listed, PagingDep, as_after, key_of
from berryeval.service.paths import DocId, Name
from berryeval.service.problems import documented
from berryeval.service.stores.engines import Kind
from berryeval.service.stores.store import Store
from berryeval.service.stores.trying import SECONDS, try_query
from berryeval.suite.settings import setting_text

__all__ = ["MAX_HITS", "ChangedSettings", "changes_of", "router"]

MAX_AT_ONCE = 100_000
MAX_HITS = 10_000

router = APIRouter(prefix="/v1/stores", tags=["stores"], route_class=JsonRoute)


_DOCUMENT = {"doc_id": "d1", "title": "OAuth", "text": "Renew tokens hourly."}
_FOUND = {"doc_id": "d1", "score": 1.3, "title": "OAuth"}
_SETTING = {
    "name": "weights",
    "kind": "pair",
    "about": "Weights of words and vectors",
    "value": "4,1",
    "choices": [],
    "least": 0.0,
    "most": 1000000.0,
    "is_advanced": False,
}


class StoreState(Shape):
    """A store."""

    model_config = with_examples(
        {
            "name": "default",
            "kind": "hybrid",
            "settings": {"title_weight": 2.0},
            "n_documents": 5183,
            "is_read_only": False,
        }
    )

    name: str
    kind: str = Field(
        description="`configured` for a system in the configuration of the server, and "
        "`registered` for one that an administrator registered."
    )
    settings: dict[str, Any]
    n_documents: int | None = Field(description="null if unknown to the service.")
    is_read_only: bool


class StoreSettings(Body):
    """Settings of the engine; the defaults are those of the library."""

    model_config = with_examples({"title_weight": 2, "weights": [1, 0.5], "depth": 200})

    title_weight: float | None = Field(
        None, ge=0, le=1000, description="Weight of words in the title."
    )
    weights: list[Annotated[float, Field(ge=0, le=1e6)]] | None = Field(
        None, min_length=2, max_length=2, description="Weights of BM25 and vectors."
    )
    constant: float | None = Field(
        None, ge=0, le=1e6, description="Constant added to ranks in the fusion."
    )
    depth: int | None = Field(None, ge=1, le=MAX_HITS, description="Number of hits to fuse.")
    approximate: bool | None = Field(
        None, description="Use an approximate vector index, for large stores."
    )


class NewStore(Body):
    """A store to create."""

    model_config = with_examples({"kind": "hybrid", "settings": {"title_weight": 2}})

    kind: Kind = Field("hybrid", description="Search by words, by meaning, or by both.")
    settings: StoreSettings | None = None


_DEFAULT_STORE = NewStore.model_validate({})


class IndexedDocument(Body):
    """A document to index."""

    model_config = with_examples(_DOCUMENT)

    doc_id: Id
    text: str
    title: str = ""


class NewDocuments(Body):
    """Documents to index together, all or none."""

    model_config = with_examples(
        {
            "documents": [
                _DOCUMENT,
                {"doc_id": "d2", "text": "Ripe bananas."},
            ]
        }
    )

    documents: Annotated[list[IndexedDocument], Many] = Field(min_length=1, max_length=MAX_AT_ONCE)


class Received(BaseModel):
    """The number of indexed documents."""

    model_config = with_examples({"received": 2})

    received: int


class StoredDocument(Shape):
    """A document of a store."""

    model_config = with_examples(_DOCUMENT)

    doc_id: str
    title: str
    text: str


class FoundDocument(BaseModel):
    """A search hit."""

    model_config = with_examples(_FOUND)

    doc_id: str
    score: float | None = Field(description="Higher is better.")
    title: str | None = Field(description="null if unknown to the service.")


class StoreSetting(
    shape_of(  # type: ignore[misc] # built from the record
        Tunable,
        about="What it does.",
        value="Its value as text; null if it has none, or one that is not shown.",
        choices="All values, if they are limited.",
        least="The smallest number.",
        most="The largest number.",
    )
):
    """A setting that can be changed for a search."""

    model_config = with_examples(_SETTING)


class StoreSettingsList(BaseModel):
    """The settings of a store that can be changed for a search."""

    model_config = with_examples({"items": [_SETTING]})

    items: list[StoreSetting]


ChangedSettings = Annotated[
    dict[str, str | float | bool | list[float] | list[str]],
    Field(
        max_length=50,
        description="Settings that differ from those of the store; "
        "`GET /v1/stores/{store}/settings` lists them.",
        examples=[{"weights": [1, 0.5]}],
    ),
]


class TunedSearch(Body):
    """A query, and settings for it."""

    model_config = with_examples(
        {"query": "token renewal", "k": 10, "settings": {"weights": [1, 0.5]}}
    )

    query: Annotated[str, Field(max_length=LONGEST_QUERY, description="What to search for.")]
    k: Annotated[int, Field(ge=1, le=MAX_HITS, description="Number of hits to return.")] = 10
    settings: ChangedSettings = Field(default_factory=dict)


class SearchResult(BaseModel):
    """The hits of a search, best first."""

    model_config = with_examples(
        {
            "store": "default",
            "query": "token renewal",
            "milliseconds": 0.7,
            "hits": [_FOUND],
        }
    )

    store: str
    query: str
    milliseconds: float
    hits: list[FoundDocument]


@router.get("", response_model=Listed[StoreState])
def list_stores(stores: StoresDep, paging: PagingDep) -> Answer:
    """List stores by name."""
    last, limit = key_of(paging.after), paging.limit
    names = [name for name in stores.names() if last is None or name > last]
    shown = tuple(stores.find(name) for name in names[:limit])
    following = as_after(names[limit - 1]) if len(names) > limit else None
    return paging.answer(Page(shown, following), StoreState.of)


@router.put(
    "/{store}",
    response_model=StoreState,
    responses=documented(409) | created(StoreState),
    dependencies=[require("admin")],
)
def create_store(store: Name, stores: StoresDep, given: NewStore = _DEFAULT_STORE) -> Answer:
    """Create a store; without a body, a hybrid one with the default settings.

    Creating the same store again changes nothing; a different one with the same name is rejected.
    The store `default` exists from the start, empty and hybrid, and can be replaced until
    something is written to it.
    """
    settings = {} if given.settings is None else given.settings.model_dump(exclude_none=True)
    is_new = stores.create(store, given.kind, settings)
    return written(StoreState.of(stores.find(store)), f"/v1/stores/{store}", is_new=is_new)


@router.get("/{store}", response_model=StoreState, responses=documented(404))
def get_store(store: Name, stores: StoresDep) -> Answer:
    """Return a store."""
    return Answer(StoreState.of(stores.find(store)))


@router.delete(
    "/{store}", **REMOVAL, responses=documented(404, 409), dependencies=[require("admin")]
)
def remove_store(store: Name, stores: StoresDep) -> None:
    """Remove a store with its documents and summary. Judgments are kept: all stores share them.

    The store `default` is then empty and hybrid again.
    """
    stores.remove(store)


@router.post(
    "/{store}/documents",
    response_model=Received,
    responses=documented(404, 409),
    dependencies=[require("admin")],
)
def index_documents(
    store: Name, given: NewDocuments, stores: StoresDep, archive: ArchiveDep
) -> Answer:
    """Index documents, all or none; those with the same id are replaced.

    The response is sent when they are on disk, and the next search finds them. Judgments of
    changed documents become stale.
    """
    documents = [Document(one.doc_id, one.text, one.title) for one in given.documents]
    received = stores.put(store, documents)
    archive.documents.put_hashes({one.doc_id: hash_of_document(one) for one in documents})
    return Answer({"received": received})


@router.get(
    "/{store}/documents",
    response_model=Listed[StoredDocument],
    responses=documented(404, 409),
)
def list_store_documents(store: Name, stores: StoresDep, paging: PagingDep) -> Answer:
    """List the documents of a store by id."""
    limit = paging.limit
    found = stores.embedded(store).page(key_of(paging.after), limit + 1)
    following = as_after(found[limit - 1].doc_id) if len(found) > limit else None
    return paging.answer(Page(tuple(found[:limit]), following), StoredDocument.of)


@router.delete(
    "/{store}/documents/{doc_id:id}",
    **REMOVAL,
    responses=documented(404, 409),
    dependencies=[require("admin")],
)
def remove_store_document(store: Name, doc_id: DocId, stores: StoresDep) -> None:
    """Remove a document from a store; its judgments are kept."""
    if not stores.discard(store, doc_id):
        raise NotFoundError("document", doc_id)


@router.get("/{store}/search", response_model=SearchResult, responses=documented(404, 502))
def search_store(
    store: Name,
    stores: StoresDep,
    q: Annotated[
        str,
        Query(
            max_length=LONGEST_QUERY,
            description="What to search for.",
            examples=["token renewal"],
        ),
    ],
    k: Annotated[int, Query(ge=1, le=MAX_HITS, description="Number of hits to return.")] = 10,
) -> Answer:
    """Search a store; hits are best first, ties by document id, highest first."""
    found = stores.find(store)
    found.prepare()
    began = time.perf_counter()
    with failures_of(store):
        hits = to_hits(found.search(q, k), k, store)
    seconds = time.perf_counter() - began
    return _result(found, q, hits, 1000 * seconds)


@router.post(
    "/{store}/search",
    response_model=SearchResult,
    responses=documented(404, 502),
    dependencies=[require("judge")],
)
def search_store_tuned(
    store: Name, given: TunedSearch, stores: StoresDep, deadline: DeadlineDep
) -> Answer:
    """Search a store with other settings, which are not stored."""
    found = stores.find(store)
    changes = changes_of(found, given.settings)
    end = min(deadline, time.monotonic() + SECONDS)
    tried = try_query(found, Asked("q", given.query), given.k, changes, end)
    scores = tried.run.to_dict().get("q", {})
    hits = [Hit(one, scores[one]) for one in tried.run.ranking("q")]
    return _result(found, given.query, hits, tried.milliseconds)


@router.get("/{store}/settings", response_model=StoreSettingsList, responses=documented(404))
def list_store_settings(store: Name, stores: StoresDep) -> Answer:
    """List the settings of a store that can be changed for a search, with their values."""
    found = stores.find(store).tunables()
    return Answer({"items": [StoreSetting.of(one) for one in found]})


def changes_of(store: Store, given: Mapping[str, object]) -> dict[str, str]:
    """Return the settings of a request that differ from those of a store, checked."""
    texts = {name: setting_text(value, f"settings.{name}") for name, value in given.items()}
    return read_changes(store.tunables(), texts)


def _result(store: Store, query: str, hits: Sequence[Hit], milliseconds: float) -> Answer:
    titles = {doc_id: one.title for doc_id, one in store.find([h.doc_id for h in hits]).items()}
    return Answer(
        {
            "store": store.name,
            "query": query,
            "milliseconds": round(milliseconds, 3),
            "hits": [
                {"doc_id": hit.doc_id, "score": _finite(hit.score), "title": titles.get(hit.doc_id)}
                for hit in hits
            ],
        }
    )


def _finite(score: float) -> float | None:
    return score if abs(score) < float("inf") else None
