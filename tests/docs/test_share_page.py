"""The page on sharing results names the formats that each command has."""

import re
from pathlib import Path

import click
import pytest

from berryeval.cli import main
from berryeval.reports.results import ENDINGS

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "share-results.md"

if not PAGE.exists():
    pytest.skip("the documentation is not in a source distribution", allow_module_level=True)


def formats_of_commands(group, name=""):
    """Return the extensions of the output formats of every command that has a table."""
    context = click.Context(group)
    found = {}
    for part in group.list_commands(context):
        command = group.get_command(context, part)
        full = f"{name} {part}".strip()
        if isinstance(command, click.Group):
            found |= formats_of_commands(command, full)
        for option in command.params:
            if "--format" in option.opts and "table" in getattr(option.type, "choices", ()):
                chosen = option.type.choices
                found[full] = {end for end, form in ENDINGS.items() if form in chosen}
    return found


def test_the_formats_of_each_command_are_those_of_the_page():
    """A format that the page promises and the command lacks would be an error for the reader."""
    text = PAGE.read_text(encoding="utf-8").partition("| command | formats |")[2]
    rows = [line.split("|")[1:3] for line in text.partition("\n\n")[0].splitlines()[2:]]
    promised = {
        command: set(re.findall(r"`(\.\w+)`", formats))
        for commands, formats in rows
        for command in re.findall(r"`([a-z ]+)`", commands)
    }
    known = {name: ends - {".htm"} for name, ends in formats_of_commands(main).items()}
    assert promised == known
