"""Runs and judgments to measure with, written to files once and kept."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "build" / "bench"


@dataclass(frozen=True)
class Files:
    """A run and its judgments."""

    qrels: Path
    run: Path
    n_queries: int
    depth: int
    n_judged: int

    def __str__(self) -> str:
        megabytes = self.run.stat().st_size / 1e6
        return (
            f"{self.n_queries:,} queries x {self.depth:,} rows ({megabytes:,.0f} MB), "
            f"{self.n_judged} judged per query ({self.qrels.stat().st_size / 1e6:,.1f} MB)"
        )


def make_files(n_queries: int, depth: int, n_judged: int) -> Files:
    """Draw documents out of 8.8 million, half of the judged ones retrieved; scores fall."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    stem = f"{n_queries}x{depth}-{n_judged}"
    files = Files(FOLDER / f"{stem}.qrels", FOLDER / f"{stem}.run", n_queries, depth, n_judged)
    if not files.run.exists():
        print(f"Writing {files.run}", file=sys.stderr)
        part = files.run.with_suffix(".part")
        _write(files, part)
        part.rename(files.run)
    return files


def _write(files: Files, part: Path) -> None:
    draw = random.Random(7)
    half = files.n_judged // 2
    # A million rows are drawn; longer runs repeat them for other queries.
    n_drawn = min(files.n_queries, max(1, 1_000_000 // files.depth))
    rows, judged = [], []
    for _ in range(n_drawn):
        documents = draw.sample(range(8_841_823), files.depth + half)
        found = draw.sample(documents[: files.depth], min(half, files.depth))
        judged.append(
            [(doc, draw.choice((0, 0, 1, 1, 2, 3))) for doc in found + documents[files.depth :]]
        )
        score, lines = 30.0, []
        for rank, doc in enumerate(documents[: files.depth], start=1):
            score -= draw.random() * 0.02
            lines.append(f" Q0 {doc} {rank} {score:.6f} bm25\n")
        rows.append(lines)
    with files.qrels.open("w") as qrels, part.open("w") as run:
        for i in range(files.n_queries):
            query_id = str(1_000_000 + 7 * i)
            qrels.writelines(f"{query_id} 0 {doc} {grade}\n" for doc, grade in judged[i % n_drawn])
            run.write(query_id + query_id.join(rows[i % n_drawn]))
