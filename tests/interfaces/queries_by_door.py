"""Asks a question through the command line, JSON, HTTP, page, report and pytest."""

import json

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from interfaces.reading import page_of
from interfaces.world import MEASURES
from pytest_plugin.other_plugins import WITHOUT_THEM
from service.workbench.html import HTML

FILES = ("qrels.txt", "old.run", "new.run")


NAMED = [part for measure in MEASURES for part in ("-m", measure)]


BY = ("--queries", "queries.jsonl", "--by", "category")


LEAD = MEASURES[0]


def command(world, *arguments):
    """Return the output of a command in the folder of the world."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(world.folder)
        found = CliRunner().invoke(main, [*map(str, arguments)], prog_name="berryeval")
    assert found.exit_code == 0, found.output
    return found.output


def as_json(world, *arguments):
    return json.loads(command(world, *arguments, "--json"))


def page(world, address, **headers):
    """Return a page of the workbench."""
    answer = world.client.get(address, headers={**HTML, **headers})
    assert answer.status_code == 200, answer.text
    return page_of(answer.text)


def report(world, *arguments):
    """Return an HTML report."""
    path = world.folder / "report.html"
    command(world, *arguments, "-o", path)
    return page_of(path.read_text())


def posted(world, address, body):
    answer = world.client.post(address, json=body)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


def in_pytest(pytester, world, body, settings="berryeval.toml"):
    """Run a test of the plugin over the files of the world, and return its output."""
    for name in ("qrels.txt", "queries.jsonl", "old.run", "new.run", "again.run"):
        pytester.path.joinpath(name).write_text((world.folder / name).read_text())
    rules = (world.folder / settings).read_text()
    pytester.path.joinpath("berryeval.toml").write_text(rules)
    pytester.makepyfile(f"""
import json, pathlib

def test_it(berryeval_results):
    found = {body}
    pathlib.Path("written.json").write_text(json.dumps(found))
""")
    pytester.runpytest_inprocess(*WITHOUT_THEM).assert_outcomes(passed=1)
    return json.loads(pytester.path.joinpath("written.json").read_text())


def without_endings(text):
    """Return a text with the names of runs instead of their file names."""
    return text.replace("\u2212", "-").replace("old.run", "old").replace("new.run", "new")
