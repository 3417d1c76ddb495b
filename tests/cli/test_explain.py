"""berryeval explain."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

from berryeval.cli import main

pytestmark = pytest.mark.usefixtures("data")


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Change to a folder with judgments, two runs and queries."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 1\nq3 0 d1 0\n")
    (tmp_path / "a.run").write_text(
        "q1 Q0 d1 1 3 a\nq1 Q0 d9 2 2 a\nq1 Q0 d2 3 1 a\nq2 Q0 d3 1 1 a\n"
    )
    (tmp_path / "b.run").write_text(
        "q1 Q0 d8 1 3 b\nq1 Q0 d1 2 2 b\nq2 Q0 d3 1 1 b\nq3 Q0 d5 1 1 b\n"
    )
    (tmp_path / "queries.jsonl").write_text('{"query_id": "q1", "text": "what moved"}\n')
    return tmp_path


def berryeval(*arguments: str):
    return CliRunner().invoke(main, ["explain", *arguments], prog_name="berryeval")


def test_the_output_is_a_sentence_a_table_and_the_method():
    """It shows the change, the moves, and their contributions."""
    result = berryeval("qrels.txt", "a.run", "b.run", "--query", "q1", "-m", "AP")
    assert (result.exit_code, result.output) == (
        0,
        "AP of query q1 fell by 0.5833, from 0.8333 in a.run to 0.2500 in b.run.\n"
        "\n"
        "document  grade  rank before  rank after  contribution\n"
        "d2            1            3           -       -0.3333\n"
        "d1            2            1           2       -0.2500\n"
        "\n"
        "2 more documents moved without effect; --all shows them.\n"
        "Rank -: the document is not in the run.\n"
        "Contributions add up to the difference: exact Shapley values over 2 documents.\n",
    )


def test_all_shows_moves_without_effect():
    """Documents without effect are listed, and dashes explained."""
    lines = berryeval("qrels.txt", "a.run", "b.run", "--query", "q1", "--all").output.splitlines()
    assert [line.split() for line in lines[3:7]] == [
        ["d1", "2", "1", "2", "-0.2806"],
        ["d2", "1", "3", "-", "-0.1900"],
        ["d8", "-", "-", "1", "0"],
        ["d9", "-", "2", "-", "0"],
    ]
    assert lines[8:] == [
        "Grade -: the document is unjudged.",
        "Rank -: the document is not in the run.",
        "Contributions add up to the difference: nDCG@10 is a sum over documents, each at its "
        "rank.",
    ]


def test_documents_have_titles(data):
    """A document without a title has its text; JSON has null for an unknown one."""
    rows = [{"_id": "d1", "title": "Reset", "text": "x"}, {"_id": "d2", "text": "a " * 40}]
    (data / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    asked = ("qrels.txt", "a.run", "b.run", "--all", "--documents", "corpus.jsonl")
    lines = berryeval(*asked).output.splitlines()
    heading = next(line for line in lines if line.startswith("document"))
    assert heading.split()[:3] == ["document", "title", "grade"]
    assert any(line.startswith("d1        Reset ") for line in lines)
    assert any(line.startswith("d2        a a a") and "…" in line for line in lines)
    moves = json.loads(berryeval(*asked, "--json").output)["moves"]
    assert {one["doc_id"]: one["title"] for one in moves}["d8"] is None
    assert "title" not in berryeval(*asked[:4], "--json").output


def test_without_a_query_the_one_that_fell_most_is_explained():
    """The output says that the query was chosen, and how."""
    lines = berryeval("qrels.txt", "a.run", "b.run").output.splitlines()
    assert lines[0].startswith("nDCG@10 of query q1 fell by 0.4706, from 0.9502 in a.run")
    assert lines[1] == "This query lost the most."
    lines = berryeval("qrels.txt", "b.run", "a.run").output.splitlines()
    assert lines[0].startswith("nDCG@10 of query q1 rose by 0.4706")
    assert lines[1] == "No query got worse; this one gained the most."


def test_an_unchanged_query_has_no_table():
    """There is no empty table and no -0.0000."""
    result = berryeval("qrels.txt", "a.run", "b.run", "--query", "q2")
    assert result.output == (
        "nDCG@10 of query q2 did not change: 1.0000 in a.run and in b.run.\n"
        "\n"
        "No document moved within the ranks that the measure covers.\n"
    )
    lines = berryeval("qrels.txt", "a.run", "b.run", "-m", "R@1000", "--query", "q3").output
    assert lines.splitlines()[2:] == ["1 document moved without effect; --all shows them."]
    lines = berryeval("qrels.txt", "a.run", "b.run", "-m", "NumQ").output.splitlines()
    assert lines[1] == "No query changed; this is the first one."


def test_a_path_is_named_with_the_number_of_documents(data):
    """Beyond twelve movers the output says that one order was used."""
    relevant = [f"r{i:02}" for i in range(13)]
    (data / "q.txt").write_text("".join(f"q 0 {doc_id} 1\n" for doc_id in relevant))
    for name, documents in {"c.run": relevant, "d.run": ["x", *relevant]}.items():
        rows = [f"q Q0 {doc_id} 1 {-i} t\n" for i, doc_id in enumerate(documents)]
        (data / name).write_text("".join(rows))
    assert berryeval("q.txt", "c.run", "d.run", "-m", "AP").output.splitlines()[-1] == (
        "Contributions add up to the difference: one path, 13 documents moved, too many "
        "for exact Shapley values: each takes its new rank in the order of the second run, then "
        "the others leave."
    )


def test_very_small_contributions_are_not_shown_as_zero(data):
    """More digits are shown."""
    (data / "small.txt").write_text("q 0 a 1\nq 0 b 100000\n")
    (data / "c.run").write_text("q Q0 b 1 3 t\nq Q0 a 2 2 t\n")
    (data / "d.run").write_text("q Q0 b 1 3 t\nq Q0 x 2 2 t\nq Q0 a 3 1 t\n")
    lines = berryeval("small.txt", "c.run", "d.run").output.splitlines()
    assert "fell by 1e-06, from" in lines[0]
    assert lines[4].split() == ["a", "1", "2", "3", "-1e-06"]


def test_the_text_of_the_query_is_shown():
    """The text comes from a file of queries; a missing one is an error."""
    result = berryeval("qrels.txt", "a.run", "b.run", "--queries", "queries.jsonl")
    assert result.output.splitlines()[2] == "Query: what moved"
    result = berryeval("qrels.txt", "a.run", "b.run", "--query", "q2", "--queries", "queries.jsonl")
    assert result.exit_code == 2
    assert result.stderr == "Error: queries.jsonl: query 'q2' is not among the queries\n"


def test_json_is_one_versioned_object():
    """It has scores, method and moves."""
    arguments = ["qrels.txt", "a.run", "b.run", "--queries", "queries.jsonl", "--json"]
    found = json.loads(berryeval(*arguments).output)
    assert (found["version"], found["query_id"], found["query"]) == (1, "q1", "what moved")
    assert (found["method"], found["n_shared"], found["n_without_effect"]) == ("additive", 2, 2)
    assert found["before"]["run"] == "a.run"
    assert found["difference"] == found["after"]["score"] - found["before"]["score"]
    assert [move["doc_id"] for move in found["moves"]] == ["d1", "d2"]
    assert found["moves"][1] == {
        "doc_id": "d2",
        "grade": 1.0,
        "rank_before": 3,
        "rank_after": None,
        "contribution": pytest.approx(-0.19, abs=1e-4),
    }


def test_csv_has_one_line_per_move(data):
    """Numbers have full precision, and missing values are empty."""
    assert berryeval("qrels.txt", "a.run", "b.run", "--all", "-o", "x.csv").output == ""
    rows = list(csv.DictReader(io.StringIO((data / "x.csv").read_text())))
    assert [row["doc_id"] for row in rows] == ["d1", "d2", "d8", "d9"]
    assert (rows[2]["grade"], rows[2]["rank_before"], rows[2]["rank_after"]) == ("", "", "1")
    assert sum(float(row["contribution"]) for row in rows) == pytest.approx(-0.4706, abs=1e-4)


def test_a_table_can_go_to_a_file(data):
    """It equals the standard output."""
    assert berryeval("qrels.txt", "a.run", "b.run", "-o", "x.txt").output == ""
    assert (data / "x.txt").read_text() == berryeval("qrels.txt", "a.run", "b.run").output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["qrels.txt", "a.run", "b.run", "--query", "Q1"], "query 'Q1' is not judged: did you mea"),
        (["qrels.txt", "a.run", "a.run"], "RUN: expected each run only once, got a.run, a.run"),
        (["qrels.txt", "a.run", "b.run", "-m", "ndgc"], "unknown measure 'ndgc': did you mean"),
        (["qrels.txt", "a.run", "none.run"], "none.run: cannot be read: No such file"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(arguments, message):
    """There is no traceback, and nothing on standard output."""
    result = berryeval(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1


def test_unjudged_documents_can_be_removed():
    """The first judged document is the same in both runs, so nothing has changed."""
    result = berryeval("qrels.txt", "a.run", "b.run", "--query", "q1", "-m", "P@1", "--judged-only")
    assert result.output.startswith("P(judged_only=True)@1 of query q1 did not change")


def test_runs_that_were_fused_show_who_brought_a_document():
    """Each run has a column in text, CSV and JSON, with a dash if it lacks the document."""
    sources = ["--fused-from", "one=a.run", "--fused-from", "b.run"]
    arguments = ["qrels.txt", "a.run", "b.run", "--query", "q1", *sources]
    lines = berryeval(*arguments).output.splitlines()
    assert lines[2].split("  ")[-3:] == ["in one", "in b.run", "contribution"]
    assert lines[3].split() == ["d1", "2", "1", "2", "1", "2", "-0.2806"]
    assert lines[4].split() == ["d2", "1", "3", "-", "3", "-", "-0.1900"]
    first, second = json.loads(berryeval(*arguments, "--json").output)["moves"]
    assert first["source_ranks"] == {"one": 1, "b.run": 2}
    assert second["source_ranks"] == {"one": 3, "b.run": None}
    rows = [*csv.DictReader(io.StringIO(berryeval(*arguments, "--format", "csv").output))]
    assert [(row["rank_in_one"], row["rank_in_b.run"]) for row in rows] == [("1", "2"), ("3", "")]
