"""berryeval compare and gate with model judgments."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import berryeval as be
from berryeval.cli import main

N = 120


@pytest.fixture(autouse=True)
def data(tmp_path, monkeypatch):
    """A folder with judgments of people and a model, a draw, two runs, and settings."""
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(0)
    people, model, runs = [], [], {"old": [], "new": []}
    ids = [f"q{i:03}" for i in range(N)]
    draw = be.draw_labels(ids, 60)
    draw.save("draw.json")
    for query in ids:
        grades = random.choice(3, 8, p=(0.5, 0.3, 0.2))
        guesses = np.where(random.random(8) < 0.2, random.choice(3, 8), grades)
        if query in draw.labelled:
            people += [f"{query} 0 d{i} {grade}\n" for i, grade in enumerate(grades)]
        model += [f"{query} 0 d{i} {grade}\n" for i, grade in enumerate(guesses)]
        for lines in runs.values():
            scores = grades + random.normal(0, 1, 8)
            lines += [f"{query} Q0 d{i} 1 {score:.6f} x\n" for i, score in enumerate(scores)]
    Path("people.txt").write_text("".join(people))
    Path("model.txt").write_text("".join(model))
    for name, lines in runs.items():
        Path(f"{name}.run").write_text("".join(lines))
    Path("berryeval.toml").write_text(
        'judgments = "people.txt"\nmodel_judgments = "model.txt"\nlabel_draw = "draw.json"\n'
        'run = "new.run"\nbaseline = "old.run"\nhistory = "history.jsonl"\nn_max = 100\n'
        '[[gate.guard]]\nmeasure = "nDCG@5"\nmargin = 0.2\n'
    )
    return draw


def run(*arguments):
    return CliRunner().invoke(main, [*arguments], prog_name="berryeval")


def test_compare_rests_on_both():
    """The table states it, and JSON counts the judgments."""
    files = ("people.txt", "old.run", "new.run", "-m", "nDCG@5")
    more = ("--model-judgments", "model.txt", "--label-draw", "draw.json")
    shown = run("compare", *files, *more)
    assert shown.exit_code == 0
    assert "Rests on 480 human and 960 model judgments." in shown.stdout
    found = json.loads(run("compare", *files, *more, "--json").stdout)
    rests = found["differences"][0]["rests_on"]
    assert (rests["n_people"], rests["n_model"], rests["n_labelled"]) == (480, 960, 60)
    assert found["queries"] == N


@pytest.mark.parametrize(
    ("given", "missing"),
    [("--model-judgments", "--label-draw"), ("--label-draw", "--model-judgments")],
)
def test_compare_needs_both_files(given, missing):
    """Giving only one is an error that names the other."""
    found = run("compare", "people.txt", "old.run", "new.run", given, "draw.json")
    assert found.exit_code == 2
    assert f"{missing}: expected a file" in found.stderr


def test_a_gate_rests_on_both_and_counts_labels_as_looks(data):
    """The verdict names both, in Markdown too; more labels are another look."""
    first = run("gate", "--json")
    assert first.exit_code == 0, first.stderr
    found = json.loads(first.stdout)
    assert found["rests_on"]["n_labelled"] == 60
    assert "Rests on 480 human and 960 model judgments." in found["sentence"]
    assert found["memory"]["queries"] == [60]
    kept = json.loads(Path("history.jsonl").read_text().splitlines()[0])
    by_people = be.evaluate("people.txt", "new.run", "nDCG@5")["nDCG@5"].mean
    assert kept["means"]["nDCG@5"] == pytest.approx(by_people)
    markdown = run("gate", "--format", "markdown").stdout
    assert "Rests on 480 human and 960 model judgments." in markdown
    again = json.loads(run("gate", "--json").stdout)
    assert again["memory"]["queries"] == [60]
    larger = be.draw_labels([*data.strata], 80)
    assert data.labelled < larger.labelled
    larger.save("draw.json")
    refused = run("gate")
    assert refused.exit_code == 2
    assert "20 queries" in refused.stderr
    Path("people.txt").write_text(
        "".join(
            line
            for line in Path("model.txt").read_text().splitlines(keepends=True)
            if line[:4] in larger.labelled and line[:4] not in data.labelled
        )
        + Path("people.txt").read_text()
    )
    second = json.loads(run("gate", "--json").stdout)
    assert second["memory"]["queries"] == [60, 80]
    assert second["level"] < 0.05


def test_a_threshold_alone_rests_on_both():
    """No baseline is needed, and the interval decides."""
    found = json.loads(run("gate", "--json", "--at-least", "nDCG@5=0.3").stdout)
    assert found["verdict"] == "pass"
    [guard] = found["guards"]
    assert guard["rests_on"]["n_labelled"] == 60
    assert guard["interval"]["low"] > 0.3


def test_a_baseline_keeps_all_queries():
    """It is saved with corrected means, and a gate compares with it."""
    saved = run("baseline", "save", "--run", "old.run", "--baseline", "main.json")
    assert saved.exit_code == 0, saved.stderr
    baseline = be.Baseline.read("main.json")
    assert len(baseline.rankings) == N
    naive = be.evaluate("model.txt", "old.run", "nDCG@5")["nDCG@5"].mean
    assert baseline.means["nDCG@5"] != pytest.approx(naive, abs=1e-6)
    assert run("gate", "--baseline", "main.json").exit_code == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('label_draw = "draw.json"\n', "label_draw: expected a file named in berryeval.toml"),
        (
            'model_judgments = "model.txt"\n',
            "model_judgments: expected a file named in berryeval.toml",
        ),
    ],
)
def test_a_gate_needs_both_files(change, message):
    """Settings with one of them are incomplete."""
    settings = Path("berryeval.toml")
    settings.write_text(settings.read_text().replace(change, ""))
    found = run("gate")
    assert found.exit_code == 2
    assert message in found.stderr


def test_a_reserve_and_repeats_are_refused():
    """Neither can be combined with a model."""
    settings = Path("berryeval.toml")
    settings.write_text("reserve = 0.3\n" + settings.read_text())
    found = run("gate")
    assert found.exit_code == 2
    assert "reserve: expected none with model judgments, got 0.3" in found.stderr
