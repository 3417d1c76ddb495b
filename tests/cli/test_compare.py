"""``berryeval compare``, from the user's perspective."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from berryeval.cli import main

RUNS = Path(__file__).parents[2] / "examples" / "runs"
FILES = [str(RUNS / name) for name in ("qrels.txt", "words.run", "stems.run")]

if not RUNS.exists():
    pytest.skip("the examples are not in a source distribution", allow_module_level=True)


def berryeval(*arguments: str):
    return CliRunner().invoke(main, ["compare", *arguments], prog_name="berryeval")


def test_the_headline_comes_before_the_figures():
    """E3: a sentence, means, differences, and the queries that changed most."""
    result = berryeval(*FILES, "-m", "nDCG@10")
    assert result.exit_code == 0
    sentence, _, means, *_ = result.output.splitlines()
    assert sentence.startswith("stems.run is better than words.run: nDCG@10 rises from ")
    assert means == "Means"
    for part in ("words.run (baseline)", "Differences from words.run", "Queries that changed most"):
        assert part in result.output


def test_default_measures_are_shown_and_few_are_tested():
    """E4: 17 means per system; nDCG@10 leads RR, P@5 and recall at the common depth."""
    found = json.loads(berryeval(*FILES, "--json").output)
    assert [d["measure"] for d in found["differences"]] == ["nDCG@10", "RR", "P@5", "R@10"]
    shown = [[*run["means"]] for run in found["runs"]]
    assert shown[0] == shown[1]
    assert shown[0][:5] == ["RR", "R@1", "P@1", "nDCG@1", "Success@1"]
    assert len(shown[0]) == 17
    lines = berryeval(*FILES).output.splitlines()
    assert lines[4].split() == ["words.run", "(baseline)", "stems.run"]
    assert [line.split()[0] for line in lines[5:10]] == shown[0][:5]


def test_a_file_has_the_same_tables(tmp_path):
    """The tables are complete, below the sentence."""
    path = tmp_path / "comparison.txt"
    assert berryeval(*FILES, "-m", "RR", "-o", str(path), "--format", "table").exit_code == 0
    assert path.read_text() == berryeval(*FILES, "-m", "RR").output


def test_every_query_can_be_reported():
    """CSV has one line per query, and JSON one entry."""
    rows = berryeval(*FILES, "-m", "RR", "-q", "--format", "csv").output.splitlines()
    assert rows[0] == "system,measure,query,baseline,candidate,difference"
    assert len(rows) == 1 + 60
    assert len(json.loads(berryeval(*FILES, "-m", "RR", "-q", "--json").output)["per_query"]) == 60


def test_risks_are_shown_on_request():
    """There is one row per measure and weight; JSON has the same, or none without the option."""
    shown = berryeval(*FILES, "-m", "nDCG@10", "--risk", "0", "--risk", "5").output
    table = shown.partition("Risk relative to words.run\n\n")[2].splitlines()
    assert table[0].split() == [
        "measure", "alpha", "reward", "risk", "U-risk", "T-risk", "geo-risk", "RI",
    ]  # fmt: skip
    assert [row.split()[:2] for row in table[1:3]] == [["nDCG@10", "0"], ["nDCG@10", "5"]]
    found = json.loads(berryeval(*FILES, "-m", "nDCG@10", "--risk", "5", "--json").output)
    [risk] = found["risks"]
    assert risk["u_risk"] == pytest.approx(risk["reward"] - 6 * risk["risk"])
    assert json.loads(berryeval(*FILES, "-m", "RR", "--json").output)["risks"] == []
    assert "Risk relative to" not in berryeval(*FILES, "-m", "RR").output


def test_all_runs_can_be_compared_pairwise(tmp_path):
    """Each of three pairs has a sentence, and the similarity of runs and measures is shown."""
    worst_first = tmp_path / "worst_first.run"
    rows = [line.split() for line in Path(FILES[1]).read_text().splitlines()]
    worst_first.write_text("".join(f"{q} Q0 {d} 0 {rank} x\n" for q, _, d, rank, *_ in rows))
    arguments = ("-m", "nDCG@10", "-m", "RR", "--all-pairs", "--similarity")
    shown = berryeval(*FILES, str(worst_first), *arguments).output
    table = shown.partition("All pairs of systems\n\n")[2].splitlines()
    assert table[0].split() == [
        "measure", "first", "second", "difference", "interval", "p", "second", "is",
    ]  # fmt: skip
    assert [row.split()[:3] + row.split()[-1:] for row in table[1:4]] == [
        ["nDCG@10", "words.run", "stems.run", "better"],
        ["nDCG@10", "words.run", "worst_first.run", "worse"],
        ["nDCG@10", "stems.run", "worst_first.run", "worse"],
    ]
    assert "The pairs of a measure form one family" in shown
    assert "Similarity of rankings" in shown
    assert "Similarity of system orders" in shown
    markdown = berryeval(*FILES, *arguments, "--format", "markdown").output
    assert "Similarity of rankings" in markdown
    assert "Similarity of system orders" not in markdown  # two runs have a single order


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--similarity", "--json"], "--similarity requires a table or Markdown"),
        (["--similarity", "-o", "report.html"], "the output is html"),
        (["--all-pairs", "--format", "svg"], "shows no pairs; omit --all-pairs"),
        (["--all-pairs", "-q", "--format", "csv"], "omit -q or --all-pairs"),
    ],
)
def test_nothing_that_was_requested_is_left_out_silently(arguments, message):
    """A format without a place for it is refused, before anything is written."""
    result = berryeval(*FILES, *arguments)
    assert (result.exit_code, message in result.output) == (2, True)
    assert not Path("report.html").exists()


@pytest.mark.parametrize("ending", ["html", "svg", "png", "md", "tex", "csv", "json"])
def test_the_extension_sets_the_format(tmp_path, ending):
    """Pages and images are included."""
    if ending == "png":
        pytest.importorskip("resvg_py")
    path = tmp_path / f"comparison.{ending}"
    result = berryeval(*FILES, "-m", "nDCG@10", "-o", str(path))
    assert (result.exit_code, result.output) == (0, "")
    content = path.read_bytes()
    starts = {"html": b"<!DOCTYPE html>", "svg": b"<svg", "png": b"\x89PNG", "md": b"###",
              "tex": b"\\begin{table}", "csv": b"system,", "json": b"{"}  # fmt: skip
    assert content.startswith(starts[ending])
    if ending == "svg":
        ET.fromstring(content)  # noqa: S314 - it is ours


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "category"], "expected queries with a category: no queries were given"),
        (["-m", "nDGC@10"], "did you mean 'nDCG@10'?"),
        (["--level", "2"], "level: expected a number between 0 and 1"),
        (["--resamples", "1"], "--resamples: expected a whole number from 100 to 10000000 (fewer"),
        (["--resamples", "99"], "are too few for an interval or a p-value), got 99"),
    ],
)
def test_invalid_input_is_one_line_and_exit_code_2(arguments, message):
    """There is no traceback."""
    result = berryeval(*FILES, *arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.splitlines()) == 1


def test_the_help_states_the_default_measures():
    """They include recall at the depth of the runs, here 10."""
    help_text = " ".join(berryeval("--help").output.split())
    assert "[default: those of `berryeval evaluate`, and recall at up to 100]" in help_text
    tested = berryeval(*FILES).output.partition("W/T/L\n")[2].partition("\n\n")[0]
    assert [line.split()[0] for line in tested.splitlines()] == ["nDCG@10", "RR", "P@5", "R@10"]


def test_unjudged_documents_can_be_removed():
    """The measures that are compared say so."""
    found = json.loads(berryeval(*FILES, "-m", "nDCG@10", "--judged-only", "--json").output)
    assert [one["measure"] for one in found["differences"]] == ["nDCG(judged_only=True)@10"]
    assert [*found["runs"][0]["means"]] == ["nDCG(judged_only=True)@10"]
