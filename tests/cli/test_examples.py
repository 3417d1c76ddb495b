"""berryeval examples."""

import re
import shlex

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.cli.examples import _CONTENTS


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, arguments, prog_name="berryeval")


def test_the_command_that_is_printed_next_works(folder):
    """The files are where the documentation expects them, and the list names them all."""
    result = run("examples")
    assert result.exit_code == 0, result.output
    for name in _CONTENTS:
        assert re.search(rf"^  {re.escape(name)} +\w", result.stdout, re.MULTILINE)
        assert (folder / "examples" / name).exists()
    program, *arguments = shlex.split(result.stdout.splitlines()[-1].removeprefix("Next: "))
    assert program == "berryeval"
    compared = run(*arguments)
    assert compared.exit_code == 0
    assert compared.stdout.startswith("stems.run is better than words.run")


def test_existing_examples_are_replaced_only_on_request():
    """The message has the way out."""
    assert run("examples", "here/").exit_code == 0
    again = run("examples", "here/")
    assert again.exit_code == 2
    assert "use --force to replace it" in again.stderr
    assert run("examples", "here/", "--force").exit_code == 0
