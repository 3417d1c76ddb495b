"""Runs with names on the command line: ``BM25=a.run``."""

import json

import pytest
from click.testing import CliRunner

from berryeval.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Judgments and two runs in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 q1 1 9 t\nq1 Q0 d1 2 1 t\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 2 t\n")
    return tmp_path


def means(*arguments):
    """Return the mean reciprocal rank of each run by name."""
    result = CliRunner().invoke(main, ["evaluate", "qrels", *arguments, "-m", "RR", "--json"])
    assert result.exit_code == 0, result.output
    return {run["run"]: run["means"]["RR"] for run in json.loads(result.output)["runs"]}


def test_a_run_has_the_name_before_the_equals_sign():
    """Other runs are named after their files."""
    assert means("BM25=a.run", "b.run") == {"BM25": 0.5, "b.run": 1.0}


def test_a_file_with_an_equals_sign_in_its_name_is_a_file(folder):
    """The name of an existing file is never split, nor is a path."""
    (folder / "k1=0.9.run").write_text((folder / "b.run").read_text())
    assert means("k1=0.9.run", "./a.run") == {"k1=0.9.run": 1.0, "a.run": 0.5}


def test_a_comparison_shows_the_names():
    """The headline uses them, too."""
    result = CliRunner().invoke(main, ["compare", "qrels", "Old=a.run", "New=b.run", "-m", "RR"])
    assert result.exit_code == 0
    assert "Old (baseline)" in result.output
    assert "New" in result.output


def test_the_same_name_twice_is_refused():
    """Their results could not be distinguished."""
    result = CliRunner().invoke(main, ["evaluate", "qrels", "x=a.run", "x=b.run"])
    assert "RUN: expected a different name for each run" in result.output


def test_documents_with_the_id_of_the_query_can_be_excluded():
    """--exclude-self removes them, as BEIR does."""
    assert means("a.run", "--exclude-self") == {"a.run": 1.0}
