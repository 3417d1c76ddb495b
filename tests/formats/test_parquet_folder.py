"""Folders of Parquet files: one table, in the form that Spark writes."""

import os
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import berryeval as be
from berryeval.backend import backend
from berryeval.core.inputs import keep_inputs
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import parquet as parquet_format
from berryeval.formats.parquet_folder import files_in

RUN = {f"q{i}": {f"d{k}": float(k) for k in range(1 + i % 5)} for i in range(23)}


def part(folder, name, rows, number="score"):
    """Write a file of a folder."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    columns = [*map(list, zip(*rows, strict=True))]
    parquet.write_table(pa.table(columns, names=["query_id", "doc_id", number]), file)


def test_a_query_may_be_in_several_files(tmp_path):
    """Files are read in the order of their paths; hidden files are ignored."""
    folder = tmp_path / "run"
    part(folder, "part-1.parquet", [("q1", "a", 1.0), ("q2", "a", 1.0)])
    part(folder, "day=2/part-0.parquet", [("q1", "b", 2.0)])
    part(folder, "_temporary/part-2.parquet", [("q9", "x", 2.0)])
    part(folder, ".hidden.parquet", [("q9", "y", 2.0)])
    (folder / "_SUCCESS").touch()
    assert be.read_run(folder).to_dict() == {"q1": {"b": 2.0, "a": 1.0}, "q2": {"a": 1.0}}


@pytest.mark.skipif(backend().name != "native", reason="the Python twin reads a whole run")
def test_a_folder_is_scored_file_by_file(tmp_path, monkeypatch):
    """A query may go on in the next file; the whole table is never in memory."""
    folder = tmp_path / "run"
    part(folder, "part-0.parquet", [("q1", "a", 1.0)])
    part(folder, "part-1.parquet", [("q1", "b", 2.0), ("q2", "a", 1.0)])
    monkeypatch.setattr(parquet_format, "read_table", None)
    judgments = {"q1": {"a": 1}, "q2": {"a": 1}}
    assert be.evaluate(judgments, folder, "RR")["RR"].mean == 0.75


@pytest.mark.parametrize(
    "rows",
    [[("q1", "b", 2)], [("q1", "b", 2.0), ("q2", "a", 1.0), ("q1", "c", 3.0)]],
    ids=["whole numbers", "rows apart"],
)
def test_files_that_cannot_follow_each_other_are_read_at_once(tmp_path, rows):
    """Files with other types, or with queries of earlier files, score like one table."""
    folder = tmp_path / "run"
    part(folder, "part-0.parquet", [("q1", "a", 1.0)])
    part(folder, "part-1.parquet", rows)
    expected = be.evaluate({"q1": {"a": 1}}, be.read_run(folder), "RR")
    assert be.evaluate({"q1": {"a": 1}}, folder, "RR").to_dict() == expected.to_dict()


def test_judgments_may_be_a_folder(tmp_path):
    """The folder of a golden set, or of BEIR, still has its own meaning."""
    folder = tmp_path / "judgments"
    part(folder, "part-0.parquet", [("q1", "a", 1)], "relevance")
    part(folder, "part-1.parquet", [("q2", "b", 2)], "relevance")
    assert be.read_judgments(folder).to_dict() == {"q1": {"a": 1.0}, "q2": {"b": 2.0}}
    assert be.evaluate(folder, {"q1": ["a"], "q2": ["x", "b"]}, "RR")["RR"].mean == 0.75
    (folder / "judgments.jsonl").write_text('{"query_id": "q7", "doc_id": "d", "relevance": 1}\n')
    assert be.read_judgments(folder).to_dict() == {"q7": {"d": 1.0}}


@pytest.mark.parametrize("n_files", [1, 2, 5, 23, 100])
def test_what_is_written_has_whole_queries_in_each_file(tmp_path, n_files):
    """The run that is read is the one that was written."""
    run = be.Run.from_dict(RUN)
    run.tag = "mine"
    folder = tmp_path / "run.parquet"
    be.write_run(run, folder, partitions=n_files)
    files = files_in(folder)
    assert [Path(one).name for one in files] == [
        f"part-{number:05}.parquet" for number in range(len(files))
    ]
    assert len(files) <= min(n_files, 23)
    assert n_files > 5 or len(files) == n_files
    seen = [set(parquet.read_table(one).column("query_id").to_pylist()) for one in files]
    assert sum(map(len, seen)) == 23
    again = be.read_run(folder)
    assert again == run
    assert again.tag == "mine"


def test_an_empty_run_is_one_file(tmp_path):
    """A folder without files would not be a table."""
    be.write_run(be.Run.from_dict({}), tmp_path / "run", partitions=4)
    assert be.read_run(tmp_path / "run").n_rows == 0


def test_a_folder_of_parquet_is_replaced_and_nothing_else(tmp_path):
    """Other existing data is never overwritten."""
    run = be.Run.from_dict(RUN)
    folder = tmp_path / "run"
    be.write_run(run, folder, partitions=9)
    (folder / "_SUCCESS").touch()
    be.write_run(run, folder, partitions=2)
    assert len(files_in(folder)) == 2
    assert [*tmp_path.iterdir()] == [folder]
    (folder / "notes.md").touch()
    with pytest.raises(FormatError, match=r"has other files than Parquet \(notes.md\)"):
        be.write_run(run, folder, partitions=2)
    (tmp_path / "file").touch()
    with pytest.raises(FormatError, match="is a file; name a folder"):
        be.write_run(run, tmp_path / "file", partitions=2)
    with pytest.raises(FormatError, match="cannot be written: No such file"):
        be.write_run(run, tmp_path / "none" / "run", partitions=2)


def test_a_folder_that_cannot_be_replaced_stays(tmp_path, monkeypatch):
    """The previous run is complete, and nothing else is left."""
    folder = tmp_path / "run"
    be.write_run(be.Run.from_dict(RUN), folder, partitions=2)
    rename = os.rename

    def refuse(source, target):
        if str(source).endswith(".partial"):
            raise PermissionError(1, "Operation not permitted")
        rename(source, target)

    monkeypatch.setattr(os, "rename", refuse)
    with pytest.raises(FormatError, match="Operation not permitted"):
        be.write_run(be.Run.from_dict({"q": {"d": 1.0}}), folder, partitions=1)
    assert be.read_run(folder) == be.Run.from_dict(RUN)
    assert [*tmp_path.iterdir()] == [folder]


def test_what_is_no_number_of_files_is_refused(tmp_path):
    """Other formats cannot be a folder, either."""
    run = be.Run.from_dict(RUN)
    for number in (0, 10_001):
        with pytest.raises(ArgumentError, match="partitions: expected a whole number from 1"):
            be.write_run(run, tmp_path / "run", partitions=number)
    with pytest.raises(ArgumentError, match="partitions: expected the format parquet"):
        be.write_run(run, tmp_path / "run", format="trec", partitions=2)


def test_files_must_have_the_same_types(tmp_path):
    """The message names the folder."""
    part(tmp_path / "run", "a.parquet", [("q1", "a", 1.0)])
    part(tmp_path / "run", "b.parquet", [("q1", "b", "high")])
    with pytest.raises(FormatError, match="columns of the same types"):
        be.read_run(tmp_path / "run")


def test_a_damaged_file_is_named(tmp_path):
    """The message names the one of many files that is damaged."""
    part(tmp_path / "run", "a.parquet", [("q1", "a", 1.0)])
    (tmp_path / "run" / "b.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(FormatError, match=r"b\.parquet: cannot be read: damaged"):
        be.read_run(tmp_path / "run")


def test_a_folder_of_something_else_cannot_be_read(tmp_path):
    """The error is that of any folder."""
    with pytest.raises(FormatError, match="cannot be read: Is a directory"):
        be.read_run(tmp_path)


def test_an_input_is_not_overwritten(tmp_path):
    """Files of a folder that a command reads are inputs."""
    folder = tmp_path / "run"
    be.write_run(be.Run.from_dict(RUN), folder, partitions=2)
    with keep_inputs():
        run = be.read_run(folder)
        with pytest.raises(FormatError, match="is an input of this command"):
            be.write_run(run, folder / "part-00000.parquet")
