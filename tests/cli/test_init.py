"""berryeval init: a berryeval.toml for what a folder contains."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.suite.new_project import inspect_folder
from berryeval.suite.settings import read_settings

RUN = "q1 Q0 d1 1 2.5 t\nq2 Q0 d2 1 1.5 t\n"
QRELS = "q1 0 d1 1\nq2 0 d2 1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """An empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def berryeval(*arguments):
    """Run a command."""
    return CliRunner().invoke(main, list(arguments))


def add_runs(folder):
    """Add judgments and two runs, `new` being newer than `old`."""
    (folder / "runs").mkdir()
    (folder / "qrels.txt").write_text(QRELS)
    for seconds, name in enumerate(("old", "new")):
        (folder / "runs" / f"{name}.run").write_text(RUN)
        os.utime(folder / "runs" / f"{name}.run", (1_700_000_000 + seconds,) * 2)


def test_two_runs_become_candidate_and_baseline(folder):
    """The newest is the candidate; what was written can be used as it is."""
    add_runs(folder)
    result = berryeval("init")
    assert result.exit_code == 0, result.output
    assert "judgments  qrels.txt\n" in result.output
    assert result.output.endswith("Wrote berryeval.toml. Next: berryeval gate\n")
    settings = read_settings("berryeval.toml")
    assert Path(settings.run).samefile("runs/new.run")
    assert Path(settings.baseline).samefile("runs/old.run")
    assert berryeval("gate").exit_code in (0, 3)


def test_a_golden_set_and_a_search_function_are_found(folder):
    """The function is parsed, not called."""
    (folder / "golden" / "documents").mkdir(parents=True)
    (folder / "golden" / "documents" / "a.md").write_text("# A\n")
    (folder / "golden" / "judgments.jsonl").write_text(
        json.dumps({"query_id": "q1", "doc_id": "a", "relevance": 1}) + "\n"
    )
    (folder / "golden" / "queries.jsonl").write_text('{"id": "q1", "query": "text"}\n')
    (folder / "shop").mkdir()
    (folder / "shop" / "engine.py").write_text(
        "raise SystemExit\ndef search(query, top_k=10): ...\ndef search_all(query, k): ...\n"
    )
    (folder / "broken.py").write_text("def search(query, k:\n")
    found = inspect_folder(folder)
    assert found.judgments == ("golden/judgments.jsonl",)
    assert found.queries == ("golden/queries.jsonl",)
    assert found.documents == ("golden/documents",)
    assert found.systems == ("shop.engine:search",)
    assert berryeval("init").exit_code == 0
    settings = read_settings("berryeval.toml")
    assert settings.system == "shop.engine:search"
    assert settings.run is settings.baseline is None


def test_a_baseline_is_recognised(folder):
    """Then all runs are candidates, the newest first."""
    add_runs(folder)
    saved = berryeval("baseline", "save", "--judgments", "qrels.txt", "--run", "runs/old.run",
                      "--baseline", "main.json")  # fmt: skip
    assert saved.exit_code == 0, saved.output
    printed = berryeval("init", "--print").output
    assert 'baseline = "main.json"\n' in printed
    assert 'run = "runs/new.run"\n# run = "runs/old.run"\n' in printed
    assert not (folder / "berryeval.toml").exists()


def test_an_empty_folder_gets_a_template(folder):
    """Every setting is a comment with an example, and the next step is to judge."""
    result = berryeval("init")
    assert "There are no judgments yet: berryeval golden init" in result.output
    settings = read_settings("berryeval.toml")
    assert settings.judgments is settings.run is settings.system is None
    assert inspect_folder(folder).is_empty


def test_an_existing_file_is_kept(folder):
    """Unless --force is given."""
    (folder / "berryeval.toml").write_text('judgments = "mine"\n')
    result = berryeval("init")
    assert result.exit_code == 2
    assert (
        "berryeval.toml: expected no such file yet, got one; --force replaces it" in result.output
    )
    assert (folder / "berryeval.toml").read_text() == 'judgments = "mine"\n'
    assert berryeval("init", "--force").exit_code == 0
    assert "mine" not in (folder / "berryeval.toml").read_text()


def test_other_files_are_passed_over(folder):
    """Binary files, broken ones, and files of other programs are no runs."""
    (folder / "notes.txt").write_text("a few words\n")
    (folder / "empty.run").write_text("")
    (folder / "picture.json").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (folder / "package.json").write_text('{"name": "shop", "version": "1.0"}')
    assert inspect_folder(folder).is_empty


def test_a_folder_that_does_not_exist_is_an_error():
    """With one line."""
    result = berryeval("init", "nowhere")
    assert result.exit_code == 2
    assert "FOLDER: expected an existing folder, got 'nowhere'" in result.output
