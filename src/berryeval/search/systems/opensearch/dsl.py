"""Request bodies for OpenSearch and Elasticsearch, in both dialects."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

__all__ = ["ID_FIELD", "MADE_BY", "Dialect", "document_lines", "mapping", "nearest", "words"]

Dialect: TypeAlias = Literal["opensearch", "elasticsearch"]
"""The engine. Only vectors differ, which both added after they separated."""

ID_FIELD = "berryeval_id"
"""Field with a copy of the id, to break ties: engines cannot sort by ``_id``."""

MADE_BY = "berryeval"
"""Value of ``made_by`` in the ``_meta`` of indexes that BerryEval created and may replace."""

_MAX_CANDIDATES = 10_000  # Elasticsearch's maximum of num_candidates
_BY_SCORE: Mapping[str, Any] = {
    "_source": False,
    "track_total_hits": False,
    "track_scores": True,
    # An index that BerryEval did not create has no such field; its ties are not broken.
    "sort": [{"_score": "desc"}, {ID_FIELD: {"order": "desc", "unmapped_type": "keyword"}}],
}


def mapping(dialect: Dialect, vector_field: str, dimensions: int | None) -> dict[str, Any]:
    """Return the body that creates an index, with vectors unless `dimensions` is None.

    It has one shard, so that BM25 uses the word frequencies of all documents.
    """
    settings: dict[str, Any] = {"number_of_shards": 1, "number_of_replicas": 0}
    properties: dict[str, Any] = {
        ID_FIELD: {"type": "keyword"},
        "title": {"type": "text", "analyzer": "english"},
        "text": {"type": "text", "analyzer": "english"},
    }
    if dimensions is not None and dialect == "opensearch":
        settings["knn"] = True
        # Lucene's engine supports cosines in every version, the default engine only in newer ones.
        method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
        properties[vector_field] = {
            "type": "knn_vector",
            "dimension": dimensions,
            "method": method,
        }
    elif dimensions is not None:
        properties[vector_field] = {
            "type": "dense_vector",
            "dims": dimensions,
            "index": True,
            "similarity": "cosine",
            # The default quantises vectors, which changes the neighbours that are found.
            "index_options": {"type": "hnsw", "m": 16, "ef_construction": 100},
        }
    return {
        "settings": {"index": settings},
        "mappings": {
            "_meta": {"made_by": MADE_BY},
            "dynamic": False,
            "properties": properties,
        },
    }


def words(query: str, fields: Sequence[str], size: int) -> dict[str, Any]:
    """Return a search by words: BM25 in each field, added up."""
    match = {"query": query, "fields": list(fields), "type": "most_fields"}
    return {"size": size, "query": {"multi_match": match}, **_BY_SCORE}


def nearest(
    dialect: Dialect, vector: Sequence[float], field: str, size: int, depth: int
) -> dict[str, Any]:
    """Return a search for the nearest vectors, which considers at least `depth` of them."""
    if dialect == "opensearch":
        query = {"knn": {field: {"vector": list(vector), "k": depth}}}
        return {"size": size, "query": query, **_BY_SCORE}
    knn = {
        "field": field,
        "query_vector": list(vector),
        "k": depth,
        "num_candidates": max(depth, min(2 * depth, _MAX_CANDIDATES)),
    }
    return {"size": size, "knn": knn, **_BY_SCORE}


def document_lines(
    doc_id: str, title: str, text: str, vector_field: str, vector: Sequence[float] | None
) -> bytes:
    """Return the lines of a document in a bulk request: an action and a source."""
    source: dict[str, Any] = {ID_FIELD: doc_id, "title": title, "text": text}
    if vector is not None:
        source[vector_field] = list(vector)
    action = {"index": {"_id": doc_id}}
    return f"{json.dumps(action)}\n{json.dumps(source)}\n".encode()
