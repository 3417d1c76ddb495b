"""Judgments after a few changes, without reading all of them again."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from berryeval.core.content_hash import record_of_query
from berryeval.core.id_column import IdColumn
from berryeval.core.judgments import Judgments

__all__ = ["Changes", "RunningHash", "apply_changes"]

Changes: TypeAlias = "Mapping[bytes, Mapping[bytes, float | None]]"
"""Query, document and the new grade; None where the judgment was taken back."""


def apply_changes(before: Judgments, changes: Changes) -> Judgments:
    """Return judgments after some changes.

    Parameters
    ----------
    before : Judgments
        With queries in the order of their ids' bytes, and documents within each as well. They
        stay as they are.
    changes : Changes
        What is new, changed or taken back. A query without any judgment left is left out.
    """
    after = _Pieces(before)
    done = 0
    for query_id in sorted(changes):
        number = bisect_left(range(before.n_queries), query_id, key=before.query_ids.bytes_at)
        after.keep(done, number)
        grades: dict[bytes, float | None] = dict(before.grades_of(query_id))
        after.add(query_id, {**grades, **changes[query_id]})
        is_known = number < before.n_queries and before.query_ids.bytes_at(number) == query_id
        done = number + is_known
    after.keep(done, before.n_queries)
    return after.judgments()


class _Pieces:
    """Judgments put together from stretches that stay and queries that changed."""

    def __init__(self, before: Judgments) -> None:
        self._before = before
        self._query_ids: list[bytes] = []
        self._sizes: list[Any] = []
        self._doc_ids: list[bytes] = []
        self._lengths: list[Any] = []
        self._grades: list[Any] = []

    def keep(self, first: int, stop: int) -> None:
        """Take queries over as they are."""
        if first == stop:
            return
        before = self._before
        rows = slice(before.starts[first], before.starts[stop])
        offsets = _numbers(before.doc_ids.offsets)[rows.start : rows.stop + 1]
        self._query_ids += before.query_ids.iter_bytes(first, stop)
        self._sizes.append(np.diff(_numbers(before.starts)[first : stop + 1]))
        self._doc_ids.append(before.doc_ids.data[offsets[0] : offsets[-1]])
        self._lengths.append(np.diff(offsets))
        self._grades.append(np.frombuffer(before.values)[rows])

    def add(self, query_id: bytes, grades: Mapping[bytes, float | None]) -> None:
        """Add a query with what its documents have now."""
        judged = sorted((doc_id, grade) for doc_id, grade in grades.items() if grade is not None)
        if judged:
            self._query_ids.append(query_id)
            self._sizes.append([len(judged)])
            self._doc_ids += [doc_id for doc_id, _ in judged]
            self._lengths.append([len(doc_id) for doc_id, _ in judged])
            self._grades.append([grade for _, grade in judged])

    def judgments(self) -> Judgments:
        """Return all of it."""
        return Judgments(
            IdColumn.of(self._query_ids),
            _sums(self._sizes),
            IdColumn(b"".join(self._doc_ids), _sums(self._lengths)),
            array("d", np.concatenate([np.empty(0), *self._grades]).tobytes()),
        )


class RunningHash:
    """The hash of judgments that change a few queries at a time.

    It keeps what the hash takes of each query, about as much as the judgments themselves. The
    digits are those of `berryeval.core.content_hash.hash_of_judgments`.
    """

    def __init__(self, records: Mapping[bytes, bytes]) -> None:
        self._records = records

    @classmethod
    def of(cls, judgments: Judgments) -> RunningHash:
        """Begin with all judgments."""
        ids = judgments.query_ids.iter_bytes()
        return cls({query_id: record_of_query(judgments, query_id) for query_id in ids})

    def changed(self, judgments: Judgments, query_ids: Iterable[bytes]) -> RunningHash:
        """Return the hash of judgments that differ in some queries; this one stays."""
        records = {**self._records}
        for query_id in query_ids:
            records[query_id] = record_of_query(judgments, query_id)
        return RunningHash(records)

    def hexdigest(self) -> str:
        """Return the SHA-256, as hexadecimal digits."""
        digest = hashlib.sha256()
        for query_id in sorted(self._records):
            digest.update(self._records[query_id])
        return digest.hexdigest()


def _numbers(column: array[int]) -> Any:  # noqa: ANN401 - an array of numpy
    return np.frombuffer(column, dtype=column.typecode)


def _sums(sizes: list[Any]) -> array[int]:
    """Return where each of some things begins, and at last where the last one ends."""
    ends = np.cumsum(np.concatenate([np.zeros(1, "u8"), *(np.asarray(one, "u8") for one in sizes)]))
    return array("Q", ends.astype("Q", copy=False).tobytes())
