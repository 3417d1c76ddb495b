"""berryeval holes."""

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval import read_judgments
from berryeval.cli import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def data(tmp_path, monkeypatch):
    """Change to a folder with judgments, two runs and queries."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 0\nq2 0 d3 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d9 1 3 a\nq1 Q0 d1 2 2 a\nq2 Q0 d3 1 1 a\n")
    (tmp_path / "b.run").write_text("q1 Q0 d1 1 3 b\nq1 Q0 d8 2 2 b\nq2 Q0 d3 1 1 b\n")
    (tmp_path / "queries.jsonl").write_text('{"query_id": "q1", "text": "a, or b?"}\n')
    return tmp_path


def holes(*arguments: str):
    return CliRunner().invoke(main, ["holes", *arguments], prog_name="berryeval")


@pytest.mark.usefixtures("data")
def test_the_table_has_effects_ranks_and_bounds():
    """E6: the output has the holes to judge first, an explanation, and the bounds."""
    result = holes("qrels.txt", "a.run", "b.run", "-m", "P@2")
    assert (result.exit_code, result.output) == (
        0,
        "query  document  effect  a.run  b.run\n"
        "q1     d8        0.2500      -      2\n"
        "q1     d9        0.2500      1      -\n"
        "\n"
        "2 unjudged documents in 1 of 2 queries.\n"
        "effect: the largest change of the mean P@2 if the document gets grade 2 instead\n"
        "of 0, and the other unjudged ones get 0.\n"
        "The column of each run shows the document's rank; - means not in the first 2.\n"
        "\n"
        "Means as judged, and their bounds if each unjudged document may have any grade "
        "from 0 to 2:\n"
        "  a.run: P@2 0.5000, between 0.5000 and 0.7500\n"
        "  b.run: P@2 0.5000, between 0.5000 and 0.7500\n",
    )


@pytest.mark.usefixtures("data")
def test_the_table_has_the_texts_of_queries():
    """Judges need to know the query."""
    result = holes("qrels.txt", "a.run", "-m", "P@2", "--queries", "queries.jsonl")
    assert result.output.splitlines()[1] == "q1  a, or b?  d9        0.2500      1"


@pytest.mark.usefixtures("data")
def test_a_baseline_selects_effects_on_differences():
    """It may or may not be one of the runs."""
    result = holes("qrels.txt", "b.run", "--against", "a.run", "-m", "P@2", "-n", "1")
    assert result.output.splitlines()[:5] == [
        "query  document  effect  a.run  b.run",
        "q1     d8        0.2500      -      2",
        "",
        "2 unjudged documents in 1 of 2 queries; the 1 most decisive are shown.",
        "effect: the change of the difference from a.run in mean P@2 if the document gets",
    ]
    assert result.output.endswith("  b.run - a.run: P@2 +0.0000, between -0.2500 and +0.2500\n")
    both = holes("qrels.txt", "a.run", "b.run", "--against", "a.run", "-m", "P@2", "-n", "1")
    assert both.output == result.output


@pytest.mark.usefixtures("data")
def test_a_completed_list_is_a_judgments_file(data):
    """CSV has an empty grade column, and the query's text for the judge."""
    done = holes("qrels.txt", "a.run", "b.run", "--queries", "queries.jsonl", "-o", "list.csv")
    assert (done.exit_code, done.output) == (0, "")
    text = (data / "list.csv").read_text()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == [
        "query_id", "doc_id", "query_text", "grade", "effect", "rank in a.run", "rank in b.run",
    ]  # fmt: skip
    assert [(r["doc_id"], r["query_text"], r["grade"]) for r in rows] == [
        ("d9", "a, or b?", ""),
        ("d8", "a, or b?", ""),
    ]
    assert [(r["rank in a.run"], r["rank in b.run"]) for r in rows] == [("1", ""), ("", "2")]
    (data / "filled.csv").write_text(text.replace('?",,', '?",2,'))
    assert read_judgments("filled.csv").to_dict() == {"q1": {"d9": 2.0, "d8": 2.0}}


@pytest.mark.usefixtures("data")
def test_json_lines_have_an_empty_grade():
    """One object per line has ranks by run, and texts if known."""
    lines = holes("qrels.txt", "a.run", "b.run", "--format", "jsonl").output.splitlines()
    first = json.loads(lines[0])
    assert first.pop("effect") > 0.1
    assert first == {"query_id": "q1", "doc_id": "d9", "grade": None, "ranks": {"a.run": 1}}
    with_text = holes("qrels.txt", "a.run", "--format", "jsonl", "--queries", "queries.jsonl")
    assert json.loads(with_text.output)["query_text"] == "a, or b?"


@pytest.mark.usefixtures("data")
def test_json_has_everything():
    """One object has a version, the settings, bounds and holes."""
    shown = json.loads(holes("qrels.txt", "b.run", "-k", "2", "--json", "--max-grade", "3").output)
    [hole] = shown.pop("holes")
    [bounds] = shown.pop("bounds")
    assert shown == {
        "version": 1,
        "kind": "holes",
        "runs": ["b.run"],
        "baseline": None,
        "measures": ["nDCG@2"],
        "max_grade": 3.0,
        "n_holes": 1,
        "n_queries": 2,
        "n_queries_with_holes": 1,
        "effective_queries": None,
    }
    assert hole["doc_id"] == "d8"
    assert (bounds["run"], bounds["measure"], bounds["mean"]) == ("b.run", "nDCG@2", 1.0)
    assert bounds["low"] < bounds["high"] == 1.0
    assert bounds["is_outer"] is False


@pytest.mark.usefixtures("data")
def test_the_trec_list_has_unjudged_documents(data):
    """Their grade is -1, which evaluate and holes treat as unjudged."""
    assert holes("qrels.txt", "a.run", "b.run", "-o", "pool.qrels").exit_code == 0
    assert (data / "pool.qrels").read_text() == "q1 0 d9 -1\nq1 0 d8 -1\n"
    (data / "both.txt").write_text((data / "qrels.txt").read_text() + "q1 0 d9 -1\nq1 0 d8 -1\n")
    arguments = ("a.run", "b.run", "--format", "trec")
    for judgments in ("qrels.txt", "both.txt"):
        assert holes(judgments, *arguments).stdout == "q1 0 d9 -1\nq1 0 d8 -1\n"


@pytest.mark.usefixtures("data")
def test_a_table_can_be_written_to_a_file(data):
    """Any other extension gets the output of the screen."""
    shown = holes("qrels.txt", "a.run", "--all").output
    assert holes("qrels.txt", "a.run", "-o", "holes.txt").exit_code == 0
    assert (data / "holes.txt").read_text() == shown
    assert "1 unjudged document in 1 of 2 queries.\n" in shown


@pytest.mark.usefixtures("data")
def test_nothing_left_to_judge_is_reported(data):
    """An empty table would be confusing."""
    (data / "all.txt").write_text((data / "qrels.txt").read_text() + "q1 0 d9 0\n")
    shown = holes("all.txt", "a.run").output
    assert shown == "query  document  effect  a.run\n\nEvery document in these ranks is judged.\n"


@pytest.mark.usefixtures("data")
def test_outer_bounds_and_whole_rankings_are_marked(data):
    """The difference of AP over many holes has outer bounds."""
    for name, order in (("m", 1), ("n", -1)):
        lines = [f"q1 Q0 h{i:02} 1 {order * i} x\n" for i in range(20)]
        (data / f"{name}.run").write_text("".join(lines))
    shown = holes("qrels.txt", "m.run", "--against", "n.run", "-m", "AP", "-n", "1").output
    assert "The column of each run shows the document's rank; - means not retrieved.\n" in shown
    assert shown.endswith(" (outer bounds)\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-grade", "0"], "Error: max_grade: expected a number above 0, got 0.0\n"),
        (["-m", "nDGC@10"], "Error: unknown measure 'nDGC@10': did you mean 'nDCG@10'?\n"),
        (["--against", "a.run"], "Error: runs: expected a run other than the baseline, got none\n"),
        (["--json", "--format", "csv"], "Error: Choose either --json or --format csv.\n"),
        (["--against", "no.run"], "Error: no.run: cannot be read: No such file or directory\n"),
    ],
)
@pytest.mark.usefixtures("data")
def test_invalid_input_is_one_line_and_exit_code_2(arguments, message):
    """X5: the message says what was expected and what was found."""
    result = holes("qrels.txt", "a.run", *arguments)
    assert result.exit_code == 2
    assert result.output.endswith(message)


@pytest.mark.usefixtures("data")
def test_ids_with_spaces_cannot_be_written_as_trec(data):
    """Other formats support them."""
    (data / "odd.json").write_text('{"q1": {"d 9": 1.5}}')
    assert holes("qrels.txt", "odd.json", "--format", "csv").exit_code == 0
    result = holes("qrels.txt", "odd.json", "--format", "trec")
    assert (result.exit_code, result.output) == (
        2,
        "Error: a TREC file cannot hold the id 'd 9'\n",
    )


def sessions() -> list[tuple[str, str]]:
    """Return the commands of the how-to with their output."""
    page = (ROOT / "docs" / "how-to" / "find-what-to-judge.md").read_text(encoding="utf-8")
    found = re.findall(r"```console\n\$ berryeval holes (.+)\n((?:(?!```).*\n)*)```", page)
    return [(command, output) for command, output in found if output]


@pytest.mark.parametrize(("command", "expected"), sessions())
def test_the_how_to_shows_the_output_of_its_commands(command, expected, monkeypatch):
    """Each command prints the output on the page."""
    monkeypatch.chdir(ROOT)
    assert holes(*shlex.split(command)).output == expected


def test_the_how_to_has_commands_to_check():
    """The previous test must not pass because there are no commands."""
    assert len(sessions()) == 2
