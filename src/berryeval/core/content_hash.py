"""A hash of the content of judgments, regardless of the file they came from."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable

from berryeval.core.judgments import Judgments

__all__ = ["hash_of_ids", "hash_of_judgments", "record_of_query"]

_sizes = struct.Struct("<QQ").pack
_grade = struct.Struct("<d").pack


def hash_of_judgments(judgments: Judgments) -> str:
    """Return the SHA-256 of queries, documents and grades, as hexadecimal digits.

    Neither the order of the rows nor the format of a file changes it. Subtopics and their
    weights, and strata, are included if there are any.
    """
    digest = hashlib.sha256()
    for query_id in sorted(judgments.query_ids.iter_bytes()):
        digest.update(record_of_query(judgments, query_id))
    return digest.hexdigest()


def record_of_query(judgments: Judgments, query_id: bytes) -> bytes:
    """Return the hashed bytes of a query: sizes of ids, ids and grade of each document.

    Grades by subtopic, the weights of subtopics, and strata follow.
    """
    n_bytes = len(query_id)
    plain = b"".join(
        _sizes(n_bytes, len(doc_id)) + query_id + doc_id + _grade(grade)
        for doc_id, grade in sorted(judgments.grades_of(query_id).items())
    )
    strata = b"".join(
        _sizes(len(doc_id), len(stratum)) + doc_id + stratum
        for doc_id, stratum in sorted(judgments.strata.get(query_id, {}).items())
    )
    subtopics = judgments.subtopics.get(query_id)
    if not subtopics:
        return plain + strata
    named = b"".join(
        _sizes(len(doc_id), len(subtopic)) + doc_id + subtopic + _grade(grade)
        for doc_id, grades in sorted(subtopics.items())
        for subtopic, grade in sorted(grades.items())
    )
    weights = b"".join(
        _sizes(0, len(subtopic)) + subtopic + _grade(weight)
        for subtopic, weight in sorted(judgments.subtopic_weights.get(query_id, {}).items())
    )
    return plain + named + weights + strata


def hash_of_ids(ids: Iterable[bytes]) -> str:
    """Return the SHA-256 of ids in their order, as hexadecimal digits."""
    digest = hashlib.sha256()
    for one in ids:
        digest.update(struct.pack("<Q", len(one)) + one)
    return digest.hexdigest()
