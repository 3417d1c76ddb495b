"""berryeval evaluate."""

import csv
import gzip
import io
import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from berryeval.cli import main

pytestmark = pytest.mark.usefixtures("data")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Change to a folder with judgments and two runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 1\nq3 0 d1 0\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 3 a\nq1 Q0 d2 2 2 a\nq2 Q0 d3 1 1 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d9 1 3 b\nq1 Q0 d2 2 2 b\nq9 Q0 d3 1 1 b\n")
    return tmp_path


def berryeval(*arguments: str):
    return CliRunner().invoke(main, ["evaluate", *arguments], prog_name="berryeval")


def test_runs_are_shown_side_by_side():
    """E3: one column per run, four decimals, and counts of queries."""
    result = berryeval("qrels.txt", "a.run", "b.run", "-m", "RR", "-m", "P@2")
    assert (result.exit_code, result.output) == (
        0,
        "      a.run   b.run\n"
        "RR   0.6667  0.1667\n"
        "P@2  0.5000  0.1667\n"
        "\n"
        "3 queries judged, 3 scored.\n"
        "1 query without a relevant document.\n"
        "a.run: 1 query missing from the run, scored as 0.\n"
        "b.run: 2 queries missing from the run, scored as 0.\n"
        "b.run: 1 query not judged, ignored.\n"
        "Unjudged documents in the rankings: b.run 1.\n",
    )


def test_runs_scored_on_different_queries_have_a_caution(data):
    """Each run shows its number of queries, even if only the ids differ."""
    lines = berryeval("qrels.txt", "a.run", "b.run", "-m", "RR", "--missing", "skip").output
    assert lines.splitlines()[3:] == [
        "a.run: 3 queries judged, 2 scored.",
        "b.run: 3 queries judged, 1 scored.",
        "Caution: means over different queries cannot be compared.",
        "1 query without a relevant document.",
        "a.run: 1 query missing from the run, left out.",
        "b.run: 2 queries missing from the run, left out.",
        "b.run: 1 query not judged, ignored.",
        "Unjudged documents in the rankings: b.run 1.",
    ]
    (data / "c.run").write_text("q2 Q0 d3 1 1 a\n")
    assert "Caution" in berryeval("qrels.txt", "b.run", "c.run", "--missing", "skip").output
    assert "Caution" not in berryeval("qrels.txt", "b.run", "--missing", "skip").output


def test_the_default_is_mrr_and_one_row_per_cutoff():
    """E4: recall, precision, nDCG and hit rate in columns, MRR above."""
    lines = berryeval("qrels.txt", "a.run").output.splitlines()
    assert lines[0] == "MRR 0.6667"
    assert lines[2].split() == ["k", "Recall", "Precision", "nDCG", "Hit", "rate"]
    assert [line.split()[0] for line in lines[3:7]] == ["1", "3", "5", "10"]
    measured = json.loads(berryeval("qrels.txt", "a.run", "--json").output)["runs"][0]["means"]
    row = [f"{measured[name]:.4f}" for name in ("R@5", "P@5", "nDCG@5", "Success@5")]
    assert lines[5].split() == ["5", *row]


def test_several_runs_have_one_table_each():
    """Each table has a title and fits in 80 columns."""
    lines = berryeval("qrels.txt", "a.run", "b.run").output.splitlines()
    assert [line.partition(":")[0] for line in lines if "MRR" in line] == ["a.run", "b.run"]
    assert max(map(len, lines)) <= 80


def test_queries_can_be_reported():
    """There is one row per query, and one for all."""
    lines = berryeval("qrels.txt", "a.run", "-m", "RR", "--per-query").output.splitlines()
    assert [line.split() for line in lines[:5]] == [
        ["query", "run", "RR"],
        ["q1", "a.run", "1.0000"],
        ["q2", "a.run", "1.0000"],
        ["q3", "a.run", "0.0000"],
        ["all", "3", "a.run", "0.6667"],
    ]


def test_csv_has_every_digit():
    """There is one line per value; the query all has the means."""
    result = berryeval("qrels.txt", "a.run", "-m", "RR", "-q", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(result.output)))
    assert [row["query"] for row in rows] == ["q1", "q2", "q3", "all"]
    assert float(rows[-1]["value"]) == 2 / 3


@pytest.mark.parametrize("flags", [["--json"], ["--format", "json"]])
def test_json_is_one_object(flags):
    """It has a version and counts."""
    found = json.loads(berryeval("qrels.txt", "b.run", "-m", "RR", "-q", *flags).output)
    (run,) = found["runs"]
    assert (found["version"], run["run"], run["queries"]) == (1, "b.run", 3)
    assert run["counts"] == {"judged": 3, "missing": 2, "ignored": 1, "no_relevant": 1}
    assert run["means"] == {"RR": pytest.approx(1 / 6)}
    assert run["per_query"]["q1"] == {"RR": 0.5}


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_output_can_go_to_a_file(data, form):
    """It is written completely or not at all."""
    result = berryeval("qrels.txt", "a.run", "--format", form, "-o", "out")
    assert (result.exit_code, result.output) == (0, "")
    assert (data / "out").read_text() == berryeval("qrels.txt", "a.run", "--format", form).output
    assert sorted(path.name for path in data.iterdir()) == ["a.run", "b.run", "out", "qrels.txt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.txt", "a.run"], "none.txt: cannot be read: No such file or directory"),
        (["qrels.txt", "a.run", "-m", "ndgc@10"], "unknown measure 'ndgc"),
        (["qrels.txt", "a.run", "a.run"], "RUN: expected each run only once, got a.run, a.run"),
        (["qrels.txt", "qrels.txt"], "qrels.txt:1: expected 6 columns"),
        (["header.csv", "a.run"], "header.csv: has a header and no rows below it"),
        (
            ["qrels.txt", "a.run", "b.run", "--missing", "error"],
            "a.run: query 'q3' is judged but missing from the run",
        ),
        (
            ["qrels.txt", "a.run", "-o", "no/such/folder"],
            "no/such/folder: cannot be written: No such",
        ),
    ],
)
def test_errors_are_one_line_and_exit_code_2(data, arguments, message):
    """There is no traceback, and nothing on standard output."""
    (data / "header.csv").write_text("query_id,doc_id,relevance\n")
    result = berryeval(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1


def test_runs_with_the_same_name_are_shown_by_path(data):
    """Otherwise one would hide the other."""
    (data / "new").mkdir()
    (data / "new" / "a.run").write_text((data / "b.run").read_text())
    header = berryeval("qrels.txt", "a.run", "new/a.run", "-m", "RR").output.splitlines()[0]
    assert header.split() == ["a.run", "new/a.run"]


@pytest.mark.parametrize("flags", [[], ["--format", "csv"], ["--json"], ["-q"]])
def test_a_dash_as_output_is_standard_output(data, flags):
    """The output is the same as without -o."""
    result = berryeval("qrels.txt", "a.run", "-o", "-", *flags)
    assert result.exit_code == 0
    assert result.output == berryeval("qrels.txt", "a.run", *flags).output
    assert not (data / "-").exists()


@pytest.mark.parametrize(
    ("name", "form"), [("x.json", "json"), ("x.CSV", "csv"), ("x.txt", "table"), ("x", "table")]
)
def test_the_extension_of_the_output_sets_its_format(data, name, form):
    """--format takes precedence."""
    assert berryeval("qrels.txt", "a.run", "-o", name).exit_code == 0
    assert (data / name).read_text() == berryeval("qrels.txt", "a.run", "--format", form).output
    assert berryeval("qrels.txt", "a.run", "-o", name, "--format", "csv").exit_code == 0
    assert (data / name).read_text() == berryeval("qrels.txt", "a.run", "--format", "csv").output


def test_a_compressed_output_has_two_extensions(data):
    """The one before .gz sets the format."""
    assert berryeval("qrels.txt", "a.run", "-o", "x.json.gz").exit_code == 0
    assert json.loads(gzip.decompress((data / "x.json.gz").read_bytes()))["version"] == 1


def test_json_and_another_format_are_a_contradiction():
    """It is a usage error."""
    result = berryeval("qrels.txt", "a.run", "--json", "--format", "csv")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Error: Choose either --json or --format csv." in result.stderr
    assert berryeval("qrels.txt", "a.run", "--json", "--format", "json").exit_code == 0


@pytest.fixture
def labelled(data):
    """Return the texts and categories of the queries."""
    rows = [
        {"query_id": "q1", "text": "one", "category": "odd", "tags": ["x", "y"]},
        {"query_id": "q2", "text": "two", "category": "even"},
        {"query_id": "q3", "text": "three", "category": "odd"},
    ]
    (data / "queries.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")


@pytest.mark.usefixtures("labelled")
def test_slices_are_shown_below_the_means():
    """Each value and run has a row, with the number of queries."""
    result = berryeval("qrels.txt", "a.run", "b.run", "-m", "RR", "--queries", "queries.jsonl",
                       "--by", "category")  # fmt: skip
    assert result.exit_code == 0
    assert result.stdout.endswith(
        "By category\n"
        "\n"
        "category  run    queries      RR\n"
        "even      a.run        1  1.0000\n"
        "even      b.run        1  0.0000\n"
        "odd       a.run        2  0.5000\n"
        "odd       b.run        2  0.2500\n"
    )


def test_means_have_intervals():
    """They are within the measure's range, with an explanation."""
    result = berryeval("qrels.txt", "a.run", "-m", "RR", "--intervals")
    assert result.exit_code == 0
    assert "RR  0.6667 [0.0000, 1.0000]" in result.stdout
    how = "Student's t and Hall's correction for skewness"
    assert f"In brackets: 95% intervals, by {how}." in result.stdout
    assert "[" not in berryeval("qrels.txt", "a.run", "-m", "RR").stdout


def test_one_query_has_no_interval(data):
    """The interval is a dash, null, or empty; never NaN."""
    (data / "one.txt").write_text("q1 0 d1 1\n")
    arguments = ("one.txt", "a.run", "-m", "RR", "--intervals")
    assert "RR  1.0000 -" in berryeval(*arguments).stdout
    [run] = json.loads(berryeval(*arguments, "--json").stdout)["runs"]
    assert run["intervals"] == {"RR": None}
    rows = berryeval(*arguments, "--format", "csv").stdout.splitlines()
    assert rows == ["run,query,measure,value,low,high", "a.run,all,RR,1.0,,"]


@pytest.mark.usefixtures("labelled")
def test_json_and_csv_have_slices_and_intervals():
    """The figures are the same in every format."""
    arguments = ("qrels.txt", "a.run", "-m", "RR", "--queries", "queries.jsonl", "--by", "category",
                 "--intervals", "--per-query")  # fmt: skip
    [run] = json.loads(berryeval(*arguments, "--json").stdout)["runs"]
    odd = run["slices"]["category"]["odd"]
    assert (odd["queries"], odd["means"]) == (2, {"RR": 0.5})
    assert run["slices"]["category"]["even"]["intervals"] == {"RR": None}
    low, high = run["intervals"]["RR"]
    rows = [*csv.DictReader(io.StringIO(berryeval(*arguments, "--format", "csv").stdout))]
    by_query = {row["query"]: row for row in rows}
    assert [*by_query] == ["q1", "q2", "q3", "all", "category=even", "category=odd"]
    assert (float(by_query["all"]["low"]), float(by_query["all"]["high"])) == (low, high)
    assert by_query["q1"]["low"] == by_query["category=even"]["low"] == ""


@pytest.mark.usefixtures("labelled")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--by", "category"),
            "expected queries with a category: no queries were given (`queries`, --queries)",
        ),
        (
            ("--by", "difficulty", "--queries", "queries.jsonl"),
            "expected queries with a difficulty: none has one",
        ),
        (("--queries", "nope"), "nope: cannot be read: No such file or directory"),
    ],
)
def test_invalid_slices_are_errors(arguments, message):
    """The message is one line, and the exit code is 2."""
    result = berryeval("qrels.txt", "a.run", *arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"Error: {message}\n")


def test_an_error_is_one_line_until_the_process_ends(tmp_path):
    """Nothing is printed at exit."""
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq1 0\n")
    (tmp_path / "run").write_text("q1 Q0 d1 1 0.5 x\n")
    done = subprocess.run(
        [sys.executable, "-m", "berryeval", "evaluate", "qrels", "run"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("Error: qrels:2: expected 4 columns")
    assert done.stderr.count("\n") == 1


def test_unjudged_documents_can_be_removed():
    """All measures look only at judged documents, and their names say so."""
    result = berryeval("qrels.txt", "b.run", "-m", "RR", "-m", "P@1", "--judged-only")
    assert result.output.splitlines()[:3] == [
        "                        b.run",
        "RR(judged_only=True)   0.3333",
        "P(judged_only=True)@1  0.3333",
    ]
    assert "Unjudged documents" not in result.output


def test_the_limit_of_reranking_stands_beside_each_run():
    """A perfect reranker of the first two documents would put d2 first."""
    result = berryeval("qrels.txt", "b.run", "-m", "RR", "--oracle", "2", "--oracle", "1")
    assert result.output.splitlines()[:2] == [
        "     b.run  b.run oracle@1  b.run oracle@2",
        "RR  0.1667          0.1667          0.3333",
    ]


def test_the_limit_of_reranking_can_be_drawn(data):
    """There is one line per run; without depths there is nothing to draw."""
    assert berryeval("qrels.txt", "a.run", "b.run", "--oracle", "2", "-o", "x.svg").exit_code == 0
    assert "Best possible mean RR by documents reranked" in (data / "x.svg").read_text()
    refused = berryeval("qrels.txt", "a.run", "-o", "y.svg")
    assert refused.exit_code == 2
    assert "A chart (svg) requires --oracle DEPTH." in refused.output
