"""Measure one machine and Spark, and write the tables of docs/explanation/scale.md.

``make bench-scale`` runs it. Sizes are in rows; the held-out one checks the model. Spark's share of
a smaller machine is measured by ``--rows 100000,1000000 --held-out 300000``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import cluster
from cluster import N_CORES, Job
from local import MEASURES
from model import Cluster, Line, Model
from rows import JUDGED_PER_QUERY, ROWS_PER_QUERY, dataset
from skew import Skewed, skewed_data

import berryeval as be

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "scale.md"
SIZES = (1_000_000, 10_000_000, 100_000_000)
HELD_OUT = 30_000_000
GOAL = 100_000_000_000
SKEWED = 10_000_000
CLUSTERS = (
    Cluster(10, 16, 1.25e9, 1e9),
    Cluster(50, 16, 1.25e9, 1e9),
    Cluster(50, 16, 3.1e9, 2e9),
    Cluster(200, 16, 1.25e9, 1e9),
)


def main() -> None:
    """Measure, fit, check and write."""
    asked = _arguments()
    sizes = [*asked.rows, asked.held_out]
    for size in sizes:
        dataset(size)
    locals_ = {n: {size: _local(size, n) for size in sizes} for n in (1, N_CORES)}
    with cluster.running() as spark:
        # Java compiles hot code only: the first seconds of work take twice as long.
        cluster.measure(spark, dataset(sorted(sizes)[-2]), MEASURES)
        jobs = {size: cluster.measure(spark, dataset(size), MEASURES) for size in sizes}
    skewed = [(one, _on_new_cluster(one, min(sizes))) for one in skewed_data(asked.skewed)]
    for size in sizes:
        assert jobs[size].means == locals_[1][size]["means"], "Spark has other means"
    for one, job in skewed:
        expected = be.evaluate(one.data.judgments, one.data.run, MEASURES).to_dict()
        assert job.means == expected, f"Spark has other means: {one.label}"
    blocks = {
        "speed": _speed(locals_, jobs, max(asked.rows)),
        "overhead": _overhead(locals_[N_CORES], jobs, asked.rows),
        "model": _model(locals_[N_CORES], jobs, asked.rows, asked.held_out),
        "memory": _memory(jobs[max(asked.rows)], max(asked.rows), skewed),
    }
    for name, lines in ((name, [*lines]) for name, lines in blocks.items()):
        print(f"\n{name}\n", *lines, sep="\n")
        if not asked.dry_run:
            _replace_block(name, lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=_numbers, default=SIZES, help="sizes that are fitted")
    parser.add_argument("--held-out", type=int, default=HELD_OUT)
    parser.add_argument("--skewed", type=int, default=SKEWED, help="rows of one long query")
    parser.add_argument("--dry-run", action="store_true", help="print, and write nothing")
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return [int(one) for one in text.split(",")]


def _local(n_rows: int, n_cores: int) -> dict:
    """Measure in a new process, whose threads and memory are its own."""
    script = Path(__file__).with_name("local.py")
    done = subprocess.run(
        [sys.executable, script, str(n_rows), str(n_cores)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def _on_new_cluster(skewed: Skewed, warm_up: int) -> Job:
    """Measure on a cluster of its own: Python processes keep the memory of earlier jobs."""
    with cluster.running() as spark:
        cluster.measure(spark, dataset(warm_up), MEASURES)
        return cluster.measure(spark, skewed.data, MEASURES)


def _speed(locals_: dict, jobs: dict[int, Job], size: int) -> Iterator[str]:
    yield _machine()
    yield ""
    yield f"{size:,} rows, 1,000 per query, from Parquet to the means of six measures:"
    yield ""
    columns = (
        "cores",
        "seconds",
        "rows/s",
        "rows/s per core",
        "scoring alone, rows per core-second",
    )
    yield f"| engine | {' | '.join(columns)} |"
    yield "|---|---:|---:|---:|---:|---:|"
    for n, results in locals_.items():
        seconds, scoring = results[size]["seconds"], results[size]["scoring"]
        yield _row("local", n, seconds, size, size / scoring)
    job = jobs[size]
    yield _row("Spark local-cluster", N_CORES, job.seconds, size, size / job.scoring)
    share = locals_[1][size]["scoring"] / job.scoring
    of_tasks = job.scoring / job.task_seconds
    yield ""
    yield (
        f"In a Spark task, scoring reaches {share:.0%} of the local engine's rows per second and "
        f"core. It takes {of_tasks:.0%} of the time of all tasks: the rest is reading, shuffling, "
        "sorting, and moving rows from Java to Python."
    )


def _row(name: str, cores: int, seconds: float, size: int, scoring: float) -> str:
    speed = size / seconds
    return (
        f"| {name} | {cores} | {seconds:,.1f} | {_millions(speed)} | {_millions(speed / cores)} "
        f"| {_millions(scoring)} |"
    )


def _millions(number: float) -> str:
    return f"{number / 1e6:.2f} M"


def _overhead(local: dict, jobs: dict[int, Job], sizes: Sequence[int]) -> Iterator[str]:
    yield f"| rows | local, {N_CORES} cores, s | Spark, {N_CORES} cores, s | Spark / local |"
    yield "|---:|---:|---:|---:|"
    for size in sizes:
        here, there = local[size]["seconds"], jobs[size].seconds
        yield f"| {size:,} | {here:,.2f} | {there:,.1f} | {there / here:.1f} |"


def _model(local: dict, jobs: dict[int, Job], sizes: Sequence[int], held_out: int) -> Iterator[str]:
    line = Line.through(sizes, [jobs[size].seconds for size in sizes])
    own = Line.through(sizes, [local[size]["seconds"] for size in sizes])
    largest = max(sizes)
    model = Model(line, N_CORES, jobs[largest].shuffle_bytes / largest)
    predicted, measured = line.at(held_out), jobs[held_out].seconds
    yield "| quantity | value |"
    yield "|---|---:|"
    yield f"| Spark: seconds that do not depend on rows | {line.fixed:.1f} |"
    yield f"| Spark: core-seconds per million rows | {line.per_row * N_CORES * 1e6:.2f} |"
    yield f"| local: core-seconds per million rows | {own.per_row * N_CORES * 1e6:.3f} |"
    yield f"| bytes per row that the shuffle moves | {model.shuffle_bytes:.1f} |"
    yield (
        f"| {held_out:,} rows, which were not fitted: predicted / measured, s "
        f"| {predicted:,.1f} / {measured:,.1f} ({predicted / measured - 1:+.0%}) |"
    )
    for cores in (4, 16, 64):
        rows = model.pays_from(own, cores)
        shown = "never" if rows is None else f"from {_rounded(rows)} rows on"
        yield f"| Spark on {cores} cores is faster than one machine of {N_CORES} | {shown} |"
    yield ""
    yield f"What {GOAL:,} rows take, by this model:"
    yield ""
    yield "| cluster | cores busy | network busy | disks busy | about | limit | shuffle |"
    yield "|---|---:|---:|---:|---:|---|---:|"
    for one in CLUSTERS:
        found = model.on(one, GOAL)
        name = (
            f"{one.n_machines} machines, {one.n_cores} cores, {one.network * 8 / 1e9:.0f} Gbit/s, "
            f"disks {one.disk / 1e9:.0f} GB/s"
        )
        times = " | ".join(map(_duration, (found.cores, found.network, found.disk, found.seconds)))
        size = GOAL * model.shuffle_bytes / 1e12
        yield f"| {name} | {times} | {found.limit} | {size:.1f} TB |"


def _rounded(number: float) -> str:
    digits = len(str(int(number))) - 2
    return f"{round(number, -max(digits, 0)):,.0f}"


def _duration(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds < 3 * 3600 else f"{seconds / 3600:,.1f} h"


def _memory(usual: Job, n_rows: int, skewed: Sequence[tuple[Skewed, Job]]) -> Iterator[str]:
    yield (
        "| data | rows | judgments | s | most memory of a Python process "
        "| of the Java process of an executor |"
    )
    yield "|---|---:|---:|---:|---:|---:|"
    n_judged = n_rows // ROWS_PER_QUERY * JUDGED_PER_QUERY
    yield _memory_row(f"{ROWS_PER_QUERY:,} rows per query", n_rows, n_judged, usual)
    for one, job in skewed:
        yield _memory_row(one.label, one.data.n_rows, one.n_judged, job)


def _memory_row(label: str, n_rows: int, n_judged: int, job: Job) -> str:
    memory = f"{_megabytes(job.worker_bytes)} | {_megabytes(job.executor_bytes)}"
    return f"| {label} | {n_rows:,} | {n_judged:,} | {job.seconds:,.1f} | {memory} |"


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _machine() -> str:
    names = ("pyspark", "pyarrow")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return f"Python {platform.python_version()}, {packages}; {os.cpu_count()} processors."


def _replace_block(name: str, lines: Sequence[str]) -> None:
    begin = f"<!-- {name}: written by `make bench-scale` -->"
    end = f"<!-- end of {name} -->"
    page = PAGE.read_text(encoding="utf-8")
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(end)
    if not (found and ended):
        raise SystemExit(f"{PAGE}: expected {begin} and {end}, found no such block")
    PAGE.write_text("".join((before, "\n".join((begin, "", *lines, "", end)), after)), "utf-8")


if __name__ == "__main__":
    main()
