"""Judgments after a few changes, without reading all of them again."""

from __future__ import annotations

import hashlib
import threading
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import Any, TypeAlias
from weakref import finalize

import numpy as np

from berryeval.core.content_hash import record_of_query
from berryeval.core.id_column import IdColumn
from berryeval.core.judgments import Judgments

__all__ = ["Changes", "RunningHash", "apply_changes"]

Changes: TypeAlias = "Mapping[bytes, Mapping[bytes, float | None]]"
"""Query, document and the new grade; None if the judgment was withdrawn."""

_EACH = 100
"""Number of queries after which a copy of the unfinished hash is kept."""
_MAX_IN_MEMORY = 1 << 20
"""Bytes of hashed records that are kept in memory; more are in a file."""
_MAX_OUTDATED = 2
"""Size of the records, in multiples of the current ones, at which the outdated ones are dropped."""


def apply_changes(before: Judgments, changes: Changes) -> Judgments:
    """Return judgments after new, changed and withdrawn ones; `before` is not modified.

    Queries and their documents are in the order of their ids' bytes. Queries without remaining
    judgments are dropped.
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
    """Judgments assembled from unchanged ranges and changed queries."""

    def __init__(self, before: Judgments) -> None:
        self._before = before
        self._query_ids: list[bytes] = []
        self._doc_ids: list[bytes] = []
        self._starts, self._offsets = _Ends(), _Ends()
        self._grades: list[Any] = []

    def keep(self, first: int, stop: int) -> None:
        """Copy unchanged queries."""
        if first == stop:
            return
        before = self._before
        rows = slice(before.starts[first], before.starts[stop])
        offsets = _numbers(before.doc_ids.offsets)[rows.start : rows.stop + 1]
        self._query_ids += before.query_ids.iter_bytes(first, stop)
        self._starts.move(_numbers(before.starts)[first : stop + 1])
        self._doc_ids.append(before.doc_ids.data[offsets[0] : offsets[-1]])
        self._offsets.move(offsets)
        self._grades.append(np.frombuffer(before.values)[rows])

    def add(self, query_id: bytes, grades: Mapping[bytes, float | None]) -> None:
        """Add a query with its current grades."""
        judged = sorted((doc_id, grade) for doc_id, grade in grades.items() if grade is not None)
        if judged:
            self._query_ids.append(query_id)
            self._starts.add([len(judged)])
            self._doc_ids += [doc_id for doc_id, _ in judged]
            self._offsets.add([len(doc_id) for doc_id, _ in judged])
            self._grades.append([grade for _, grade in judged])

    def judgments(self) -> Judgments:
        """Return the assembled judgments."""
        return Judgments(
            IdColumn.of(self._query_ids),
            self._starts.column(),
            IdColumn(b"".join(self._doc_ids), self._offsets.column()),
            _column("d", [np.empty(0), *self._grades]),
        )


class _Ends:
    """The ends of consecutive items in a column."""

    def __init__(self) -> None:
        self._parts: list[Any] = [np.zeros(1, "Q")]
        self._last = 0

    def move(self, ends: Any) -> None:  # noqa: ANN401 - an array of numpy
        """Append items of another column; the first number is their start there."""
        # The shift may be negative: unsigned integers wrap around to the right sum.
        self._append(ends[1:] + np.uint64((self._last - int(ends[0])) % 2**64))

    def add(self, sizes: list[int]) -> None:
        """Append items of these sizes."""
        self._append(np.cumsum(sizes, dtype="Q") + np.uint64(self._last))

    def column(self) -> array[int]:
        """Return the start of the first item, and the end of each."""
        return _column("Q", self._parts)

    def _append(self, ends: Any) -> None:  # noqa: ANN401
        self._parts.append(ends)
        self._last = int(ends[-1])


class RunningHash:
    """The hash of judgments that change a few queries at a time.

    It keeps the hashed bytes of each query in a temporary file, since they are about twice as many
    as those of the judgments, and a copy of the unfinished hash after every hundred queries. The
    digits are those of `berryeval.core.content_hash.hash_of_judgments`.
    """

    def __init__(
        self,
        records: _Records,
        places: Mapping[bytes, range],
        query_ids: list[bytes],
        marks: list[Any],
    ) -> None:
        self._records = records
        self._places = places
        self._query_ids = query_ids
        self._marks = marks  # copies from before each hundredth query
        digest = marks[-1].copy()
        for first in range(_EACH * (len(marks) - 1), len(query_ids), _EACH):
            if first == _EACH * len(marks):
                marks.append(digest.copy())
            some = query_ids[first : first + _EACH]
            for content in records.read(places[query_id] for query_id in some):
                digest.update(content)
        self.digits: str = digest.hexdigest()
        """The SHA-256, as hexadecimal digits."""

    @classmethod
    def of(cls, judgments: Judgments) -> RunningHash:
        """Hash all judgments."""
        records = _Records()
        query_ids = sorted(judgments.query_ids.iter_bytes())
        places = {one: records.add(record_of_query(judgments, one)) for one in query_ids}
        return cls(records, places, query_ids, [hashlib.sha256()])

    def changed(self, judgments: Judgments, query_ids: Iterable[bytes]) -> RunningHash:
        """Return the hash of judgments that differ in some queries; this one is not modified."""
        new = {query_id: record_of_query(judgments, query_id) for query_id in query_ids}
        if not new:
            return self
        first = bisect_left(self._query_ids, min(new))
        is_known = new.keys() <= self._places.keys()
        records, places = self._records, dict(self._places)
        if records.n_bytes > _MAX_OUTDATED * sum(map(len, places.values())):
            records, places = self._rewritten()
        places.update((query_id, records.add(record)) for query_id, record in new.items())
        ordered = self._query_ids if is_known else sorted(places)
        return RunningHash(records, places, ordered, self._marks[: first // _EACH + 1])

    def _rewritten(self) -> tuple[_Records, dict[bytes, range]]:
        """Return the records without outdated ones."""
        records = _Records()
        places = {
            query_id: records.add(b"".join(self._records.read([self._places[query_id]])))
            for query_id in self._query_ids
        }
        return records, places


class _Records:
    """Pieces of bytes, one after another: in memory, or in a temporary file if they are many."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(_MAX_IN_MEMORY)  # noqa: SIM115 - closed at the end
        self._lock = threading.Lock()
        self.n_bytes = 0
        finalize(self, self._file.close)

    def add(self, content: bytes) -> range:
        """Append a piece, and return its place."""
        with self._lock:
            place = range(self.n_bytes, self.n_bytes + len(content))
            self._file.seek(place.start)
            self._file.write(content)
            self.n_bytes = place.stop
        return place

    def read(self, places: Iterable[range]) -> Iterator[bytes]:
        """Iterate over the bytes of some places; adjacent ones are read at once."""
        joined: list[range] = []
        for place in places:
            if joined and joined[-1].stop == place.start:
                joined[-1] = range(joined[-1].start, place.stop)
            else:
                joined.append(place)
        for place in joined:
            with self._lock:
                self._file.seek(place.start)
                content = self._file.read(len(place))
            yield content


def _numbers(column: array[int]) -> Any:  # noqa: ANN401 - an array of numpy
    return np.frombuffer(column, dtype=column.typecode)


def _column(kind: str, parts: list[Any]) -> array[Any]:
    found: array[Any] = array(kind)
    found.frombytes(np.concatenate(parts, dtype=kind).view("u1").data)
    return found
