"""berryeval fuse."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main

RUNS = Path(__file__).parents[2] / "examples" / "runs"
TUNED = ("--tune", "nDCG@10", "--judgments", "qrels.txt", "--method", "wsum", "--norm", "min-max")


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """Change to a folder with judgments and two runs."""
    monkeypatch.chdir(tmp_path)
    for name in ("qrels.txt", "words.run", "stems.run"):
        Path(name).write_bytes((RUNS / name).read_bytes())


def fuse(*arguments, runs=("words.run", "stems.run")):
    return CliRunner().invoke(main, ["fuse", *runs, *arguments])


def test_a_fused_run_is_written():
    """Nothing is printed, and the file equals what Python fuses."""
    result = fuse("-o", "fused.run")
    assert (result.exit_code, result.output) == (0, "")
    assert be.read_run("fused.run") == be.fuse(["words.run", "stems.run"])


def test_the_run_goes_to_standard_output_by_default():
    """It is in TREC format, for the next command of a pipe."""
    first = fuse().stdout.splitlines()[0]
    assert first == "h01 Q0 export-pdf 1 0.03278688524590164 rrf"


def test_settings_reach_the_method():
    """This covers method, normalisation, weights, parameters and depth."""
    fuse("-o", "a.jsonl", "--method", "wsum", "--norm", "zmuv", "--weights", "0.7,0.3")
    expected = be.fuse(["words.run", "stems.run"], "wsum", norm="zmuv", weights=[0.7, 0.3])
    assert be.read_run("a.jsonl") == expected
    fuse("-o", "b.run", "-p", "k=5", "--depth", "3")
    assert be.read_run("b.run") == be.fuse(["words.run", "stems.run"], k=5, depth=3)


def test_methods_learn_from_judgments():
    """The file of judgments is used for training."""
    fuse("-o", "a.run", "--method", "posfuse", "--judgments", "qrels.txt", "-p", "rel=2")
    trained = be.fuse(["words.run", "stems.run"], "posfuse", judgments="qrels.txt", rel=2)
    assert be.read_run("a.run") == trained


def test_queries_that_a_run_lacks_are_reported():
    """The note on standard error names the run."""
    rows = Path("stems.run").read_text().splitlines(keepends=True)
    Path("part.run").write_text("".join(row for row in rows if not row.startswith("h01")))
    result = fuse("-o", "fused.run", runs=("words.run", "Stems=part.run"))
    assert result.stderr == (
        "Caution: Stems lacks 1 of 60 queries ('h01'), which are fused from the other runs.\n"
    )
    result = fuse("--different-queries", "error", runs=("words.run", "Stems=part.run"))
    assert result.exit_code == 2
    assert "Error: Stems lacks 1 of 60 queries ('h01'); queries='all'" in result.stderr


def test_suspicious_scores_are_reported():
    """Distances would fuse the worst documents."""
    Path("distances.run").write_text(
        "".join(f"h01 Q0 d{rank} {rank} 0.{rank} x\n" for rank in range(1, 8))
    )
    result = fuse("-o", "fused.run", runs=("words.run", "distances.run"))
    assert "Caution: distances.run: scores rise from the first document to the last" in (
        result.stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--weights", "x"), "--weights: expected numbers, such as 0.7,0.3, got 'x'"),
        (("-p", "k"), "--parameter: expected NAME=NUMBER, such as k=20, got 'k'"),
        (("-p", "k=x"), "--parameter: expected NAME=NUMBER, such as k=20, got 'k=x'"),
        (("-p", "z=1"), "z: expected a parameter of rrf (k), got 1.0"),
        (("--method", "sum", "--weights", "1,2"), "weights: expected none for method 'sum'"),
        (("--method", "mapfuse"), "judgments: expected those of training queries"),
        (("--method", "sum", "--method", "mnz"), "only --tune takes several."),
        (("--report", "x.json"), "--report requires --tune."),
        (("--queries", "x.json"), "--queries requires --tune."),
        (("--tune", "AP"), "--tune requires --judgments."),
        ((*TUNED, "--weights", "1,2"), "--tune chooses the weights; leave out --weights."),
        ((*TUNED, "--different-queries", "common"), "leave out --different-queries."),
        ((*TUNED, "--report", "x.doc"), "--report takes names that end in"),
        ((*TUNED, "--folds", "2"), "n_folds: expected a number from 3 to 60"),
        (("-o", "words.run"), "words.run: is an input of this command"),
        (("-o", "fused.xlsx"), "output: expected"),
        ((*TUNED, "-o", "x.txt", "--report", "x.txt"), "Two outputs use the same file"),
    ],
)
def test_mistakes_are_reported_in_one_line(arguments, message):
    """The exit code is 2, and nothing is written."""
    result = fuse(*arguments)
    assert result.exit_code == 2
    assert message in result.stderr.splitlines()[-1]
    assert not Path("x.txt").exists()


def test_one_run_cannot_be_fused():
    """The message says how many are needed."""
    result = fuse(runs=("words.run",))
    assert (result.exit_code, result.stderr) == (2, "Error: runs: expected at least two, got 1\n")


def test_tuning_is_reported_in_several_formats():
    """This covers text on standard output, files of every kind, and the fused run."""
    reports = [f"t.{ending}" for ending in ("json", "md", "csv", "txt", "svg", "html")]
    result = fuse(
        *TUNED, "-o", "fused.run", *(part for name in reports for part in ("--report", name))
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("No fusion tried clearly beats stems.run alone. Tuned")
    assert Path("t.txt").read_text() == result.stdout
    content = json.loads(Path("t.json").read_text())
    assert (content["kind"], content["version"]) == ("fusion-tuning", 1)
    assert content["choice"]["weights"].keys() == {"words.run", "stems.run"}
    assert content["held_out"]["mean"] <= content["training"]
    assert len(content["folds"]) == 5
    assert Path("t.md").read_text().count("| wsum, min-max |") == 6
    header, row = Path("t.csv").read_text().splitlines()
    assert header.split(",")[:3] == ["method", "norm", "parameters"]
    assert row.startswith("wsum,min-max,,")
    assert Path("t.svg").read_text().startswith("<svg")
    page = Path("t.html").read_text()
    assert "<h1>No fusion tried clearly beats stems.run alone. Tuned" in page
    assert page.count("Held-out folds") == 1
    assert page.count("held-out mean") == 10, "a dot per fold, on wide and on narrow screens"
    assert "<h2>Candidates</h2>" in page
    weights = [*content["choice"]["weights"].values()]
    expected = be.fuse(["words.run", "stems.run"], "wsum", weights=weights)
    assert be.read_run("fused.run") == expected


def test_tuning_without_an_output_writes_no_run():
    """The report is the result."""
    assert "h01 Q0" not in fuse(*TUNED).output


def test_tuning_respects_weights_and_groups_of_queries(tmp_path):
    """Two groups are too few for three folds; weights change the means."""
    judged = be.read_judgments("qrels.txt").to_dict()
    queries = [{"id": query_id, "query": "", "group": "ab"[n % 2], "weight": n + 1}
               for n, query_id in enumerate(judged)]  # fmt: skip
    file = tmp_path / "queries.json"
    file.write_text(json.dumps(queries))
    result = fuse(*TUNED, "--queries", str(file), "--folds", "3")
    assert result.exit_code == 2
    assert "requires at least 3 groups of judged queries, found 2" in result.stderr
    for query in queries:
        del query["group"]
    file.write_text(json.dumps(queries))
    result = fuse(*TUNED, "--queries", str(file), "--report", "weighted.json")
    assert result.exit_code == 0, result.output
    singles = json.loads(Path("weighted.json").read_text())["singles"]
    expected = be.evaluate("qrels.txt", "stems.run", "nDCG@10", queries=str(file))
    assert singles["stems.run"] == pytest.approx(expected["nDCG@10"].mean)
