"""Missing queries change every mean, so every format and every repr names them."""

import csv
import json

import pytest

import berryeval as be
from berryeval.reports.evaluation import Shown
from berryeval.reports.rendering import render_evaluations

JUDGMENTS = {f"q{i:02}": {"d": 1} for i in range(12)}
WHOLE = {query_id: ["x", "d"] for query_id in JUDGMENTS}
PART = {query_id: ["d"] for query_id in [*JUDGMENTS][4:]}
NOTE = "4 queries missing from the run, scored as 0."


def runs(**options):
    """Evaluate a whole run, and one that lacks four queries."""
    named = {"whole": WHOLE, "part": PART}
    return {name: be.evaluate(JUDGMENTS, run, "RR", **options) for name, run in named.items()}


@pytest.mark.parametrize("form", ["table", "markdown", "html", "latex"])
def test_every_format_has_the_note(form):
    """The run with the best mean may be the one that lacks queries."""
    text = render_evaluations(runs(), Shown(), form)
    assert f"part: {NOTE}" in text
    assert "whole: 4 queries" not in text
    skipped = render_evaluations({"part": runs(missing="skip")["part"]}, Shown(), form)
    assert "part: 4 queries missing from the run, left out." in skipped


def test_json_has_the_note():
    """In the notes of the run, besides its counts."""
    whole, part = json.loads(render_evaluations(runs(), Shown(), "json"))["runs"]
    assert (whole["notes"], part["notes"]) == ([], [NOTE])


def test_csv_has_a_column_if_queries_are_missing():
    """Its last column counts them; without missing queries, there is no such column."""
    text = render_evaluations(runs(), Shown(per_query=True), "csv")
    rows = [*csv.DictReader(text.splitlines())]
    found = {(row["run"], row["query"]): row["missing"] for row in rows}
    assert (found["whole", "all"], found["part", "all"]) == ("0", "4")
    assert [found["part", query_id] for query_id in ("q00", "q03", "q04")] == ["1", "1", "0"]
    complete = render_evaluations({"whole": runs()["whole"]}, Shown(), "csv")
    assert complete.splitlines()[0] == "run,query,measure,value"


def test_python_shows_the_note():
    """In the repr, and in `notes`, before any caution."""
    part = runs()["part"]
    assert part.notes == (NOTE,)
    assert repr(part).splitlines()[-1] == f"{NOTE}>"
    assert runs()["whole"].notes == ()
    other = be.evaluate({**JUDGMENTS, "q99": {"d": 1}}, {"q99": ["a"]}, "RR")
    assert other.notes[0].startswith("12 queries missing from the run")
    assert other.notes[1].startswith("Caution: every score is 0")
    compared = repr(be.compare(JUDGMENTS, {"whole": WHOLE, "part": PART}, "RR"))
    assert f"part: {NOTE}" in compared
    skipped = repr(be.compare(JUDGMENTS, {"whole": WHOLE, "part": PART}, "RR", missing="skip"))
    assert "part: 4 queries missing from the run, left out." in skipped
