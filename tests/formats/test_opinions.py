"""Judges, times, sources and notes in JSON lines, tables, Parquet and Arrow."""

from datetime import datetime, timezone

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments, Opinion, collect_judged
from berryeval.core.origin import Origin
from berryeval.formats import read_judgments, write_judgments

ROWS = [
    JudgedRow(
        1, b"q1", b"d1", 2, b"ada", None, b"pool", b"2026-11-16T08:00:00+00:00", b'a "b",\nc'
    ),
    JudgedRow(2, b"q1", b"d1", 0.5, b"bob"),
    JudgedRow(3, b"q1", b"d2", 1),
    JudgedRow(4, b"q2", b"d1", -1, None, b"s1", b"import"),
    JudgedRow(5, b"q2", b"d\xff", 1, b"ada"),
]


@pytest.mark.parametrize("name", ["jsonl", "table", "parquet", "arrow"])
def test_opinions_survive(tmp_path, name):
    """All their fields survive, including any bytes."""
    judgments = collect_judged(ROWS, Origin("file"))
    write_judgments(judgments, tmp_path / "file", format=name)
    found = read_judgments(tmp_path / "file", format=name)
    assert found == judgments
    assert [*found.iter_opinions()] == [*judgments.iter_opinions()]


@pytest.mark.parametrize("judged_at", [datetime(2026, 11, 16, 8, tzinfo=timezone.utc), None])
def test_a_time_may_be_a_time_of_the_file(tmp_path, judged_at):
    """Parquet and frames have a type for it; a missing value means no time."""
    columns = {"query_id": ["q"], "doc_id": ["d"], "relevance": [1], "judge": ["ada"]}
    table = pa.table(columns | {"judged_at": pa.array([judged_at], pa.timestamp("us", "UTC"))})
    parquet.write_table(table, tmp_path / "a.parquet")
    expected = Opinion(b"ada", 1, judged_at=judged_at and b"2026-11-16T08:00:00+00:00")
    for judgments in (
        read_judgments(tmp_path / "a.parquet"),
        Judgments.from_frame(table),
        Judgments.from_frame(pd.DataFrame(columns | {"judged_at": [judged_at]})),
    ):
        assert judgments.opinions == {b"q": {b"d": [expected]}}


def test_an_arrow_table_for_frames_has_one_row_per_document():
    """Only files have one row per opinion."""
    assert collect_judged(ROWS[:3], Origin("file")).to_arrow().num_rows == 2
