"""Conversion between formats that identify queries by id and those that use their texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import TypeVar

from berryeval.core.grouped import Grouped
from berryeval.core.id_column import IdColumn, decode_id, encode_id, shown_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import InputError

__all__ = ["ids_by_text", "rename_queries", "texts_by_id"]

Noun = TypeVar("Noun", bound=Grouped)
Value = TypeVar("Value")


def ids_by_text(queries: Iterable[Query]) -> dict[str, str]:
    """Return the ids of queries by text. If several have the same text, the first one counts."""
    found: dict[str, str] = {}
    for query in queries:
        found.setdefault(query.text, query.query_id)
    return found


def texts_by_id(queries: Iterable[Query]) -> dict[str, str]:
    """Return the texts of queries by id."""
    return {query.query_id: query.text for query in queries}


def rename_queries(data: Noun, names: Mapping[str, str]) -> tuple[Noun, int]:
    """Return judgments or a run with other ids of queries, and how many kept their id.

    Raises
    ------
    InputError
        If two queries would have the same id.
    """
    new: dict[bytes, bytes] = {}
    taken: dict[bytes, bytes] = {}
    n_kept = 0
    for query_id in data.query_ids.iter_bytes():
        name = names.get(decode_id(query_id))
        n_kept += name is None
        new[query_id] = query_id if name is None else encode_id(name)
        other = taken.setdefault(new[query_id], query_id)
        if other != query_id:
            both = f"{shown_id(other)} and {shown_id(query_id)}"
            message = f"queries {both} would both be called {shown_id(new[query_id])}"
            raise InputError(f"{message}; give each query its own text")
    renamed = copy(data)
    renamed.__dict__.pop("_number_of", None)  # ids that were looked up are the old ones
    renamed.query_ids = IdColumn.of(new.values())
    if isinstance(data, Judgments) and isinstance(renamed, Judgments):
        renamed.subtopics = _renamed(data.subtopics, new)
        renamed.subtopic_weights = _renamed(data.subtopic_weights, new)
        renamed.strata = _renamed(data.strata, new)
        renamed.opinions = _renamed(data.opinions, new)
    return renamed, n_kept


def _renamed(by_query: Mapping[bytes, Value], new: Mapping[bytes, bytes]) -> dict[bytes, Value]:
    return {new[query_id]: value for query_id, value in by_query.items()}
