"""Measure search over 50,000 chunks, and write docs/reference/benchmarks-search.md.

``make bench-search`` runs it. The chunks are sentences of the golden set that ships, drawn anew:
real words in texts of real length. A process of its own opens the index, so that its memory is
that of searching alone.
"""

from __future__ import annotations

import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from report import describe_machine

from berryeval.core.documents import Document
from berryeval.golden.golden_set import handbook
from berryeval.search.embedded import Embedded

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "benchmarks-search.md"
N_CHUNKS = 50_000
ROUNDS = 5
MODES = ("bm25", "vector", "hybrid")
SENTENCE_END = re.compile(r"(?<=[.!?:])\s+|\n+")


def draw_chunks(n_chunks: int, seed: int = 7) -> Iterator[Document]:
    """Draw sentences of the golden set until a chunk is as long as one of its chunks."""
    draw = random.Random(seed)
    chunks = handbook().chunks
    sentences = [part for chunk in chunks for part in SENTENCE_END.split(chunk.text) if part]
    for number in range(n_chunks):
        length, said = len(draw.choice(chunks).text), []
        while sum(map(len, said)) < length:
            said.append(draw.choice(sentences))
        title = " > ".join(draw.choice(chunks).headings)
        yield Document(f"chunk-{number}", " ".join(said), title=title)


def resident() -> int:
    """Return the memory of this process, in bytes."""
    text = Path("/proc/self/status").read_text()
    return int(re.search(r"^VmRSS:\s+(\d+) kB", text, re.MULTILINE)[1]) * 1024


def measure_opened(mode: str, folder: str) -> dict[str, float]:
    """Open an index and ask it every query of the golden set, one after the other."""
    before = resident()
    system = Embedded(mode, path=folder)
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


def measure(mode: str) -> dict[str, float]:
    """Index 50,000 chunks on the disk, and search them from another process."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        Embedded(mode, path=folder).index(draw_chunks(N_CHUNKS))
        seconds = time.perf_counter() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        done = subprocess.run(
            [sys.executable, __file__, "--opened", mode, folder],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    return {"index": seconds, "size": size, **json.loads(done.stdout)}


def page(found: dict[str, dict[str, float]]) -> str:
    """Lay out the page."""
    rows = [
        f"| {mode} | {one['index']:.0f} | {one['size'] / 1e6:.0f} | {one['memory'] / 1e6:.0f} "
        f"| {one['p50'] * 1e3:.1f} | {one['p95'] * 1e3:.1f} | {one['p95 of work'] * 1e3:.1f} |"
        for mode, one in found.items()
    ]
    return "\n".join([
        "# Benchmarks of search",
        "",
        "Written by `make bench-search`; the numbers are those of its last run.",
        "",
        f"Machine: {describe_machine()}.",
        "",
        f"{N_CHUNKS:,} chunks, drawn from the sentences of the golden set that ships; its 50 "
        f"queries, {ROUNDS} times and one after the other, 10 hits each.",
        "Every system has the settings that it has without any being named, and keeps its index "
        "on the disk.",
        "",
        "| system | index, s | on disk, MB | in memory, MB | p50, ms | p95, ms | p95 of work, ms |",
        "|---|---:|---:|---:|---:|---:|---:|",
        *rows,
        "",
        "Wanted of hybrid: below 1,000 MB, on the disk and in memory, and a p95 below 50 ms.",
        "Work is the processor's time, which is all the time there is where nothing else runs: a "
        "query is searched by one thread.",
        "Memory is what an open index adds to a process, after all queries; 35 MB of it are the "
        "vectors of tokens, whatever is indexed.",
        "Words are more frequent here than in 50,000 chunks that people wrote, since they are "
        "those of 351: real collections are searched by words faster.",
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure, write, and show."""
    text = page({mode: measure(mode) for mode in MODES})
    PAGE.write_text(text)
    print(text)
    print(f"Written to {PAGE.name}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--opened"]:
        print(json.dumps(measure_opened(*sys.argv[2:4])))
    else:
        main()
