"""Named pipes and standard input: read once, and then treated like files."""

import gzip
import os
import threading
from itertools import repeat
from pathlib import Path
from types import SimpleNamespace

import pytest

import berryeval as be
from berryeval.errors import SizeError
from berryeval.formats import write_queries
from berryeval.formats.lines import Kept, iter_lines
from berryeval.formats.queries.log import iter_log
from berryeval.suite.references import read_baseline

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no FIFOs here")

JUDGMENTS = be.Judgments.from_dict({f"q{i}": {"d1": 1, "d3": 2} for i in range(300)})
RUN = be.Run.from_dict({f"q{i}": {f"d{j}": float(-j) for j in range(30)} for i in range(300)})
QUERIES = [be.Query(f"q{i}", f"how to {i}") for i in range(300)]


@pytest.fixture
def through_pipe(tmp_path):
    """Return the path of a pipe into which the content of a file is written once."""
    threads = []

    def start(path):
        pipe = tmp_path / f"pipe{len(threads)}"
        os.mkfifo(pipe)
        threads.append(threading.Thread(target=pipe.write_bytes, args=(path.read_bytes(),)))
        threads[-1].start()
        return pipe

    yield start
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a.arrow", "a.csv", "a.run", "a.run.gz"])
def test_a_run_in_a_pipe_is_evaluated_like_a_file(tmp_path, through_pipe, name):
    """Its format is detected, for `evaluate` and `read_run`."""
    path = tmp_path / name
    be.write_run(RUN, path)
    assert be.read_run(through_pipe(path)) == RUN
    found = be.evaluate(JUDGMENTS, through_pipe(path), ["nDCG@10"])
    assert found["nDCG@10"].mean == be.evaluate(JUDGMENTS, RUN, ["nDCG@10"])["nDCG@10"].mean


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a.json", "a.qrels"])
def test_judgments_in_a_pipe_are_read_like_a_file(tmp_path, through_pipe, name):
    """Nothing is lost while the format is detected."""
    path = tmp_path / name
    be.write_judgments(JUDGMENTS, path)
    assert be.read_judgments(through_pipe(path)) == JUDGMENTS


@pytest.mark.parametrize("name", ["q.jsonl", "q.csv", "q.json", "topics"])
def test_queries_in_a_pipe_are_read_like_a_file(tmp_path, through_pipe, name):
    """Tables open a file three times."""
    path = tmp_path / name
    write_queries(QUERIES, path)
    assert be.read_queries(through_pipe(path)) == QUERIES


def test_a_query_log_in_a_pipe_is_read_whole(tmp_path, through_pipe):
    """The first line is one of its queries."""
    path = tmp_path / "log.txt"
    path.write_text("sign in\nlog out\n")
    assert [query for query, _ in iter_log(through_pipe(path))] == ["sign in", "log out"]


def test_a_baseline_in_a_pipe_may_be_a_run(tmp_path, through_pipe):
    """Detecting which of them it is loses nothing."""
    path = tmp_path / "a.jsonl"
    be.write_run(RUN, path)
    assert read_baseline(os.fspath(through_pipe(path))) == RUN


def test_standard_input_is_detected(tmp_path, monkeypatch):
    """It may be JSON lines, and compressed."""
    be.write_run(RUN, tmp_path / "a.jsonl")
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress((tmp_path / "a.jsonl").read_bytes()))
    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": file}))
        assert be.evaluate(JUDGMENTS, "-", ["P@1"])["P@1"].mean == 0.0


@pytest.mark.parametrize("in_memory", [10, 1 << 20])
def test_readers_of_a_pipe_do_not_move_each_other(tmp_path, monkeypatch, in_memory):
    """Each has its own position, in memory and in a temporary file."""
    monkeypatch.setattr("berryeval.formats.lines._IN_MEMORY", in_memory)
    monkeypatch.setattr("berryeval.formats.lines._PIECE", 4)
    path = Path(tmp_path / "lines")
    path.write_text("".join(f"line {i}\n" for i in range(50)))
    kept = Kept(path)
    expected = [*iter_lines(path)]
    for one, other in zip(iter_lines(kept), iter_lines(kept), strict=True):
        assert one == other == expected[one[0] - 1]


def test_endless_input_ends_before_it_fills_the_disk(monkeypatch):
    """`yes | berryeval inspect -` stops at half of the free space, with the limit and a way out."""
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=60_000_000))
    monkeypatch.setattr("berryeval.formats.lines.iter_pieces", lambda _: repeat(bytes(1_000_000)))
    with pytest.raises(SizeError) as caught:
        Kept("-")
    assert str(caught.value).startswith("standard input: expected at most 0.03 GB, half of what is")
    assert caught.value.way_out == "write it to a file first"
