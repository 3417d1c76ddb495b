"""A hash of what judgments say, whatever file they came from."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable

from berryeval.core.judgments import Judgments

__all__ = ["hash_of_ids", "hash_of_judgments"]


def hash_of_judgments(judgments: Judgments) -> str:
    """Return the SHA-256 of queries, documents and grades, as hexadecimal digits.

    Neither the order of the rows nor the format of a file changes it.
    """
    digest = hashlib.sha256()
    for query_id, rows in sorted(judgments.iter_queries()):
        for doc_id, row in sorted((judgments.doc_ids.bytes_at(row), row) for row in rows):
            sizes = struct.pack("<QQ", len(query_id), len(doc_id))
            digest.update(sizes + query_id + doc_id + struct.pack("<d", judgments.values[row]))
    return digest.hexdigest()


def hash_of_ids(ids: Iterable[bytes]) -> str:
    """Return the SHA-256 of ids in their order, as hexadecimal digits."""
    digest = hashlib.sha256()
    for one in ids:
        digest.update(struct.pack("<Q", len(one)) + one)
    return digest.hexdigest()
