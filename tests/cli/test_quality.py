"""berryeval quality."""

import csv
import json
import sys

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.suite import history
from small_golden_set import write_golden_set

MODULE = """
GOOD = {
    "configure OAuth": ["guide.md#configure-oauth", "guide.md#token-lifetime"],
    "why are slow searches slow": ["guide.md#guide", "tuning.md#slow-searches"],
}

def find(query, k):
    return GOOD[query]

def half(query, k):
    if "slow" in query:
        raise ValueError("no such index")
    return GOOD[query]

def nothing(query, k):
    return []
"""
REACHED = ("--at-least", "RR@10=0.75", "--at-least", "P@5=0.3")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with a golden set and a search engine."""
    write_golden_set(tmp_path / "golden")
    (tmp_path / "engine_of_quality.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "engine_of_quality", raising=False)
    monkeypatch.delenv("BERRYEVAL_DSN", raising=False)
    return tmp_path


def quality(*arguments, system="engine_of_quality:find"):
    words = ["quality", "--golden", "golden", "--system", system, *arguments]
    if "--at-least" not in arguments:  # the suite's thresholds are unreachable here
        words += ["--at-least", "RR@10=0.70", "--at-least", "P@5=0.4", "--at-least", "R@10=0.75"]
    return CliRunner().invoke(main, words, prog_name="berryeval")


def test_reached_thresholds_exit_0():
    """X6: equality passes, and the table shows means and thresholds."""
    result = quality(*REACHED)
    assert result.exit_code == 0, result.output
    assert "PASS: engine_of_quality:find on golden" in result.output
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["MRR", "0.7500", "1.0000", "0.7500", "pass"] in rows
    assert ["P@5", "0.3000", "0.4000", "0.3000", "pass"] in rows
    assert ["procedural", "1", "0.4000", "1.0000", "1.0000"] in rows
    assert "nothing was indexed" in result.output


def test_a_missed_threshold_exits_1():
    """X6, X9: the build fails, and an error in the log names the measure."""
    assert quality().stderr == ""
    result = quality("--log-level", "error")
    assert result.exit_code == 1
    assert "FAIL: engine_of_quality:find on golden" in result.output
    assert "error threshold not met measure=P@5 value=0.300 threshold=0.400" in result.stderr


def test_an_impossible_threshold_exits_2_before_any_query():
    """With two relevant chunks per query, P@5 cannot exceed 0.4."""
    for arguments in (["--at-least", "P@5=0.41"], ["--at-least", "RR@10=1", "--at-least", "P@5=1"]):
        result = quality(*arguments, system="no_such_module:find")
        assert result.exit_code == 2
        assert result.stderr.startswith("Error: the best possible P@5 is 0.4000 with these judg")
        assert "cannot be reached; choose others with --at-least" in result.stderr


def test_defaults_that_cannot_be_reached_are_left_out():
    """They are meant for the bundled set; a note says which one is missing."""
    words = ["quality", "--golden", "golden", "--system", "engine_of_quality:find"]
    result = CliRunner().invoke(main, words, prog_name="berryeval")
    assert result.exit_code == 0
    assert result.stderr == (
        "P@5 is not compared with the default threshold 0.7, since the best possible mean is "
        "0.4000 with these judgments; choose thresholds with --at-least.\n"
    )
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["MRR", "0.7500", "1.0000", "0.7000", "pass"] in rows


def test_a_system_that_fails_exits_4():
    """X8: the query scores 0 and is counted, and the exit code shows the failure."""
    result = quality(*REACHED, system="engine_of_quality:half")
    assert result.exit_code == 4
    assert "Failed, and scored 0: 1 query, such as Q2" in result.output
    assert "no such index" in result.output
    allowed = quality("--at-least", "RR@10=0.5", "--max-failed", "1",
                      system="engine_of_quality:half")  # fmt: skip
    assert allowed.exit_code == 0


def test_queries_without_relevant_hits_are_listed():
    """X9: each is a warning, and a row."""
    result = quality("--log-level", "warning", system="engine_of_quality:nothing")
    assert "Nothing relevant in 10 hits" in result.output
    assert "warning no relevant result query_id=Q1" in result.stderr


def test_json_has_every_record():
    """X7: query id, text, retrieved, relevant, rank of the first relevant, duration."""
    found = json.loads(quality("--json").stdout)
    assert (found["kind"], found["verdict"]) == ("quality", "fail")
    assert found["report"]["by_difficulty"]["hard"]["mrr"] == 0.5
    assert found["thresholds"][0] == {
        "measure": "RR@10", "value": 0.75, "at_least": 0.7, "verdict": "pass",
    }  # fmt: skip
    first = found["queries"][0]
    assert first.pop("ms") > 0
    assert first == {
        "query_id": "Q1",
        "query": "configure OAuth",
        "retrieved": ["guide.md#configure-oauth", "guide.md#token-lifetime"],
        "relevant": ["guide.md#configure-oauth", "guide.md#token-lifetime"],
        "first_relevant_rank": 1,
    }


def test_reports_are_written_in_addition_to_the_table(folder):
    """X10: several formats by extension, even if the gate fails."""
    names = ["q.html", "q.json", "q.md", "q.csv", "q.xml", "q.txt"]
    result = quality(*(word for name in names for word in ("--report", name)))
    assert result.exit_code == 1
    assert "FAIL" in result.stdout
    html = (folder / "q.html").read_text()
    assert "why are slow searches slow" in html
    assert "Fail" in html
    assert json.loads((folder / "q.json").read_text())["kind"] == "quality"
    markdown = (folder / "q.md").read_text()
    assert markdown.startswith("### ❌ Fail: P@5 is 0.3000")
    assert "| Q1" in markdown
    assert "<testsuite" in (folder / "q.xml").read_text()
    assert (folder / "q.txt").read_text() in result.stdout + "\n"
    rows = list(csv.DictReader((folder / "q.csv").read_text().splitlines()))
    assert [(row["query_id"], row["first_relevant_rank"]) for row in rows] == [
        ("Q1", "1"),
        ("Q2", "2"),
    ]


def test_an_unknown_report_extension_is_rejected_first():
    """The error is raised before any work."""
    result = quality("--report", "quality.pdf")
    assert result.exit_code == 2
    assert "not 'quality.pdf'" in result.output


def test_the_result_can_be_appended_to_a_history(folder):
    """E6: the means are appended, with the verdict as a note."""
    quality("--history", "history.jsonl")
    [entry] = history.read(folder / "history.jsonl").entries
    assert (entry.run, entry.note, entry.means["RR@10"]) == ("engine_of_quality:find", "fail", 0.75)


def test_the_embedded_engine_is_indexed():
    """X5: the chunks are indexed, and settings are applied."""
    result = quality("-s", "title_weight=2", *REACHED, system="bm25")
    assert result.exit_code == 0, result.output
    assert "Indexed 6 chunks" in result.output
    assert "title_weight 2" in result.output


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--system", "postgres"], "give --dsn postgresql://user@host/database"),
        (
            ["--system", "postgres", "--dsn", "host=x password=s3cret"],
            "an address such as postgresql://user@host/database, got another form",
        ),
        (["--system", "elastic"], "bm25, vector, hybrid"),
        (["--at-least", "P@5"], "MEASURE=VALUE such as P@5=0.70"),
        (["--at-least", "P@5=high"], "MEASURE=VALUE such as P@5=0.70"),
        (["-s", "weights"], "--set takes NAME=VALUE"),
        (["--golden", "nowhere"], "nowhere: expected the folder of a golden set"),
    ],
)
def test_invalid_input_is_one_line(arguments, expected):
    """The exit code is 2, and the message suggests what to do."""
    result = quality(*arguments)
    assert result.exit_code == 2
    assert expected in " ".join(result.output.split())


def test_a_database_that_is_down_exits_4():
    """A system that cannot index the documents has failed."""
    dsn = "postgresql://nobody@127.0.0.1:1/none"
    result = quality("--dsn", dsn, system="postgres-bm25")
    assert result.exit_code == 4
    assert "postgres" in result.output


NOISY = """
from itertools import count
turns = count()

def find(query, k):
    pages = ["guide.md#configure-oauth", "tuning.md#slow-searches", "tuning.md#bananas"]
    return pages[next(turns) // 2 % 3:]
"""


def test_repeats_measure_the_noise_of_a_system(folder):
    """Table and JSON show how much a query's score varies."""
    (folder / "engine_of_noise.py").write_text(NOISY)
    words = ("--repeat", "3", "--concurrency", "1")
    found = json.loads(quality(*words, "--json", system="engine_of_noise:find").stdout)
    assert (found["asked"], found["noise"]["RR@10"] > 0.3) == (3, True)
    assert set(found["noise"]) == set(found["means"])
    shown = quality(*words, system="engine_of_noise:find").stdout
    assert "Every query was sent 3 times. Standard deviation of a query's score: RR@10" in shown
    once = json.loads(quality("--json").stdout)
    assert (once["asked"], once["noise"]) == (1, {})


def test_noise_uses_queries_that_were_always_answered(folder):
    """Queries that failed once are left out, and without others there is no noise."""
    found = json.loads(quality("--repeat", "2", "--json", system="engine_of_quality:half").stdout)
    assert found["noise"]["RR@10"] == 0
    sys.modules.pop("engine_of_quality")
    (folder / "engine_of_quality.py").write_text(
        "asked = []\ndef find(query, k):\n    asked.append(query)\n"
        "    if asked.count(query) > 1:\n        raise ValueError\n"
        "    return ['guide.md#configure-oauth']\n"
    )
    limits = ("--repeat", "2", "--concurrency", "1", "--json")
    assert json.loads(quality(*limits).stdout)["noise"] == {}


def test_a_system_that_is_down_exits_4_without_reports(folder):
    """X8: the error is one line, and no report or history entry is written."""
    files = ("--report", "q.json", "--history", "h.jsonl")
    assert quality(*files).exit_code in (0, 1)
    before = {path: path.read_bytes() for path in (folder / "q.json", folder / "h.jsonl")}
    (folder / "engine_of_quality.py").write_text("def find(query, k):\n    raise ValueError('x')\n")
    sys.modules.pop("engine_of_quality")
    result = quality(*files, "--max-failed", "2")
    assert result.exit_code == 4
    assert result.stderr == (
        "Error: engine_of_quality:find: failed for all 2 queries, so there is nothing to score; "
        "Q1: ValueError: x\n"
    )
    assert {path: path.read_bytes() for path in before} == before


def test_questions_are_indexed_by_default(folder):
    """The report shows which were used."""
    questions = folder / "golden" / "document-questions.json"
    questions.write_text('{"tuning.md#bananas": ["configure OAuth"]}')
    found = json.loads(quality("--json", system="bm25").stdout)
    plain = json.loads(quality("--json", "--no-questions", system="bm25").stdout)
    assert "tuning.md#bananas" in found["queries"][0]["retrieved"]
    assert "tuning.md#bananas" not in plain["queries"][0]["retrieved"]
    assert len(found["system"]["settings"]["questions"]) == 8
    assert plain["system"]["settings"]["questions"] == "none"
    assert found["golden"]["hash"] == plain["golden"]["hash"]
    assert found["without_questions"] == plain["means"]
    assert found["means"] != plain["means"]
    assert plain["without_questions"] is None
    table = quality(system="bm25").stdout
    assert "measure  with questions  without  best possible  at least  verdict" in table
    assert "The chunks are indexed with 1 question" in table


def test_documents_queries_and_judgments_can_be_named(folder):
    """X5: any format works, and documents are needed only by a system that indexes them."""
    (folder / "qrels.txt").write_text("Q1 0 guide.md#configure-oauth 1\n")
    (folder / "queries.csv").write_text("id,query\nQ1,configure OAuth\n")
    parts = ["--queries", "queries.csv", "--judgments", "qrels.txt", "--at-least", "RR=1"]
    documents = ["--documents", "golden/test-documents"]
    for more in (["engine_of_quality:find"], ["bm25", *documents]):
        result = CliRunner().invoke(main, ["quality", *parts, "--system", *more])
        assert result.exit_code == 0, result.output
    result = CliRunner().invoke(main, ["quality", *parts, "--system", "bm25"])
    assert result.exit_code == 2
    assert "the golden set has no documents for bm25 to index" in result.output
    result = CliRunner().invoke(main, ["quality", *documents])
    assert result.exit_code == 2
    assert "Without a golden set, give both --queries and --judgments." in result.output


def test_a_split_of_a_beir_folder_is_measured(folder):
    """X5: only its queries are sent."""
    (folder / "beir" / "qrels").mkdir(parents=True)
    (folder / "beir" / "corpus.jsonl").write_text('{"_id": "d1", "text": "configure OAuth"}\n')
    queries = '{"_id": "q1", "text": "OAuth"}\n{"_id": "q2", "text": "other split"}\n'
    (folder / "beir" / "queries.jsonl").write_text(queries)
    (folder / "beir" / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    words = ["quality", "--golden", "beir", "--split", "dev", "--system", "bm25", "--json"]
    result = CliRunner().invoke(main, [*words, "--at-least", "RR@10=1"])
    assert result.exit_code == 0, result.output
    assert [one["query_id"] for one in json.loads(result.stdout)["queries"]] == ["q1"]
