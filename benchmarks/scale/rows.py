"""Judgments and runs of any size, written as a stream and kept for the next time."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet

FOLDER = Path(__file__).parents[2] / "build" / "scale"
ROWS_PER_QUERY = 1000
JUDGED_PER_QUERY = 20
QUERIES_AT_ONCE = 500
FILES = 8
"""Files of a run: so many tasks read it at the same time."""


class Dataset(NamedTuple):
    """Where judgments and a run are."""

    judgments: Path
    run: Path
    n_rows: int


def dataset(n_rows: int) -> Dataset:
    """Return a run of so many rows, 1,000 per query, and 20 judgments per query.

    Documents have random ids of ten characters, half of the judged ones are retrieved, and scores
    are float64 in random order. Queries are contiguous in the files, as retrieval writes them.
    """
    folder = FOLDER / f"{n_rows:_}"
    made = Dataset(folder / "judgments.parquet", folder / "run", n_rows)
    if (folder / "complete").exists():
        return made
    made.run.mkdir(parents=True, exist_ok=True)
    n_queries = n_rows // ROWS_PER_QUERY
    with parquet.ParquetWriter(made.judgments, _schema("relevance", pa.int32())) as judged:
        for number in range(FILES):
            first, last = (n_queries * (number + i) // FILES for i in (0, 1))
            _write_file(made.run / f"part-{number:05}.parquet", judged, first, last)
    (folder / "complete").touch()
    return made


def _write_file(path: Path, judged: parquet.ParquetWriter, first: int, last: int) -> None:
    with parquet.ParquetWriter(path, _schema("score", pa.float64()), compression="zstd") as run:
        for start in range(first, last, QUERIES_AT_ONCE):
            numbers = np.arange(start, min(start + QUERIES_AT_ONCE, last))
            rng = np.random.default_rng(start)
            size = (len(numbers), ROWS_PER_QUERY)
            # Without repeats in a query: the last three digits are a permutation.
            ranks = rng.permuted(np.tile(np.arange(size[1]), (len(numbers), 1)), axis=1)
            documents = rng.integers(0, 10**5, size) * ROWS_PER_QUERY + ranks
            run.write_table(_table("score", numbers, documents, rng.random(size)))
            picked = rng.permuted(np.tile(np.arange(size[1]), (len(numbers), 1)), axis=1)
            half = JUDGED_PER_QUERY // 2
            retrieved = np.take_along_axis(documents, picked[:, :half], axis=1)
            others = (retrieved + 10**8) % (2 * 10**8)
            grades = rng.integers(0, 4, (len(numbers), JUDGED_PER_QUERY)).astype(np.int32)
            both = np.concatenate([retrieved, others], axis=1)
            judged.write_table(_table("relevance", numbers, both, grades))


def _schema(number: str, kind: pa.DataType) -> pa.Schema:
    return pa.schema([("query_id", pa.string()), ("doc_id", pa.string()), (number, kind)])


def _table(number: str, queries: np.ndarray, documents: np.ndarray, values: np.ndarray) -> pa.Table:
    names = ids("q", queries).take(pa.array(np.repeat(np.arange(len(queries)), documents.shape[1])))
    numbers = pa.array(values.ravel())
    columns = [names, ids("d", documents.ravel()), numbers]
    return pa.table(columns, schema=_schema(number, numbers.type))


def ids(prefix: str, numbers: np.ndarray) -> pa.Array:
    """Return ids of ten characters: a letter, and a number with leading zeros."""
    digits = compute.utf8_lpad(pa.array(numbers).cast(pa.string()), 9, "0")
    return compute.binary_join_element_wise(prefix, digits, "")
