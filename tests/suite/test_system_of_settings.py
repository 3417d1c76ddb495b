"""``system =`` in berryeval.toml: the same system for gate, baseline, quality and pytest."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main

# Inside a test, pytest unloads the modules it imported, and extensions cannot be loaded twice.
from berryeval.search import collect  # noqa: F401
from berryeval.search.opening import open_system
from berryeval.stats import paired_tests  # noqa: F401
from pytest_plugin.other_plugins import WITHOUT_THEM

ENGINE = """
def find(query, k):
    return {"I forgot my password": ["d1", "d2"], "save as PDF": ["d9", "d3"]}[query][:k]
"""
TOML = """
judgments = "qrels"
queries = "queries.jsonl"
system = "engine_of_settings:find"
baseline = "main.json"

[[gate.guard]]
measure = "RR"
at_least = 0.75
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with its own search engine; the working directory is a folder inside."""
    (tmp_path / "engine_of_settings.py").write_text(ENGINE)
    (tmp_path / "berryeval.toml").write_text(TOML)
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d3 1\n")
    texts = {"q1": "I forgot my password", "q2": "save as PDF"}
    lines = [json.dumps({"id": query_id, "query": text}) for query_id, text in texts.items()]
    (tmp_path / "queries.jsonl").write_text("\n".join(lines))
    inside = tmp_path / "notebooks"
    inside.mkdir()
    monkeypatch.chdir(inside)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(WITHOUT_THEM))
    yield tmp_path
    sys.modules.pop("engine_of_settings", None)


def berryeval(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_a_gate_imports_the_system_from_the_folder_of_the_settings(project):  # noqa: ARG001
    """The working directory may be any folder inside the project."""
    result = berryeval("gate")
    assert result.exit_code == 0, result.output


def test_a_baseline_is_saved_from_the_system(project):
    """It is searched as by a gate, which can then compare with the baseline."""
    result = berryeval("baseline", "save", "-m", "RR")
    assert result.exit_code == 0, result.output
    saved = json.loads((project / "main.json").read_text())
    assert saved["rankings"]["q1"][0] == "d1"


def test_quality_searches_the_system_on_the_judgments_of_the_settings(project):
    """Flags take precedence: another system, or another golden set."""
    result = berryeval("quality", "--at-least", "RR=0.75", "--format", "json",
                       "--history", "h.jsonl", "--time", "2026-01-05")  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["system"]["name"] == "engine_of_settings:find"
    assert json.loads(Path("h.jsonl").read_text())["time"].startswith("2026-01-05T00:00:00")
    other = berryeval("quality", "--system", "bm25", "--at-least", "RR=0.75")
    assert other.exit_code == 2
    assert "no documents for bm25 to index" in other.stderr
    (project / "berryeval.toml").write_text('system = "engine_of_settings:find"')
    unknown = berryeval("quality", "--time", "2026-01-05")
    assert unknown.exit_code == 2
    assert "--time requires --history FILE." in unknown.stderr


def test_quality_indexes_a_table_of_systems_apart(project, monkeypatch):
    """A system of a table ``[systems.NAME]`` keeps its documents when it is tested."""
    opened = []
    monkeypatch.setattr(
        "berryeval.search.opening._in_postgres",
        lambda place, given, table: opened.append((place, given, table)) or open_system("bm25"),
    )
    (project / "berryeval.toml").write_text(
        'system = "shop"\n[systems.shop]\nsystem = "postgresql://localhost/shop"\nmode = "text"\n'
    )
    assert berryeval("quality", "-s", "candidates=7", "--at-least", "RR=0.1").exit_code == 0
    assert opened == [
        ("postgresql://localhost/shop", {"mode": "text", "candidates": "7"}, "berryeval_quality")
    ]


def test_pytest_asks_the_system(project, pytester):
    """The fixture berryeval_run needs no definition."""
    for name in ("engine_of_settings.py", "berryeval.toml", "qrels", "queries.jsonl"):
        pytester.path.joinpath(name).write_text((project / name).read_text())
    pytester.makepyfile(
        """
        def test_search(berryeval_results):
            assert berryeval_results.assert_measure("RR", at_least=0.75) == 0.75
        """
    )
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


OF_A_FIXTURE = """
import pytest
from engine_of_settings import find

@pytest.fixture(scope="session")
def berryeval_run():
    return find
"""


@pytest.mark.parametrize("conftest", ["", OF_A_FIXTURE], ids=["settings", "fixture"])
def test_workers_of_pytest_share_one_search(project, pytester, conftest):
    """The first worker searches, and the others use its answers."""
    for name in ("berryeval.toml", "qrels", "queries.jsonl"):
        pytester.path.joinpath(name).write_text((project / name).read_text())
    counted = ENGINE.replace(
        "    return", "    open('asked', 'a').write(query + '\\n')\n    return"
    )
    pytester.path.joinpath("engine_of_settings.py").write_text(counted)
    pytester.makeconftest(conftest)
    pytester.makepyfile(
        """
        def test_search(berryeval_results):
            assert berryeval_results.measure("RR").mean == 0.75
        """
    )
    options = ("-n", "2", "--dist", "each", "-p", "no:cacheprovider")
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=2)
    asked = pytester.path.joinpath("asked").read_text().splitlines()
    assert sorted(asked) == ["I forgot my password", "save as PDF"]
