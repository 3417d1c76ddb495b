"""Sessions and sources for the command line, which names files."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from berryeval.core.column_names import Kind
from berryeval.core.grouped import Duplicates
from berryeval.core.inputs import note_input
from berryeval.core.judging import Judges
from berryeval.evaluation.sources import load_judgments, load_run
from berryeval.spark.failures import import_spark, translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Cluster", "open_session", "read_frame"]

TABLE = "table:"
"""Prefix that marks the name of a table in Spark's catalogue, in place of a path."""

_QUIET = {"spark.log.level": "OFF", "spark.ui.showConsoleProgress": "false"}
"""A command prints its result and one line per error; settings can turn Spark's own log on."""

_READERS = {
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".orc": "orc",
    ".avro": "avro",
}


@dataclass(frozen=True)
class Cluster:
    """Address and settings of Spark."""

    master: str | None = None
    """Its address; None for Spark's own default."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of Spark."""
    tasks: int | None = None
    """The number of tasks that score; None for Spark's own default."""


@contextmanager
def open_session(
    master: str | None = None, settings: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """Start a session, or use the active one, and stop it at the end if it was started here.

    Parameters
    ----------
    master : str, optional
        Address of the cluster, such as ``yarn``, ``spark://host:7077`` or ``local[*]``. Default:
        that of spark-submit or of Spark's settings, else ``local[*]``.
    settings : mapping, optional
        Settings of Spark, such as ``{"spark.executor.memory": "4g"}``.

    Raises
    ------
    MissingExtraError
        If Spark is not installed.
    SparkError
        If the session does not start.
    """
    import_spark()
    from pyspark.sql import SparkSession

    # Executors on this machine start this Python, not the first one on the path.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    active = SparkSession.getActiveSession()
    builder = SparkSession.builder.appName("berryeval")
    if master is not None:
        builder = builder.master(master)
    for name, value in (_QUIET | dict(settings or {})).items():
        builder = builder.config(name, value)
    with translated():
        session = builder.getOrCreate()
    try:
        yield session
    finally:
        if active is None:
            session.stop()


def read_frame(
    session: SparkSession,
    place: str,
    kind: Kind,
    *,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
) -> DataFrame:
    """Read judgments or a run.

    Spark reads Parquet, ORC and Avro (files, folders and addresses such as ``s3a://…``), and
    tables of its catalogue (``table:logs.judgments``). The driver reads every other format, as
    `berryeval.evaluate` does, and sends it to the executors, which is useful for judgments and for
    small runs.

    Raises
    ------
    FormatError
        For a file of another format that cannot be read.
    SparkError
        If Spark cannot read it.
    """
    if place.startswith(TABLE):
        with translated():
            return session.table(place.removeprefix(TABLE))
    ending = os.path.splitext(place.rstrip("/"))[1].lower()  # noqa: PTH122
    is_folder = os.path.isdir(place)  # noqa: PTH112
    if ending in _READERS or "://" in place or (is_folder and _has_parquet(place)):
        note_input(place)
        with translated():
            return session.read.format(_READERS.get(ending, "parquet")).load(place)
    loaded = (
        load_run(place, duplicates) if kind == "run" else load_judgments(place, duplicates, judges)
    )
    with translated():
        return session.createDataFrame(loaded.to_arrow())


def _has_parquet(folder: str) -> bool:
    from berryeval.formats.beir import has_judgments
    from berryeval.formats.parquet_folder import is_parquet_folder

    return is_parquet_folder(folder) and not has_judgments(folder)
