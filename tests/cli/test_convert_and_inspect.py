"""berryeval convert and berryeval inspect."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from click.testing import CliRunner

from berryeval.cli import main
from berryeval.core.run import Run
from berryeval.formats import read_judgments, read_run
from berryeval.formats.writing import write_run

RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 3 t\nq1 Q0 c 3 1.5 t\nq2 Q0 a 1 -2 t\nq2 Q0 a 2 0 t\n"
QRELS = b"q1 0 a 2\nq1 0 b 0\nq2 0 c 1\nq3 0 a -1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with judgments, and a run with a duplicate."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.run").write_bytes(RUN)
    (tmp_path / "good.run").write_bytes(RUN.rsplit(b"q2", 1)[0])
    (tmp_path / "qrels").write_bytes(QRELS)
    return tmp_path


def berryeval(*arguments: str):
    return CliRunner().invoke(main, arguments, prog_name="berryeval")


@pytest.mark.parametrize(
    "target",
    ["b.jsonl", "b.json", "b.csv", "b.tsv.gz", "b.run", "b.parquet", "b.arrow", "b.arrows"],
)
def test_a_run_is_converted(target):
    """The new file contains the same data."""
    assert berryeval("convert", "good.run", target).exit_code == 0
    assert read_run(target).to_dict() == read_run("good.run").to_dict()


@pytest.mark.parametrize(
    "target", ["b.jsonl", "b.csv", "b.tsv", "b.txt", "b.parquet", "b.arrows", "b.letor"]
)
def test_judgments_and_runs_are_distinguished(target):
    """The first line is enough, and conversion back works."""
    assert berryeval("convert", "qrels", target).exit_code == 0
    assert berryeval("convert", target, "back").exit_code == 0
    assert read_judgments("back").to_dict() == read_judgments("qrels").to_dict()


def test_formats_and_kind_can_be_named(folder):
    """Extensions and first lines may mislead."""
    (folder / "beir.tsv").write_text("query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert berryeval("convert", "beir.tsv", "out", "--to", "jsonl").exit_code == 0
    assert (folder / "out").read_text() == '{"query_id": "q", "doc_id": "d", "relevance": 1}\n'
    result = berryeval("convert", "beir.tsv", "out", "--kind", "run", "--from", "table")
    assert result.exit_code == 0
    assert (folder / "out").read_text() == "q Q0 d 1 1 berryeval\n"


def test_duplicates_stop_a_conversion_by_default(folder):
    """The error is one line with exit code 2, and no file is written."""
    result = berryeval("convert", "a.run", "b.run")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: a.run:5: document 'a' is retrieved a second time for query 'q2'\n"
    )
    assert not (folder / "b.run").exists()
    assert berryeval("convert", "a.run", "b.run", "--duplicates", "keep-best").exit_code == 0
    assert read_run("b.run").to_dict()["q2"] == {"a": 0.0}


def test_a_run_is_inspected():
    """Queries, rows, scores, ties, duplicates and hash are shown; duplicates are counted."""
    result = berryeval("inspect", "a.run")
    assert result.output == (
        "a.run\n"
        "  Kind                 run, format trec\n"
        "  Queries              2\n"
        "  Rows                 5\n"
        "  Documents per query  2 to 3, median 2.5\n"
        "  Scores               -2 to 3\n"
        "  Tied                 2 rows\n"
        "  Duplicates           1\n"
        f"  SHA-256              {hashlib.sha256(RUN).hexdigest()}\n"
    )


def test_judgments_are_inspected():
    """Grades and the number of relevant documents are shown."""
    (facts,) = json.loads(berryeval("inspect", "qrels", "--json").output)["files"]
    assert facts == {
        "path": "qrels",
        "kind": "judgments",
        "format": "trec",
        "sha256": hashlib.sha256(QRELS).hexdigest(),
        "queries": 3,
        "rows": 4,
        "fewest_documents": 1,
        "median_documents": 1.0,
        "most_documents": 2,
        "lowest": -1.0,
        "highest": 2.0,
        "tied": 0,
        "duplicates": 0,
        "relevant": 2,
        "cautions": [],
    }
    assert "Relevant             2, grade 1 or higher" in berryeval("inspect", "qrels").output


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ('{"q": {"d": 1.5}}', "run"),
        ('{"q": {"d": 10.0, "e": 9}}', "run"),
        ('{"query_id": "q", "doc_id": "d", "score": 1}\n', "run"),
        ('{"query_id": "q", "doc_id": "d", "grade": 1}\n', "judgments"),
        ("qid,docno,score\nq,d,1\n", "run"),
        ("query,docid,rating\nq,d,1\n", "judgments"),
    ],
)
def test_the_kind_of_a_file_is_detected(folder, content, kind):
    """Keys decide if there are any, otherwise numbers."""
    (folder / "file").write_text(content)
    (facts,) = json.loads(berryeval("inspect", "file", "--json").output)["files"]
    assert facts["kind"] == kind


@pytest.fixture
def pipe(folder):
    """Write a run of 20,000 rows into a named pipe in any format; return its name."""
    run = Run.from_dict({f"q{i}": {f"d{j}": float(-j) for j in range(100)} for i in range(200)})
    threads = []

    def start(name):
        write_run(run, folder / name)
        content = (folder / name).read_bytes()
        os.mkfifo(folder / "pipe")
        threads.append(Thread(target=(folder / "pipe").write_bytes, args=(content,)))
        threads[-1].start()
        return "pipe"

    yield start
    for thread in threads:
        thread.join()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
@pytest.mark.parametrize("name", ["a.run", "a.run.gz", "a.jsonl", "a.csv"])
def test_nothing_from_a_pipe_is_lost(folder, pipe, name):
    """It is read once, although format, kind and rows are examined."""
    done = berryeval("convert", pipe(name), "b.jsonl")
    assert (done.exit_code, done.output) == (0, "")
    assert read_run(folder / "b.jsonl") == read_run(folder / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_pipe_is_inspected_like_a_file(pipe):
    """All facts are the same."""
    (facts,) = json.loads(berryeval("inspect", pipe("a.run"), "--json").output)["files"]
    (of_file,) = json.loads(berryeval("inspect", "a.run", "--json").output)["files"]
    assert facts == of_file | {"path": "pipe"}


def test_standard_input_is_read_like_a_file(folder):
    """Its format and kind are detected."""
    content = (folder / "good.run").read_bytes()
    (facts,) = json.loads(CliRunner().invoke(main, ["inspect", "-", "--json"], content).output)[
        "files"
    ]
    assert (facts["path"], facts["kind"]) == ("standard input", "run")
    assert CliRunner().invoke(main, ["convert", "-", "b.jsonl"], content).exit_code == 0
    assert read_run(folder / "b.jsonl") == read_run(folder / "good.run")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["inspect", "none"], "none: cannot be read: No such file or directory"),
        (["inspect", "empty.csv"], "empty.csv: expected judgments or a run, found nothing"),
        (["convert", "good.run", "x.letor"], "a LETOR file holds judgments, not a run"),
        (
            ["convert", ".", "x"],
            ".: expected qrels/test.tsv in the folder, found no qrels",
        ),
        (
            ["convert", "--from", "jsonl", "empty.csv", "x"],
            "empty.csv:1: expected a JSON object, found something else (Expecting value: line 1 "
            "column 1 (char 0))",
        ),
        (
            ["inspect", "w.json"],
            "w.json: expected --kind judgments or --kind run, since whole numbers may be either",
        ),
        (
            ["convert", "w.json", "x"],
            "w.json: expected --kind judgments or --kind run, since whole numbers may be either",
        ),
        (["inspect", "none.json"], "none.json: expected judgments or a run, found nothing"),
        (["convert", "none", "x"], "none: cannot be read: No such file or directory"),
    ],
)
def test_errors_are_one_line(folder, arguments, message):
    """The exit code is 2."""
    (folder / "empty.csv").write_text("query,docid,rating\n")
    (folder / "w.json").write_text('{"q": {"d": 1}}')
    (folder / "none.json").write_text("{}")
    result = berryeval(*arguments)
    assert (result.exit_code, result.stderr) == (2, f"Error: {message}\n")


@pytest.mark.parametrize("name", ["b.parquet", "b.arrow"])
def test_binary_files_are_inspected(folder, name):
    """Columns decide the kind, and the hash is that of the file."""
    for source, kind in (("qrels", "judgments"), ("good.run", "run")):
        assert berryeval("convert", source, name).exit_code == 0
        (facts,) = json.loads(berryeval("inspect", name, "--json").output)["files"]
        assert (facts["format"], facts["kind"]) == (name[2:], kind)
        assert facts["rows"] == 4
        assert facts["sha256"] == hashlib.sha256((folder / name).read_bytes()).hexdigest()


def test_standard_input_is_converted_completely(folder):
    """Its kind is named, since it can be read only once."""
    result = CliRunner().invoke(main, ["convert", "-", "b.jsonl", "--kind", "judgments"], QRELS)
    assert result.exit_code == 0, result.output
    assert read_judgments("b.jsonl").to_dict() == read_judgments("qrels").to_dict()
    berryeval("convert", "good.run", "b.parquet")
    content = (folder / "b.parquet").read_bytes()
    command = [sys.executable, "-m", "berryeval", "convert", "-", "c.run", "--kind", "run"]
    subprocess.run(command, input=content, check=True)
    assert read_run("c.run") == read_run("good.run")


def test_a_beir_folder_is_read(folder):
    """Its test judgments are used."""
    (folder / "set" / "qrels").mkdir(parents=True)
    (folder / "set" / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\ta\t1\n")
    assert berryeval("convert", "set", "out").exit_code == 0
    assert (folder / "out").read_text() == "q1 0 a 1\n"
    (facts,) = json.loads(berryeval("inspect", "set/", "--json").output)["files"]
    assert (facts["kind"], facts["rows"]) == ("judgments", 1)
    assert berryeval("evaluate", "set", "good.run", "-m", "RR").exit_code == 0


def test_the_first_of_several_judges_counts_and_is_reported(folder):
    """evaluate and convert report it; options set other rules."""
    (folder / "j.csv").write_text("qid,docno,rel,judge\nq1,a,1,x\nq1,a,3,y\nq1,b,0,x\n")
    note = "Several judges graded 1 document: the first grade counts."
    assert note in berryeval("evaluate", "j.csv", "good.run", "-m", "P@1").output
    found = json.loads(berryeval("evaluate", "j.csv", "good.run", "-m", "P@1", "--json").output)
    assert found["runs"][0]["notes"] == [note]
    highest = berryeval("evaluate", "j.csv", "good.run", "--judges", "max").output
    assert "Several judges graded 1 document: the highest grade counts." in highest
    done = berryeval("convert", "j.csv", "out", "--judges", "mean")
    assert (done.exit_code, done.stderr) == (
        0,
        "Several judges graded 1 document: the mean grade counts.\n",
    )
    assert (folder / "out").read_text() == "q1 0 a 2\nq1 0 b 0\n"
    (facts,) = json.loads(berryeval("inspect", "j.csv", "--json").output)["files"]
    assert (facts["rows"], facts["duplicates"]) == (3, 0)


def test_a_dash_as_target_is_standard_output(folder):
    """TREC is the default, and no file with that name is created."""
    result = berryeval("convert", "qrels", "-")
    assert (result.exit_code, result.stdout_bytes) == (0, QRELS)
    result = berryeval("convert", "qrels", "-", "--to", "table")
    assert result.stdout.startswith("query_id,doc_id,relevance\nq1,a,2\n")
    assert not (folder / "-").exists()


def test_a_run_of_whole_scores_in_json_is_still_a_run():
    """Scores are written with a decimal point, whole grades without."""
    assert berryeval("convert", "qrels", "b.json").exit_code == 0
    assert berryeval("convert", "b.json", "back", "--kind", "judgments").exit_code == 0
    assert read_judgments("back").to_dict() == read_judgments("qrels").to_dict()
    CliRunner().invoke(main, ["convert", "-", "c.json", "--kind", "run"], b"q Q0 d 1 10 t\n")
    (facts,) = json.loads(berryeval("inspect", "c.json", "--json").output)["files"]
    assert facts["kind"] == "run"


@pytest.mark.parametrize(
    ("encoding", "shown"), [("ascii", b"\\u67e5\\udcff"), ("utf-8", "查".encode() + b"\xff")]
)
def test_ids_that_the_output_cannot_show_are_escaped(folder, encoding, shown):
    """There is no traceback; bytes are written unchanged if possible."""
    name = "查".encode() + b"\xff"
    (folder / "q").write_bytes(b"%s 0 d 1\n" % name)
    (folder / "r").write_bytes(b"%s Q0 d 1 1 t\n" % name)
    command = [sys.executable, "-m", "berryeval", "evaluate", "q", "r", "-q", "-m", "RR"]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    result = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert shown in result.stdout


def test_queries_that_a_format_cannot_represent_are_counted(folder):
    """Nothing is dropped silently, and a JSON object contains all."""
    (folder / "e.json").write_text('{"q1": {"d1": 0.5}, "q2": {}, "q3": {}}')
    for target in ("e.run", "e.jsonl", "e.csv"):
        result = berryeval("convert", "e.json", target)
        assert (result.exit_code, result.stderr) == (
            0,
            "2 queries without documents are left out; only JSON objects can contain queries "
            "without documents.\n",
        )
    assert berryeval("convert", "e.json", "f.json").stderr == ""
    assert json.loads((folder / "f.json").read_text()) == {"q1": {"d1": 0.5}, "q2": {}, "q3": {}}
    inspected = json.loads(berryeval("inspect", "e.json", "--json").output)["files"][0]
    assert (inspected["queries"], inspected["fewest_documents"], inspected["rows"]) == (3, 0, 1)


def test_ranks_follow_scores_for_any_order_of_rows(folder):
    """Tables need not be sorted, and ties are ranked as in scoring."""
    (folder / "a.csv").write_text(
        "query_id,doc_id,score\nq,d1,1\nq,d2,3\nq,d3,2\nr,d1,5\nr,d3,5\nr,d2,5\n"
    )
    assert berryeval("convert", "a.csv", "a.run").exit_code == 0
    rows = [line.split()[:4] for line in (folder / "a.run").read_text().splitlines()]
    assert [(query, doc, int(rank)) for query, _, doc, rank in rows] == [
        ("q", "d1", 3),
        ("q", "d2", 1),
        ("q", "d3", 2),
        ("r", "d1", 3),
        ("r", "d3", 1),
        ("r", "d2", 2),
    ]
    assert read_run("a.run") == read_run("a.csv")


def test_convert_reports_suspicious_scores(folder):
    """The new file has new ranks, which would hide the mistake."""
    rows = "".join(f"q,d{i},{i}\n" for i in range(10))
    (folder / "distances.csv").write_text(f"query_id,doc_id,score\n{rows}")
    result = berryeval("convert", "distances.csv", "a.run")
    assert result.exit_code == 0
    assert result.stderr.startswith("Caution: distances.csv: scores rise from the first document")
    assert result.stderr.count("\n") == 1


def test_convert_keeps_the_tag_from_standard_input(folder):
    """Pipes keep it, as files do."""
    arguments = ["convert", "-", "b.run", "--kind", "run"]
    CliRunner().invoke(main, arguments, "q1 Q0 d1 1 2.5 mine\n")
    assert (folder / "b.run").read_text() == "q1 Q0 d1 1 2.5 mine\n"
    lines = '{"query_id": "q1", "doc_id": "d1", "score": 2.5, "tag": "mine"}\n'
    CliRunner().invoke(main, [*arguments, "--from", "jsonl"], lines)
    assert (folder / "b.run").read_text() == "q1 Q0 d1 1 2.5 mine\n"


def test_a_file_of_questions_has_to_be_converted(tmp_path, monkeypatch):
    """It looks like a broken run, so the error names the command that reads it."""
    monkeypatch.chdir(tmp_path)
    Path("my questions.csv").write_text("question,expected_docs\nhats,hats.md\n")
    done = CliRunner().invoke(main, ["inspect", "my questions.csv"])
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: my questions.csv: has questions with expected documents; convert it: "
        "berryeval dataset 'my questions.csv' FOLDER\n"
    )


@pytest.mark.parametrize(
    "command", [("inspect",), ("evaluate", "qrels.txt"), ("power", "qrels.txt")]
)
def test_a_baseline_is_not_a_run(tmp_path, monkeypatch, command):
    """The error says what it is, and which commands take it."""
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q1 0 d1 1\n")
    Path("a.run").write_text("q1 Q0 d1 1 2.5 t\n")
    saved = [
        "baseline",
        "save",
        "--judgments",
        "qrels.txt",
        "--run",
        "a.run",
        "--baseline",
        "b.json",
    ]
    assert CliRunner().invoke(main, saved).exit_code == 0
    done = CliRunner().invoke(main, [*command, "b.json"])
    assert done.exit_code == 2
    assert "b.json: is a baseline, not judgments or a run; `berryeval gate` and" in done.stderr
