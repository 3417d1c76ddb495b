"""Runs in all kinds of files, scored in one pass if possible."""

import gzip
import os
import threading

import pytest

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import score, score_at_once
from berryeval.errors import FormatError
from berryeval.formats import write_run
from berryeval.measures import parse_measures

JUDGMENTS = Judgments.from_dict({f"q{i}": {f"d{i % 7}": 1, "d3": 2} for i in range(50)})
RUN = {f"q{i}": {f"d{j}": (i * j) % 5 for j in range(20)} for i in range(0, 60, 2)}
MEASURES = parse_measures("nDCG@10 AP RR num_ret")
TOGETHER = [f"{q} Q0 {d} 1 {s} t\n" for q, ranking in RUN.items() for d, s in ranking.items()]
MIXED = sorted(TOGETHER, key=lambda line: line.split()[2])


def expected():
    return score(JUDGMENTS, Run.from_dict(RUN), MEASURES)


def scored(path):
    """Score a file with the available engine."""
    found = score_at_once(JUDGMENTS, path, MEASURES)
    if found is None:  # no extension
        from berryeval.formats import read_run

        return score(JUDGMENTS, read_run(path), MEASURES)
    return found


def same(a, b) -> bool:
    return (a.query_ids, a.values, a.counts) == (b.query_ids, b.values, b.counts)


@pytest.mark.parametrize("lines", [TOGETHER, MIXED], ids=["together", "mixed"])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_a_file_is_scored(tmp_path, lines, packed):
    """Files may be plain or compressed, grouped or interleaved."""
    path = tmp_path / "a.run"
    text = "".join(lines).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    assert same(scored(path), expected())


@pytest.mark.parametrize("lines", [TOGETHER, MIXED], ids=["together", "mixed"])
def test_a_pipe_is_scored(tmp_path, lines):
    """It can be read only once, even if its queries are interleaved."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text("".join(lines)))
    writer.start()
    assert same(scored(path), expected())
    writer.join()


@pytest.mark.parametrize("lines", [TOGETHER, MIXED], ids=["together", "mixed"])
def test_standard_input_is_scored(tmp_path, monkeypatch, lines):
    """It is named ``-``."""
    path = tmp_path / "a.run"
    path.write_text("".join(lines))
    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": file}))
        assert same(scored("-"), expected())


def test_a_large_file_is_scored(tmp_path):
    """It has several megabytes, so several threads read several pieces."""
    path = tmp_path / "a.run"
    run = {f"q{i}": {f"document-{j}": float(-j) for j in range(100)} for i in range(2000)}
    write_run(Run.from_dict(run), path)
    assert path.stat().st_size > 5_000_000
    judgments = Judgments.from_dict({f"q{i}": {"document-5": 1, "x": 1} for i in range(3000)})
    measures = parse_measures("RR R num_ret")
    specified = score(judgments, Run.from_dict(run), measures)
    found = score_at_once(judgments, path, measures) or specified
    assert same(found, specified)
    assert list(found.values["RR"]).count(1 / 6) == 2000
    zipped = tmp_path / "a.run.gz"
    zipped.write_bytes(gzip.compress(path.read_bytes(), 1))
    assert same(score_at_once(judgments, zipped, measures) or specified, specified)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"q1 Q0 d1 1 1.0 t\nq1 Q0 d2 2\n", "a.run:2: expected 6 columns"),
        (b"q1 Q0 d1 1 1.0 t\nq1 Q0 d2 2 nan t\n", "a.run:2: expected a number as score"),
        (b"q1 Q0 d1 1 1.0 t\nq2 Q0 d1 1 2 t\nq1 Q0 d1 1 2 t\n", "a.run:3: document 'd1'"),
        (b"", "expected judgments or a run, found nothing"),
    ],
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_errors_are_reported_with_their_line(tmp_path, text, message, packed):
    """E1: both engines report them."""
    path = tmp_path / "a.run"
    path.write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(FormatError, match=message):
        scored(path)


def test_a_missing_file_is_an_error(tmp_path):
    """So is a folder, in one line."""
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(FormatError, match="cannot be read"):
            scored(path)


def test_a_damaged_gzip_file_is_an_error(tmp_path):
    """It is truncated."""
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress("".join(TOGETHER).encode())[:-20])
    with pytest.raises(FormatError, match="cannot be read"):
        scored(path)
