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
    words = ["tune", "--system", system, "--golden", "fruit", *arguments]
    return CliRunner().invoke(main, words, prog_name="berryeval")


def test_the_last_line_has_the_settings_to_use():
    """It follows the sentences, the settings and the folds."""
    result = tune("--folds", "3")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0].startswith("No settings tried clearly beat current search.")
    assert "nDCG@10 of hybrid, 12 queries" in lines
    assert lines[-1] == "Settings to use (unchanged): -s weights=4,1 -s late=1 -s feedback=5"


def test_a_file_has_the_format_of_its_name(tmp_path):
    """The settings of the system are the starting point."""
    result = tune("-s", "weights=2,1", "-s", "late=0", "-m", "RR@10", "-o", "settings.json")
    assert (result.exit_code, result.output) == (0, "")
    content = json.loads((tmp_path / "settings.json").read_text())
    assert (content["kind"], content["measure"]) == ("hybrid-tuning", "RR@10")
    assert content["tried"][0] == {
        "name": "current search", "weights": [2, 1], "late": 0, "feedback": 5,
        "mean": content["tried"][0]["mean"],
    }  # fmt: skip


def test_a_page_has_a_chart_of_all_settings(tmp_path):
    """It also has the sentences, the line to use, and the tables."""
    result = tune("--folds", "3", "-s", "late=0", "-s", "feedback=0", "-o", "tuning.html")
    assert (result.exit_code, result.output) == (0, "")
    page = (tmp_path / "tuning.html").read_text()
    assert "<h1>No settings tried clearly beat current search." in page
    assert "Settings to use (unchanged): -s weights=4,1 -s late=0 -s feedback=0." in page
    assert page.count("<title>current search: ") == 2, "on wide and on narrow screens"
    assert "<h2>Folds</h2>" in page


def test_the_system_was_an_argument():
    """It still works, with a hint; two systems or none are an error."""

    def run(*words):
        return CliRunner().invoke(main, ["tune", *words], prog_name="berryeval")

    result = run("bm25", "--golden", "fruit")
    assert result.stderr.startswith("The argument SYSTEM is now the option --system SYSTEM.\n")
    assert "Name one system: berryeval tune --system SYSTEM." in run().stderr
    both = run("hybrid", "--system", "hybrid")
    assert "Name the system only once: berryeval tune --system SYSTEM." in both.stderr


def test_systems_without_weights_are_rejected():
    """The message lists those that have some."""
    result = tune(system="bm25")
    assert result.exit_code == 2
    assert "Error: system: expected hybrid, or postgres with an address" in result.stderr


def test_postgres_is_tuned_in_its_own_table(postgres_dsn):
    """The quality suite uses its own table as well."""
    result = tune("--dsn", postgres_dsn, "--json", system="postgres")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["system"] == "postgres"
