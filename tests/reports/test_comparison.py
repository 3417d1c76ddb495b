"""Comparisons as tables, text, JSON and CSV."""

import csv
import io
import json

from berryeval import compare
from berryeval.evaluation.figures import bounds_text, interval_text, p_text, score, signed
from berryeval.evaluation.findings import WORDS
from berryeval.reports.comparison import (
    comparison_as_dict,
    comparison_table,
    comparison_to_csv,
    comparison_to_json,
)
from berryeval.reports.layout import tables_to_text
from berryeval.reports.wording import capitalised, policy_note
from berryeval.stats import Interval
from example_results import MEASURES, a_comparison, compare_these

JUDGED = {"q1": {"d1": 1}, "q2": {"d2": 1}}


def test_systems_are_shown_side_by_side_at_the_same_k():
    """There is one row per measure and one column per system, with four decimals (E3, E4)."""
    comparison = a_comparison(30)
    means, *_ = comparison_table(comparison)
    assert means.header == ("", "bm25 (baseline)", "hybrid")
    assert [row[0] for row in means.rows] == list(MEASURES)
    expected = comparison.evaluations["hybrid"]["P@5"].mean
    assert means.rows[3][2] == f"{expected:.4f}"


def test_differences_show_their_certainty():
    """Interval, p, result, effect sizes and wins are shown, and a note explains the policy."""
    _, differences, *_ = comparison_table(a_comparison(30))
    assert differences.header[1:9] == (
        "difference", "95% interval", "p", "result", "d_z", "r_rb", "W/T/L", "bounds",
    )  # fmt: skip
    assert all(len(row) == len(differences.header) for row in differences.rows)
    assert differences.notes[0].startswith(
        "Intervals: 95%, Student's t and Hall's correction for skewness, whichever reaches further;"
    )
    assert "nDCG@10 decides alone. The other 4 differences form one family." in differences.notes[0]


def test_differences_of_few_queries_have_no_interval():
    """The result says why, and no NaN is shown."""
    few = {"q1": ["x", "d1"], "q2": ["d2"]}
    same = {"q1": ["d1"], "q2": ["d2"]}
    _, differences, *_ = comparison_table(compare_these(JUDGED, {"a": same, "b": few}))
    assert differences.rows[0][2:5] == ("-", "-", "too few changes to decide")


def test_several_candidates_have_a_column_with_their_names():
    """Every row names its candidate."""
    comparison = a_comparison(20, {"bm25": 0.5, "dense": 0.6, "hybrid": 0.7})
    _, differences, slices, *changes = comparison_table(comparison)
    assert differences.header[:2] == ("measure", "system")
    assert differences.n_keys == 2
    assert slices.n_keys == 3
    assert [table.title[-6:].strip(", ") for table in changes] == ["dense", "hybrid"]


def test_empty_tables_are_left_out():
    """This applies to slices and changed queries."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    tables = comparison_table(compare_these(JUDGED, {"a": same, "b": same}))
    assert [table.title for table in tables] == ["Means", "Differences from a"]


def test_a_baseline_named_baseline_is_not_labelled_twice():
    """A gate names its runs baseline and candidate."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    means, *_ = comparison_table(compare_these(JUDGED, {"baseline": same, "candidate": same}))
    assert means.header == ("", "baseline", "candidate")


def test_an_undefined_test_is_a_dash_with_its_reason():
    """It is never NaN."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    text = tables_to_text(comparison_table(compare_these(JUDGED, {"a": same, "b": same})))
    assert "No interval for nDCG@10:" in text
    assert "nan" not in text.lower()


def test_json_has_every_digit_and_a_version():
    """Numbers are written with full precision."""
    comparison = a_comparison(30)
    read = json.loads(comparison_to_json(comparison, per_query=True))
    assert (read["version"], read["kind"]) == (3, "comparison")
    assert read["differences"][0]["difference"] == comparison.differences[0].mean
    assert read["statistics"]["seed"] == 0
    assert len(read["slices"]) == len(comparison.sliced)
    assert len(read["per_query"]) == 30 * len(MEASURES)
    assert {row["query_id"] for row in read["per_query"]} == set(comparison.query_ids)


def test_json_without_per_query_has_the_most_changed_queries():
    """There are ten per measure."""
    read = json.loads(comparison_to_json(a_comparison(60)))
    assert "per_query" not in read
    assert len([c for c in read["changed_most"] if c["measure"] == "nDCG@10"]) == 10


def test_csv_has_one_line_per_difference():
    """The slice is empty over all queries, and so are undefined values."""
    comparison = a_comparison(30)
    rows = list(csv.DictReader(io.StringIO(comparison_to_csv(comparison))))
    assert len(rows) == len(comparison.differences) + len(comparison.sliced)
    assert rows[0]["slice"] == ""
    assert float(rows[0]["difference"]) == comparison.differences[0].mean
    same = {"q1": ["d1"], "q2": ["d2"]}
    undefined = comparison_to_csv(compare_these(JUDGED, {"a": same, "b": same}))
    assert next(csv.DictReader(io.StringIO(undefined)))["p_value"] == ""


def test_csv_per_query_has_one_line_per_query_and_measure():
    """It contains both scores."""
    comparison = a_comparison(12, measures=["RR"])
    rows = list(csv.DictReader(io.StringIO(comparison_to_csv(comparison, per_query=True))))
    by_id = {row["query"]: float(row["candidate"]) for row in rows}
    assert by_id == comparison.evaluations["hybrid"]["RR"].by_query


def test_figures_are_formatted_in_the_same_way_everywhere():
    """They have four decimals, a sign if it matters, never p = 0, and a dash if undefined."""
    assert (score(0.5), signed(0.5), signed(-1e-9)) == ("0.5000", "+0.5000", "0.0000")
    assert (p_text(1e-9), p_text(0.05), p_text(None)) == ("<0.0001", "0.0500", "-")
    assert (score(None), signed(float("nan")), score(float("inf"))) == ("-", "-", "-")
    assert (interval_text(None), bounds_text(None)) == ("-", "-")


def test_nouns_agree_with_their_numbers():
    """Names of measures keep their case."""
    assert capitalised("all guards hold.") == "All guards hold."
    assert capitalised("both guards hold.") == "Both guards hold."
    assert capitalised("nDCG@10 fell.") == "nDCG@10 fell."


def test_a_rounded_interval_stays_on_its_side_of_zero():
    """Rounding never makes an interval that excludes 0 look as if it contained it."""
    assert interval_text(Interval(0.0000312, 0.04, 0.95, "t")) == "[+0.00003, +0.0400]"
    assert interval_text(Interval(-0.04, -1e-9, 0.95, "t")) == "[-0.0400, -0.000000001]"
    assert interval_text(Interval(0.0, 0.04, 0.95, "t")) == "[0.0000, +0.0400]"


def test_the_result_of_a_row_matches_the_headline():
    """It is better, worse or not clearly different; JSON and CSV have the short form."""
    comparison = a_comparison(60, {"old": 0.6, "new": 0.6})
    _, differences, slices, *_ = comparison_table(comparison)
    assert {row[4] for row in differences.rows} == {"not clearly different"}
    assert {"not clearly different"} <= {row[8] for row in slices.rows} <= {*WORDS.values()}
    assert {d["finding"] for d in comparison_as_dict(comparison)["differences"]} == {"unclear"}


def test_the_policy_is_explained_with_the_figures():
    """The note names the deciding measure, the families, and p-values without effect."""
    thirty = {f"q{i:02}": {"d": 1} for i in range(30)}
    runs = {
        "a": {q: ["d"] if i % 3 else ["x", "d"] for i, q in enumerate(thirty)},
        "b": {q: ["d"] if i % 3 else ["x", "d"] for i, q in enumerate(thirty) if i >= 12},
    }
    alone = compare(thirty, runs, "RR", tests=["sign"])
    assert policy_note(alone).endswith(
        "RR decides alone. The p-values of sign are not adjusted and do not affect the result."
    )
    two = compare(thirty, runs, ["RR", "P@1"])
    assert "The other difference is reported with it." in policy_note(two)
    assert "max-t" not in policy_note(two)
    many = a_comparison(20)
    assert "The other 4 differences form one family." in policy_note(many)
    assert "The slices of a label form one family per measure." in policy_note(many)
    assert policy_note(many).endswith("simultaneous and p-values adjusted: single-step max-t.")
    several = a_comparison(20, {"a": 0.5, "b": 0.6, "c": 0.7})
    assert "nDCG@10 decides; its 2 candidates form one family." in policy_note(several)


MANY = {"base": 0.8, "a": 1.0, "b": 2.0, "c": 3.0, "d": 0.1, "e": 0.5}


def test_many_systems_have_a_row_each_best_first():
    """Means are a leaderboard, differences are sorted by effect, and queries are the best one's."""
    comparison = a_comparison(30, MANY, slices=())
    board, differences, *rest = comparison_table(comparison)
    assert board.title == "Leaderboard by nDCG@10"
    means = [float(row[1]) for row in board.rows]
    assert means == sorted(means, reverse=True)
    assert {row[0] for row in board.rows} == {"base (baseline)", *list(MANY)[1:]}
    assert [row[4] for row in board.rows if row[0].startswith("base")] == ["baseline"]
    lead = [float(row[2]) for row in differences.rows if row[0] == "nDCG@10"]
    assert lead == sorted(lead, reverse=True)
    assert [table.title for table in rest] == ["Queries that changed most: nDCG@10, c"]


def test_a_few_systems_keep_their_columns():
    """Up to four candidates are shown side by side."""
    few = dict(list(MANY.items())[:5])
    means, *_ = comparison_table(a_comparison(30, few, slices=()))
    assert means.header == ("", "base (baseline)", "a", "b", "c", "d")
