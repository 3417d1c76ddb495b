"""A comparison and a gate with model judgments: the same numbers and words in every interface.

Python is the reference.
"""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import berryeval as be
from berryeval.archive import Archive
from berryeval.evaluation.model_judgments import combine
from berryeval.golden.reading import read_golden_set
from berryeval.pytest_plugin.results import Results
from berryeval.service import ServiceSettings
from berryeval.suite.counted_grades import grades_of_pool
from berryeval.suite.gate import decide, model_of
from berryeval.suite.settings import read_settings
from interfaces.compared import of_differences, of_records, of_rows
from interfaces.decided import (
    gate_by_http,
    gate_by_json,
    gate_on_the_page,
    gate_records,
    guard_figures,
    interval_of,
)
from interfaces.queries_by_door import as_json, command, page, posted, report, without_endings
from interfaces.reading import ends, faults, html_rows, page_of, plain_rows
from judges.model_judged import N_LABELLED, RESTS, fill, write_model_judged
from pytest_plugin.other_plugins import WITHOUT_THEM
from service_server import new_app

MEASURE = "nDCG@6"
MARGIN = 0.1
COMPARE = ("compare", "golden", "old.run", "new.run", "-m", MEASURE,
           "--model-judgments", "model.jsonl", "--label-draw", "draw.json")  # fmt: skip
GATE = f"""
judgments = "golden"
baseline = "old.run"
run = "new.run"
model_judgments = "model.jsonl"
label_draw = "draw.json"
history = "history.jsonl"
n_max = {N_LABELLED}

[gate]
inconclusive = 0

[[gate.guard]]
measure = "{MEASURE}"
margin = {MARGIN}
"""


@dataclass(frozen=True)
class World:
    """Files and a service with the same judgments, runs and draw."""

    folder: Path
    archive: Archive
    client: TestClient
    run_ids: dict[str, str]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A set graded by an admitted judge; the command line writes counted grades and the draw."""
    folder = tmp_path_factory.mktemp("modelled")
    golden = write_model_judged(folder / "golden")
    (folder / "berryeval.toml").write_text(GATE)
    archive = Archive.open(folder / "archive.db")
    app = new_app(archive, ServiceSettings(measures=(MEASURE,)))
    with archive, TestClient(app, base_url="http://localhost:8765") as client:
        old, new = fill(archive, golden)
        archive.baselines.put("main", old)
        made = World(folder, archive, client, {"old": old, "new": new})
        command(made, "judge", "draw", "--golden", "golden", "-n", N_LABELLED, "-o", "draw.json")
        command(made, "judge", "export", "--golden", "golden", "-k", "6",
                "--run", "old.run", "--run", "new.run", "-o", "model.jsonl")  # fmt: skip
        settings = {"guards": [{"measure": MEASURE, "margin": MARGIN}], "baseline": "main",
                    "label_draw": "first", "n_max": N_LABELLED}  # fmt: skip
        assert client.put("/v1/gates/ship", json=settings).status_code == 201
        yield made


def compared(world):
    """Return the result of Python, from grades and a draw in memory."""
    golden = read_golden_set(world.folder / "golden")
    runs = {name: be.read_run(world.folder / f"{name}.run") for name in ("old", "new")}
    draw = be.draw_labels([query.query_id for query in golden.queries], N_LABELLED)
    model = be.ModelJudgments(grades_of_pool(golden, runs, k=6), draw)
    return be.compare(golden.judgments, runs, MEASURE, model=model)


def true_comparison(world):
    found = compared(world)
    rests = found.differences[0].rests_on.sentence
    assert re.fullmatch(RESTS, rests)
    assert found.sentence.endswith(rests)
    return {"sentence": found.sentence, "rests": rests, **of_differences(found.differences)}


def rests_in(text):
    """Return the sentence on judgments in a text."""
    return re.search(r"Rests on [^.]*\.", text)[0]


def comparison_by_command(world, _):
    text = command(world, *COMPARE)
    sentence = without_endings(text.splitlines()[0])
    rows = plain_rows(text, "measure", "result")
    return {"sentence": sentence, "rests": rests_in(text), **of_rows(rows)}


def records(found):
    sentence = without_endings(found["sentence"])
    return {"sentence": sentence, "rests": rests_in(sentence), **of_records(found["differences"])}


def comparison_by_json(world, _):
    return records(as_json(world, *COMPARE))


def comparison_by_http(world, _):
    body = {"baseline": world.run_ids["old"], "candidates": [world.run_ids["new"]],
            "measures": [MEASURE], "model": {"label_draw": "first"}}  # fmt: skip
    return records(posted(world, "/v1/comparisons", body))


def comparison_on_the_page(world, _):
    """Return the part of the page about people and model, which has no p-value."""
    address = f"a={world.run_ids['old']}&b={world.run_ids['new']}&measure=nDCG%406"
    shown = page(world, f"/compare/model?{address}")
    conclusion = shown.find("p", class_="conclusion")
    mean, interval = re.fullmatch(
        rf"{MEASURE} (\S+) \([^)]*?(\S+ to \S+)\)", conclusion.find_all("span")[-1].text
    ).groups()
    low, high = ends(interval)
    text = shown.find("p", class_="note").text
    return {
        "sentence": text.removesuffix(" Draw: first."), "rests": rests_in(text),
        f"{MEASURE} difference": mean, f"{MEASURE} low": low, f"{MEASURE} high": high,
        f"{MEASURE} word": conclusion.find(class_="badge").text.lower(),
    }  # fmt: skip


def comparison_in_the_report(world, _):
    shown = report(world, *COMPARE)
    rows = html_rows(shown, "measure", "95% interval")
    sentence = without_endings(shown.find("h1").text)
    return {"sentence": sentence, "rests": rests_in(shown.text), **of_rows(rows)}


def true_gate(world):
    settings = read_settings(world.folder / "berryeval.toml")
    golden = read_golden_set(world.folder / "golden")
    queries = {query.query_id: query for query in golden.queries}
    run, baseline = be.read_run(settings.run), be.read_run(settings.baseline)
    model = model_of(settings)
    judgments = combine(golden.judgments, *model.load())
    result = decide(settings, judgments, run, queries, baseline=baseline, past=[], model=model)
    [guard] = result.guards
    assert re.fullmatch(RESTS, guard.rests_on.sentence)
    return {
        "verdict": result.verdict,
        "sentence": result.sentence.capitalize(),
        **guard_figures(
            guard.name, guard.verdict, guard.value, guard.limit, guard.reason, interval_of(guard)
        ),
    }


def gate_by_command(world, _):
    text = command(world, "gate")
    verdict, _, sentence = text.splitlines()[0].partition(": ")
    [row] = plain_rows(text, "guard", "p pass")
    decided = re.match(r"\w+", row["verdict"])[0]
    figures = guard_figures(
        row["guard"], decided, row["value"], row["limit"], None, ends(row["interval"])
    )
    return {"verdict": verdict.lower(), "sentence": sentence.capitalize(), **figures}


def gate_in_the_report(world, _):
    return gate_of_page(report(world, "gate"))


def gate_of_page(shown):
    [row] = shown.find("table", class_="guards").find("tbody").find_all("tr")
    cells = [cell.text for cell in row.find_all("td")]
    name = row.find("th").inside[0]
    return {
        "verdict": shown.find(class_="hero").find(class_="badge").text.lower(),
        "sentence": shown.find("h1").text.replace("\u2212", "-").capitalize(),
        **guard_figures(name, cells[0].lower(), cells[1], cells[2], None, ends(cells[3])),
    }


def run_in_pytest(world, pytester, body):
    """Run one test of the plugin over the files of the world, and return the page of the report."""
    for name in ("old.run", "new.run", "model.jsonl", "draw.json", "berryeval.toml"):
        shutil.copy(world.folder / name, pytester.path / name)
    shutil.copytree(world.folder / "golden", pytester.path / "golden")
    pytester.makepyfile(f"""
        import json, pathlib
        from berryeval.reports.gate import gate_to_json

        def test_it(berryeval_results):
            {body}
    """)
    options = (*WITHOUT_THEM, "--berryeval-report", "report.html")
    pytester.runpytest_inprocess(*options).assert_outcomes(passed=1)
    return page_of(pytester.path.joinpath("report.html").read_text(encoding="utf-8"))


def gate_in_pytest(world, pytester):
    run_in_pytest(
        world, pytester,
        'pathlib.Path("written.json").write_text(gate_to_json(berryeval_results.gate))',
    )  # fmt: skip
    return gate_records(json.loads(pytester.path.joinpath("written.json").read_text()))


def gate_in_the_report_of_pytest(world, pytester):
    return gate_of_page(run_in_pytest(world, pytester, "assert berryeval_results.gate"))


def gate_by_an_assertion_of_pytest(world, pytester):
    body = f"berryeval_results.assert_no_regression(measure={MEASURE!r}, margin={MARGIN})"
    found = gate_of_page(run_in_pytest(world, pytester, body))
    # An assertion is not a look of the gate, so the sentence has no count of looks.
    sentence = found.pop("sentence")
    assert true_gate(world)["sentence"].startswith(sentence)
    assert sentence.endswith("model judgments.")
    return found


INTERFACES = [
    (true_comparison, comparison_by_command, ()),
    (true_comparison, comparison_by_json, ()),
    (true_comparison, comparison_by_http, ()),
    (true_comparison, comparison_on_the_page, ("p",)),
    (true_comparison, comparison_in_the_report, ()),
    (true_gate, gate_by_command, ("reason",)),
    (true_gate, gate_by_json, ()),
    (true_gate, gate_by_http, ()),
    (true_gate, gate_on_the_page, ()),
    (true_gate, gate_in_the_report, ("reason",)),
    (true_gate, gate_in_pytest, ()),
    (true_gate, gate_in_the_report_of_pytest, ("reason",)),
    (true_gate, gate_by_an_assertion_of_pytest, ("reason", "sentence")),
]


@pytest.mark.parametrize(
    ("truth", "interface", "left_out"),
    INTERFACES,
    ids=[interface.__name__ for _, interface, _ in INTERFACES],
)
def test_every_interface_says_what_its_answer_rests_on(world, pytester, truth, interface, left_out):
    """Numbers agree to the digits shown, and sentences to the letter."""
    expected = {
        key: value for key, value in truth(world).items() if not set(key.split()) & set(left_out)
    }
    assert "rests on" in truth(world)["sentence"].lower()
    assert faults(interface(world, pytester), expected) == {}


def test_the_report_of_pytest_compares_by_people_and_model(world, pytester):
    """Its means and differences are those that the verdict is based on."""
    shown = run_in_pytest(world, pytester, "assert berryeval_results.gate")
    by_command = report(world, "gate")
    assert "Rests on 300 human" in shown.text
    tables = [one.text for one in by_command.find_all("table")]
    found = [one.text for one in shown.find_all("table")]
    # The page names the systems itself.
    assert [text.replace("old", "baseline") for text in tables] == found


def test_a_live_system_is_asked_what_only_the_model_judged(world):
    """The gate in pytest sends all queries of the draw, not only those that people labelled."""
    settings = read_settings(world.folder / "berryeval.toml")
    golden = read_golden_set(world.folder / "golden")
    texts = {query.text: query.query_id for query in golden.queries}
    rankings = be.read_run(settings.run).to_dict()

    def search(text, k):
        return [*rankings[texts[text]]][:k]

    labelled = be.LabelDraw.read(world.folder / "draw.json").labelled
    people = golden.judgments.of_queries(labelled)
    assert people.n_queries == N_LABELLED < len(golden.queries)
    found = Results(people, search, queries=golden.queries, settings=settings)
    assert found.run.n_queries == len(golden.queries)
    assert found.gate.sentence.capitalize() == true_gate(world)["sentence"]
