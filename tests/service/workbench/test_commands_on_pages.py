"""Commands that pages recommend."""

import re
from pathlib import Path

import click
import pytest

from berryeval.cli import main
from berryeval.service import workbench

TEMPLATES = sorted((Path(workbench.__file__).parent / "templates").glob("**/*.html"))
COMMANDS = sorted(
    {
        (path.name, *found)
        for path in TEMPLATES
        for found in re.findall(r"<code>berryeval ([a-z_-]+)(?: ([a-z-]+))?", path.read_text())
    }
)


def test_some_pages_name_commands():
    """Otherwise, the next test would check nothing."""
    assert len(COMMANDS) > 2


@pytest.mark.parametrize(("page", "name", "argument"), COMMANDS)
def test_commands_on_pages_exist(page, name, argument):
    """A reader can type them."""
    context = click.Context(main)
    command = main.get_command(context, name)
    assert command is not None, page
    if isinstance(command, click.Group):
        assert command.get_command(context, argument) is not None, page
