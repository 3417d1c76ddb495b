"""Score runs of up to a billion rows in constant memory. `make bench` has the tables in its page.

Run it alone to print the tables, of all sizes or only of those that are named, in millions::

    python benchmarks/many_rows.py
    python benchmarks/many_rows.py --text 20 --parquet 100 500

Files are written to build/bench, one at a time, and deleted afterwards: the largest takes 8 GB.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from runs import FOLDER

__all__ = ["lines"]

N_QUERIES = 50_000
N_JUDGED = 10
N_DRAWN = 100
"""Rankings that are drawn; the queries have them in turn."""
N_DOCUMENTS = 1 << 17

TEXT = (20, 100, 200)
PARQUET = (100, 500, 1000)
"""Millions of rows."""

MEASURES = ["nDCG@10", "AP", "RR", "R@100", "P@10", "nDCG"]

BYTES_OF_TEXT = 42
BYTES_OF_PARQUET = 8
"""At most, per row."""


def lines(text: Sequence[int] = TEXT, parquet: Sequence[int] = PARQUET) -> list[str]:
    """Return the section of the page."""
    return [
        "## Many rows",
        "",
        f"{N_QUERIES:,} queries of {N_JUDGED} judged documents each, six measures "
        f"({', '.join(MEASURES)}), from files to means in a process of its own: `be.evaluate` on "
        "two paths. Rankings get deeper from row to row of the table. Files have just been "
        "written, so that the operating system still has them in memory where they fit; peak "
        "memory is that of the process.",
        "",
        *_table("TREC text", _write_text, text, BYTES_OF_TEXT),
        "",
        *_table("Parquet", _write_parquet, parquet, BYTES_OF_PARQUET),
        "",
    ]


@dataclass(frozen=True)
class Measured:
    """One run, scored."""

    n_rows: int
    n_bytes: int
    seconds: float
    megabytes: float

    def __str__(self) -> str:
        return (
            f"{self.n_rows / 1e6:,.0f} million | {self.n_bytes / 1e9:.2f} | {self.seconds:.2f} "
            f"| {self.n_rows / self.seconds / 1e6:.1f} | {self.megabytes:.0f}"
        )


Write = Callable[[Path, Path, int], None]


def _table(name: str, write: Write, sizes: Sequence[int], row_bytes: int) -> Iterator[str]:
    """Iterate over the lines of a table, and a line on how far times grow as rows do."""
    yield f"| rows, {name} | GB | best of 2, s | million rows per second | peak memory, MB |"
    yield "|---:|---:|---:|---:|---:|"
    found = []
    FOLDER.mkdir(parents=True, exist_ok=True)
    for millions in sizes:
        n_rows = millions * 1_000_000
        if shutil.disk_usage(FOLDER).free < 1.5 * n_rows * row_bytes:
            yield f"| {millions:,} million | the disk has no room for the file | | | |"
            continue
        found.append(_measure(write, n_rows))
        yield f"| {found[-1]} |"
    if len(found) > 1:
        first, last = found[0], found[-1]
        per_row = (last.seconds / last.n_rows) / (first.seconds / first.n_rows)
        yield ""
        yield (
            f"A row of the largest takes {per_row:.2f} times as long as a row of the smallest, and "
            f"{last.n_rows / first.n_rows:.0f} times the rows take "
            f"{last.megabytes - first.megabytes:+.0f} MB of memory."
        )


def _measure(write: Write, n_rows: int) -> Measured:
    """Write a run, score it in processes of its own, and delete it."""
    qrels, run = FOLDER / "many.qrels", FOLDER / "many.run"
    try:
        start = time.perf_counter()
        write(qrels, run, n_rows // N_QUERIES)
        written = time.perf_counter() - start
        n_bytes = run.stat().st_size
        rounds = [_score(qrels, run) for _ in range(2)]
    finally:
        qrels.unlink(missing_ok=True)
        run.unlink(missing_ok=True)
    seconds = min(seconds for seconds, _ in rounds)
    found = Measured(n_rows, n_bytes, seconds, max(peak for _, peak in rounds))
    print(f"  {found}, written in {written:.0f} s", file=sys.stderr)
    return found


def _score(qrels: Path, run: Path) -> tuple[float, float]:
    """Return the seconds of a call, and the most memory of its process in megabytes."""
    done = subprocess.run(
        [sys.executable, __file__, "--score", qrels, run],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    seconds, peak = json.loads(done.stdout)
    return seconds, peak


def _score_here(qrels: str, run: str) -> None:
    """Print what `_score` returns."""
    import berryeval as be

    start = time.perf_counter()
    result = be.evaluate(qrels, run, MEASURES)
    seconds = time.perf_counter() - start
    assert result.counts.judged == N_QUERIES
    assert result.counts.missing == result.counts.ignored == 0
    status = Path("/proc/self/status").read_text()
    peak = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    assert peak is not None
    print(json.dumps([seconds, int(peak[1]) / 1e3]))


def _draw(depth: int) -> tuple[list[list[int]], list[str]]:
    """Return rankings, and the judgments of each without their query."""
    draw = random.Random(7)
    rankings, judged = [], []
    for _ in range(N_DRAWN):
        documents = draw.sample(range(N_DOCUMENTS), depth + N_JUDGED // 2)
        found = draw.sample(documents[:depth], N_JUDGED // 2)
        rankings.append(documents[:depth])
        judged.append(
            "".join(
                f" 0 {_name(one)} {draw.choice((0, 1, 1, 2, 3))}\n"
                for one in found + documents[depth:]
            )
        )
    return rankings, judged


def _name(document: int) -> str:
    return str(7_000_001 + 3 * document)


def _query_id(number: int) -> str:
    return str(1_000_000 + 7 * number)


def _write_judgments(path: Path, judged: Sequence[str]) -> None:
    with path.open("w") as file:
        for number in range(N_QUERIES):
            query_id = _query_id(number)
            of_query = judged[number % N_DRAWN].splitlines(keepends=True)
            file.write(query_id + query_id.join(of_query))


def _write_text(qrels: Path, run: Path, depth: int) -> None:
    rankings, judged = _draw(depth)
    _write_judgments(qrels, judged)
    rows = [
        [
            f" Q0 {_name(document)} {rank} {30 - 20 * rank / depth:.6f} bm25\n"
            for rank, document in enumerate(ranking, start=1)
        ]
        for ranking in rankings
    ]
    with run.open("w", buffering=1 << 22) as file:
        for number in range(N_QUERIES):
            query_id = _query_id(number)
            file.write(query_id + query_id.join(rows[number % N_DRAWN]))


def _write_parquet(qrels: Path, run: Path, depth: int) -> None:
    """Write row groups of a million rows; all have the same documents."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import parquet

    rankings, judged = _draw(depth)
    _write_judgments(qrels, judged)
    n_queries = N_DRAWN * max(1, 1_000_000 // (N_DRAWN * depth))  # queries per row group
    names = pa.array([_name(document) for document in range(N_DOCUMENTS)])
    drawn = np.tile(np.array(rankings, dtype=np.int32).ravel(), n_queries // N_DRAWN)
    documents = pa.DictionaryArray.from_arrays(drawn, names)
    falling = 30 - 20 * np.arange(1, depth + 1) / depth
    scores = pa.array(np.tile(falling.astype(np.float32), n_queries))
    queries = np.repeat(np.arange(n_queries, dtype=np.int32), depth)
    fields = {"query_id": documents.type, "doc_id": documents.type, "score": scores.type}
    schema = pa.schema(list(fields.items()))
    with parquet.ParquetWriter(
        run,
        schema,
        compression="none",
        use_dictionary=["query_id", "doc_id"],
        dictionary_pagesize_limit=1 << 24,
        write_statistics=False,
        store_schema=False,  # plain text columns, as other tools write them
    ) as writer:
        for first in range(0, N_QUERIES, n_queries):
            query_ids = pa.array([_query_id(first + place) for place in range(n_queries)])
            columns = [pa.DictionaryArray.from_arrays(queries, query_ids), documents, scores]
            group = pa.RecordBatch.from_arrays(columns, schema=schema)
            writer.write_batch(group, row_group_size=len(scores))


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=int, nargs="*", metavar="MILLIONS")
    parser.add_argument("--parquet", type=int, nargs="*", metavar="MILLIONS")
    parser.add_argument("--score", nargs=2, metavar=("QRELS", "RUN"), help="score these files")
    given = parser.parse_args()
    if given.score:
        _score_here(*given.score)
    elif given.text is None and given.parquet is None:
        print("\n".join(lines()))
    else:
        print("\n".join(lines(given.text or (), given.parquet or ())))


if __name__ == "__main__":
    main()
