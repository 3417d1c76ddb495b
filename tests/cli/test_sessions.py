"""berryeval sessions, and evaluate --by turn."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.formats import write_queries

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}, "q3": {"c": 3}}
RUN = {"q1": ["b", "a"], "q2": ["x", "a"], "q3": ["c"]}
QUERIES = [
    {"query_id": "q2", "text": "and then?", "session": "s1", "turn": 2},
    {"query_id": "q1", "text": "first", "session": "s1", "turn": 1},
    {"query_id": "q3", "text": "other", "session": "s2", "turn": 1},
]


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Change to a folder with judgments, a run and queries in three formats."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.json").write_text(json.dumps(QRELS))
    rows = [
        f"{query} Q0 {doc_id} 0 {-rank} t\n"
        for query, documents in RUN.items()
        for rank, doc_id in enumerate(documents)
    ]
    Path("a.run").write_text("".join(rows))
    Path("queries.jsonl").write_text("".join(json.dumps(one) + "\n" for one in QUERIES))
    Path("queries.json").write_text(json.dumps({"queries": QUERIES}))
    header = "query_id,text,session,turn\n"
    lines = (",".join(map(str, one.values())) + "\n" for one in QUERIES)
    Path("queries.csv").write_text(header + "".join(lines))


def call(*arguments):
    """Run the command, and return its result."""
    return CliRunner().invoke(main, [*arguments], prog_name="berryeval")


@pytest.mark.parametrize("queries", ["queries.jsonl", "queries.json", "queries.csv"])
def test_json_has_the_numbers_of_python(queries):
    """This holds for every format of queries."""
    expected = be.session_scores(
        QRELS, RUN, {"s1": ["q1", "q2"], "s2": ["q3"]}, measures=["nDCG@10"]
    )
    done = call("sessions", "qrels.json", "A=a.run", "--queries", queries, "--json")
    assert done.exit_code == 0, done.output
    (found,) = json.loads(done.stdout)["runs"]
    assert (found["run"], found["sdcg"], found["nsdcg"]) == ("A", expected.sdcg, expected.nsdcg)
    assert found["means"] == expected.means
    by_name = {one["session"]: one for one in found["sessions"]}
    assert by_name["s1"]["queries"] == ["q1", "q2"]
    assert by_name["s1"]["sdcg"] == expected["s1"].sdcg
    assert by_name["s2"]["means"] == expected["s2"].means


def test_tables_and_csv():
    """They show the means, every session on request, and in CSV all digits."""
    words = ["sessions", "qrels.json", "a.run", "--queries", "queries.csv", "-m", "RR"]
    short = call(*words).stdout
    assert ["a.run", "2", "3"] in [line.split()[:3] for line in short.splitlines()]
    assert "Every session" not in short
    assert "Every session" in call(*words, "--per-session").stdout
    assert "| s1 |" in call(*words, "-q", "--format", "markdown").stdout
    assert "Every session" in call(*words, "-q", "-o", "-").stdout
    rows = [*csv.DictReader(io.StringIO(call(*words, "--format", "csv").stdout))]
    assert [(row["session"], row["turns"], row["RR"]) for row in rows] == [
        ("s1", "2", "0.75"),
        ("s2", "1", "1.0"),
    ]


def test_gains_and_depth():
    """Both have the same effect as in Python."""
    words = ["sessions", "qrels.json", "a.run", "--queries", "queries.csv", "--json"]
    done = call(*words, "--exponential", "-k", "1")
    sessions = {"s1": ["q1", "q2"], "s2": ["q3"]}
    expected = be.session_scores(QRELS, RUN, sessions, k=1, gain="exp2")
    assert json.loads(done.stdout)["runs"][0]["sdcg"] == expected.sdcg


def test_turns_are_slices():
    """First and second turns are separate slices."""
    words = ["evaluate", "qrels.json", "a.run", "--queries", "queries.csv", "-m", "RR"]
    done = call(*words, "--by", "turn", "--json")
    assert done.exit_code == 0, done.output
    found = be.evaluate(QRELS, RUN, "RR", queries="queries.csv").by("turn")
    assert {turn: one["RR"].mean for turn, one in found.items()} == {"1": 1.0, "2": 0.5}


def test_queries_without_sessions_are_an_error():
    """One line states what is missing."""
    Path("plain.csv").write_text("query_id,text\nq1,first\n")
    done = call("sessions", "qrels.json", "a.run", "--queries", "plain.csv")
    assert done.exit_code == 2
    assert done.stderr == "Error: sessions: expected at least one query with a session, got none\n"


@pytest.mark.parametrize("turn", ["0", "1.5", "two", "-1"])
def test_an_invalid_turn_is_an_error_with_its_line(turn):
    """Turns are counted from 1."""
    Path("bad.csv").write_text(f"query_id,text,session,turn\nq1,first,s1,{turn}\n")
    done = call("sessions", "qrels.json", "a.run", "--queries", "bad.csv")
    assert done.exit_code == 2
    assert "bad.csv:2: expected a whole number from 1 as turn, found" in done.stderr


@pytest.mark.parametrize("format", ["jsonl", "csv", "json"])
def test_turns_and_sessions_are_written(format, tmp_path):
    """The session is written as a group."""
    queries = be.read_queries("queries.csv")
    write_queries(queries, tmp_path / f"again.{format}")
    assert be.read_queries(tmp_path / f"again.{format}") == queries
    assert [(one.group, one.turn) for one in queries] == [("s1", 2), ("s1", 1), ("s2", 1)]


def test_the_bases_of_the_discounts_can_be_set():
    """The command returns the same value as the function."""
    words = ["sessions", "qrels.json", "a.run", "--queries", "queries.csv", "--json"]
    done = call(*words, "--rank-base", "10", "--turn-base", "3")
    expected = be.session_scores(QRELS, RUN, "queries.csv", b=10, bq=3)
    assert f'"sdcg": {expected.sdcg!r}' in done.output
    assert expected.sdcg != be.session_scores(QRELS, RUN, "queries.csv").sdcg
