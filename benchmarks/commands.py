"""Time whole commands as people type them. `make bench` has the table in its page.

Run it alone to print the table::

    python benchmarks/commands.py
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runs import FOLDER, Files, make_files

__all__ = ["PROGRAM", "lines"]

FRESH = Path(__file__).parents[1] / ".cache" / "user" / "bin"
PROGRAM = shutil.which("berryeval", path=str(FRESH)) or "berryeval"
"""Installed as users install it: what a developer has installed looks for its files first."""

PROFILE = (
    "Where the time goes, by callgrind: 244 instructions per row, of which 72 find the columns, "
    "61 parse the score, 26 compare the query with that of the line before, 57 hash the document, "
    "look it up among the judged ones and store the row, 20 look for duplicates, and 8 read lines "
    "again whose query goes on after the end of a block. "
    "Bytes moved per row: the 38 of the line are copied once out of the cache of the operating "
    "system, which is nearly all that `wc -l` does and a fifth of our processor time; 32 are "
    "written for the row, and read again to look for duplicates. "
    "Every correct reader has to pay for the copy, the columns, the score, and a hash of the "
    "document; these are three quarters of the instructions. "
    "The pass over the run alone takes 0.195 s of processor time, and half of that on two cores: "
    "2.3 times `wc -l`. The rest is the judgments: 0.014 s to read them, by one core and before "
    "the first line of the run, and 0.012 s to make their tables, by both."
)
"""Counted for 698,000 rows; it changes with the code, not with the machine."""

N_RUNS, N_TOPICS, N_RETRIEVED = 50, 50, 1000
"""Of a whole TREC track."""
N_QUERIES = 225
"""Of the report, as many as the golden set that ships has."""


@dataclass(frozen=True)
class Command:
    """What is run, how often, and how long it may take."""

    label: str
    arguments: Sequence[str | Path]
    goal: str
    rounds: int = 11


def lines() -> list[str]:
    """Return the section of the page."""
    with tempfile.TemporaryDirectory() as folder:
        found = [_row(command) for command in _commands(Path(folder))]
    return [
        "## Commands",
        "",
        f"Whole processes, of an installed wheel. A track is {N_RUNS} runs of {N_TOPICS} queries x "
        f"{N_RETRIEVED:,} documents; the report is about two runs of {N_QUERIES} queries x 100 "
        "documents, with texts and slices. Processor time is that of all threads, and does not "
        "depend on what else the machine does.",
        "",
        "| command | median, s | processor time, s | goal |",
        "|---|---:|---:|---|",
        *found,
        "",
        *_against_wc(make_files(6980, 1000, 40)),
    ]


def _row(command: Command) -> str:
    elapsed, used = [], []
    for _ in range(command.rounds):
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command.arguments], stdout=subprocess.DEVNULL
        )
        _, status, usage = os.wait4(process.pid, 0)
        elapsed.append(time.perf_counter() - start)
        used.append(usage.ru_utime + usage.ru_stime)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise SystemExit(f"{command.label} ended with {process.returncode}")
    seconds, processor = statistics.median(elapsed), statistics.median(used)
    print(f"  {seconds:7.3f} s {processor:7.3f} s  {command.label}", file=sys.stderr)
    return f"| {command.label} | {seconds:.3f} | {processor:.3f} | {command.goal} |"


def _commands(folder: Path) -> list[Command]:
    small, track, report = make_files(2, 10, 4), _make_track(), _make_report_files()
    queries = ["--queries", report / "queries.json", "--by", "category"]
    both = [report / "old.run", report / "new.run"]
    gate = ["--judgments", report / "qrels", "--run", both[1], "--baseline", both[0],
            "--margin", "nDCG@10=0.5"]  # fmt: skip
    several = sorted(track.glob("*.run"))
    return [
        Command("`python -c pass`", [sys.executable, "-c", "pass"], "", 21),
        Command(
            "`berryeval evaluate` of two queries",
            [PROGRAM, "evaluate", small.qrels, small.run],
            "0.08 s",
            21,
        ),
        Command("`berryeval gate`", [PROGRAM, "gate", *gate], ""),
        Command("`berryeval compare`", [PROGRAM, "compare", report / "qrels", *both], ""),
        Command(
            "`berryeval compare -o report.html`",
            [PROGRAM, "compare", report / "qrels", *both, *queries, "-o", folder / "report.html"],
            "1 s of processor time",
        ),
        Command(
            "`berryeval evaluate` of a track",
            [PROGRAM, "evaluate", track / "qrels", *several],
            "1 s",
        ),
        Command(
            "`berryeval compare` of a track",
            [PROGRAM, "compare", track / "qrels", *several],
            "3 s",
        ),
    ]


def _make_track() -> Path:
    """Write a track: every system finds judged documents more or less early."""
    folder = FOLDER / "track"
    if folder.exists():
        return folder
    draw = random.Random(3)
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    judged = {
        str(query): draw.sample(range(500_000, 1_000_000), 400)
        for query in range(401, 401 + N_TOPICS)
    }
    with (part / "qrels").open("w") as file:
        for query, documents in judged.items():
            grades = [draw.choice((0, 0, 0, 1, 1, 2)) for _ in documents]
            file.writelines(
                f"{query} 0 LA{document} {grade}\n"
                for document, grade in zip(documents, grades, strict=True)
            )
    for number in range(N_RUNS):
        name = f"system{number:02}"
        with (part / f"{name}.run").open("w") as file:
            for query, documents in judged.items():
                found = draw.sample(documents, 250) + draw.sample(range(500_000), 750)
                early = {one: draw.random() - (number + 50) / 400 for one in found[:250]}
                found.sort(key=lambda one: early.get(one) or draw.random())
                file.writelines(
                    f"{query} Q0 LA{document} {rank} {30 - rank * 0.02:.4f} {name}\n"
                    for rank, document in enumerate(found, start=1)
                )
    part.rename(folder)
    return folder


def _make_report_files() -> Path:
    """Write two runs, judgments, and queries with texts and categories."""
    folder = FOLDER / "report"
    if folder.exists():
        return folder
    draw = random.Random(4)
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    queries, judgments = [], []
    texts: dict[str, list[str]] = {"old": [], "new": []}
    for number in range(N_QUERIES):
        query = f"q{number:03}"
        text = " ".join(draw.choice(("how", "do", "I", "export", "all", "my")) for _ in range(9))
        category = ("factual", "how-to", "comparison", "entity")[number % 4]
        queries.append({"id": query, "text": text, "category": category})
        documents = [f"doc{one:05}" for one in draw.sample(range(100_000), 130)]
        judgments += [f"{query} 0 {one} {draw.choice((0, 1, 1, 2))}\n" for one in documents[:10]]
        for name, shift in (("old", 0.9), ("new", 0.8)):
            order = {
                one: draw.random() * (shift if place < 10 else 1)
                for place, one in enumerate(documents)
            }
            texts[name] += [
                f"{query} Q0 {document} {rank} {20 - rank * 0.1:.3f} {name}\n"
                for rank, document in enumerate(sorted(order, key=order.__getitem__)[:100], start=1)
            ]
    (part / "qrels").write_text("".join(judgments))
    (part / "queries.json").write_text(json.dumps(queries))
    for name, rows in texts.items():
        (part / f"{name}.run").write_text("".join(rows))
    part.rename(folder)
    return folder


def _against_wc(files: Files) -> list[str]:
    """Return how long a call takes in a warm process, and `wc -l` on the same file, in turn."""
    code = (
        "import statistics, subprocess, sys, time; import berryeval as be\n"
        "qrels, run, *measures = sys.argv[1:]\n"
        "def seconds(call, *arguments, **more):\n"
        "    start, used = time.perf_counter(), time.process_time(); call(*arguments, **more)\n"
        "    return time.perf_counter() - start, time.process_time() - used\n"
        "pairs = [\n"
        "    (*seconds(be.evaluate, qrels, run, measures),\n"
        "     seconds(subprocess.run, ['wc', '-l', run], stdout=subprocess.DEVNULL)[0])\n"
        "    for _ in range(25)\n"
        "]\n"
        "print(*map(min, zip(*pairs)), statistics.median(own / wc for own, _, wc in pairs))"
    )
    measures = ["nDCG@10", "AP", "RR", "R@100", "P@10", "nDCG"]
    done = subprocess.run(
        [sys.executable, "-c", code, files.qrels, files.run, *measures],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    own, used, wc, ratio = map(float, done.stdout.split())
    return [
        f"`be.evaluate` of {files}, six measures, in a process that runs already: {own:.3f} s at "
        f"best, and {used:.3f} s of processor time; `wc -l` of the run takes {wc:.3f} s on one "
        f"core. {own / wc:.1f} times as long at best, and {ratio:.1f} times at the median of 25 "
        "runs in turn; the goal is 2.5 times.",
        PROFILE,
        "",
    ]


if __name__ == "__main__":
    print("\n".join(lines()))
