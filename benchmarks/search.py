"""Measure search over 50,000 chunks, and write docs/reference/benchmarks-search.md.

``make bench-search`` runs it. The chunks are sentences of the golden set that ships, drawn again:
real words in texts of real length. With questions, each chunk has as many of the golden set's as
one of its chunks does. A process of its own opens the index, so that its memory is that of
searching alone. PostgreSQL is the one at BERRYEVAL_DSN, in a database of its own, or a throw-away
server that the tests bring; it gets the vectors of the embedded index. With ``--only NAME``, one
index is measured and printed.
"""

from __future__ import annotations

import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from report import describe_machine

from berryeval.core.documents import Document
from berryeval.golden import handbook
from berryeval.search import open_system
from berryeval.search.embedding.embedder import Vectors, WordLlama
from berryeval.search.opening import POSTGRES
from berryeval.search.system import System
from berryeval.suite.quality import TABLE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "benchmarks-search.md"
N_CHUNKS = 50_000
ROUNDS = 5
LONGEST, FEWEST = 60.0, 25
"""Seconds after which no further query is sent, and how many are sent in any case."""

SHARED_BUFFERS = "128MB"
"""PostgreSQL's default. An index of vectors that does not fit takes more than twice as long."""

SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")


def draw_chunks(n_chunks: int, *, questions: bool, seed: int = 7) -> Iterator[Document]:
    """Draw sentences of the golden set until a chunk is as long as one of its chunks."""
    draw = random.Random(seed)
    chunks, asked = handbook().chunks, list(handbook().questions.values())
    every_question = [question for some in asked for question in some]
    sentences = [part for chunk in chunks for part in SENTENCE_END.split(chunk.text) if part]
    for number in range(n_chunks):
        length, parts = len(draw.choice(chunks).text), []
        while sum(map(len, parts)) < length:
            parts.append(draw.choice(sentences))
        title = " > ".join(draw.choice(chunks).headings)
        text = " ".join(parts)
        if questions:
            text = "\n".join([text, *draw.choices(every_question, k=len(draw.choice(asked)))])
        yield Document(f"chunk-{number}", text, title=title)


def resident() -> int:
    """Return the memory of this process, in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


@dataclass(frozen=True)
class Search:
    """One row of the table: a search of an index."""

    label: str
    system: str
    k: int = 10
    settings: Mapping[str, str] = field(default_factory=dict)

    def opened(self, place: str) -> System:
        """Open the system at a folder, or at an address of PostgreSQL."""
        if self.system in POSTGRES:
            return open_system(self.system, self.settings, dsn=place, table=TABLE)
        return open_system(self.system, {"path": place})


@dataclass(frozen=True)
class Index:
    """An index of the chunks, by the first of its searches."""

    searches: tuple[Search, ...]
    has_questions: bool = False

    @property
    def is_postgres(self) -> bool:
        """Whether it is in PostgreSQL."""
        return self.searches[0].system in POSTGRES


TS = {"rank": "ts_rank_cd"}
INDEXES = (
    *(Index((Search(mode, mode),)) for mode in ("bm25", "vector", "hybrid")),
    Index(
        (Search("hybrid", "hybrid"), Search("hybrid, 1,000 hits", "hybrid", k=1000)),
        has_questions=True,
    ),
    Index(
        (
            Search("postgres", "postgres"),
            Search("postgres, 1,000 hits", "postgres", k=1000),
            Search("postgres-bm25", "postgres-bm25"),
            Search("postgres-vector", "postgres-vector"),
            Search("postgres-text (ts_rank_cd)", "postgres-text"),
            Search("postgres, rank=ts_rank_cd", "postgres", settings=TS),
        ),
        has_questions=True,
    ),
)


class KnownVectors:
    """Vectors that were computed before, in the order of the documents; queries are embedded."""

    name = WordLlama().name

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self._start = 0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the next texts."""
        start, self._start = self._start, self._start + len(texts)
        return self._vectors[start : self._start]


def seconds_of(process: int | None) -> float:
    """Return the processor time of a server's process on this machine, or 0."""
    path = Path(f"/proc/{process}/schedstat")
    return int(path.read_text().split()[0]) / 1e9 if path.exists() else 0.0


def measure_opened(search: Search, place: str) -> dict[str, float]:
    """Open an index and send it every query of the golden set, one at a time."""
    before = resident()
    system = search.opened(place)
    queries = [query.text for query in handbook().queries]

    def seconds(query: str) -> tuple[float, float]:
        start, worked = time.perf_counter(), time.thread_time() + seconds_of(server)
        system.search(query, search.k)
        worked = time.thread_time() + seconds_of(server) - worked
        return time.perf_counter() - start, worked

    server = None
    system.search(queries[0], search.k)  # the first search also loads models and indexes
    if search.system in POSTGRES:
        with system._connection() as connection:
            server = connection.info.backend_pid
    found: list[tuple[float, float]] = []
    until = time.perf_counter() + LONGEST
    for query in queries * ROUNDS:
        if len(found) >= FEWEST and time.perf_counter() > until:
            break
        found.append(seconds(query))
    waited, worked = zip(*found, strict=True)
    return {
        "memory": resident() - before,
        "p50": statistics.median(waited),
        "p95": statistics.quantiles(waited, n=20)[18],
        "p95 of work": statistics.quantiles(worked, n=20)[18],
    }


def measure(index: Index, vectors: list[Vectors]) -> Iterator[dict[str, float | str]]:
    """Index 50,000 chunks, and search them from other processes; `vectors` are kept for later."""
    first = index.searches[0]
    with database() if index.is_postgres else tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        with first.opened(place) as system:
            if index.is_postgres and vectors:
                system.embedder = KnownVectors(vectors[-1])
            system.index(draw_chunks(N_CHUNKS, questions=index.has_questions))
            facts = {"index": time.perf_counter() - start, "size": size_of(place)}
        vectors += map(np.load, Path(place).glob("*/vectors.npy"))
        for search in index.searches:
            if search.settings or search.system == "postgres-text":
                add_word_index(place)
            number = f"{INDEXES.index(index)} {index.searches.index(search)}"
            done = subprocess.run(
                [sys.executable, __file__, "--opened", *number.split(), place],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            label = search.label + (", with questions" if index.has_questions else "")
            yield {"label": label, **facts, **json.loads(done.stdout)}
            facts = {}


def add_word_index(dsn: str) -> None:
    """Give a table that was indexed for BM25 what `ts_rank_cd` has."""
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        name = f"{TABLE}_words"
        connection.execute(f"CREATE INDEX IF NOT EXISTS {name} ON {TABLE} USING gin (words)")


def size_of(place: str) -> int:
    """Return the bytes of a folder, or of a whole database with its catalogues."""
    if not place.startswith("postgresql://"):
        return sum(path.stat().st_size for path in Path(place).rglob("*") if path.is_file())
    import psycopg

    with psycopg.connect(place) as connection:
        (size,) = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return size


@contextmanager
def database() -> Iterator[str]:
    """Give the address of an empty database, which is dropped afterwards."""
    import psycopg

    with server() as dsn:
        name = f"berryeval_bench_{os.getpid()}"
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
            try:
                yield f"{dsn.rpartition('/')[0]}/{name}"
            finally:
                connection.execute(f"DROP DATABASE {name}")


@contextmanager
def server() -> Iterator[str]:
    """Give the address of PostgreSQL, of a server of our own unless one is named."""
    given = os.environ.get("BERRYEVAL_DSN")
    if given:
        yield given
        return
    # Not as `search.postgres_server`: `search` is this script.
    sys.path.insert(0, str(ROOT / "tests" / "search"))
    from postgres_server import running_server

    with running_server(SHARED_BUFFERS) as (dsn, _):
        yield dsn


def busy_note(loads: list[float], n_cores: int) -> list[str]:
    """Return a note if others used the machine meanwhile: it distorts times, but not sizes."""
    most = max(loads, default=0.0)
    # One thread searches; indexing and the PostgreSQL server use the other core.
    if most <= n_cores:
        return []
    return [
        f"The machine was busy with other work (load {most:.1f} on {n_cores} cores), so index, p50 "
        "and p95 are longer than they would be alone; work is affected less, and sizes are not."
    ]


def page(rows: list[dict[str, float | str]], loads: list[float]) -> str:
    """Lay out the page; `loads` are those of the machine, after each row."""
    lines = []
    for row in rows:
        built = ["", ""]
        if "index" in row:
            built = [f"{row['index']:.0f}", f"{row['size'] / 1e6:.0f}"]
        times = [f"{row[name] * 1e3:.1f}" for name in ("p50", "p95", "p95 of work")]
        cells = [row["label"], *built, f"{row['memory'] / 1e6:.0f}", *times]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([
        "# Benchmarks of search",
        "",
        "Written by `make bench-search`; the numbers are from its last run.",
        "",
        f"Machine: {describe_machine()}.",
        "",
        f"{N_CHUNKS:,} chunks, drawn from the sentences of the bundled golden set; its 50 "
        f"queries, {ROUNDS} times and one at a time, 10 hits each unless stated otherwise.",
        "Every system has its default settings, and keeps its index on the disk.",
        "With questions, each chunk also has as many questions as a chunk of the golden set: "
        "that is how the quality suite fills an index.",
        "Rows without the time and size of an index use that of the row above.",
        "",
        "| system | index, s | on disk, MB | in memory, MB | p50, ms | p95, ms | p95 of work, ms |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *lines,
        "",
        *busy_note(loads, os.cpu_count() or 1),
        "Requirement for hybrid search and PostgreSQL, with questions: below 1,000 MB on the disk.",
        "For hybrid search, also: less than 1,000 MB in memory, and a p95 below 50 ms; for "
        "PostgreSQL with BM25, a p95 below 100 ms.",
        "PostgreSQL gets the vectors of the embedded index, so its indexing time does not include "
        "their computation.",
        f"PostgreSQL keeps {SHARED_BUFFERS[:-2]} MB of pages in memory (`shared_buffers`), as by "
        "default.",
        "The disk size of PostgreSQL is that of its whole database (`pg_database_size`); its "
        "memory is that of the client, and its work that of client and server.",
        "The server's time of `ts_rank_cd` lacks that of its parallel workers.",
        "`ts_rank_cd` misses the limit, because no index of PostgreSQL serves it: it reads the "
        "words and positions of every document with any word of the query, here nearly all.",
        f"No further queries are sent after {LONGEST:.0f} seconds and at least {FEWEST} queries: "
        "slow systems have fewer.",
        "Work is processor time: one thread at a time runs a query, so on an idle machine it "
        "equals the elapsed time.",
        "Memory is what an open index adds to a process, after all queries; 35 MB of it are the "
        "vectors of tokens, regardless of what is indexed.",
        "The chunks reuse the sentences of 351, so words are more frequent than in 50,000 chunks "
        "that people wrote: word search is faster on real collections.",
        "",
    ])  # fmt: skip


def measure_all(indexes: Sequence[Index]) -> str:
    """Measure indexes one after the other, and return the page."""
    rows: list[dict[str, float | str]] = []
    loads: list[float] = []
    vectors: list[Vectors] = []
    for index in indexes:
        for row in measure(index, vectors):
            rows.append(row)
            loads.append(os.getloadavg()[1])
            print(row, flush=True)
    return page(rows, loads)


def main() -> None:
    """Measure, write, and show."""
    text = measure_all(INDEXES)
    PAGE.write_text(text)
    print(text)
    print(f"Written to {PAGE.name}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--opened"]:
        searched = INDEXES[int(sys.argv[2])].searches[int(sys.argv[3])]
        print(json.dumps(measure_opened(searched, sys.argv[4])))
    elif sys.argv[1:2] == ["--only"]:
        print(measure_all([one for one in INDEXES if one.searches[0].label == sys.argv[2]]))
    else:
        main()
