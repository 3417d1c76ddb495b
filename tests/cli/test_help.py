"""The help of commands."""

import pytest
from click.testing import CliRunner

from berryeval.cli import main


def help_of(*arguments):
    """Return the help of a command."""
    result = CliRunner().invoke(main, [*arguments, "--help"], prog_name="berryeval")
    assert result.exit_code == 0
    return result.output


def test_commands_are_grouped_by_what_people_want_to_do():
    """Each command is in one group."""
    text = help_of()
    headings = [line for line in text.splitlines() if line.endswith(":") and line[0] != " "]
    assert headings == [
        "Options:", "Score:", "Compare:", "Decide:", "Search:", "Judge:", "Serve:", "About:",
    ]  # fmt: skip
    for name in main.list_commands(None):
        assert text.count(f"\n  {name} ") == 1


@pytest.mark.parametrize("names", [("evaluate",), ("token", "create"), ("gate",)])
def test_examples_have_a_heading(names):
    """They follow the description, in commands and subcommands, and are not wrapped."""
    text = help_of(*names)
    before, heading, after = text.partition("\n  Examples:\n")
    assert heading
    assert "\n  berryeval" not in before
    assert after.startswith(f"    berryeval {' '.join(names)}")
    assert after.index("\nOptions:") > 0


def test_a_command_without_examples_has_no_such_heading():
    """A group shows its commands."""
    assert "Examples:" not in help_of("baseline")
