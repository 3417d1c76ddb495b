"""The help of commands."""

import re

import pytest
from click.testing import CliRunner

from berryeval.cli import gate, main


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


@pytest.mark.parametrize("names", [("evaluate",), ("token", "create"), ("compare",)])
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


def test_the_options_of_a_gate_have_headings():
    """Files and guards come first, every option appears once, and only logs have no heading."""
    text = help_of("gate")
    headings = re.findall(r"^([A-Z].*):$", text, re.MULTILINE)
    assert headings[:3] == ["Files", "Guards", "Output"]
    assert headings[-1] == "Other options"
    flags = re.findall(r"^  (?:-., )?(--[a-z-]+)", text, re.MULTILINE)
    shown = {option.opts[-1] for option in gate.command.params if not option.hidden}
    assert len(flags) == len(set(flags))
    assert {*flags} == shown | {"--help"}
    _, _, others = text.partition("Other options:\n")
    assert re.findall(r"(--[a-z-]+)", others) == ["--log-level", "--log-format", "--help"]
