"""The commands in README and documentation exist, and print what the pages show."""

import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from berryeval import cli

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
CONSOLE = re.compile(r"^ *```console[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
BASH = re.compile(r"^ *```bash[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
SESSION = re.compile(r"^ *\$ (.+)\n((?:(?! *\$ ).*\n)*)", re.MULTILINE)

# Their own tests run these from the first command to the last.
ELSEWHERE = {"README.md", "combine-two-systems.md", "from-runs-to-a-gate.md"}


def sessions(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page that show a prompt, with their output."""
    text = page.read_text(encoding="utf-8").replace("\\\n", "")
    return [found for block in CONSOLE.findall(text) for found in SESSION.findall(block)]


def calls(page: Path) -> list[list[str]]:
    """Return the words after `berryeval` of every command of a page."""
    scripts = BASH.findall(page.read_text(encoding="utf-8").replace("\\\n", ""))
    lines = [command for command, _ in sessions(page)]
    lines += [line for script in scripts for line in script.splitlines()]
    return [call for line in lines if "berryeval " in line for call in _calls(line)]


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


def pages_with(what) -> list[Path]:
    return [page for page in PAGES if what(page)]


@pytest.mark.parametrize("page", pages_with(calls), ids=lambda page: page.name)
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


def can_run(command: str) -> bool:
    """Whether a command needs nothing but the examples."""
    return command.startswith("berryeval ") and (
        "examples/" in command or command.startswith("berryeval measures")
    )


RUNNABLE = [
    page
    for page in pages_with(lambda page: any(can_run(command) for command, _ in sessions(page)))
    if page.name not in ELSEWHERE
]


@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(page, tmp_path, monkeypatch):
    """In their order, after `berryeval examples`; dots stand for omitted lines."""
    shutil.copytree(ROOT / "examples" / "runs", tmp_path / "examples" / "runs")
    monkeypatch.chdir(tmp_path)
    for command, expected in sessions(page):
        if not can_run(command):
            continue
        done = CliRunner().invoke(cli.main, shlex.split(command)[1:], prog_name="berryeval")
        assert done.exit_code == 0, done.output
        if expected:
            pattern = re.sub(r"(?m)^(?:\\\.\\\.\\\.|…)\n", "(?:.*\n)*", re.escape(expected))
            assert re.fullmatch(pattern, done.stdout), f"{command}\n{done.stdout}"


def test_pages_run_at_all():
    """The tests above must not pass because nothing is found."""
    names = {page.name for page in RUNNABLE}
    assert {"explain-a-change.md", "find-what-to-judge.md", "evaluate-files.md"} <= names
    assert len(pages_with(calls)) > 30
