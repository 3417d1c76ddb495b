"""berryeval overlap."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval import overlap
from berryeval.cli import main

A = {"q1": ["d1", "d2", "d3"], "q2": ["d1"], "q4": ["d1"]}
B = {"q1": ["d2", "d1", "d3"], "q2": ["d1"], "q3": ["d1"]}


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """Change to a folder with two runs."""
    monkeypatch.chdir(tmp_path)
    for name, run in (("a", A), ("b", B)):
        rows = [
            f"{query} Q0 {doc_id} 0 {-rank} {name}\n"
            for query, documents in run.items()
            for rank, doc_id in enumerate(documents)
        ]
        Path(f"{name}.run").write_text("".join(rows))


def call(*arguments):
    return CliRunner().invoke(main, ["overlap", "a.run", "b.run", *arguments])


def test_the_table_has_means_and_the_least_alike_queries():
    """Queries that are only in one run are counted."""
    result = call()
    assert result.exit_code == 0
    found = overlap(A, B)
    words = [line.split() for line in result.stdout.splitlines()]
    low, high = found.bounds
    figures = [f"{found.mean:.4f}", f"[{low:.4f},", f"{high:.4f}]", "+0.3333"]
    assert ["a.run", "b.run", *figures] in words
    assert "Means over 2 queries, for the first 100 ranks; 1 of them with identical rankings." in (
        result.stdout
    )
    assert "Left out: 1 query of a.run only, 1 query of b.run only." in result.stdout
    assert words[-1] == ["q1", f"{found.by_query['q1'].overlap:.4f}", "+0.3333", "3"]


def test_identical_runs_have_no_table_of_queries():
    """No query differs."""
    result = CliRunner().invoke(main, ["overlap", "A=a.run", "B=./a.run", "--depth", "0"])
    assert result.exit_code == 0
    assert "Queries whose rankings differ most" not in result.stdout
    assert "for whole rankings" in result.stdout


def test_csv_and_json_have_every_query():
    """Numbers have all digits."""
    rows = [*csv.DictReader(io.StringIO(call("-p", "0.5", "--format", "csv").stdout))]
    found = overlap(A, B, p=0.5)
    assert [float(row["overlap"]) for row in rows] == [
        one.overlap for one in found.by_query.values()
    ]
    shape = json.loads(call("--json", "-p", "0.5").stdout)
    assert (shape["overlap"], shape["unmatched"]) == (found.mean, [1, 1])
    assert shape["per_query"][1]["documents"] == [1, 1]


def test_markdown_can_be_written():
    """The extension of the file selects the format."""
    assert call("-o", "out.md").exit_code == 0
    assert "| first | second | overlap |" in Path("out.md").read_text()
    assert call("-o", "out.txt").exit_code == 0
    assert Path("out.txt").read_text().startswith("Similarity of rankings")


def test_an_invalid_persistence_is_an_error():
    """It is one line, with exit code 2."""
    result = call("-p", "1")
    assert result.exit_code == 2
    assert result.stderr == "Error: p: expected a number between 0 and 1, got 1.0\n"
