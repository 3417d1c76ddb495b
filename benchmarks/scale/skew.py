"""Skewed data at full size: what a hash of the query cannot divide evenly, or divides most."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import compute, parquet
from rows import FOLDER, Dataset, dataset, ids

__all__ = ["Skewed", "skewed_data"]

MANY_FILES = 64
JUDGED_PER_QUERY = 20


class Skewed(NamedTuple):
    """A data set, and what is unusual about it."""

    label: str
    data: Dataset
    n_judged: int


def skewed_data(n_rows: int) -> Iterator[Skewed]:
    """Iterate over four data sets; the first has `n_rows` rows, others a fixed share of it."""
    n_queries = n_rows // 10
    makers: dict[str, tuple[Callable[[Path, int], None], int]] = {
        f"one query of {n_rows:,} rows": (_one_query, n_rows),
        f"{n_queries:,} queries of one row": (_queries_of_one_row, n_queries),
        f"{5 * n_rows // 2:,} judgments": (_many_judgments, n_rows // 2),
        f"every query in {MANY_FILES} files": (_many_files, n_rows),
    }
    for label, (make, size) in makers.items():
        folder = FOLDER / f"skew{make.__name__}_{size:_}"
        if not (folder / "complete").exists():
            (folder / "run").mkdir(parents=True, exist_ok=True)
            make(folder, size)
            (folder / "complete").touch()
        judgments = folder / "judgments.parquet"
        n_judged = parquet.ParquetFile(judgments).metadata.num_rows
        yield Skewed(label, Dataset(judgments, folder / "run", size), n_judged)


def _one_query(folder: Path, n_rows: int) -> None:
    """Let all queries of the usual data be one; their documents are made different."""
    for file in sorted(dataset(n_rows).run.iterdir()):
        table = parquet.read_table(file)
        documents = compute.binary_join_element_wise(table["doc_id"], table["query_id"], "-")
        queries = pa.array(["q"] * table.num_rows)
        _write(folder / "run" / file.name, "score", queries, documents, table["score"])
    judged = documents.combine_chunks().slice(0, 1000)
    queries, grades = pa.array(["q"] * len(judged)), pa.array([1] * len(judged))
    _write(folder / "judgments.parquet", "relevance", queries, judged, grades)


def _queries_of_one_row(folder: Path, n_queries: int) -> None:
    numbers = np.arange(n_queries)
    queries = ids("q", numbers)
    judged, found = ids("d", numbers % 1000), ids("d", numbers % 999)
    _write(folder / "judgments.parquet", "relevance", queries, judged, pa.array(numbers % 3))
    _write(folder / "run" / "part.parquet", "score", queries, found, pa.array(numbers / 7))


def _many_judgments(folder: Path, n_rows: int) -> None:
    """Write five judgments per row of the run: more than an executor has memory for."""
    n_queries, at_once = n_rows * 5 // JUDGED_PER_QUERY, 50_000
    for start in range(0, n_queries, at_once):
        numbers = np.arange(start, min(start + at_once, n_queries))
        for kind, per_query in (("judgments", JUDGED_PER_QUERY), ("run", n_rows // n_queries)):
            queries = ids("q", np.repeat(numbers, per_query))
            ranks = np.tile(np.arange(per_query), len(numbers))
            documents = ids("d", np.repeat(numbers, per_query) * 31 + ranks * 3)
            part = folder / ("run" if kind == "run" else "judged") / f"part-{start:09}.parquet"
            part.parent.mkdir(exist_ok=True)
            number = "score" if kind == "run" else "relevance"
            _write(part, number, queries, documents, pa.array(ranks % 4))
    _joined(sorted((folder / "judged").iterdir()), folder / "judgments.parquet")


def _many_files(folder: Path, n_rows: int) -> None:
    """Deal the rows of the usual data out like cards, so that every file has some of each query."""
    usual = dataset(n_rows)
    with ExitStack() as stack:
        files = []
        for source in sorted(usual.run.iterdir()):
            for i, batch in enumerate(parquet.ParquetFile(source).iter_batches(1_000_000)):
                for number in range(MANY_FILES):
                    if len(files) == number:
                        path = folder / "run" / f"part-{number:05}.parquet"
                        writer = parquet.ParquetWriter(path, batch.schema, compression="zstd")
                        files.append(stack.enter_context(writer))
                    own = np.arange((number + i) % MANY_FILES, batch.num_rows, MANY_FILES)
                    files[number].write_batch(batch.take(pa.array(own)))
    _joined([usual.judgments], folder / "judgments.parquet")


def _write(path: Path, number: str, *columns: pa.Array) -> None:
    table = pa.table([*columns], names=["query_id", "doc_id", number])
    parquet.write_table(table, path, compression="zstd")


def _joined(parts: list[Path], path: Path) -> None:
    """Write the rows of some files into one."""
    with parquet.ParquetWriter(path, parquet.read_schema(parts[0]), compression="zstd") as whole:
        for part in parts:
            for batch in parquet.ParquetFile(part).iter_batches():
                whole.write_batch(batch)
