"""Comparisons, gates and the commands, on the cluster."""

import json
import re
from itertools import takewhile
from pathlib import Path

import pytest

from spark.cluster import require_spark, session

require_spark()

from click.testing import CliRunner  # noqa: E402 - only if Spark is there
from pyarrow import parquet  # noqa: E402

import berryeval as be  # noqa: E402
import berryeval.spark  # noqa: E402
from berryeval.cli import main  # noqa: E402
from berryeval.errors import ArgumentError, MismatchError, SparkError  # noqa: E402
from berryeval.spark.failures import translated  # noqa: E402
from berryeval.spark.gating import run_gate  # noqa: E402
from berryeval.spark.session import Cluster, open_session, read_frame  # noqa: E402
from berryeval.suite.settings import Settings  # noqa: E402
from spark.cases import assert_same, figures, table, tricky  # noqa: E402

MEASURES = ["nDCG@10", "RR", "P@5"]


@pytest.fixture(scope="module", autouse=True)
def spark():
    """The cluster."""
    return session()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Judgments and three runs as Parquet: one of them a folder, and one a copy."""
    folder = tmp_path_factory.mktemp("files")
    judgments, run = tricky(11, n_queries=80)
    other = [(query, doc, score * 0.5 + (len(doc) % 3)) for query, doc, score in run]
    parquet.write_table(table(judgments, "relevance"), folder / "judgments.parquet")
    parquet.write_table(table(run, "score"), folder / "old.parquet")
    parquet.write_table(table(run[::-1], "score"), folder / "copy.parquet")
    be.write_run(be.Run.from_frame(table(other, "score")), folder / "new.parquet", partitions=3)
    return folder


def loaded(spark, files, *names):
    """Return judgments and runs as frames."""
    judged = spark.read.parquet(str(files / "judgments.parquet"))
    return judged, {name: spark.read.parquet(str(files / f"{name}.parquet")) for name in names}


def invoke(*arguments):
    """Run a command in this process, which has the session of the cluster."""
    return CliRunner().invoke(main, [str(one) for one in arguments])


@pytest.fixture(scope="module")
def compared(spark, files):
    """Three runs compared on the cluster and on one machine, each run scored once."""
    judged, runs = loaded(spark, files, "old", "new", "copy")
    paths = {name: files / f"{name}.parquet" for name in runs}
    options = {"tests": ["randomisation"]}
    return (
        berryeval.spark.compare(judged, runs, MEASURES, **options),
        be.compare(files / "judgments.parquet", paths, MEASURES, **options),
    )


def without_rankings(notes):
    """Yield the notes without shares of judged documents, which need the rankings."""
    for note in notes:
        if not str(note).startswith("Grades for them could reverse"):
            yield re.sub(r" of [0-9,]+ \(.*?\)", "", str(note))


def test_comparisons_have_the_numbers_of_one_machine(compared):
    """This covers differences, intervals, p-values, notes and the sentence."""
    found, expected = compared
    assert figures(found) == figures(expected)
    assert found.sentence == expected.sentence
    assert [*without_rankings(found.notes)] == [*without_rankings(expected.notes)]
    for name, evaluation in expected.evaluations.items():
        assert_same(found.evaluations[name], evaluation)


def test_gates_have_the_verdict_of_one_machine(compared):
    """This holds even if no score changed: Spark then compares the rankings."""
    found, local = compared
    for candidate in ("new", "copy"):
        rules = {"margin": {"nDCG@10": 0.05, "RR": 0.1}, "candidate": candidate}
        expected, decided = be.gate(local, **rules), be.gate(found, **rules)
        assert decided.verdict == expected.verdict
        assert decided.sentence == expected.sentence
        assert [vars(one) for one in decided.guards] == [vars(one) for one in expected.guards]
    assert decided.guards[0].is_unchanged


def test_equal_scores_of_other_documents_are_not_unchanged(spark):
    """Two irrelevant documents swapped places."""
    judged = spark.createDataFrame(table([("q1", "a", 1.0)], "relevance"))
    runs = {
        name: spark.createDataFrame(
            table([("q1", "a", 9.0), ("q1", "b", b), ("q1", "q1", 8.0), ("q2", "x", b)], "score")
        )
        for name, b in (("old", 1.0), ("new", 8.5))
    }
    found = berryeval.spark.compare(judged, runs, "RR")
    for k, is_same in ((1, True), (3, False), (None, False)):
        assert found.is_unchanged("new", k, ["q1"]) is is_same
    without = berryeval.spark.compare(judged, runs, "RR", exclude_self=True)
    assert without.is_unchanged("new", 3, ["q1"])


def test_what_cannot_be_compared_is_refused(spark, files):
    """A run of other queries is named."""
    judged, runs = loaded(spark, files, "old")
    other = runs["old"].withColumn("query_id", runs["old"].doc_id)
    other = other.dropDuplicates(["query_id", "doc_id"])
    with pytest.raises(MismatchError, match=r"^other: judgments and run have no query in common"):
        berryeval.spark.compare(judged, {**runs, "other": other}, "RR")
    with pytest.raises(ArgumentError, match="runs: expected at least two"):
        berryeval.spark.compare(judged, runs, "RR")


def test_evaluate_prints_what_the_local_engine_prints(files):
    """The JSON is the same, byte by byte."""
    more = ["-m", "AP", "-m", "R@20", "--per-query", "--intervals"]
    paths = [files / "judgments.parquet", files / "old.parquet", files / "new.parquet"]
    local = invoke("evaluate", *paths, "--json", *more)
    found = invoke("evaluate", *paths, "--json", "--engine", "spark", "--tasks", "3", *more)
    assert found.exit_code == 0, found.output
    assert found.stdout == local.stdout


def test_judgments_in_any_format_are_read_by_the_driver(files, tmp_path):
    """Users have qrels in addition to their tables."""
    judgments = be.read_judgments(files / "judgments.parquet")
    be.write_judgments(judgments, tmp_path / "judgments.jsonl")
    options = ["--missing", "skip", "--no-relevant", "skip", "--json"]
    run = files / "old.parquet"
    local = invoke("evaluate", tmp_path / "judgments.jsonl", run, *options)
    found = invoke("evaluate", tmp_path / "judgments.jsonl", run, "--engine", "spark", *options)
    assert found.stdout == local.stdout


def test_tables_of_the_catalogue_are_read(spark, files):
    """A table is given by name in place of a path."""
    spark.read.parquet(str(files / "old.parquet")).createOrReplaceTempView("old_run")
    named = invoke(
        "evaluate", files / "judgments.parquet", "old=table:old_run", "--engine", "spark", "--json"
    )
    assert named.exit_code == 0, named.output
    assert json.loads(named.stdout)["runs"][0]["run"] == "old"


def test_compare_prints_what_the_local_engine_prints(files):
    """Measures are named, since Spark does not look at depths first."""
    paths = [files / "judgments.parquet", files / "old.parquet", files / "new.parquet"]
    options = ["-m", "nDCG@10", "-m", "P@5", "--json", "--per-query", "--risk", "1"]
    local = invoke("compare", *paths, *options)
    found = invoke("compare", *paths, *options, "--engine", "spark")
    assert found.exit_code == 0, found.output
    first, second = json.loads(found.stdout), json.loads(local.stdout)
    notes = [[*without_rankings(one.pop("notes"))] for one in (first, second)]
    assert first == second
    assert notes[0] == notes[1]


def test_compare_writes_a_page_without_rankings(files, tmp_path):
    """A report of scores is complete, although no rankings are known."""
    paths = [files / "judgments.parquet", files / "old.parquet", files / "new.parquet"]
    found = invoke("compare", *paths, "--engine", "spark", "-o", tmp_path / "report.html")
    assert found.exit_code == 0, found.output
    assert "nDCG@10" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("guard", "code"),
    [(["--at-least", "RR=0.5"], 1), (["--margin", "nDCG@10=0.5"], 0)],
)
def test_the_gate_exits_as_the_local_engine_does(files, guard, code):
    """The verdict is the exit code."""
    paths = [
        f"--judgments={files / 'judgments.parquet'}",
        f"--run={files / 'new.parquet'}",
        f"--baseline={files / 'old.parquet'}",
    ]
    local = invoke("gate", *paths, *guard, "--json", "--holes", "report")
    found = invoke("gate", *paths, *guard, "--json", "--holes", "report", "--engine", "spark")
    assert (found.exit_code, local.exit_code) == (code, code), found.output
    assert json.loads(found.stdout)["verdict"] == json.loads(local.stdout)["verdict"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate", "j", "r", "--master", "yarn"], "--master requires --engine spark"),
        (["evaluate", "j", "r", "--engine", "spark", "--oracle", "5"], "--oracle is not available"),
        (["evaluate", "j", "r", "--engine", "spark", "--spark-conf", "x"], "NAME=VALUE, not 'x'"),
        (["compare", "j", "a", "b", "--engine", "spark", "--bounds"], "--bounds is not available"),
        (["gate", "--engine", "spark", "--open-reserve"], "--open-reserve is not available"),
    ],
)
def test_options_that_spark_does_not_have_are_refused(arguments, message):
    """They are rejected before a session is started."""
    found = invoke(*arguments)
    assert found.exit_code == 2
    assert message in found.stderr


def test_errors_of_commands_are_one_line(tmp_path):
    """Bad input exits with 2."""
    bad = table([("q1", "a", float("nan"))], "score")
    parquet.write_table(bad, tmp_path / "bad.parquet")
    judgments = table([("q1", "a", 1.0)], "relevance")
    parquet.write_table(judgments, tmp_path / "j.parquet")
    found = invoke(
        "evaluate", tmp_path / "j.parquet", tmp_path / "bad.parquet", "--engine", "spark"
    )
    assert found.exit_code == 2
    assert found.stderr.splitlines() == [
        "Error: run: expected a number as score, got nan (query 'q1', document 'a')"
    ]
    found = invoke("evaluate", tmp_path / "j.parquet", "no.parquet", "--engine", "spark")
    assert found.exit_code == 2
    assert found.stderr.startswith("Error: Spark: ")
    assert "no.parquet" in found.stderr
    assert len(found.stderr.splitlines()) == 1


RULES = {"margin": ("nDCG@10=0.1",)}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, "gate.guard: expected at least one"),
        ({"guards": {"at_least": ("RR=0.1",)}}, "judgments: expected a file"),
        ({"guards": RULES, "judgments": "j"}, "run: expected a file, a folder or a table"),
        ({"guards": RULES, "history": "h"}, "history: expected none with --engine spark"),
        ({"guards": RULES, "system": "bm25"}, "system: expected none with --engine spark"),
        ({"guards": RULES, "holes": "inconclusive"}, "holes"),
    ],
)
def test_a_gate_refuses_what_spark_does_not_have(changes, message):
    """Ignoring it could change the verdict."""
    rules = be.GateRules()
    if "holes" in changes:
        rules = rules.with_texts({"holes": changes.pop("holes")}, {"holes": "holes"})
    guards = changes.pop("guards", {})
    rules = rules.with_guards(
        {"at_least": (), "margin": (), "equivalent": (), **guards},
        {"at_least": "--at-least", "margin": "--margin", "equivalent": "--equivalent"},
    )
    with pytest.raises(ArgumentError, match=message):
        run_gate(Settings(gate=rules, **changes), Cluster())


def test_a_failure_of_spark_is_one_line(spark):
    """It contains a fix if there is one."""
    with pytest.raises(SparkError, match=r"^Spark: .*TABLE_OR_VIEW_NOT_FOUND"), translated():
        spark.table("nothing").count()

    def lacking(batches):
        import no_such_module  # noqa: F401

        yield from batches

    frame = spark.range(1)
    with (
        pytest.raises(SparkError, match="no module 'no_such_module'; install berryeval"),
        translated(),
    ):
        frame.mapInArrow(lacking, frame.schema).collect()


def test_an_active_session_is_used_and_stays(spark, files):
    """A notebook already has one."""
    with open_session("local[9]") as opened:
        assert opened.sparkContext.applicationId == spark.sparkContext.applicationId
        assert read_frame(opened, str(files / "new.parquet"), "run").count() > 0
    assert spark.range(3).count() == 3


def test_the_how_to_works_as_it_is_printed(tmp_path, capsys):
    """A user copies the blocks of the page one after another."""
    page = Path(__file__).parents[2] / "docs" / "how-to" / "evaluate-with-spark.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    judgments, run = tricky(12, n_queries=40)
    for name, rows, number in (
        ("judgments", judgments, "relevance"),
        ("run", run, "score"),
        ("hybrid", run[5:], "score"),
    ):
        parquet.write_table(table(rows, number), tmp_path / f"{name}.parquet")
    names = {}
    for block in takewhile(lambda one: "polars" not in one, blocks):
        placed = block.replace('parquet("', f'parquet("{tmp_path}/')  # Java has another folder
        exec(compile(placed, "how-to", "exec"), names)  # noqa: S102 - it is ours
    expected = be.evaluate(
        tmp_path / "judgments.parquet", tmp_path / "run.parquet", ["nDCG@10", "AP", "R@100"]
    )
    assert_same(names["result"], expected)
    assert "QueryCounts" in capsys.readouterr().out
