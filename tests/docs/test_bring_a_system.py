"""The package in the how-to, installed and used."""

import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "bring-a-system.md"


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install the module, with the metadata that pip generates."""
    page = PAGE.read_text(encoding="utf-8")
    project = tomllib.loads(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])["project"]
    metadata = tmp_path / f"acme_search-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
        for group, points in project["entry-points"].items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    module = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    (tmp_path / "acme_search.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries.jsonl").write_text('{"_id": "q1", "text": "leather sho"}\n')
    sys.modules.pop("acme_search", None)  # another test's module of the same name
    yield
    sys.modules.pop("acme_search", None)


@pytest.mark.usefixtures("installed")
def test_the_package_in_the_how_to_works():
    """Its commands run with and without settings and documents."""

    def retrieve(*arguments):
        words = ["retrieve", "--system", *arguments, "--queries", "queries.jsonl", "-o", "acme.run"]
        return CliRunner().invoke(main, words)

    done = retrieve("acme:shoes", "-s", "fuzzy=yes")
    assert done.exit_code == 0, done.output
    assert be.read_run("acme.run").ranking("q1") == ["d2", "d1"]
    assert retrieve("acme:shoes").exit_code == 0
    assert be.read_run("acme.run").ranking("q1") == ["d2"]
    Path("docs.jsonl").write_text('{"_id": "d7", "text": "Leather"}\n')
    assert retrieve("acme:shoes", "--documents", "docs.jsonl").exit_code == 0
    assert be.read_run("acme.run").ranking("q1") == ["d7"]
    assert "acme: there is no catalogue 'hats'" in retrieve("acme:hats").output
    assert retrieve("acme:shoes", "-s", "colour=red").exit_code == 2
