"""berryeval power."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "examples" / "runs"


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """Change to a folder with judgments and two runs."""
    monkeypatch.chdir(tmp_path)
    for name in ("qrels.txt", "words.run", "stems.run"):
        Path(name).write_bytes((RUNS / name).read_bytes())


def power(*arguments):
    return CliRunner().invoke(main, ["power", "qrels.txt", "words.run", *arguments])


def test_two_runs_measure_the_spread():
    """The smallest drop, the queries that a margin requires, and the curve are shown."""
    result = power("--against", "stems.run", "--margin", "0.05")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "nDCG@10, 60 queries"
    assert lines[2].split() == ["differences", "sd", "smallest", "drop", "N", "for", "0.05"]
    assert lines[3].startswith("measured ")
    assert "assumed" not in result.stdout
    assert any(line.startswith("60 (now)") for line in lines)


def test_missing_queries_are_reported():
    """They score 0 and widen the spread, in either run."""
    rows = Path("stems.run").read_text().splitlines(keepends=True)
    Path("part.run").write_text("".join(row for row in rows if not row.startswith(("h01", "h02"))))
    printed = power("--against", "part.run").output
    assert "2 queries are missing from a run and scored as 0: this increases the spread," in printed
    found = json.loads(power("--against", "part.run", "--json").output)
    assert found["measures"][0]["n_missing"] == 2
    assert "missing" not in power("--against", "stems.run").output


def test_one_run_has_assumed_correlations():
    """There are three, and a hint to use two runs."""
    result = power("-m", "RR", "-m", "P@5")
    assert result.stdout.count("assumed, correlation 0.7") == 4
    assert "measure that with a second run, --against RUN." in result.stdout


def test_power_has_several_formats():
    """They are JSON, a text file, and a chart."""
    content = json.loads(power("--json").stdout)
    assert content["kind"] == "power"
    shown = power().stdout
    assert power("-o", "power.txt").stdout == ""
    assert Path("power.txt").read_text() == shown
    assert power("-o", "power.svg").exit_code == 0
    assert Path("power.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--alpha", "7"), "alpha: expected a number between 0 and 1, got 7.0"),
        (("--power", "0"), "power: expected a number between 0 and 1, got 0.0"),
        (("--alpha", "1e-17"), "alpha: expected a number of at least 1e-12, got 1e-17"),
        (("--alpha", "1e-320"), "alpha: expected a number of at least 1e-12, got 1e-320"),
        (("--margin", "0"), "margin: expected a number from 1e-100 to 1e+100, got 0.0"),
        (("--margin", "nan"), "margin: expected a number from 1e-100 to 1e+100, got nan"),
        (("--margin", "1e-200"), "margin: expected a number from 1e-100 to 1e+100, got 1e-200"),
        (("--margin", "1e308"), "margin: expected a number from 1e-100 to 1e+100, got 1e+308"),
        (("-m", "ndgc@5"), "unknown measure 'ndgc@5': did you mean 'nDCG@5'?"),
        (("--against", "nope"), "nope: cannot be read: No such file or directory"),
    ],
)
def test_invalid_input_is_one_line_and_exit_code_2(arguments, message):
    """It is on standard error."""
    result = power(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")


@pytest.mark.parametrize(
    "argument", [("--margin", "1e-8"), ("--margin", "1e100"), ("--alpha", "1e-12")]
)
def test_extreme_numbers_are_answered(argument):
    """A margin that requires an absurd number of queries shows a dash."""
    result = power("--against", "stems.run", *argument)
    assert (result.exit_code, result.stderr) == (0, "")
    assert "nDCG@10, 60 queries" in result.stdout
