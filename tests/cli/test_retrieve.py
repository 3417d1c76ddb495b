"""berryeval retrieve."""

import json
import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main
from berryeval.cli.retrieve import _numbered
from berryeval.suite.gate import read_timings
from cli.retrieving import QUERIES, invoke, retrieve, search_folder  # noqa: F401 - a fixture


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
    """It is the same as in `berryeval quality`; the former argument still works, with a hint."""
    assert retrieve("engine_of_test:find", "-o", "a.run").stderr == ""
    former = invoke("engine_of_test:find", "-o", "b.run")
    assert former.exit_code == 0
    assert former.stderr == "The argument SYSTEM is now the option --system SYSTEM.\n"
    assert Path("a.run").read_text() == Path("b.run").read_text()
    both = invoke("engine_of_test:find", "--system", "engine_of_test:find", "-o", "c.run")
    assert both.exit_code == 2
    assert "Name the system only once: berryeval retrieve --system SYSTEM." in both.stderr
    assert "Name one system: berryeval retrieve --system SYSTEM." in invoke("-o", "c.run").stderr


PROJECT = """
queries = "queries.jsonl"
judgments = "qrels.txt"
system = "engine_of_project:find"
run = "old.run"

[system_settings]
id = "article"
"""
ENGINE = """
def find(query, k):
    return [{"article": "a7", "text": "one"}, {"article": "a8", "text": "two"}]
"""


def of_project(folder, *arguments, toml=PROJECT):
    """Retrieve in a folder with settings, a judged query and an engine without usual ids."""
    (folder / "berryeval.toml").write_text(toml)
    (folder / "qrels.txt").write_text("q1 0 a8 1\n")
    (folder / "engine_of_project.py").write_text(ENGINE)
    sys.modules.pop("engine_of_project", None)
    return CliRunner().invoke(main, ["retrieve", *arguments], prog_name="berryeval")


def test_the_settings_file_names_system_settings_and_queries(folder):
    """As for a gate; its run may be written, since it is not read."""
    done = of_project(folder, "-o", "old.run")
    assert (done.exit_code, done.stderr) == (0, "")
    assert be.read_run("old.run").ranking("q1") == ["a7", "a8"]
    assert of_project(folder, "--judged-only", "-o", "judged.run").exit_code == 0
    assert [*be.read_run("judged.run").query_ids] == ["q1"]


def test_options_take_precedence_over_the_settings_file(folder):
    """Settings belong to the system of the file only."""
    assert of_project(folder, "-s", "id=text", "-o", "a.run").exit_code == 2  # none is judged
    done = of_project(folder, "--queries", "queries.jsonl", "-s", "score=x", "-o", "a.run")
    assert "expected x as score" in done.stderr
    done = of_project(folder, "--system", "engine_of_test:find", "-o", "a.run")
    assert (done.exit_code, done.stderr) == (0, "")


def test_ids_that_no_judgment_has_are_refused_in_a_project(folder):
    """The gate refuses them, too; nothing is written."""
    done = of_project(folder, "-o", "a.run", toml=PROJECT.partition("[system_settings]")[0])
    assert done.exit_code == 2
    assert "in the judgments: 'a8'" in done.stderr
    assert done.stderr.endswith("(add -s id=article)\n")
    assert not (folder / "a.run").exists()


def test_answers_may_be_collected_before_they_are_judged(folder):
    """The settings file may name judgments that do not exist yet."""
    toml = PROJECT.partition("[system_settings]")[0].replace("qrels.txt", "later.txt")
    assert of_project(folder, "-o", "a.run", toml=toml).exit_code == 0


def test_hits_without_ids_are_always_reported(folder):
    """Without judgments, a run with hashes is written, and a note says how to name the ids."""
    done = of_project(folder, "-o", "a.run", toml='system = "engine_of_project:find"\n'
                      'queries = "queries.jsonl"\n')  # fmt: skip
    assert done.exit_code == 0
    assert done.stderr == (
        "Hits have no ids, so each document is identified by a hash of its text; name the field "
        "that identifies a document with the setting id (add -s id=article).\n"
    )


def test_documents_of_the_settings_file_are_indexed(folder):
    """An engine in memory has no others."""
    pytest.importorskip("tantivy")
    toml = 'documents = "docs"\nqueries = "queries.jsonl"\n'
    assert of_project(folder, "--system", "bm25", "-o", "a.run", toml=toml).exit_code == 0
    assert be.read_run("a.run").ranking("q1")[0] == "guide.md#oauth"


def test_queries_have_to_be_named(folder):
    """On the command line, or in the settings file."""
    done = of_project(folder, "-o", "a.run", toml='system = "engine_of_project:find"\n')
    assert done.exit_code == 2
    assert "--queries FILE, or queries = ... in berryeval.toml" in done.stderr
