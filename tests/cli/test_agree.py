"""berryeval agree."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main

QUERIES = [f"q{i:02}" for i in range(20)]


def write_run(name, *documents):
    lines = [
        f"{query} Q0 {doc_id} 0 {-rank} {name}\n"
        for query in QUERIES
        for rank, doc_id in enumerate(documents)
    ]
    Path(f"{name}.run").write_text("".join(lines))


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """Change to a folder with two sets of judgments, which prefer d and x, and three runs."""
    monkeypatch.chdir(tmp_path)
    for name, relevant in (("experts", "d"), ("model", "x")):
        Path(f"{name}.qrels").write_text("".join(f"{q} 0 {relevant} 1\n" for q in QUERIES))
    write_run("a", "d", "x")
    write_run("b", "x", "d")
    write_run("c", "y", "z")


def agree(*arguments):
    files = ("experts.qrels", "model.qrels", "a.run", "b.run", "c.run")
    return CliRunner().invoke(main, ["agree", *files, *arguments])


def test_the_table_has_ranks_correlations_and_swaps():
    """a is first for the experts, b for the model."""
    result = agree("-m", "RR")
    assert result.exit_code == 0
    words = [line.split() for line in result.stdout.splitlines()]
    assert words[0] == ["Systems", "by", "RR"]
    assert ["system", "experts.qrels", "rank", "model.qrels", "rank"] in words
    assert ["a.run", "1.0000", "1", "0.5000", "2"] in words
    taus = ["+0.3333", "[+0.3333,", "+0.3333]", "0.0000", "[0.0000,", "0.0000]"]
    assert ["RR", *taus, "2", "1", "0"] in words
    assert "RR: 1 of 3 pairs of systems changes its order, 1 with both orders established." in (
        result.stdout
    )
    assert "Both sets judge the same 20 queries." in result.stdout
    swap = result.stdout.split("Pairs whose order changes\n\n")[1].splitlines()[1].split()
    assert swap == ["RR", "a.run", "b.run", "-0.5000", "worse", "+0.5000", "better"]


def test_a_long_list_of_swaps_is_cut():
    """CSV and JSON have all of them; what both sets establish comes first."""
    names = [f"r{i}" for i in range(8)]
    for i, name in enumerate(names):  # d falls and x rises from run to run
        filler = [f"y{j}" for j in range(7)]
        filler[i:i] = ["d"]
        filler[len(filler) - i : len(filler) - i] = ["x"]
        write_run(name, *filler)
    files = ("experts.qrels", "model.qrels", *(f"{name}.run" for name in names))
    result = CliRunner().invoke(main, ["agree", *files, "-m", "RR"])
    assert "RR: 28 of 28 pairs of systems change their order" in result.stdout
    table = result.stdout.split("Pairs whose order changes\n\n")[1].splitlines()
    assert len(table) == 1 + 20 + 3
    assert table[-1] == "8 more are in CSV and JSON."


def test_without_swaps_there_is_no_table_of_them():
    """The same judgments under another name agree."""
    Path("again.qrels").write_bytes(Path("experts.qrels").read_bytes())
    files = ("Experts=experts.qrels", "Again=again.qrels", "a.run", "b.run")
    result = CliRunner().invoke(main, ["agree", *files])
    assert result.exit_code == 0
    assert "nDCG@10: the pair keeps its order." in result.stdout
    assert "Pairs whose order changes" not in result.stdout
    assert "system  Experts  rank   Again  rank" in result.stdout


def test_csv_has_one_row_per_pair():
    """Each row has both differences and findings."""
    rows = [*csv.DictReader(io.StringIO(agree("-m", "RR", "--format", "csv").stdout))]
    assert [(row["first"], row["second"], row["order"]) for row in rows] == [
        ("a.run", "b.run", "swapped"),
        ("a.run", "c.run", "same"),
        ("b.run", "c.run", "same"),
    ]
    assert (rows[0]["difference_1"], rows[0]["finding_2"]) == ("-0.5", "better")
    assert float(rows[0]["tau"]) == pytest.approx(1 / 3)


def test_json_and_markdown_can_be_written():
    """The extension of the file determines the format."""
    assert agree("-o", "out.json").exit_code == 0
    found = json.loads(Path("out.json").read_text())
    assert (found["kind"], found["judgments"]) == ("agreement", ["experts.qrels", "model.qrels"])
    assert agree("-o", "out.md").exit_code == 0
    assert "| measure | tau | tau_AP |" in Path("out.md").read_text()
    assert agree("-o", "out.txt").exit_code == 0
    assert Path("out.txt").read_text().startswith("Systems by nDCG@10")


def agree_measures(*arguments):
    """Call the command with one set of judgments, in which d is better than x."""
    Path("graded.qrels").write_text("".join(f"{q} 0 d 1\n{q} 0 x 1\n" for q in QUERIES))
    write_run("first", "d", "y", "z")
    write_run("more", "y", "d", "x")
    files = ("graded.qrels", "first.run", "more.run", "c.run")
    return CliRunner().invoke(main, ["agree", *files, *arguments])


def test_one_set_of_judgments_compares_measures():
    """RR prefers the first hit, recall both hits; AP agrees with recall."""
    result = agree_measures("-m", "RR", "-m", "R@3", "-m", "AP")
    assert result.exit_code == 0, result.output
    words = [line.split() for line in result.stdout.splitlines()]
    assert ["system", "RR", "rank", "R@3", "rank", "AP", "rank"] in words
    assert ["first.run", "1.0000", "1", "0.5000", "2", "0.5000", "2"] in words
    taus = ["+0.3333", "[+0.3333,", "+0.3333]", "0.0000", "[0.0000,", "0.0000]"]
    assert ["RR", "and", "R@3", *taus, "2", "1", "0"] in words
    assert "R@3 and AP: none of the 3 pairs of systems changes its order." in result.stdout
    assert "RR and R@3: 1 of 3 pairs of systems changes its order, 1 with both" in result.stdout
    assert "The pairs of a measure form one family." in result.stdout
    assert "All measures score the same 20 queries." in result.stdout
    swaps = result.stdout.split("Pairs whose order changes\n\n")[1]
    words = [" ".join(line.split()) for line in swaps.splitlines()]
    assert "RR and R@3 first.run more.run -0.5000 worse +0.5000 better" in words


def test_the_agreement_of_measures_can_be_written_as_json_and_csv():
    """By default, nDCG@10 and AP are compared."""
    found = json.loads(agree_measures("--json").stdout)
    assert (found["kind"], found["measures"]) == ("measures_agreement", ["nDCG@10", "AP"])
    [pair] = found["pairs"]
    assert pair["measures"] == ["nDCG@10", "AP"]
    assert pair["tau_interval"]["method"] == "bootstrap"
    assert len(pair["pairs"]) == 3
    rows = [*csv.DictReader(io.StringIO(agree_measures("--format", "csv").stdout))]
    assert [(row["measure_1"], row["measure_2"]) for row in rows] == [("nDCG@10", "AP")] * 3


def test_one_measure_of_one_set_is_an_error():
    """There is nothing to compare it with."""
    result = agree_measures("-m", "RR")
    assert result.exit_code == 2
    assert result.stderr == "Error: measures: expected at least two, got 1\n"


def test_a_missing_file_is_reported_as_such():
    """This holds for every argument."""
    result = CliRunner().invoke(main, ["agree", "experts.qrels", "none.txt", "a.run", "b.run"])
    assert result.exit_code == 2
    assert "none.txt" in result.stderr


def test_the_same_judgments_twice_are_an_error():
    """They would always agree."""
    files = ("experts.qrels", "experts.qrels", "a.run", "b.run")
    result = CliRunner().invoke(main, ["agree", *files])
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: JUDGMENTS: expected each file only once")


def test_one_run_is_an_error():
    """A single run has no order."""
    result = CliRunner().invoke(main, ["agree", "experts.qrels", "model.qrels", "a.run"])
    assert (result.exit_code, result.stderr) == (2, "Error: runs: expected at least two, got 1\n")
