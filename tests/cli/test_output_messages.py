"""What commands report about their output, to a person at a terminal."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main

RUNS = Path(__file__).parents[2] / "examples" / "runs"
FILES = [str(RUNS / name) for name in ("qrels.txt", "words.run", "stems.run")]

if not RUNS.exists():
    pytest.skip("the examples are not in a source distribution", allow_module_level=True)

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind there")


def at_a_terminal(*arguments):
    """Return what a command shows on a terminal, with its lines joined again."""
    leader, follower = os.openpty()
    words = [sys.executable, "-m", "berryeval", *arguments]
    streams = {"stdin": subprocess.DEVNULL, "stdout": follower, "stderr": follower}
    process = subprocess.Popen(words, env={**os.environ, "COLUMNS": "400"}, **streams)
    os.close(follower)
    shown = b""
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(leader)
    assert process.wait(60) == 0
    return shown.decode()


@on_posix
def test_a_comparison_names_the_command_of_a_gate():
    """It is complete, and a pipe does not get it."""
    last = at_a_terminal("compare", *FILES, "-m", "nDCG@10").splitlines()[-1]
    start, _, command = last.partition(": ")
    assert start == "To decide whether it can ship"
    judgments, words, stems = map(shlex.quote, FILES)
    assert command == (
        f"berryeval gate --judgments {judgments} --baseline {words} --run {stems} --margin "
        "nDCG@10=0.05"
    )
    assert CliRunner().invoke(main, shlex.split(command)[1:]).exit_code in (0, 1, 3)
    assert "berryeval gate" not in CliRunner().invoke(main, ["compare", *FILES]).output


@on_posix
def test_a_file_that_was_written_is_named(tmp_path):
    """Otherwise nothing would be seen; a pipe gets no message."""
    path = tmp_path / "report.html"
    assert at_a_terminal("compare", *FILES, "-o", str(path)).strip() == f"Wrote {path}"
    chart = tmp_path / "chart.svg"
    assert at_a_terminal("compare", *FILES, "-o", str(chart)).strip() == f"Wrote {chart}"
    assert CliRunner().invoke(main, ["compare", *FILES, "-o", str(path)]).output == ""


@pytest.mark.parametrize("command", [["compare", *FILES], ["evaluate", *FILES], ["demo"]])
def test_an_unknown_extension_is_rejected(command, tmp_path):
    """A table in report.xyz would be a surprise; .txt and no extension are tables."""
    path = tmp_path / "report.xyz"
    result = CliRunner().invoke(main, [*command, "-o", str(path)])
    assert (result.exit_code, path.exists()) == (2, False)
    assert "expected a name that ends in .htm" in result.stderr.replace(".csv, ", "")
    if command[0] == "demo":
        return
    for name in ("report.txt", "report", "report.html.gz"):
        assert CliRunner().invoke(main, [*command, "-o", str(tmp_path / name)]).exit_code == 0


@pytest.mark.parametrize(
    ("given", "command"),
    [
        (["q", "a.run", "b.run"], "--judgments q --baseline a.run --run b.run"),
        (["my qrels"], "--judgments 'my qrels' --baseline BASELINE --run RUN"),
        (["q", "a", "b", "c"], "--judgments q --baseline a --run b"),
    ],
)
def test_a_gate_with_arguments_shows_its_options(given, command):
    """Files are given to a comparison in this way."""
    result = CliRunner().invoke(main, ["gate", *given])
    assert result.exit_code == 2
    assert f"not arguments: berryeval gate {command} --margin nDCG@10=0.05\n" in result.stderr
