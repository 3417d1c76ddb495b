"""Numbers for pairs of query and document, in columns: what runs and judgments are made of."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from berryeval.backend import backend
from berryeval.core.id_column import IdColumn, as_id, decode_id, encode_id
from berryeval.errors import ArgumentError, InputTypeError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Duplicates", "Grouped", "Grouping", "NativeColumns"]

Duplicates: TypeAlias = Literal["error", "keep-best"]
"""What to do with a document that occurs twice for one query."""

NativeColumns: TypeAlias = "tuple[bytes, memoryview, memoryview, bytes, memoryview, memoryview]"
"""Query ids and where they end, starts, document ids and where they end, and values."""


class Grouped:
    """A number for each document of each query.

    A row takes the bytes of its document's id, eight for its place and eight for its number; a
    query's id is stored once. `starts` has the first row of each query, and at last the number of
    rows.
    """

    _noun = "rows"

    def __init__(
        self, query_ids: IdColumn, starts: array[int], doc_ids: IdColumn, values: array[float]
    ) -> None:
        self.query_ids = query_ids
        self.starts = starts
        self.doc_ids = doc_ids
        self.values = values

    @classmethod
    def of_native(cls, columns: NativeColumns) -> Self:
        """Take the columns that the native extension made."""
        query_data, query_offsets, starts, doc_data, doc_offsets, values = columns
        return cls(
            IdColumn(query_data, _array("Q", query_offsets)),
            _array("Q", starts),
            IdColumn(doc_data, _array("Q", doc_offsets)),
            _array("d", values),
        )

    @classmethod
    def of_dict(
        cls, data: object, argument: str, check: Callable[[object, str], float], most: float
    ) -> Self:
        """Read a mapping of mappings; `check` converts its values to numbers, or raises.

        `most` is the highest amount that a number may have. Messages call the mapping `argument`.
        """
        if type(data) is dict and backend().name == "native":
            from berryeval._native import group_dict

            columns = group_dict(data, most)
            if columns is not None:
                return cls.of_native(columns)
        return cls(*Grouping.of_dict(data, argument, check).columns())

    @property
    def n_rows(self) -> int:
        """The number of documents over all queries."""
        return len(self.doc_ids)

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.query_ids)

    def rows_of(self, query_id: bytes) -> range:
        """Return the rows of a query; none if there is no such query."""
        number = self._number_of.get(query_id)
        return range(0) if number is None else range(self.starts[number], self.starts[number + 1])

    def place_of(self, query_id: bytes) -> int:
        """Return the number of a query, from 0; -1 if there is no such query."""
        return self._number_of.get(query_id, -1)

    def iter_queries(self) -> Iterator[tuple[bytes, range]]:
        """Iterate over queries and their rows."""
        for number, query_id in enumerate(self.query_ids.iter_bytes()):
            yield query_id, range(self.starts[number], self.starts[number + 1])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return a dict of dicts: query id, document id, number."""
        return {
            decode_id(query_id): {self.doc_ids[row]: self.values[row] for row in rows}
            for query_id, rows in self.iter_queries()
        }

    def to_arrow(self) -> Any:  # noqa: ANN401 - pyarrow has no types
        """Return a pyarrow.Table with one row per document: query_id, doc_id, score.

        Requires pyarrow (``pip install 'berryeval[frames]'``). ``run.to_arrow().to_pandas()`` is a
        pandas frame, ``polars.DataFrame(run)`` one of polars.
        """
        from berryeval.core.arrow_table import table_of_scores

        return table_of_scores(self.query_ids, self.starts, self.doc_ids, self.values)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    @cached_property
    def _number_of(self) -> dict[bytes, int]:
        return {query_id: i for i, query_id in enumerate(self.query_ids.iter_bytes())}

    def __getstate__(self) -> dict[str, Any]:
        # What can be computed again is not pickled, and the engine's tables cannot be.
        return {name: one for name, one in self.__dict__.items() if not name.startswith("_")}

    def __contains__(self, query_id: object) -> bool:
        try:
            return encode_id(as_id(query_id, "query_id")) in self._number_of
        except InputTypeError:
            return False

    def __len__(self) -> int:
        return self.n_queries

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return (self.query_ids, self.starts, self.doc_ids, self.values) == (
            other.query_ids,
            other.starts,
            other.doc_ids,
            other.values,
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content, as lists are

    def __repr__(self) -> str:
        queries = "1 query" if self.n_queries == 1 else f"{self.n_queries:,} queries"
        documents = "1 document" if self.n_rows == 1 else f"{self.n_rows:,} documents"
        return f"<{type(self).__name__}: {queries}, {documents}>"


class Grouping:
    """Collects rows that come in any order, one query after the other or mixed."""

    def __init__(self) -> None:
        self._queries: dict[bytes, dict[bytes, float]] = {}

    @classmethod
    def of_dict(
        cls, data: object, argument: str, check: Callable[[object, str], float]
    ) -> Grouping:
        """Collect a mapping of mappings; `check` converts its values to numbers, or raises."""
        rows = cls()
        for query_id, numbers in _items(data, argument):
            if not rows.add_query(encode_id(query_id)):
                raise ArgumentError(argument, "each query once", f"{query_id!r} twice")
            for doc_id, number in _items(numbers, f"{argument}[{query_id!r}]"):
                where = f"{argument}[{query_id!r}][{doc_id!r}]"
                if not rows.add(encode_id(query_id), encode_id(doc_id), check(number, where)):
                    raise ArgumentError(where, "each document once", "an id of the same bytes")
        return rows

    def add_query(self, query_id: bytes) -> bool:
        """Add a query, which may have no rows; return False if it exists already."""
        if query_id in self._queries:
            return False
        self._queries[query_id] = {}
        return True

    def add(self, query_id: bytes, doc_id: bytes, value: float) -> bool:
        """Add a row, or return False if the query already has that document."""
        rows = self._queries.setdefault(query_id, {})
        if doc_id in rows:
            return False
        rows[doc_id] = value
        return True

    def keep_best(self, query_id: bytes, doc_id: bytes, value: float) -> None:
        """Give a repeated document the higher of its numbers, at its first position."""
        rows = self._queries[query_id]
        rows[doc_id] = max(rows[doc_id], value)

    def columns(self) -> tuple[IdColumn, array[int], IdColumn, array[float]]:
        """Return query ids, starts, document ids and values, as `Grouped` takes them."""
        starts = array("Q", [0])
        for rows in self._queries.values():
            starts.append(starts[-1] + len(rows))
        doc_ids = IdColumn.of(doc_id for rows in self._queries.values() for doc_id in rows)
        values = array("d", (value for rows in self._queries.values() for value in rows.values()))
        return IdColumn.of(self._queries), starts, doc_ids, values


def _array(typecode: str, content: memoryview) -> array[Any]:
    numbers: array[Any] = array(typecode)
    numbers.frombytes(content)
    return numbers


def _items(data: Any, argument: str) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    if not isinstance(data, Mapping):
        raise InputTypeError(argument, "a mapping", type(data).__name__)
    for key, value in data.items():
        yield as_id(key, f"{argument}: an id"), value
