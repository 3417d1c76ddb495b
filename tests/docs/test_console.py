"""The commands in README and documentation exist, with the options that the pages show."""

import re
import shlex

import click
import pytest

from berryeval import cli
from page_blocks import PAGES, blocks_of


def calls(page) -> list[list[str]]:
    """Return the words after `berryeval` of every command of a page."""
    return [
        call
        for block in blocks_of(page)
        if block.language in ("bash", "console")
        for command, _ in block.commands
        if "berryeval " in command
        for call in _calls(command)
    ]


def _calls(line: str) -> list[list[str]]:
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split, reader.commenters = True, "#"
    commands: list[list[str]] = [[]]
    for word in reader:
        if set(word) <= set("();<>|&"):
            commands.append([])
        else:
            commands[-1].append(word)
    bare = [[word for word in words if not re.match(r"[A-Z_]+=", word)] for words in commands]
    return [words[1:] for words in bare if words[:1] == ["berryeval"]]


WITH_CALLS = [page for page in PAGES if calls(page)]


@pytest.mark.parametrize("page", WITH_CALLS, ids=lambda page: page.name)
def test_commands_and_options_exist(page):
    """A renamed option fails here, on every page that shows it."""
    for call in calls(page):
        words, command = call, cli.main
        context = command.make_context("berryeval", [], resilient_parsing=True)
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            found = command.get_command(context, words[0])
            assert found is not None, call
            # As the command line makes it: commands keep the help option of their first context.
            context = found.make_context(words[0], [], parent=context, resilient_parsing=True)
            words, command = words[1:], found
        command.make_parser(context).parse_args(words)


def test_pages_have_commands_at_all():
    """The test above must not pass because nothing is found."""
    assert len(WITH_CALLS) > 30
