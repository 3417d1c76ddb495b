"""The tutorial on gates, executed from its first command to its last."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "tutorials" / "from-runs-to-a-gate.md"
BLOCK = re.compile(r"^```(console|toml)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_the_commands_print_the_output_in_the_tutorial(tmp_path):
    """They run in a copy of the example; an ellipsis stands for omitted lines."""
    work = tmp_path / "runs"
    shutil.copytree(ROOT / "examples" / "runs", work)
    n_commands = 0
    for kind, body in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if kind == "toml":
            (work / "berryeval.toml").write_text(body)
            continue
        command, _, expected = body.partition("\n")
        shown = run(command.removeprefix("$ "), work)
        if expected.endswith("...\n"):
            assert shown.startswith(expected.removesuffix("...\n")), command
        else:
            assert shown == expected, command
        n_commands += 1
    assert n_commands >= 7


def run(command: str, folder: Path) -> str:
    scripts = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": scripts + os.pathsep + os.environ["PATH"]}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.stdout
