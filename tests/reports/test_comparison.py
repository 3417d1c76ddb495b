"""Comparisons as tables, text, JSON and CSV."""

import csv
import io
import json

from berryeval.evaluation.figures import bounds_text, interval_text, p_text, score, signed
from berryeval.evaluation.findings import WORDS
from berryeval.reports.comparison import (
    comparison_as_dict,
    comparison_table,
    comparison_to_csv,
    comparison_to_json,
    comparison_to_text,
)
from berryeval.reports.wording import capitalised
from berryeval.stats import Interval
from example_results import MEASURES, a_comparison, compare_these

JUDGED = {"q1": {"d1": 1}, "q2": {"d2": 1}}


def test_systems_stand_side_by_side_at_the_same_k():
    """A row a measure, a column a system, four decimals (E3, E4)."""
    comparison = a_comparison(30)
    means, *_ = comparison_table(comparison)
    assert means.header == ("", "bm25 (baseline)", "hybrid")
    assert [row[0] for row in means.rows] == list(MEASURES)
    expected = comparison.evaluations["hybrid"]["P@5"].mean
    assert means.rows[3][2] == f"{expected:.4f}"


def test_differences_tell_everything_about_their_certainty():
    """Interval, p, the result, effect sizes and wins, and the policy behind them in a note."""
    _, differences, *_ = comparison_table(a_comparison(30))
    assert differences.header[1:9] == (
        "difference", "95% interval", "p", "result", "d_z", "r_rb", "W/T/L", "bounds",
    )  # fmt: skip
    assert all(len(row) == len(differences.header) for row in differences.rows)
    assert differences.notes[0].startswith(
        "Intervals: 95%, Student's t and Hall's correction for skewness, whichever reaches further;"
    )
    assert "nDCG@10 decides alone. The other 4 differences form one family." in differences.notes[0]


def test_differences_of_few_queries_have_no_figures_of_certainty():
    """The word says why; nothing is shown as NaN."""
    few = {"q1": ["x", "d1"], "q2": ["d2"]}
    same = {"q1": ["d1"], "q2": ["d2"]}
    _, differences, *_ = comparison_table(compare_these(JUDGED, {"a": same, "b": few}))
    assert differences.rows[0][2:5] == ("-", "-", "too few changes to decide")


def test_several_candidates_have_a_column_for_their_names():
    """The row says who is meant."""
    comparison = a_comparison(20, {"bm25": 0.5, "dense": 0.6, "hybrid": 0.7})
    _, differences, slices, *changes = comparison_table(comparison)
    assert differences.header[:2] == ("measure", "system")
    assert differences.n_keys == 2
    assert slices.n_keys == 3
    assert [table.title[-6:].strip(", ") for table in changes] == ["dense", "hybrid"]


def test_slices_and_changed_queries_are_left_out_where_there_are_none():
    """No empty tables."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    tables = comparison_table(compare_these(JUDGED, {"a": same, "b": same}))
    assert [table.title for table in tables] == ["Means", "Differences from a"]


def test_a_baseline_of_that_name_is_not_told_twice():
    """A gate calls its runs baseline and candidate."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    means, *_ = comparison_table(compare_these(JUDGED, {"baseline": same, "candidate": same}))
    assert means.header == ("", "baseline", "candidate")


def test_a_test_that_is_not_defined_is_a_dash_with_its_reason():
    """Never NaN."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    text = comparison_to_text(compare_these(JUDGED, {"a": same, "b": same}))
    assert "No interval for nDCG@10:" in text
    assert "nan" not in text.lower()


def test_json_has_every_digit_and_a_version():
    """Numbers come back as they were computed."""
    comparison = a_comparison(30)
    read = json.loads(comparison_to_json(comparison, per_query=True))
    assert (read["version"], read["kind"]) == (3, "comparison")
    assert read["differences"][0]["difference"] == comparison.differences[0].mean
    assert read["statistics"]["seed"] == 0
    assert len(read["slices"]) == len(comparison.sliced)
    assert len(read["per_query"]) == 30 * len(MEASURES)
    assert {row["query_id"] for row in read["per_query"]} == set(comparison.query_ids)


def test_json_without_queries_has_those_that_changed_most():
    """Ten of each measure."""
    read = json.loads(comparison_to_json(a_comparison(60)))
    assert "per_query" not in read
    assert len([c for c in read["changed_most"] if c["measure"] == "nDCG@10"]) == 10


def test_csv_has_a_line_for_each_difference():
    """Over all queries the slice is empty; what is not defined is empty, too."""
    comparison = a_comparison(30)
    rows = list(csv.DictReader(io.StringIO(comparison_to_csv(comparison))))
    assert len(rows) == len(comparison.differences) + len(comparison.sliced)
    assert rows[0]["slice"] == ""
    assert float(rows[0]["difference"]) == comparison.differences[0].mean
    same = {"q1": ["d1"], "q2": ["d2"]}
    undefined = comparison_to_csv(compare_these(JUDGED, {"a": same, "b": same}))
    assert next(csv.DictReader(io.StringIO(undefined)))["p_value"] == ""


def test_csv_per_query_has_a_line_for_each_query_and_measure():
    """With both scores."""
    comparison = a_comparison(12, measures=["RR"])
    rows = list(csv.DictReader(io.StringIO(comparison_to_csv(comparison, per_query=True))))
    by_id = {row["query"]: float(row["candidate"]) for row in rows}
    assert by_id == comparison.evaluations["hybrid"]["RR"].by_query


def test_figures_are_written_alike_everywhere():
    """Four decimals, a sign where it matters, never p = 0, a dash for nothing."""
    assert (score(0.5), signed(0.5), signed(-1e-9)) == ("0.5000", "+0.5000", "0.0000")
    assert (p_text(1e-9), p_text(0.05), p_text(None)) == ("<0.0001", "0.0500", "-")
    assert (score(None), signed(float("nan")), score(float("inf"))) == ("-", "-", "-")
    assert (interval_text(None), bounds_text(None)) == ("-", "-")


def test_words_fit_their_numbers():
    """Names of measures keep their small letters."""
    assert capitalised("all guards hold.") == "All guards hold."
    assert capitalised("nDCG@10 fell.") == "nDCG@10 fell."


def test_an_interval_shows_on_which_side_of_zero_it_ends():
    """Rounding never makes an interval that excludes 0 look as if it contained it."""
    assert interval_text(Interval(0.0000312, 0.04, 0.95, "t")) == "[+0.00003, +0.0400]"
    assert interval_text(Interval(-0.04, -1e-9, 0.95, "t")) == "[-0.0400, -0.000000001]"
    assert interval_text(Interval(0.0, 0.04, 0.95, "t")) == "[0.0000, +0.0400]"


def test_the_word_of_a_row_is_that_of_the_headline():
    """Better, worse, or not clearly different; JSON and CSV have the short form."""
    comparison = a_comparison(60, {"old": 0.6, "new": 0.6})
    _, differences, slices, *_ = comparison_table(comparison)
    assert {row[4] for row in differences.rows} == {"not clearly different"}
    assert {"not clearly different"} <= {row[8] for row in slices.rows} <= {*WORDS.values()}
    assert {d["finding"] for d in comparison_as_dict(comparison)["differences"]} == {"unclear"}
