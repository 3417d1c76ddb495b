"""Measure berryeval and others on the same files; write docs/reference/benchmarks-peers.md.

Called by ``make bench-peers``. All of it takes some minutes, most of them the others'.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from report import describe_machine
from runs import FOLDER, Files, make_files

HERE = Path(__file__).parent
ROOT = HERE.parent
PAGE = ROOT / "docs" / "reference" / "benchmarks-peers.md"
PEERS = ROOT / ".cache" / "peers" / "bin"
TREC_EVAL = ROOT / ".cache" / "conformance" / "trec_eval-9.0.4"
BIN = Path(sys.executable).parent

OURS = ["nDCG@10", "AP", "RR", "R@100", "P@10", "nDCG"]
TREC = ["ndcg_cut.10", "map", "recip_rank", "recall.100", "P.10", "ndcg"]
RANX = ["ndcg@10", "map", "mrr", "recall@100", "precision@10", "ndcg"]


@dataclass(frozen=True)
class Measured:
    """The best of some runs of a whole process."""

    seconds: float
    median: float
    megabytes: float


# A process inherits the peak memory of its parent, so a small process starts it.
_START = """
import json, os, sys, time
start = time.perf_counter()
to_nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=to_nowhere)
_, status, usage = os.wait4(process, 0)
print(json.dumps([time.perf_counter() - start, usage.ru_maxrss, os.waitstatus_to_exitcode(status)]))
"""


def measure(command: list[str | Path], rounds: int, **settings: str) -> Measured:
    """Run a command some times; its output goes nowhere."""
    seconds, peak = [], 0
    for _ in range(rounds):
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _START, *map(str, command)],
            stdout=subprocess.PIPE,
            env=os.environ | settings,
            check=True,
        )
        took, memory, code = json.loads(done.stdout)
        if code != 0:
            raise SystemExit(f"{command[0]} ended with {code}")
        seconds.append(took)
        peak = max(peak, memory)
    print(f"  {min(seconds):8.3f} s  {Path(command[0]).name}", file=sys.stderr)
    return Measured(min(seconds), statistics.median(seconds), peak / 1e3)


def flags(option: str, names: list[str]) -> list[str]:
    return [part for name in names for part in (option, name)]


def commands(files: Files) -> dict[str, tuple[list[str | Path], int]]:
    """Return what is run, and how often, by what it is called."""
    peer = PEERS / "python"
    contenders = HERE / "contenders"
    return {
        "berryeval evaluate": (
            [BIN / "berryeval", "evaluate", files.qrels, files.run, *flags("-m", OURS)], 5),
        "trec_eval 9.0.4": ([TREC_EVAL, *flags("-m", TREC), files.qrels, files.run], 1),
        "pytrec_eval": (
            [peer, contenders / "pytrec_eval_files.py", files.qrels, files.run, *TREC], 1),
        "ir_measures": ([PEERS / "ir_measures", files.qrels, files.run, *OURS], 1),
        "ranx": ([peer, contenders / "ranx_files.py", files.qrels, files.run, *RANX], 1),
    }  # fmt: skip


def against_peers(files: Files) -> list[str]:
    """Return the lines of a table: all tools on the same files."""
    print(files, file=sys.stderr)
    found = {
        name: measure(command, rounds)
        for name, (command, rounds) in commands(files).items()
        if shutil.which(str(command[0]))
    }
    own = found["berryeval evaluate"]
    lines = ["| whole process | best, s | x berryeval | peak memory, MB |", "|---|---:|---:|---:|"]
    lines += [
        f"| {name} | {one.seconds:.2f} | {one.seconds / own.seconds:.0f} | {one.megabytes:.0f} |"
        for name, one in found.items()
    ]
    return [f"### {files}", "", "Six measures: " + ", ".join(OURS) + ".", "", *lines, ""]


def engine_alone(files: Files) -> list[str]:
    """Return how long the engine takes without the start of a process, and what wc takes."""
    code = (
        "import sys, time; import berryeval as be; from berryeval.evaluation.evaluate import *\n"
        "best = 1e9\n"
        "for _ in range(5):\n"
        "    start = time.perf_counter(); be.evaluate(sys.argv[1], sys.argv[2], sys.argv[3:])\n"
        "    best = min(best, time.perf_counter() - start)\n"
        "print(best)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, files.qrels, files.run, *OURS],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    engine = float(done.stdout)
    wc = measure(["wc", "-l", files.run], 5).seconds
    return [
        f"`be.evaluate` on the two files of {files.n_queries:,} x {files.depth:,}, in a process "
        f"that runs already: {engine:.2f} s; `wc -l` of the run: {wc:.2f} s, so "
        f"{engine / wc:.1f} times as long.",
        "",
    ]


def everything(files: Files) -> list[str]:
    """Return how long all measures of trec_eval take, printed for each query."""
    own = measure(
        [BIN / "berryeval", "trec_eval", "-q", "-m", "all_trec", files.qrels, files.run], 3
    )
    lines = ["| whole process | best, s | x berryeval |", "|---|---:|---:|",
             f"| berryeval trec_eval -q -m all_trec | {own.seconds:.2f} | 1 |"]  # fmt: skip
    if TREC_EVAL.exists():
        peer = measure([TREC_EVAL, "-q", "-m", "all_trec", files.qrels, files.run], 1)
        ratio = peer.seconds / own.seconds
        lines.append(f"| trec_eval 9.0.4, the same | {peer.seconds:.2f} | {ratio:.0f} |")
    return [*lines, ""]


def dicts(n_queries: int, depth: int) -> list[str]:
    """Return how long dicts of dicts take."""
    lines = [
        "| in one process, warm | in score order, s | x berryeval | shuffled, s | x berryeval |",
        "|---|---:|---:|---:|---:|",
    ]
    own: dict[str, float] = {}
    for library in ("berryeval", "pytrec_eval", "ranx"):
        python = Path(sys.executable) if library == "berryeval" else PEERS / "python"
        if not python.exists():
            continue
        row = f"| {library} "
        orders = ("in-order",) if library == "ranx" else ("in-order", "shuffled")
        for order in orders:
            script = HERE / "contenders" / "dicts.py"
            done = subprocess.run(
                [python, script, library, str(n_queries), str(depth), order],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            seconds = json.loads(done.stdout.splitlines()[-1])["seconds"]
            own.setdefault(order, seconds)
            row += f"| {seconds:.2f} | {seconds / own[order]:.1f} "
            print(f"  {seconds:8.3f} s  {library}, {order}", file=sys.stderr)
        lines.append(row + "| | " * (2 - len(orders)) + "|")
    return [
        f"A run of {n_queries:,} x {depth:,}, 12 judged per query, five measures.",
        "",
        *lines,
        "",
    ]


def compressed(files: Files) -> list[str]:
    """Return how long a gzip file takes, and what it is made of."""
    packed = files.run.with_suffix(".run.gz")
    if not packed.exists():
        with files.run.open("rb") as source, gzip.open(packed, "wb", 6) as target:
            shutil.copyfileobj(source, target, 1 << 20)
    evaluate = [BIN / "berryeval", "evaluate", files.qrels]
    own = measure([*evaluate, packed, *flags("-m", OURS)], 5).seconds
    scan = measure([*evaluate, files.run, *flags("-m", OURS)], 5, BERRYEVAL_THREADS="1").seconds
    inflate = (
        "import sys; from isal import igzip\n"
        "with igzip.open(sys.argv[1]) as file:\n"
        "    while file.read(1 << 20): pass"
    )
    alone = measure([sys.executable, "-c", inflate, packed], 5).seconds
    longer = max(scan, alone)
    return [
        f"{packed.stat().st_size / 1e6:,.0f} MB, gzip level 6: {own:.2f} s. Inflating alone (isal) "
        f"takes {alone:.2f} s, the plain file with one thread {scan:.2f} s: "
        f"{own / longer:.2f} times the longer of the two.",
        "",
    ]


def parquet(files: Files) -> list[str]:
    """Return how long a Parquet file of the same rows takes."""
    packed = files.run.with_suffix(".parquet")
    if not packed.exists():
        subprocess.run([BIN / "berryeval", "convert", files.run, packed], check=True)
    done = subprocess.run(
        [sys.executable, HERE / "contenders" / "arrow_table.py", files.qrels, packed],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    found = json.loads(done.stdout)
    return [
        f"{files.n_queries * files.depth / 1e6:,.0f} million rows: polars reads them in "
        f"{found['read']:.2f} s, `be.evaluate` of the frame takes {found['evaluate']:.2f} s more.",
        "",
    ]


class Spent(NamedTuple):
    """What a call took, in seconds."""

    elapsed: float
    processors: float


class Contender:
    """A process that fuses two runs in memory when it is asked to."""

    def __init__(self, library: str, n_queries: int, depth: int) -> None:
        python = Path(sys.executable) if library == "berryeval" else PEERS / "python"
        script = HERE / "contenders" / "fusion.py"
        self._process = subprocess.Popen(
            [python, script, library, str(n_queries), str(depth)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.methods: list[str] = json.loads(self._answer())

    def fuse(self, method: str) -> Spent:
        """Fuse once."""
        assert self._process.stdin is not None
        print(method, file=self._process.stdin, flush=True)
        return Spent(*map(float, self._answer().split()))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


def fused_in_turn(
    libraries: Sequence[str], n_queries: int, rounds: int
) -> dict[str, list[list[Spent]]]:
    """Return the times of each method, by round and library; they take turns, all of them warm.

    On a shared machine, what slows one of them down then also slows down the other.
    """
    contenders = [Contender(library, n_queries, 1000) for library in libraries]
    found: dict[str, list[list[Spent]]] = {method: [] for method in contenders[0].methods}
    for _ in range(rounds):
        for method, times in found.items():
            times.append([one.fuse(method) for one in contenders])
    for one in contenders:
        one.close()
    for method, times in found.items():
        shown = [" / ".join(f"{spent.elapsed:.3f}" for spent in each) for each in times]
        print(f"  {' / '.join(libraries)}, {method}: {', '.join(shown)}", file=sys.stderr)
    return found


def fusion() -> list[str]:
    """Return how long two runs take to be fused, in memory."""
    libraries = ["berryeval", "ranx"] if (PEERS / "python").exists() else ["berryeval"]
    both = fused_in_turn(libraries, 500, 7)
    large = fused_in_turn(["berryeval"], 5000, 5)
    lines = [
        "| two runs in memory, warm | 1 million rows, s | ranx, s | x berryeval "
        "| x its processor time | 10 million rows, s |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, rounds in both.items():
        peer = "| |"
        if len(libraries) > 1:
            ratio = statistics.median(theirs.elapsed / own.elapsed for own, theirs in rounds)
            used = statistics.median(theirs.processors / own.processors for own, theirs in rounds)
            peer = f"{_best(rounds, 1):.2f} | {ratio:.0f} | {used:.0f}"
        lines.append(f"| {name} | {_best(rounds, 0):.3f} | {peer} | {_best(large[name], 0):.2f} |")
    return [
        "Two runs of 500 or 5,000 queries x 1,000 rows, which share half of their documents. "
        "Both tools take turns, seven times. Times are the best of these; factors are medians over "
        "the turns. The factor of processor time varies less on a busy machine.",
        "",
        *lines,
        "",
    ]


def _best(rounds: Sequence[Sequence[Spent]], place: int) -> float:
    return min(each[place].elapsed for each in rounds)


def growth() -> list[str]:
    """Return how time and memory grow with the rows."""
    lines = ["| rows | MB | best, s | ns per row | peak memory, MB |", "|---:|---:|---:|---:|---:|"]
    for millions in (1, 10, 100):
        files = make_files(millions * 1000, 1000, 10)
        command = [BIN / "berryeval", "evaluate", files.qrels, files.run, *flags("-m", OURS)]
        found = measure(command, 3)
        size = files.run.stat().st_size / 1e6
        lines.append(
            f"| {millions} million | {size:,.0f} | {found.seconds:.2f} "
            f"| {found.seconds / millions * 1e3:.0f} | {found.megabytes:.0f} |"
        )
    return ["1,000 rows and 10 judged documents per query.", "", *lines, ""]


def small() -> list[str]:
    """Return how long two queries take, which is mostly the start."""
    files = make_files(2, 10, 4)
    own, peer = (commands(files)[name][0] for name in ("berryeval evaluate", "pytrec_eval"))
    seconds = measure(own, 21)
    lines = [
        "| whole process, 2 queries | median, s |",
        "|---|---:|",
        f"| berryeval evaluate | {seconds.median:.3f} |",
    ]
    if Path(peer[0]).exists():
        lines.append(f"| pytrec_eval | {measure(peer, 21).median:.3f} |")
    return [*lines, ""]


def page() -> str:
    """Measure everything, and return the page."""
    large = make_files(6980, 1000, 40)
    wide = make_files(50_000, 100, 10)
    sections = {
        "From files to means": [
            *against_peers(large), *against_peers(wide), *engine_alone(large)],
        "Every measure of trec_eval, for each query": everything(large),
        "Dicts of dicts": dicts(100_000, 100),
        "Compressed": compressed(large),
        "Parquet": parquet(make_files(10_000, 1000, 10)),
        "Fusion": fusion(),
        "Growth": growth(),
        "Start": small(),
    }  # fmt: skip
    text = [
        "# Benchmarks against other tools",
        "",
        "Written by `make bench-peers`; the numbers are from its last run. The tools ran one at a "
        "time on the same files, which had been read once before.",
        "",
        f"Machine: {describe_machine()}. It is shared, and times vary by half: trust the ratios.",
        "",
        "Files are random (`benchmarks/runs.py`): scores fall, and half of the judged documents "
        "are retrieved. The time of berryeval is the best of five runs; the others run once. ranx "
        "is warm: its compiled code is cached on disk, and the first run after an install takes "
        "twice as long.",
        "",
    ]
    for title, lines in sections.items():
        text += [f"## {title}", "", *lines]
    return "\n".join(text)


def main() -> None:
    """Measure, write, and show."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = page()
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
