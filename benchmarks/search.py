"""Measure search over 50,000 chunks, and write docs/reference/benchmarks-search.md.

``make bench-search`` runs it. The chunks are sentences of the golden set that ships, drawn again:
real words in texts of real length. With questions, each chunk has as many of the golden set's as
one of its chunks does. A process of its own opens the index, so that its memory is that of
searching alone. PostgreSQL is the one at BERRYEVAL_DSN, in a database of its own, or a throw-away
server that the tests bring. With ``--only NAME``, one row is measured and printed.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from report import describe_machine

from berryeval.core.documents import Document
from berryeval.golden import handbook
from berryeval.search import Embedded, open_system
from berryeval.search.system import System
from berryeval.suite.quality import TABLE

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "reference" / "benchmarks-search.md"
N_CHUNKS = 50_000
ROUNDS = 5
MODES = ("bm25", "vector", "hybrid")
WITH_QUESTIONS = ", with questions"
ROWS = (*MODES, f"hybrid{WITH_QUESTIONS}", f"postgres{WITH_QUESTIONS}")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")


def draw_chunks(n_chunks: int, *, questions: bool, seed: int = 7) -> Iterator[Document]:
    """Draw sentences of the golden set until a chunk is as long as one of its chunks."""
    draw = random.Random(seed)
    chunks, asked = handbook().chunks, list(handbook().questions.values())
    every_question = [question for some in asked for question in some]
    sentences = [part for chunk in chunks for part in SENTENCE_END.split(chunk.text) if part]
    for number in range(n_chunks):
        length, said = len(draw.choice(chunks).text), []
        while sum(map(len, said)) < length:
            said.append(draw.choice(sentences))
        title = " > ".join(draw.choice(chunks).headings)
        text = " ".join(said)
        if questions:
            text = "\n".join([text, *draw.choices(every_question, k=len(draw.choice(asked)))])
        yield Document(f"chunk-{number}", text, title=title)


def resident() -> int:
    """Return the memory of this process, in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


def opened(name: str, place: str) -> System:
    """Open a system at a folder, or at an address of PostgreSQL."""
    if name == "postgres":
        return open_system(name, dsn=place, table=TABLE)
    return Embedded(name, path=place)


def measure_opened(name: str, place: str) -> dict[str, float]:
    """Open an index and send it every query of the golden set, one at a time."""
    before = resident()
    system = opened(name, place)
    queries = [query.text for query in handbook().queries]

    def seconds(query: str) -> tuple[float, float]:
        start, worked = time.perf_counter(), time.thread_time()
        system.search(query, 10)
        return time.perf_counter() - start, time.thread_time() - worked

    system.search(queries[0], 10)  # loads what is loaded once
    waited, worked = zip(*(seconds(query) for _ in range(ROUNDS) for query in queries), strict=True)
    return {
        "memory": resident() - before,
        "p50": statistics.median(waited),
        "p95": statistics.quantiles(waited, n=20)[18],
        "p95 of work": statistics.quantiles(worked, n=20)[18],
    }


def measure(row: str) -> dict[str, float]:
    """Index 50,000 chunks, and search them from another process."""
    name = row.removesuffix(WITH_QUESTIONS)
    with database() if name == "postgres" else tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        with opened(name, place) as system:
            system.index(draw_chunks(N_CHUNKS, questions=name != row))
        seconds = time.perf_counter() - start
        done = subprocess.run(
            [sys.executable, __file__, "--opened", name, place],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return {"index": seconds, "size": size_of(place), **json.loads(done.stdout)}


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

    with running_server() as (dsn, _):
        yield dsn


def busy_note(loads: list[float], n_cores: int) -> list[str]:
    """Return a note if others used the machine meanwhile: it distorts times, but not sizes."""
    most = max(loads, default=0.0)
    # One thread searches; indexing and the server of PostgreSQL have another.
    if most <= n_cores:
        return []
    return [
        f"The machine was busy with other work (load {most:.1f} on {n_cores} cores), so index, p50 "
        "and p95 are longer than they would be alone; sizes and work do not depend on it."
    ]


def page(found: dict[str, dict[str, float]], loads: list[float]) -> str:
    """Lay out the page; `loads` are those of the machine, after each row."""
    rows = [
        f"| {row} | {one['index']:.0f} | {one['size'] / 1e6:.0f} | {one['memory'] / 1e6:.0f} "
        f"| {one['p50'] * 1e3:.1f} | {one['p95'] * 1e3:.1f} | {one['p95 of work'] * 1e3:.1f} |"
        for row, one in found.items()
    ]
    return "\n".join([
        "# Benchmarks of search",
        "",
        "Written by `make bench-search`; the numbers are from its last run.",
        "",
        f"Machine: {describe_machine()}.",
        "",
        f"{N_CHUNKS:,} chunks, drawn from the sentences of the bundled golden set; its 50 "
        f"queries, {ROUNDS} times and one at a time, 10 hits each.",
        "Every system has its default settings, and keeps its index on the disk.",
        "With questions, each chunk also has as many questions as a chunk of the golden set: "
        "that is how the quality suite fills an index.",
        "",
        "| system | index, s | on disk, MB | in memory, MB | p50, ms | p95, ms | p95 of work, ms |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *rows,
        "",
        *busy_note(loads, os.cpu_count() or 1),
        "Requirement for hybrid search and PostgreSQL, with questions: below 1,000 MB on the disk.",
        "For hybrid search without questions, also: less than 1,000 MB in memory, and a p95 "
        "below 50 ms.",
        "The disk size of PostgreSQL is that of its whole database (`pg_database_size`); its "
        "memory and work are those of the client.",
        "Work is processor time: one thread runs a query, so on an idle machine it equals the "
        "elapsed time.",
        "Memory is what an open index adds to a process, after all queries; 35 MB of it are the "
        "vectors of tokens, regardless of what is indexed.",
        "The chunks reuse the sentences of 351, so words are more frequent than in 50,000 chunks "
        "that people wrote: word search is faster on real collections.",
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure, write, and show."""
    found, loads = {}, []
    for row in ROWS:
        found[row] = measure(row)
        loads.append(os.getloadavg()[1])
    text = page(found, loads)
    PAGE.write_text(text)
    print(text)
    print(f"Written to {PAGE.name}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--opened"]:
        print(json.dumps(measure_opened(*sys.argv[2:4])))
    elif sys.argv[1:2] == ["--only"]:
        print(page({sys.argv[2]: measure(sys.argv[2])}, [os.getloadavg()[1]]))
    else:
        main()
