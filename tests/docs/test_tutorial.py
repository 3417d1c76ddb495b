"""The tutorial on gates, executed from its first command to its last."""

import re
import shlex
import shutil
from pathlib import Path

from click.testing import CliRunner

from berryeval.cli import main

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "from-runs-to-a-gate.md"
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_commands_print_the_output_in_the_tutorial(tmp_path, monkeypatch):
    """They run in a copy of the example; an ellipsis stands for omitted lines."""
    work = tmp_path / "runs"
    shutil.copytree(ROOT / "examples" / "runs", work)
    monkeypatch.chdir(work)
    n_commands = 0
    for kind, body in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "toml":
            (work / "berryeval.toml").write_text(body)
            continue
        command, _, expected = body.partition("\n")
        shown = run(command.removeprefix("$ "))
        if expected.endswith("...\n"):
            assert shown.startswith(expected.removesuffix("...\n")), command
        else:
            assert shown == expected, command
        n_commands += 1
    assert n_commands >= 7


def run(command: str) -> str:
    program, *arguments = shlex.split(command)
    assert program == "berryeval", "another command needs a shell"
    done = CliRunner().invoke(main, arguments, prog_name=program)
    assert not done.stderr, done.stderr
    return done.stdout
