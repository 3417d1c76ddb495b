"""Many runs are scored and compared together: judgments are read once, and signs drawn once."""

import subprocess
import sys

import numpy as np
import pytest

_COUNTING = """
import sys
opened = []
def note(event, arguments):
    if event == "open" and str(arguments[0]) == "qrels.txt":
        opened.append(arguments[0])
sys.addaudithook(note)
from berryeval.stats import resampling
drawn = []
flip = resampling._flip
def counted(values, seed, first, out):
    drawn.append(first)
    flip(values, seed, first, out)
resampling._flip = counted
from berryeval.cli import main
try:
    main(sys.argv[1:], prog_name="berryeval")
except SystemExit as ended:
    assert not ended.code, ended.code
print("opened", len(opened), file=sys.stderr)
print("drawn", drawn.count(0), file=sys.stderr)
"""
N_RUNS = 8


@pytest.fixture
def track(tmp_path, monkeypatch):
    """Change to a folder with judgments and runs of 40 queries, which differ in most of them."""
    monkeypatch.chdir(tmp_path)
    draws = np.random.default_rng(7)
    queries = [f"q{number}" for number in range(40)]
    (tmp_path / "qrels.txt").write_text(
        "".join(f"{query} 0 d{number} {number % 3}\n" for query in queries for number in range(6))
    )
    names = [f"{number}.run" for number in range(N_RUNS)]
    for name in names:
        lines = (
            f"{query} Q0 d{number} 1 {draws.random():.6f} x\n"
            for query in queries
            for number in range(6)
        )
        (tmp_path / name).write_text("".join(lines))
    return names


def _counts(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", _COUNTING, *arguments], capture_output=True, text=True, check=True
    )
    lines = [line.split() for line in done.stderr.splitlines()]
    return {words[0]: int(words[1]) for words in lines if words[0] in ("opened", "drawn")}


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_judgments_are_read_once(track, command):
    """Their file is opened as often for eight runs as for two."""
    few = _counts(command, "qrels.txt", *track[:2], "-m", "nDCG@10")
    many = _counts(command, "qrels.txt", *track, "-m", "nDCG@10")
    assert many["opened"] == few["opened"] > 0


def test_one_draw_of_signs_serves_all_candidates(track):
    """Seven candidates in three measures take as many draws as two in three."""
    measures = ["-m", "nDCG@10", "-m", "RR", "-m", "P@5"]
    few = _counts("compare", "qrels.txt", *track[:3], *measures)
    many = _counts("compare", "qrels.txt", *track, *measures)
    assert many["drawn"] == few["drawn"] > 0
