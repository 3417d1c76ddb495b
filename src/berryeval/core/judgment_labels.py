"""Data of judgments in addition to grades: weights of subtopics, and strata.

Lengths of documents, which judgments carry as well, are checked in `berryeval.core.lengths`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from berryeval.core.id_column import as_id, decode_id, encode_id, shown_id
from berryeval.core.judging import JudgedRow
from berryeval.core.origin import Origin
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["add_stratum", "add_weight", "check_strata", "check_subtopic_weights"]


def check_subtopic_weights(
    weights: Mapping[Any, Mapping[Any, float]],
    subtopics: Mapping[bytes, Mapping[bytes, Mapping[bytes, float]]],
) -> dict[bytes, dict[bytes, float]]:
    """Return the weights of subtopics by query, or raise for those that a query does not have."""
    from berryeval.core.query import check_weight  # slow to import, and weights are rare

    found: dict[bytes, dict[bytes, float]] = {}
    for query_id, own in weights.items():
        key = encode_id(as_id(query_id, "weights: an id"))
        if key not in subtopics:
            raise ArgumentError("weights", "a query with subtopics", repr(query_id))
        where = f"weights[{query_id!r}]"
        if not isinstance(own, Mapping):
            raise InputTypeError(where, "a mapping", type(own).__name__)
        known = {name for grades in subtopics[key].values() for name in grades}
        found[key] = {}
        for name, weight in own.items():
            subtopic = encode_id(as_id(name, f"{where}: a subtopic"))
            if subtopic not in known:
                raise ArgumentError(where, "a subtopic of the query", repr(name))
            found[key][subtopic] = check_weight(weight, f"{where}[{name!r}]")
    return found


def check_strata(
    strata: Mapping[Any, Mapping[Any, str | int]],
    pool_of: Callable[[bytes], Collection[bytes]],
) -> dict[bytes, dict[bytes, bytes]]:
    """Return the strata of documents by query, or raise for documents that are not in its pool."""
    found: dict[bytes, dict[bytes, bytes]] = {}
    for query_id, own in strata.items():
        key = encode_id(as_id(query_id, "strata: an id"))
        known = pool_of(key)
        if not known:
            raise ArgumentError("strata", "a judged query", repr(query_id))
        where = f"strata[{query_id!r}]"
        if not isinstance(own, Mapping):
            raise InputTypeError(where, "a mapping", type(own).__name__)
        found[key] = {}
        for doc_id, name in own.items():
            document = encode_id(as_id(doc_id, f"{where}: an id"))
            if document not in known:
                raise ArgumentError(where, "a document in the pool of the query", repr(doc_id))
            found[key][document] = encode_id(as_id(name, f"{where}[{doc_id!r}]"))
    return found


def add_weight(weights: dict[bytes, dict[bytes, float]], row: JudgedRow, origin: Origin) -> None:
    """Note the weight of a subtopic, which is the same on all rows that have one."""
    from berryeval.core.query import check_weight

    if row.subtopic is None or row.subtopic_weight is None:
        raise origin.error("a subtopic with subtopic_weight", "none", row.place)
    found = decode_id(row.subtopic_weight)
    try:
        weight = check_weight(float(found))
    except (ArgumentError, ValueError):
        expected = "a finite number above 0 as subtopic_weight"
        raise origin.error(expected, repr(found[:40]), row.place) from None
    known = weights.setdefault(row.query_id, {}).setdefault(row.subtopic, weight)
    if known != weight:
        subtopic, query = shown_id(row.subtopic), shown_id(row.query_id)
        expected = f"one weight of subtopic {subtopic} of query {query}"
        raise origin.error(expected, f"{known:g} and {weight:g}", row.place)


def add_stratum(strata: dict[bytes, dict[bytes, bytes]], row: JudgedRow, origin: Origin) -> None:
    """Note the stratum of a document, which is the same on all rows that have one."""
    assert row.stratum is not None
    known = strata.setdefault(row.query_id, {}).setdefault(row.doc_id, row.stratum)
    if known != row.stratum:
        document, query = shown_id(row.doc_id), shown_id(row.query_id)
        expected = f"one stratum of document {document} of query {query}"
        raise origin.error(expected, f"{shown_id(known)} and {shown_id(row.stratum)}", row.place)
