"""Fetching the real trec_eval when it is unavailable."""

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "fetch_trec_eval.py"


@pytest.fixture
def script(tmp_path, monkeypatch):
    """The script, with a temporary folder for the program, on a supported platform."""
    spec = importlib.util.spec_from_file_location("fetch_trec_eval", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PROGRAM", tmp_path / "cache" / "trec_eval")
    monkeypatch.setattr(module.platform, "system", lambda: "Linux")
    monkeypatch.setattr(module.platform, "machine", lambda: "x86_64")
    return module


def run(script, monkeypatch, capsys, *arguments: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["fetch_trec_eval.py", *arguments])
    return script.main(), capsys.readouterr().err


def test_unsupported_platforms_are_reported_in_one_line(script, monkeypatch, capsys):
    """This is a failure only if the program is required."""
    monkeypatch.setattr(script.platform, "system", lambda: "Darwin")
    monkeypatch.setattr(script.platform, "machine", lambda: "arm64")
    expected = "No trec_eval 9.0.4 to compare with: there is none for Darwin arm64\n"
    assert run(script, monkeypatch, capsys) == (0, expected)
    assert run(script, monkeypatch, capsys, "--required") == (1, expected)


def test_an_index_without_the_archive_is_reported(script, monkeypatch, capsys):
    """The message contains pip's output."""
    nothing = script.subprocess.CompletedProcess([], 1, "", "ERROR: no matching distribution")
    monkeypatch.setattr(script.subprocess, "run", lambda *_arguments, **_options: nothing)
    code, message = run(script, monkeypatch, capsys, "--required")
    assert (code, message) == (
        1,
        "No trec_eval 9.0.4 to compare with: pip finds no pyserini-1.6.0.tar.gz\n",
    )


def test_an_invalid_archive_is_reported(script, monkeypatch, capsys, tmp_path):
    """The link found by pip leads to something else."""
    (tmp_path / "pyserini-1.6.0.tar.gz").write_bytes(b"not an archive")
    link = (tmp_path / "pyserini-1.6.0.tar.gz").as_uri()
    found = script.subprocess.CompletedProcess([], 0, f"Found link {link}#sha256=0 (from)", "")
    monkeypatch.setattr(script.subprocess, "run", lambda *_arguments, **_options: found)
    code, message = run(script, monkeypatch, capsys, "--required")
    assert code == 1
    assert f"No trec_eval 9.0.4 to compare with: {link}: " in message
    assert not script.PROGRAM.exists()


def test_a_program_with_another_hash_is_deleted(script, monkeypatch, capsys):
    """It is not run."""
    script.PROGRAM.parent.mkdir()
    script.PROGRAM.write_bytes(b"something else")
    code, message = run(script, monkeypatch, capsys)
    assert code == 0
    assert "expected a program with hash a282" in message
    assert not script.PROGRAM.exists()
