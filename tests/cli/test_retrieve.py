"""berryeval retrieve."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.cli._systems import progress_bar
from berryeval.cli.retrieve import _numbered
from berryeval.suite.gate import read_timings

QUERIES = '{"_id": "q1", "text": "configure OAuth"}\n{"_id": "q2", "text": "slow queries"}\n'
MODULE = """
import os, time

def find(query, k):
    return {"guide.md#oauth": 2.0, "guide.md#speed": 1.0}

def half(query, k):
    if query.startswith("slow") and not os.path.exists("healed"):
        raise ValueError("no such index")
    return find(query, k)

def picky(query, k):
    raise ValueError(query)

def some(query, k):
    return find(query, k) if query.startswith("slow") else []

def many(query, k):
    return [f"document-{i}" for i in range(k)]

def nothing(query, k):
    return []

def none_of_some(query, k):
    return half(query, k) and []

def slow(query, k):
    if not os.path.exists("healed"):
        time.sleep(0.2)
    with open("asked", "a") as file:
        file.write(query + "\\n")
    return ["a"]
"""
GUIDE = (
    "# OAuth\n\nConfigure OAuth with a secret.\n\n# Speed\n\nQueries are slow without an index.\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Change to a folder with queries, documents and a search engine."""
    (tmp_path / "queries.jsonl").write_text(QUERIES)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "guide.md").write_text(GUIDE)
    (tmp_path / "engine_of_test.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "engine_of_test", raising=False)
    return tmp_path


def retrieve(system, *arguments):
    return invoke("--system", system, *arguments)


def invoke(*arguments):
    words = ["retrieve", *arguments]
    if "--queries" not in arguments:
        words += ["--queries", "queries.jsonl"]
    return CliRunner().invoke(main, words, prog_name="berryeval")


@pytest.mark.parametrize("system", ["bm25", "vector", "hybrid"])
def test_a_folder_of_markdown_is_indexed_and_searched(system, folder):
    """X4: one command searches by words, by meaning and by both."""
    result = retrieve(system, "--documents", "docs", "-o", "out.jsonl")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("2 queries were answered with ")
    assert "; p50 " in result.stdout
    assert result.stdout.endswith(" ms.\n")
    run = be.read_run("out.jsonl")
    assert run.ranking("q1")[0] == "guide.md#oauth"
    assert run.ranking("q2")[0] == "guide.md#speed"
    assert not (folder / "out.jsonl.progress").exists()


def test_documents_may_be_json_lines_or_a_beir_folder(folder):
    """Ids are those of the file."""
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "OAuth"}\n')
    for documents in ("corpus.jsonl", "."):
        result = retrieve("bm25", "--documents", documents, "--queries", ".", "-o", "x.run")
        assert result.exit_code == 0, result.output
        assert be.read_run("x.run").to_dict()["q1"].keys() == {"d1"}


def test_the_chunking_can_be_chosen():
    """It is by paragraph or by size, and a single file works."""
    retrieve("bm25", "--documents", "docs/guide.md", "--chunks", "paragraph", "-o", "x.run")
    assert be.read_run("x.run").ranking("q1") == ["guide.md#p1"]


def test_questions_are_indexed_with_the_documents(folder):
    """Their words are found; questions without documents, or for others, are rejected."""
    (folder / "asked.json").write_text('{"guide.md#speed": ["why does it take ages"]}')
    (folder / "queries.jsonl").write_text(QUERIES.replace("configure OAuth", "takes ages"))
    arguments = ("bm25", "--documents", "docs", "-o", "x.run")
    retrieve(*arguments)
    assert list(be.read_run("x.run").query_ids) == ["q2"]
    result = retrieve(*arguments, "--questions", "asked.json")
    assert result.exit_code == 0, result.output
    assert be.read_run("x.run").ranking("q1") == ["guide.md#speed"]
    (folder / "asked.json").write_text('{"guide.md": ["why does it take ages"]}')
    result = retrieve(*arguments, "--questions", "asked.json")
    assert result.exit_code == 2
    assert (
        "asked.json: questions are given for 'guide.md', but there is no such document"
        in result.stderr
    )
    result = retrieve("engine_of_test:find", "--questions", "asked.json", "-o", "x.run")
    assert result.exit_code == 2
    assert "--questions requires --documents." in result.stderr
    own = ("engine_of_test:find", "--documents", "docs", "-o", "x.run")
    result = retrieve(*own, "--questions", "asked.json")
    assert result.exit_code == 2
    assert (
        "--questions requires a system that indexes documents; engine_of_test:find does not."
        in result.stderr
    )


def test_settings_are_passed_to_the_system():
    """An unknown one is rejected with a list of known ones."""
    arguments = ["bm25", "--documents", "docs", "-o", "x.run"]
    assert retrieve(*arguments, "-s", "title_weight=0", "-s", "path=index").exit_code == 0
    assert os.path.exists("index/index.json")  # noqa: PTH110
    result = retrieve(*arguments, "-s", "wieght=2")
    assert result.exit_code == 2
    assert "setting: expected one of embedded's (approximate, constant, depth" in result.stderr
    result = retrieve(*arguments, "-s", "depth=many")
    assert "setting depth: expected a number, got 'many'" in result.stderr
    result = retrieve(*arguments, "-s", "depth")
    assert "--set takes NAME=VALUE, not 'depth'." in result.stderr


def test_a_function_is_called_and_timed():
    """Latency guards read the timings."""
    result = retrieve("engine_of_test:find", "-o", "x.run", "--timings", "x.timings")
    assert result.exit_code == 0, result.output
    assert be.read_run("x.run").ranking("q2") == ["guide.md#oauth", "guide.md#speed"]
    timings = read_timings("x.timings")
    assert list(timings) == ["q1", "q2"]
    assert all(0 <= ms < 5000 for ms in timings.values())


def test_a_stored_run_can_be_searched():
    """It returns itself."""
    retrieve("engine_of_test:find", "-o", "x.run")
    result = retrieve("replay:x.run", "-o", "y.run", "-k", "1")
    assert result.exit_code == 0, result.output
    assert be.read_run("y.run").to_dict() == {
        "q1": {"guide.md#oauth": 2.0},
        "q2": {"guide.md#oauth": 2.0},
    }


def test_repeats_are_separate_runs(folder):
    """They are numbered before the extension."""
    assert retrieve("engine_of_test:find", "-o", "x.run", "--repeat", "3").exit_code == 0
    assert sorted(folder.glob("x*")) == [folder / f"x{n}.run" for n in (".2", ".3", "")]
    assert _numbered("a.b/run.jsonl.gz", 2) == os.path.join("a.b", "run.2.jsonl.gz")  # noqa: PTH118
    result = retrieve("engine_of_test:find", "-o", "-", "--repeat", "3")
    assert "--repeat writes several runs" in result.stderr


def test_a_run_can_be_a_folder_of_parquet(folder):
    """Each file has whole queries, for engines that read them at the same time."""
    result = retrieve("engine_of_test:find", "-o", "x.parquet/", "--partitions", "2")
    assert result.exit_code == 0, result.output
    assert sorted(folder.glob("x*")) == [folder / "x.parquet"]
    assert len([*folder.glob("x.parquet/part-*.parquet")]) == 2
    assert be.read_run("x.parquet").ranking("q2") == ["guide.md#oauth", "guide.md#speed"]
    again = retrieve("engine_of_test:find", "-o", "x.parquet", "--partitions", "1", "--repeat", "2")
    assert again.exit_code == 0, again.output
    assert len([*folder.glob("x*.parquet/part-*.parquet")]) == 2
    result = retrieve("engine_of_test:find", "-o", "-", "--partitions", "2")
    assert "--partitions writes a folder" in result.stderr


def test_a_run_can_go_to_standard_output():
    """The summary goes to standard error, and nothing is left behind."""
    result = retrieve("engine_of_test:find", "-o", "-")
    assert result.stdout.startswith("q1 Q0 guide.md#oauth 1 2")
    assert "2 queries were answered" in result.stderr
    assert not os.path.exists("-.progress")  # noqa: PTH110


def test_a_failing_query_is_reported_and_can_be_sent_again(folder):
    """X8: exit code 4, the other answer is kept, and only missing queries are sent."""
    result = retrieve("engine_of_test:half", "-o", "x.run")
    assert result.exit_code == 4
    assert result.stderr == (
        "query 'q2' failed: engine_of_test:half: ValueError: no such index\n"
        "1 query failed; x.run was not written. Repeat the command to retry only the failed "
        "queries, or accept the run without it with --max-failed 1.\n"
    )
    assert not (folder / "x.run").exists()
    assert '"q1"' in (folder / "x.run.progress").read_text()
    open("healed", "w").close()  # noqa: PTH123
    result = retrieve("engine_of_test:half", "-o", "x.run")
    assert result.exit_code == 0
    assert list(be.read_run("x.run").query_ids) == ["q1", "q2"]
    assert not os.path.exists("x.run.progress")  # noqa: PTH110


def test_queries_may_fail_if_allowed(folder):
    """The run is without them, as reported, and the next command starts again."""
    result = retrieve("engine_of_test:half", "-o", "x.run", "--max-failed", "1")
    assert result.exit_code == 0
    assert result.stderr.endswith("1 query failed; the run does not contain it.\n")
    assert list(be.read_run("x.run").query_ids) == ["q1"]
    assert not (folder / "x.run.progress").exists()


@pytest.mark.parametrize(
    ("system", "said"),
    [
        ("engine_of_test:half", "1 query failed; x.run was not replaced. Repeat the command"),
        ("engine_of_test:picky", "Every query failed; x.run was not replaced.\n"),
        ("engine_of_test:nothing", "engine_of_test:nothing: the queries found no documents; x.run "
                                   "was not replaced. Check that the right documents are"),
        ("engine_of_test:none_of_some", "1 query failed, and the others found no documents; x.run"),
    ],
)  # fmt: skip
def test_a_good_run_is_replaced_only_by_a_complete_one(folder, system, said):
    """A server that is down, or an empty index, does not destroy an existing run."""
    arguments = ("-o", "x.run", "--repeat", "2", "--timings", "x.timings")
    assert retrieve("engine_of_test:find", *arguments).exit_code == 0
    before = {file: file.read_bytes() for file in folder.glob("x.*")}
    assert len(before) == 3
    result = retrieve(system, *arguments[:2], *arguments[4:])
    assert result.exit_code == 4
    assert said in result.stderr
    assert {file: file.read_bytes() for file in before} == before


def test_nothing_incomplete_goes_to_standard_output():
    """The next command of a pipe would take it as complete."""
    result = retrieve("engine_of_test:half", "-o", "-")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr.endswith(
        "1 query failed; no run was written. Accept the run without it with --max-failed 1.\n"
    )


def test_queries_without_hits_are_counted():
    """A TREC file does not contain them."""
    result = retrieve("engine_of_test:some", "-o", "x.run")
    assert result.exit_code == 0
    assert result.stdout.startswith(
        "2 queries were answered with 2 documents, 1 of them with none; p50 "
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_a_full_disk_names_the_file_and_leaves_the_run(folder):
    """Stored answers may not fit, which is one line and exit code 2."""
    (folder / "x.run").write_text("as it was")
    limited = (
        f"ulimit -f 8; exec {sys.executable} -m berryeval retrieve --system engine_of_test:many"
    )
    done = subprocess.run(
        ["bash", "-c", f"{limited} --queries queries.jsonl -o x.run -k 1000"],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "Error: x.run.progress: cannot be written: File too large\n"
    assert (folder / "x.run").read_text() == "as it was"


def test_an_empty_index_is_searched_again(folder):
    """Empty answers are not stored, since documents may be added."""
    assert retrieve("engine_of_test:nothing", "-o", "x.run").exit_code == 4
    assert sorted(folder.glob("x.*")) == []


def test_an_empty_run_is_never_accepted():
    """This holds even if every query may fail."""
    result = retrieve("engine_of_test:picky", "-o", "x.run", "--max-failed", "2")
    assert result.exit_code == 4
    assert result.stderr.endswith("Every query failed; x.run was not written.\n")


@pytest.fixture
def many(folder):
    """Thirteen queries."""
    path = folder / "many.jsonl"
    path.write_text(
        "".join(json.dumps({"_id": f"q{i}", "text": f"slow {i}"}) + "\n" for i in range(13))
    )
    return path.name


def test_identical_failures_are_reported_once(many):
    """A system that is down fails for every query, and the first ones show it."""
    result = retrieve("engine_of_test:half", "--queries", many, "-o", "x.run", "--concurrency", "1")
    assert result.exit_code == 4
    assert result.stdout == "0 queries were answered with 0 documents.\n"
    assert result.stderr == (
        "query 'q0' and 7 more failed: engine_of_test:half: ValueError: no such index\n"
        "query 'q8' and 4 more failed: engine_of_test:half: not sent, since the first 8 queries "
        "failed in the same way\n"
        "Every query failed; x.run was not written.\n"
    )


def test_many_different_failures_are_shortened(many):
    """Only the first are shown."""
    result = retrieve("engine_of_test:picky", "--queries", many, "-o", "x.run")
    assert result.exit_code == 4
    lines = result.stderr.splitlines()
    assert lines[0] == "query 'q0' failed: engine_of_test:picky: ValueError: slow 0"
    assert lines[10:] == ["… and 3 more", "Every query failed; x.run was not written."]


def test_answers_with_other_settings_are_not_mixed():
    """Stored answers include their settings."""
    assert retrieve("engine_of_test:half", "-o", "x.run").exit_code == 4
    result = retrieve("engine_of_test:half", "-o", "x.run", "-k", "7")
    assert result.exit_code == 2
    assert "has answers with k '100', not '7'; delete the file to start again" in result.stderr


def test_settings_can_be_corrected_if_nothing_was_answered():
    """No file has to be deleted."""
    assert retrieve("engine_of_test:picky", "-o", "x.run").exit_code == 4
    assert retrieve("engine_of_test:find", "-o", "x.run", "-k", "7").exit_code == 0
    assert list(be.read_run("x.run").query_ids) == ["q1", "q2"]


def test_another_system_is_reported_before_its_settings():
    """Differing settings alone would be confusing."""
    assert retrieve("engine_of_test:half", "-o", "x.run").exit_code == 4
    result = retrieve("bm25", "--documents", "docs", "-o", "x.run")
    assert result.exit_code == 2
    assert "has answers with system 'function', not 'embedded'; delete the" in result.stderr


def test_an_unknown_system_is_exit_code_2():
    """So is one that cannot index documents."""
    result = retrieve("bm52", "-o", "x.run")
    assert result.exit_code == 2
    assert "system: expected bm25, vector, hybrid, postgres, " in result.stderr
    result = retrieve("engine_of_test:find", "--documents", "docs", "-o", "x.run")
    assert result.exit_code == 2
    assert "documents: expected none" in result.stderr


@pytest.mark.parametrize("system", ["bm25", "vector", "hybrid"])
def test_an_embedded_system_without_documents_is_an_error(folder, system):
    """One line names the option, before any query is sent."""
    result = retrieve(system, "-o", "x.run")
    assert result.exit_code == 2
    assert result.stderr == (
        f"Error: documents: expected some that {system} can search, got none; "
        "name them with --documents\n"
    )
    assert sorted(folder.glob("x.*")) == []


def test_a_corpus_without_documents_is_an_error(folder):
    """Nothing could be found in it."""
    (folder / "empty.jsonl").write_text("\n")
    result = retrieve("bm25", "--documents", "empty.jsonl", "-o", "x.run")
    assert result.exit_code == 2
    assert "empty.jsonl: expected documents, found none" in result.stderr


def test_an_index_in_a_folder_needs_no_documents(folder):
    """An earlier command filled it."""
    arguments = ("bm25", "-s", "path=index", "-o", "x.run")
    assert retrieve(*arguments, "--documents", "docs").exit_code == 0
    first = (folder / "x.run").read_bytes()
    assert retrieve(*arguments).exit_code == 0
    assert (folder / "x.run").read_bytes() == first


def test_an_address_is_for_postgres_only(monkeypatch):
    """--dsn with another system is an error; BERRYEVAL_DSN may be for other commands."""
    arguments = ("bm25", "--documents", "docs", "-o", "x.run")
    result = retrieve(*arguments, "--dsn", "postgresql://localhost/x")
    assert result.exit_code == 2
    assert "dsn: expected none with system 'bm25', got one" in result.stderr
    monkeypatch.setenv("BERRYEVAL_DSN", "postgresql://localhost/x")
    assert retrieve(*arguments).exit_code == 0


def test_an_interruption_reports_what_is_stored(monkeypatch):
    """This includes an empty store, and standard output, which stores nothing."""

    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("berryeval.search.collect.collect", interrupted)
    result = retrieve("engine_of_test:find", "-o", "x.run")
    assert result.exit_code == 130
    assert result.stderr == "0 answers are kept; repeat the command to continue.\nInterrupted.\n"
    assert retrieve("engine_of_test:find", "-o", "-").stderr == "Interrupted.\n"


def test_the_progress_bar_counts(monkeypatch):
    """It has a label, the number done, and the total."""
    screen = io.StringIO()
    screen.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", screen)
    with progress_bar("Working") as progress:
        progress(3, 7)
    assert "Working" in screen.getvalue()
    assert "3/7" in screen.getvalue()


def start(*arguments, **options):
    words = [sys.executable, "-m", "berryeval", "retrieve", "--system", *arguments]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL, **options)


@pytest.mark.skipif(sys.platform == "win32", reason="no signals to send there")
def test_a_retrieval_continues_after_ctrl_c(folder):
    """Answers are kept, and not requested again."""
    many = [json.dumps({"_id": f"q{i}", "text": f"t{i}"}) for i in range(40)]
    (folder / "many.jsonl").write_text("\n".join(many))
    words = ["engine_of_test:slow", "--queries", "many.jsonl", "-o", "x.run"]
    process = start(*words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    while not (folder / "asked").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert said.endswith("kept; repeat the command to continue.\nInterrupted.\n")
    n_kept = len((folder / "x.run.progress").read_text().splitlines()) - 1
    assert 0 <= n_kept < 40
    (folder / "asked").unlink()
    (folder / "healed").touch()
    assert retrieve(*words).exit_code == 0
    assert len((folder / "asked").read_text().splitlines()) == 40 - n_kept
    assert be.read_run("x.run").n_queries == 40


@pytest.mark.skipif(sys.platform == "win32", reason="no terminals of this kind there")
def test_a_terminal_shows_a_progress_bar():
    """A pipe does not."""
    leader, follower = os.openpty()
    process = start("engine_of_test:find", "--queries", "queries.jsonl", "-o", "x.run",
                    stderr=follower, stdout=subprocess.DEVNULL)  # fmt: skip
    assert process.wait(60) == 0
    os.close(follower)
    shown = os.read(leader, 65536).decode()
    os.close(leader)
    assert "Retrieving" in shown
    assert "2/2" in shown
    assert retrieve("engine_of_test:find", "-o", "x.run").stderr == ""


def test_an_engine_behind_http_is_indexed_and_searched(monkeypatch):
    """X4: documents are indexed, queries are answered, and the key is never shown."""
    from search.opensearch_server import running_engine

    monkeypatch.setenv("OPENSEARCH_API_KEY", "c2VjcmV0")
    with running_engine("elasticsearch", authorization="ApiKey c2VjcmV0") as (url, engine):
        place = f"elasticsearch:{url}/docs"
        done = retrieve(place, "--documents", "docs", "-o", "es.run", "-k", "2")
        assert done.exit_code == 0, done.output
        assert be.read_run("es.run").ranking("q1")[0] == "guide.md#oauth"
        engine.faults["_msearch"] = [(401, {"error": {"reason": "no c2VjcmV0"}})] * 2
        done = retrieve(place, "-o", "again.run")
    assert done.exit_code == 4
    assert "elasticsearch: rejected the credentials: no ***" in done.output
    assert "c2VjcmV0" not in done.output
    assert not Path("again.run.progress").exists()


def judged_folder(folder):
    """Write a BEIR folder of which each split has one query."""
    (folder / "beir" / "qrels").mkdir(parents=True)
    queries = QUERIES + '{"_id": "q3", "text": "OAuth"}\n'
    (folder / "beir" / "queries.jsonl").write_text(queries)
    for split, query_id in (("test", "q1"), ("dev", "q2")):
        rows = f"query-id\tcorpus-id\tscore\n{query_id}\td1\t1\n"
        (folder / "beir" / "qrels" / f"{split}.tsv").write_text(rows)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), ["q1", "q2", "q3"]),
        (("--judged-only",), ["q1"]),
        (("--split", "dev"), ["q2"]),
        (("--judgments", "qrels.txt", "--judged-only"), ["q3"]),
        (("--judgments", "beir", "--split", "test"), ["q1"]),
    ],
)
def test_only_judged_queries_can_be_sent(folder, options, expected):
    """A split has the queries that are judged in it; others could not be scored."""
    judged_folder(folder)
    (folder / "qrels.txt").write_text("q3 0 d1 1\nq9 0 d1 1\n")
    result = retrieve("engine_of_test:find", "--queries", "beir", "-o", "x.run", *options)
    assert result.exit_code == 0, result.output
    assert list(be.read_run("x.run").query_ids) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--judged-only",), "judgments: expected a file, since the queries are not in a folder"),
        (("--split", "dev"), "split: expected a folder with qrels/dev.tsv, got 'queries.jsonl'"),
        (("--judgments", "beir"), "--judgments requires --judged-only or --split."),
        (("--judgments", "beir", "--split", "train"), "expected qrels/train.tsv in the folder"),
        (("--judgments", "other.txt", "--judged-only"), "none of the 2 queries is judged"),
    ],
)
def test_judged_queries_need_judgments(folder, options, message):
    """The message names what is missing, and no query is sent."""
    judged_folder(folder)
    (folder / "other.txt").write_text("q9 0 d1 1\n")
    result = retrieve("engine_of_test:slow", "-o", "x.run", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (folder / "asked").exists()


def test_a_golden_set_has_documents_and_queries(folder):
    """Its folder is enough: the guideline is not indexed, and its chunking is used."""
    (folder / "GUIDELINE.md").write_text("# OAuth\n\nConfigure OAuth, says the guideline.\n")
    (folder / "docs").rename(folder / "test-documents")
    (folder / "queries.jsonl").rename(folder / "queries.ndjson")
    arguments = ("bm25", "--documents", ".", "--queries", ".", "-o", "x.run")
    assert retrieve(*arguments).exit_code == 0
    assert be.read_run("x.run").ranking("q1") == ["guide.md#oauth"]
    judgments = {"chunks": "document", "scale": 1,
                 "judgments": [{"query_id": "q1", "relevant": ["guide.md"]}]}  # fmt: skip
    (folder / "relevance-judgments.json").write_text(json.dumps(judgments))
    assert retrieve(*arguments, "--judged-only").exit_code == 0
    assert be.read_run("x.run").to_dict().keys() == {"q1"}
    assert be.read_run("x.run").ranking("q1") == ["guide.md"]


def test_the_system_is_an_option():
    """As in `berryeval quality`; as an argument it still works, with a hint."""
    assert retrieve("engine_of_test:find", "-o", "a.run").stderr == ""
    former = invoke("engine_of_test:find", "-o", "b.run")
    assert former.exit_code == 0
    assert former.stderr == "The argument SYSTEM is now the option --system SYSTEM.\n"
    assert Path("a.run").read_text() == Path("b.run").read_text()
    both = invoke("engine_of_test:find", "--system", "engine_of_test:find", "-o", "c.run")
    assert both.exit_code == 2
    assert "Name the system only once: berryeval retrieve --system SYSTEM." in both.stderr
    assert "Name one system: berryeval retrieve --system SYSTEM." in invoke("-o", "c.run").stderr
