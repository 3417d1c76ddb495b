"""Spark with two executor processes of one core each, and what its jobs cost."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from rows import Dataset

import berryeval.spark
from berryeval.evaluation.partitions import ScoringPlan
from berryeval.spark import scoring, tasks

N_CORES = 2


class Job(NamedTuple):
    """What one evaluation cost."""

    seconds: float
    scoring: float
    """Seconds of the processor in the function that scores, over all tasks."""
    task_seconds: float
    """Seconds in tasks of all stages."""
    shuffle_bytes: int
    worker_bytes: int
    """The most memory of a Python process of an executor."""
    executor_bytes: int
    """The most memory of the Java process of an executor."""
    means: dict[str, float]


@contextmanager
def running(memory: str = "1024") -> Iterator[Any]:
    """Start the cluster, and stop it."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    folder = tempfile.mkdtemp(prefix="berryeval-scale-", dir=os.environ.get("SCALE_TMPDIR"))
    spark = (
        SparkSession.builder.master(f"local-cluster[{N_CORES},1,{memory}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", folder)
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("ERROR")
    try:
        yield spark
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


def measure(spark: Any, data: Dataset, measures: list[str], **options: Any) -> Job:
    """Evaluate a data set from Parquet to means."""
    spent = spark.sparkContext.accumulator(0.0)
    judgments = spark.read.parquet(str(data.judgments))
    run = spark.read.parquet(str(data.run))
    before = _stage_ids(spark)
    with _timed(spent), _watched(spark) as peaks:
        start = time.perf_counter()
        scores = berryeval.spark.evaluate(judgments, run, measures, **options)
        result = berryeval.spark.collect(scores)
        seconds = time.perf_counter() - start
    stages = [one for one in _stages(spark) if one.stageId() not in before]
    return Job(
        seconds,
        spent.value,
        sum(one.executorRunTime() for one in stages) / 1000,
        sum(one.shuffleWriteBytes() for one in stages),
        peaks["worker"],
        peaks["executor"],
        result.to_dict(),
    )


@contextmanager
def _timed(spent: Any) -> Iterator[None]:
    """Let tasks add up how long they score."""
    plain = scoring.in_partitions

    def timing(batches: Any, plan: ScoringPlan) -> Any:
        score = tasks._score

        def score_timed(parts: Any, wanted: ScoringPlan) -> Any:
            start = time.process_time()
            found = score(parts, wanted)
            spent.add(time.process_time() - start)
            return found

        tasks._score = score_timed
        try:
            yield from tasks.score_batches(batches, plan)
        finally:
            tasks._score = score

    def in_partitions(frame: Any, task: Any, *more: Any) -> Any:
        return plain(frame, partial(timing, plan=task.keywords["plan"]), *more)

    scoring.in_partitions = in_partitions
    try:
        yield
    finally:
        scoring.in_partitions = plain


@contextmanager
def _watched(spark: Any) -> Iterator[dict[str, int]]:
    """Note the memory of the processes of executors, five times a second."""
    peaks = {"worker": 0, "executor": 0}
    is_over = threading.Event()
    application = spark.sparkContext.applicationId

    def watch() -> None:
        while not is_over.wait(0.2):
            parents = {}
            for pid, words in _processes():
                if application in words and "--executor-id" in words:
                    parents[pid] = "executor"
                    peaks["executor"] = max(peaks["executor"], _memory(pid))
            for pid, words in _processes():
                if any("pyspark" in word for word in words) and _grandparents(pid) & parents.keys():
                    peaks["worker"] = max(peaks["worker"], _memory(pid))

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peaks
    finally:
        is_over.set()
        thread.join()


def _processes() -> Iterator[tuple[int, list[str]]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                yield int(folder.name), (folder / "cmdline").read_bytes().decode().split("\0")
            except OSError:  # it has ended already
                continue


def _status(pid: int, field: str) -> int:
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(rf"^{field}:\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def _memory(pid: int) -> int:
    return 1024 * _status(pid, "VmRSS")


def _grandparents(pid: int) -> set[int]:
    parent = _status(pid, "PPid")
    return {parent, _status(parent, "PPid")}


def _stages(spark: Any) -> list[Any]:
    context = spark.sparkContext
    quantiles = context._gateway.new_array(context._jvm.double, 0)
    is_detailed = has_summaries = False
    store = context._jsc.sc().statusStore()
    found = store.stageList(None, is_detailed, has_summaries, quantiles, None)
    return [found.apply(i) for i in range(found.size())]


def _stage_ids(spark: Any) -> set[int]:
    return {one.stageId() for one in _stages(spark)}
