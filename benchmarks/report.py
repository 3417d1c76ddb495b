"""Run the benchmarks and write docs/reference/benchmarks.md. Called by ``make bench``."""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import commands
import many_rows

import measures

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "reference" / "benchmarks.md"

# A public C implementation of five of the metrics, one call each, measured on another machine
# with two cores: milliseconds for the same shapes.
PUBLIC_C = {"recall": 21, "precision": 31, "mrr": 18, "ndcg": 43, "hit_rate": 32}


Times = dict[str, dict[str, float]]

SHAPES = [(10, 5), (50, 10), (100, 10), (100, 100), (1000, 10), (1000, 100), (1000, 1000)]


def run_pytest_benchmark() -> Times:
    """Return the statistics of each benchmark, in seconds, by its name."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "benchmarks.json"
        subprocess.run(
            [
                sys.executable, "-m", "pytest", HERE, "-q", "-p", "no:randomly",
                "-o", "addopts=", "-o", f"pythonpath={HERE}",
                f"--benchmark-json={output}", "--benchmark-group-by=group",
                "--benchmark-columns=min,median,rounds", "--benchmark-warmup=on",
            ],
            check=True,
        )  # fmt: skip
        found = json.loads(output.read_text())
    return {
        one["name"].removeprefix("test_"): one["extra_info"]
        | {
            "min": one["stats"]["min"],
            "median": one["stats"]["median"],
        }
        for one in found["benchmarks"]
    }


Memory = dict[str, dict[str, int]]


def run_memory() -> Memory:
    """Return what benchmarks/memory.py prints; nothing where it cannot run."""
    if not Path("/proc/self/clear_refs").exists():
        return {}
    done = subprocess.run(
        [sys.executable, HERE / "memory.py"], check=True, capture_output=True, text=True
    )
    found: Memory = json.loads(done.stdout)
    return found


def time_command(*command: str) -> float:
    """Return the median time of a whole process, in seconds, of 21 runs."""
    seconds = []
    for _ in range(21):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def describe_machine() -> str:
    """Return processor, cores and versions in one sentence."""
    import numpy as np

    from berryeval.backend import backend, n_threads

    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.split(":")[1].strip() for line in lines if "model name" in line), cpu)
    return (
        f"{cpu}, {os.cpu_count()} cores, {n_threads()} threads used, backend {backend().name} "
        f"({backend().simd}), {platform.python_implementation()} {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.system()}"
    )


def resampling(times: Times, memory: Memory) -> list[str]:
    """Return the lines about resampling; all times are those of 10,000 resamples."""

    def seconds(name: str) -> float:
        return times[name]["min"] / times[name]["n_resamples"] * 10_000

    own = seconds("resampling")

    def row(label: str, name: str) -> str:
        return f"| {label} | {seconds(name):.2f} | {seconds(name) / own:.1f} |"

    lines = [
        "## Resampling",
        "",
        "10,000 resamples of 6,980 queries x 12 columns, which are six measures of two systems. "
        "The last two rows are measured on fewer resamples, and multiplied.",
        "",
        "| call | best, s | x the first |",
        "|---|---:|---:|",
        row("`flipped_means`", "resampling"),
        row("`simultaneous_intervals`", "resampling_intervals"),
        row("`flipped_means` without the extension", "resampling_in_python"),
        row("a loop over NumPy's `choice` and `mean`", "resampling_by_numpy_alone"),
        "",
        "The target for the first one is at most 0.5 s and 100 MB.",
    ]
    if memory:
        added = memory["resampling"]["added"] / 1e6
        lines.append(f"Memory rises by {added:.1f} MB during it, its result included.")
    return [*lines, ""]


def page(
    times: Times, memory: Memory, start: dict[str, float], measured_apart: Sequence[str]
) -> str:
    """Lay out the page."""
    copy = times["memory_copy"]["min"]

    def row(label: str, name: str, note: str = "") -> str:
        best, median = times[name]["min"], times[name]["median"]
        return f"| {label} | {best * 1e3:.2f} | {median * 1e3:.2f} | {best / copy:.1f} | {note} |"

    def per_row(n_retrieved: int, n_relevant: int, kind: str) -> float:
        found = times[f"shape[{n_retrieved}-{n_relevant}-{kind}]"]
        return found["min"] / found["n_queries"] * 1e9

    singles = [
        row(
            f"`{name}` at k = 50",
            f"one_metric[{name}]",
            f"public C: {PUBLIC_C[name]} ms" if name in PUBLIC_C else "",
        )
        for name in ("recall", "precision", "mrr", "ndcg", "hit_rate", "average_precision", "f1")
    ]
    one = [
        f"| `{name}` | {times[f'one_query[{name}]']['min'] * 1e6:.2f} "
        f"| {times[f'one_query[{name}]']['median'] * 1e6:.2f} |"
        for name in ("recall", "precision", "mrr", "ndcg", "hit_rate", "average_precision", "f1")
    ]
    million = times["five_million_queries"]
    shapes = [
        f"| {n_retrieved} x {n_relevant} | {per_row(n_retrieved, n_relevant, 'best'):,.0f} "
        f"| {per_row(n_retrieved, n_relevant, 'baseline'):,.0f} |"
        for n_retrieved, n_relevant in SHAPES
    ]
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`; the numbers are from its last run.",
        "",
        f"Machine: {describe_machine()}.",
        "",
        "Method: pytest-benchmark, whole calls through the public functions, validation included.",
        "Data: random ids, half of the relevant ones retrieved (`benchmarks/data.py`).",
        "On a shared machine times vary by half from run to run, so each is also given as a "
        "multiple of a memory copy of `retrieved` (20 MB) in the same run.",
        "",
        "## 100,000 queries x 50 retrieved x 10 relevant",
        "",
        "| call | best, ms | median, ms | copies | |",
        "|---|---:|---:|---:|---|",
        row("memory copy of `retrieved`", "memory_copy"),
        *singles,
        row("`compute_all`, 7 metrics at k = 10", "everything_at_one_k", "target: 14.5 ms"),
        row(
            "`compute_all`, 7 metrics at 5 ks",
            "everything_at_five_ks",
            "target: 14 ms and 7 copies",
        ),
        row("the same, graded", "everything_graded"),
        row("the same, without AVX2", "everything_without_avx2", "target: 14 copies"),
        row("recall by NumPy alone", "numpy_alone", "repeated ids counted twice"),
        "",
        "The public C figures were taken on another machine with two cores; they only show the "
        "order of magnitude.",
        "",
        "## One query",
        "",
        "| call, k = 10 | best, µs | median, µs |",
        "|---|---:|---:|",
        *one,
        f"| `compute_all` at 5 ks | {times['one_query_everything']['min'] * 1e6:.2f} "
        f"| {times['one_query_everything']['median'] * 1e6:.2f} |",
        f"| recall by Python sets | {times['one_query_as_python_sets']['min'] * 1e6:.2f} "
        f"| {times['one_query_as_python_sets']['median'] * 1e6:.2f} |",
        "",
        "Here we are slower: for a single query, a set intersection in plain Python is faster than "
        "any call that must process arrays first.",
        "",
        "## Five million queries x 10 retrieved x 5 relevant",
        "",
        f"nDCG@10 takes {million['min']:.2f} s at best, {million['median']:.2f} s as median.",
    ]
    if memory:
        scoring = memory["scoring"]
        lines.append(
            f"Memory rises by {scoring['added'] / 1e6:.1f} MB during the call, "
            f"{scoring['outputs'] / 1e6:.1f} MB of which are its result; "
            f"the inputs hold {scoring['inputs'] / 1e6:.0f} MB."
        )
    lines += [
        "",
        "## By shape",
        "",
        "Recall, best time in nanoseconds per query, on all threads. With more than 128 relevant "
        "ids, both columns use the hash table.",
        "",
        "| retrieved x relevant | this processor's best | baseline instructions |",
        "|---|---:|---:|",
        *shapes,
        "",
        *measured_apart,
        *resampling(times, memory),
        "## Without the extension",
        "",
        "1,000 queries x 50 retrieved x 10 relevant, 7 metrics at k = 10: "
        f"{times['twin[native]']['min'] * 1e3:.2f} ms in C++, "
        f"{times['twin[python]']['min'] * 1e3:.1f} ms in Python.",
        "",
        "## Start",
        "",
        "| whole process | median, ms |",
        "|---|---:|",
        *(f"| `{command}` | {seconds * 1e3:.0f} |" for command, seconds in start.items()),
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure, write, and show."""
    times = run_pytest_benchmark()
    program = commands.PROGRAM
    start = {
        "python -c pass": time_command(sys.executable, "-c", "pass"),
        "berryeval version": time_command(program, "version"),
        "berryeval measures": time_command(program, "measures"),
    }
    apart = [*many_rows.lines(), *commands.lines(), *measures.lines()]
    text = page(times, run_memory(), start, apart)
    PAGE.write_text(text)
    print(text)
    print(f"Written to {PAGE.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
