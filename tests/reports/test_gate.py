"""Gates as tables, text, JSON and CSV."""

import csv
import io
import json
from dataclasses import replace
from html import escape
from pathlib import Path

import pytest

from berryeval import compare, gate
from berryeval.evaluation.holes import Hole
from berryeval.evaluation.next_steps import GateFiles
from berryeval.reports.gate import gate_table, gate_to_csv, gate_to_json
from berryeval.reports.latex import comparison_to_latex
from berryeval.reports.rendering import render_gate
from berryeval.stats import Interval
from example_results import a_comparison, a_gate


@pytest.fixture(scope="module")
def result():
    return a_gate(a_comparison(40))


def test_the_verdict_comes_before_its_guards(result):
    """There is one sentence, then one row per guard and slice."""
    guards, holes = gate_table(result)
    assert guards.title == f"FAIL: {result.sentence}"
    assert len(guards.rows) == len(result.guards)
    assert guards.rows[1][:4] == (result.guards[1].name, "fail*", guards.rows[1][2], "-0.0500")
    assert holes.rows[0][:2] == ("q003", "page-0815")


def test_intervals_are_labelled(result):
    """They are unadjusted, two-sided, at 1 - 2 alpha, unlike those of a comparison."""
    text = render_gate(result, "table")
    assert "Intervals: 90%, two-sided and unadjusted, since a margin is tested on one" in text
    assert "seed" not in text


def test_figures_that_are_not_shown_are_not_explained():
    """Where nothing was tested, there is no interval and no p-value."""
    judgments = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    same = {"q1": ["d1"], "q2": ["d1"]}
    comparison = compare(judgments, {"before": same, "after": same}, "nDCG@10")
    text = render_gate(gate(comparison, margin=0.05), "table")
    assert "p pass: " not in text
    assert "Intervals" not in text


def test_the_queries_that_lost_most_are_named():
    """With the command that explains the first one; a pass names none."""
    judgments = {f"q{i}": {"d1": 1} for i in range(20)}
    before = {q: ["d1", "d2"] for q in judgments}
    after = {**before, "q7": ["d2"], "q1 x": ["d1"], "q8": ["d2", "d1"]}
    comparison = compare(judgments, {"before": before, "after": after}, "RR")
    failed = gate(comparison, margin=0.05, inference="set")
    named = "Queries that lost most in RR: q7 -1.0000, q8 -0.5000."
    files = GateFiles("my qrels.txt", "main.json", "new.run", judges="latest")
    shown = replace(failed, files=files)
    command = (
        "berryeval explain 'my qrels.txt' main.json new.run --query q7 -m RR --all --judges latest"
    )
    for format_ in ("table", "junit"):
        assert named in render_gate(failed, format_)
    assert f"{named} To see why, run `{command}`." in render_gate(shown, "table")
    assert f"{named} To see why, run <code>{command}</code>." in render_gate(shown, "markdown")
    assert f"run <code>{escape(command)}</code>." in render_gate(shown, "html")
    read = json.loads(gate_to_json(shown))
    assert [one["query_id"] for one in read["lost_most"]] == ["q7", "q8"]
    assert (read["lost_most"][0]["difference"], read["explain_command"]) == (-1.0, command)
    unsaved = replace(failed, files=replace(files, run=None))
    assert "run `berryeval gate --save-run candidate.run` and then `berryeval explain" in (
        render_gate(unsaved, "table")
    )
    passed = gate(comparison, margin=0.5, inference="set")
    assert passed.losses is passed.losses_note is None
    assert json.loads(gate_to_json(passed))["lost_most"] == []


def test_the_p_values_are_explained(result):
    """The words are those of the JSON reference."""
    text = " ".join(render_gate(result, "table").split())
    pages = Path(__file__).parents[2] / "docs" / "reference" / "json.md"
    page = pages.read_text(encoding="utf-8")
    for words in (
        "p-value of the hypothesis that the drop is the margin or more",
        "the margin or less, adjusted by Holm over all margin guards",
    ):
        assert words in text
        assert words in page


def test_a_reason_is_given_once():
    """The headline has the reason of the deciding guard; other guards have their own line."""
    judgments = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    before, after = {"q1": ["d1"], "q2": ["d1"]}, {"q1": ["d2", "d1"], "q2": ["d7"]}
    comparison = compare(judgments, {"before": before, "after": after}, ["nDCG@10", "RR"])
    result = gate(comparison, margin={"nDCG@10": 0.05, "RR": 0.05})
    first, second = (guard.reason for guard in result.guards)
    text = render_gate(result, "table")
    assert (text.count(first), text.count(second)) == (1, 1)


def test_a_verdict_on_the_set_is_labelled(result):
    """It has no confidence level."""
    text = render_gate(replace(result, rules=replace(result.rules, inference="set")), "table")
    assert "these queries are all that matters" in text
    assert "alpha 0.05" not in text


def test_a_confident_threshold_shows_its_interval(result):
    """Scores have no sign."""
    guard = replace(result.guards[0], interval=Interval(0.5, 0.7, 0.9, "t and hall"))
    (table, *_) = gate_table(replace(result, guards=(guard,)))
    assert table.rows[0][2:5] == ("0.6112", "0.5000", "[0.5000, 0.7000]")


def test_watched_guards_and_dependence_on_holes_are_explained(result):
    """Marks have a note."""
    text = render_gate(result, "table")
    assert "inconclusive (watched)" in text
    assert "Watched guards are reported but" in text
    assert "*: extreme grades for unjudged documents could change it." in text
    assert result.suggestion in text


def test_noise_is_reported_with_a_pass():
    """Reasons are usually shown only for guards that do not pass."""
    guards = [replace(guard, verdict="pass", noise_sd=0.021) for guard in a_gate().guards[:2]]
    text = render_gate(replace(a_gate(verdict="pass"), guards=tuple(guards)), "table")
    name = guards[1].guard.measure
    assert (
        "Intervals and p-values include the noise that all queries of a run share (standard "
        f"deviation of the mean difference): {name} 0.0210."
    ) in text
    assert "noise" not in render_gate(a_gate(), "table")


def test_many_deciding_documents_are_counted(result):
    """Five of them are listed, and the command that lists all is named if the files are known."""
    holes = tuple(Hole(f"q{i}", "d", {"hybrid": 1}, 0.1) for i in range(7))
    table = gate_table(replace(result, holes=holes))[1]
    assert len(table.rows) == 5
    assert table.notes == ("2 more documents.",)
    files = GateFiles("qrels.txt", "main.json", "new.run")
    (note,) = gate_table(replace(result, holes=holes, files=files))[1].notes
    command = "berryeval holes qrels.txt new.run --against main.json -m nDCG@10"
    assert note == f"2 more documents; to list them, run `{command}`."
    assert json.loads(gate_to_json(replace(result, files=files)))["holes_command"] == command


def test_a_passing_gate_lists_no_reasons(result):
    """It has no documents to judge, either."""
    passing = replace(result, verdict="pass", guards=result.guards[:1], holes=(), suggestion=None)
    (table,) = gate_table(passing)
    assert table.notes == (
        "Limits are compared with the figures of these queries; nothing is tested.",
    )


def test_json_has_verdict_guards_and_comparison(result):
    """It contains everything that led to the verdict, and a version."""
    read = json.loads(gate_to_json(result))
    assert (read["version"], read["kind"], read["verdict"]) == (2, "gate", "fail")
    assert read["candidate"] == "hybrid"
    assert [guard["kind"] for guard in read["guards"][:3]] == ["threshold", "margin", "latency"]
    assert read["guards"][2]["measure"] is None
    assert read["guards"][1]["verdicts_by_holes"] == ["fail", "inconclusive"]
    assert read["guards"][3]["slice"]["label"] == "category"
    assert read["comparison"]["kind"] == "comparison"


def test_json_of_a_gate_without_a_baseline_has_no_comparison(result):
    """Thresholds do not need one."""
    read = json.loads(gate_to_json(replace(result, comparison=None)))
    assert (read["comparison"], read["candidate"]) == (None, None)


def test_csv_has_one_line_per_guard(result):
    """Values have every digit."""
    rows = list(csv.DictReader(io.StringIO(gate_to_csv(result))))
    assert len(rows) == len(result.guards)
    assert float(rows[1]["value"]) == result.guards[1].value
    assert (rows[0]["p_pass"], rows[0]["watched"]) == ("", "false")


def test_latex_shows_the_measured_values(result):
    """The verdict is below the comparison, or below the candidate alone."""
    table, _, end = comparison_to_latex(result.comparison).rpartition(r"\end{table}")
    verdict = f"Gate: {result.verdict}. {result.sentence}"
    message = f"{table}  \\par\\smallskip\\footnotesize {verdict}\n\\end{{table}}{end}"
    assert render_gate(result, "latex") == message
    alone = render_gate(replace(result, comparison=None), "latex")
    assert alone.count("candidate") == 1
    assert "dagger" not in alone
