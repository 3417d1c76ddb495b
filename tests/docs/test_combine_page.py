"""The how-to about combining two systems, executed."""

import re
import shutil
from pathlib import Path

from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "combine-two-systems.md").read_text(encoding="utf-8")
CONSOLE = re.compile(r"^```console\n\$ berryeval (.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_commands_print_the_output_on_the_page(tmp_path, monkeypatch):
    """They run in a copy of the example; an ellipsis stands for what is omitted."""
    shutil.copytree(ROOT / "examples" / "runs", tmp_path / "runs")
    monkeypatch.chdir(tmp_path / "runs")
    commands = CONSOLE.findall(PAGE)
    assert len(commands) == 7
    for command, expected in commands:
        result = CliRunner().invoke(main, command.split())
        assert result.exit_code == 0, result.output
        if "..." in expected:
            first, _, last = expected.rpartition("...")
            assert result.stdout.startswith(first.partition("...")[0])
            assert result.stdout.endswith(last.lstrip())
        else:
            assert (result.stdout, result.stderr) == (expected, "")
    assert Path("tuning.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_python_code_runs(tmp_path, monkeypatch):
    """And its last line fuses all queries."""
    shutil.copytree(ROOT / "examples" / "runs", tmp_path / "runs")
    monkeypatch.chdir(tmp_path / "runs")
    [code] = PYTHON.findall(PAGE)
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - our own page
    tuning = names["tuning"]
    assert tuning.fuse().n_queries == 60
    assert not tuning.is_better
    assert be.read_run("fused.run").n_queries == 60
