"""``system =`` in berryeval.toml: the same system for gate, baseline and pytest."""

import json
import sys

import pytest
from click.testing import CliRunner

from berryeval.cli import main

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
    yield tmp_path
    sys.modules.pop("engine_of_settings", None)


def berryeval(*arguments):
    return CliRunner().invoke(main, list(arguments))


def test_a_gate_imports_the_system_from_the_folder_of_the_settings(project):  # noqa: ARG001
    """Not from the working directory, which may be any folder inside the project."""
    result = berryeval("gate")
    assert result.exit_code == 0, result.output


def test_a_baseline_is_saved_from_the_system(project):
    """As a gate would search; then the gate can compare with it."""
    result = berryeval("baseline", "save", "-m", "RR")
    assert result.exit_code == 0, result.output
    saved = json.loads((project / "main.json").read_text())
    assert saved["rankings"]["q1"][0] == "d1"


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
    pytester.runpytest("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_workers_of_pytest_share_one_search(project, pytester):
    """The first worker searches, the others take its answers."""
    for name in ("berryeval.toml", "qrels", "queries.jsonl"):
        pytester.path.joinpath(name).write_text((project / name).read_text())
    counted = ENGINE.replace(
        "    return", "    open('asked', 'a').write(query + '\\n')\n    return"
    )
    pytester.path.joinpath("engine_of_settings.py").write_text(counted)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.parametrize("number", range(4))
        def test_search(berryeval_results, number):
            assert berryeval_results.measure("RR").mean == 0.75
        """
    )
    options = ("-n", "2", "--dist", "each", "-p", "no:cacheprovider")
    pytester.runpytest_subprocess(*options).assert_outcomes(passed=8)
    asked = pytester.path.joinpath("asked").read_text().splitlines()
    assert sorted(asked) == ["I forgot my password", "save as PDF"]
