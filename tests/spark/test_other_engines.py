"""The examples of docs/how-to/evaluate-with-spark.md for other engines, run unchanged."""

import importlib
import os
import re
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")

from pyarrow import parquet  # noqa: E402

import berryeval as be  # noqa: E402
from spark.cases import assert_same, table, tricky  # noqa: E402

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "evaluate-with-spark.md"
ENGINES = ("dask", "duckdb", "polars")
LONGEST = 10


def example(engine):
    """Return the block of code that imports an engine."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (found,) = [block for block in blocks if re.search(rf"import {engine}\b", block)]
    return found


@pytest.mark.parametrize("engine", ENGINES)
def test_the_example_gives_the_bits_of_one_machine(engine, tmp_path, monkeypatch):
    """Each is run unchanged, in a folder with the files that it names."""
    if os.environ.get("SPARK_REQUIRED"):
        importlib.import_module(engine)
    else:
        pytest.importorskip(engine)
    judgments, run = tricky(21, n_queries=60)
    parquet.write_table(table(judgments, "relevance"), tmp_path / "judgments.parquet")
    parquet.write_table(table(run, "score"), tmp_path / "run.parquet")
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(example(engine), engine, "exec"), names)  # noqa: S102 - it is ours
    expected = be.evaluate("judgments.parquet", "run.parquet", ["nDCG@10", "AP"])
    assert_same(names["result"], expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_example_is_short(engine):
    """It has at most ten lines besides imports."""
    lines = [line for line in example(engine).splitlines() if line.strip()]
    assert sum("import" not in line for line in lines) <= LONGEST
