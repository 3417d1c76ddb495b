"""berryeval baseline."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from berryeval.cli import main


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """Change to a folder with judgments and two runs, the second better."""
    monkeypatch.chdir(tmp_path)
    for name in ("CONFIG", "JUDGMENTS", "RUN", "BASELINE", "QUERIES", "CORPUS"):
        monkeypatch.delenv(f"BERRYEVAL_{name}", raising=False)
    Path("qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    Path("a.run").write_text("q1 Q0 d9 1 2 a\nq1 Q0 d1 2 1 a\n")
    Path("b.run").write_text("q1 Q0 d1 1 2 b\nq2 Q0 d2 1 1 b\n")
    Path("berryeval.toml").write_text(
        'judgments = "qrels.txt"\nrun = "a.run"\nbaseline = "baselines/main.json"\n'
    )


def baseline(*arguments):
    return CliRunner().invoke(main, ["baseline", *arguments], prog_name="berryeval")


def content():
    return json.loads(Path("baselines/main.json").read_text())


def test_the_run_is_saved():
    """Its folder is created, and the run is named after the file."""
    result = baseline("save")
    assert (result.exit_code, result.stdout) == (
        0,
        "Saved baselines/main.json: 2 queries, up to 10 documents per query.\n",
    )
    assert content()["name"] == "main"
    assert content()["rankings"] == {"q1": ["d9", "d1"], "q2": []}


def test_suspicious_ids_are_reported_with_the_baseline():
    """A gate would repeat them with every change."""
    Path("qrels.txt").write_text("".join(f"q{i} 0 {'docs/' * (i > 3)}d{i} 1\n" for i in range(8)))
    Path("a.run").write_text("".join(f"q{i} Q0 d{i} 1 2 a\n" for i in range(8)))
    for command in ("save", "update"):
        found = baseline(command)
        assert found.exit_code == 0
        assert found.stderr.startswith("Caution: 4 of 8 queries have no relevant document that")


def test_measures_set_the_depth_of_rankings():
    """They come from flags, then from guards; the default is nDCG@10."""
    baseline("save", "-m", "P@1", "--name", "release")
    assert (content()["depth"], content()["name"]) == (1, "release")
    with Path("berryeval.toml").open("a") as file:
        file.write('[[gate.guard]]\nmeasure = "P@5"\nat_least = 0.1\n')
    baseline("save", "--force")
    assert (content()["depth"], [*content()["means"]]) == (5, ["P@5"])
    result = baseline("save", "--force", "-m", "RR")
    assert result.stdout == "Saved baselines/main.json: 2 queries, all documents.\n"


def test_an_existing_file_is_not_overwritten():
    """--force overwrites it."""
    baseline("save")
    before = Path("baselines/main.json").read_bytes()
    result = baseline("save", "--run", "b.run")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: baselines/main.json: exists already; use --force to replace it, or "
        "`berryeval baseline update`\n"
    )
    assert Path("baselines/main.json").read_bytes() == before
    assert baseline("save", "--run", "b.run", "--force").exit_code == 0
    assert Path("baselines/main.json").read_bytes() != before


def test_an_update_reports_before_and_after():
    """Each measure is listed, and the name is kept."""
    baseline("save", "-m", "RR", "--name", "release")
    result = baseline("update", "--run", "b.run", "-m", "P@1")
    assert (result.exit_code, result.stdout) == (
        0,
        "Updated baselines/main.json: 2 queries, all documents.\n"
        "RR: 0.2500 -> 1.0000\n"
        "P@1: not kept -> 1.0000\n",
    )
    assert content()["name"] == "release"


def test_an_update_keeps_the_corpus():
    """Otherwise a later gate could not reject other documents."""
    baseline("save", "--corpus", "v1")
    baseline("update", "--run", "b.run")
    assert content()["corpus"] == "v1"
    baseline("update", "--corpus", "v2")
    assert content()["corpus"] == "v2"


def test_an_update_keeps_rankings_as_deep_as_guards():
    """A deeper guard is a reason to update."""
    baseline("save", "-m", "P@1")
    with Path("berryeval.toml").open("a") as file:
        file.write('[[gate.guard]]\nmeasure = "nDCG@100"\nmargin = 0.1\n')
    gate = ["gate", "--json"]
    refused = CliRunner().invoke(main, gate)
    assert refused.exit_code == 2
    assert "keeps 1 documents per query, but nDCG@100 needs 100" in refused.stderr
    assert baseline("update").exit_code == 0
    assert content()["depth"] == 100
    assert CliRunner().invoke(main, gate).exit_code == 0


def test_a_baseline_with_other_semantics_can_be_replaced():
    """The message names the command."""
    baseline("save")
    Path("baselines/main.json").write_text(json.dumps({**content(), "semantics": 0}))
    refused = baseline("update")
    assert refused.exit_code == 2
    assert refused.stderr.endswith("save its run again with `berryeval baseline save --force`\n")
    assert baseline("save", "--force").exit_code == 0


def test_judges_are_reduced_by_the_settings():
    """The gate does the same."""
    Path("judged.jsonl").write_text(
        '{"query_id": "q1", "doc_id": "d9", "grade": 1, "judge": "a"}\n'
        '{"query_id": "q1", "doc_id": "d9", "grade": 0, "judge": "b"}\n'
    )
    with Path("berryeval.toml").open("a") as file:
        file.write('judges = "max"\n')
    result = baseline("save", "--judgments", "judged.jsonl", "-m", "P@1")
    assert result.exit_code == 0, result.output
    assert content()["means"] == {"P@1": 1.0}


def test_the_contents_are_shown():
    """The file is given, or taken from the settings."""
    baseline("save", "--corpus", "docs v2")
    expected = (
        "baselines/main.json\n"
        "  Name     main\n"
        f"  Saved    {content()['created']}\n"
        "  Queries  2\n"
        "  Depth    up to 10 documents per query\n"
        "  Corpus   docs v2\n"
        "  nDCG@10  0.3155 when it was saved\n"
    )
    assert baseline("show").stdout == expected
    assert baseline("show", "baselines/main.json").stdout == expected
    Path("baselines/main.json").write_text(
        json.dumps({**content(), "depth": None, "corpus": None, "settings": {"k1": "0.9"}})
    )
    shown = baseline("show").stdout
    assert "Depth    all documents\n" in shown
    assert "Corpus   not set\n" in shown
    assert "k1       0.9\n" in shown


@pytest.mark.parametrize("command", ["save", "update", "show"])
def test_a_missing_file_name_is_an_error(command):
    """The message says where to configure it."""
    Path("berryeval.toml").write_text("")
    result = baseline(command)
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: baseline: expected a file named in berryeval.toml (baseline = ...) or with "
        "--baseline, got none\n"
    )


@pytest.mark.parametrize("missing", ["judgments", "run"])
def test_judgments_and_run_are_required(missing):
    """A one-line message suggests what to do."""
    text = Path("berryeval.toml").read_text()
    Path("berryeval.toml").write_text(
        "".join(line for line in text.splitlines(keepends=True) if not line.startswith(missing))
    )
    result = baseline("save")
    assert result.exit_code == 2
    assert f"Error: {missing}: expected a " in result.stderr
    assert f" named in berryeval.toml ({missing} = ..." in result.stderr
    assert result.stderr.endswith(f"or with --{missing}, got none\n")
    assert not Path("baselines").exists()


def test_an_invalid_file_is_exit_code_2():
    """The file may be damaged or missing."""
    assert baseline("show", "nope.json").exit_code == 2
    Path("x.json").write_text("{")
    result = baseline("show", "x.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: x.json: expected a baseline in JSON: ")


def test_a_release_is_marked_and_kept_when_the_baseline_moves():
    """Its copy is next to the baseline, and updates and saves keep the mark."""
    baseline("save")
    result = baseline("release", "v1.4")
    assert (result.exit_code, result.stdout) == (
        0,
        "Marked baselines/main.json as release v1.4: baselines/v1.4.json.\n",
    )
    kept = json.loads(Path("baselines/v1.4.json").read_text())
    assert (kept["name"], "release" in kept, kept["rankings"]) == (
        "v1.4",
        False,
        content()["rankings"],
    )
    assert content()["release"] == "v1.4"
    baseline("update", "--run", "b.run")
    assert (content()["release"], content()["rankings"]["q2"]) == ("v1.4", ["d2"])
    baseline("save", "--force")
    assert content()["release"] == "v1.4"
    assert "v1.4" in baseline("show").stdout


def test_a_release_is_not_replaced_by_accident():
    """--force replaces it, and an invalid name is rejected."""
    baseline("save")
    baseline("release", "v1.4")
    result = baseline("release", "v1.4")
    assert result.exit_code == 2
    assert "v1.4.json: exists already; choose another name, or use --force" in result.stderr
    assert baseline("release", "v1.4", "--force").exit_code == 0
    assert baseline("release", "../v2").exit_code == 2


@pytest.mark.parametrize("arguments", [("save",), ("save", "--force"), ("update",)])
def test_a_run_is_never_overwritten(arguments):
    """`berryeval init` names the older of two runs as the baseline."""
    Path("berryeval.toml").write_text(
        'judgments = "qrels.txt"\nrun = "b.run"\nbaseline = "a.run"\n'
    )
    before = Path("a.run").read_bytes()
    result = baseline(*arguments)
    assert result.exit_code == 2
    assert "'a.run', which is not one; `berryeval gate` compares with a run" in result.stderr
    assert Path("a.run").read_bytes() == before
    assert baseline("save", "--baseline", "new.json").exit_code == 0
