"""berryeval tune."""

import json

import pytest
from click.testing import CliRunner

from beir_of_fruit import write_fruit
from berryeval.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with a golden set."""
    write_fruit(tmp_path / "fruit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BERRYEVAL_DSN", raising=False)


def tune(*arguments, system="hybrid"):
    words = ["tune", system, "--golden", "fruit", *arguments]
    return CliRunner().invoke(main, words, prog_name="berryeval")


def test_the_last_line_has_the_settings_to_use():
    """After the sentences, the settings and the folds."""
    result = tune("--folds", "3")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("Nothing that was tried clearly beats current search.")
    assert "nDCG@10 of hybrid, 12 queries" in lines
    assert lines[-1] == "Use (as now): -s weights=4,1 -s late=1 -s feedback=5"


def test_a_file_has_the_format_of_its_name(tmp_path):
    """And settings of the system are those to start from."""
    result = tune("-s", "weights=2,1", "-s", "late=0", "-m", "RR@10", "-o", "settings.json")
    assert (result.exit_code, result.output) == (0, "")
    content = json.loads((tmp_path / "settings.json").read_text())
    assert (content["kind"], content["measure"]) == ("hybrid-tuning", "RR@10")
    assert content["tried"][0] == {
        "name": "current search", "weights": [2, 1], "late": 0, "feedback": 5,
        "mean": content["tried"][0]["mean"],
    }  # fmt: skip


def test_systems_without_weights_are_rejected():
    """With those that have them."""
    result = tune(system="bm25")
    assert result.exit_code == 2
    assert "Error: system: expected hybrid, or postgres with an address" in result.stderr


def test_postgres_is_tuned_in_its_own_table(postgres_dsn):
    """As the suite does."""
    result = tune("--dsn", postgres_dsn, "--json", system="postgres")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["system"] == "postgres"
