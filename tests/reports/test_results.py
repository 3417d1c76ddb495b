"""Results in Python: dicts, frames, LaTeX, files and charts."""

import json
import sys

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, BerryEvalError
from berryeval.reports.comparison import comparison_to_csv
from berryeval.reports.gate import gate_to_csv
from berryeval.reports.rendering import render_comparison, render_gate
from example_results import a_comparison, a_gate


@pytest.fixture(scope="module")
def comparison():
    """A comparison of two runs over 40 queries."""
    return a_comparison(40)


@pytest.fixture(scope="module")
def gate():
    """A gate that fails."""
    return a_gate(a_comparison(40))


def test_the_dict_is_the_json(comparison, gate):
    """Python and files have the same structure."""
    assert comparison.to_dict() == json.loads(render_comparison(comparison, "json"))
    assert gate.to_dict() == json.loads(render_gate(gate, "json"))


def test_a_frame_has_the_figures_of_the_csv(comparison, gate):
    """Columns and rows are the same; figures are numbers, and undefined ones missing."""
    for result, text in ((comparison, comparison_to_csv(comparison)), (gate, gate_to_csv(gate))):
        frame = result.to_frame()
        header, *lines = text.splitlines()
        assert [*frame.columns] == header.split(",")
        assert len(frame) == len(lines)
    first = comparison.to_frame().iloc[0]
    assert first["difference"] == comparison.differences[0].mean
    assert first["low"] == comparison.differences[0].interval.low


def test_a_frame_can_have_one_row_per_query(comparison, gate):
    """A comparison has both scores of a query, an evaluation one column per measure."""
    changes = comparison.to_frame(per_query=True)
    n_measures = len(comparison.measures)
    assert len(changes) == len(gate.to_frame(per_query=True)) == 40 * n_measures
    evaluation = comparison.evaluations["bm25"]
    scores = evaluation.to_frame(per_query=True).set_index("query")
    assert scores["nDCG@10"].to_dict() == dict(evaluation["nDCG@10"].by_query)


def test_the_frame_of_an_evaluation_has_intervals(comparison):
    """Each measure is a row, with its mean and the ends of its interval."""
    evaluation = comparison.evaluations["bm25"]
    for row in evaluation.to_frame().itertuples():
        result = evaluation[row.measure]
        assert (row.mean, row.low, row.high) == (
            result.mean, result.interval.low, result.interval.high,
        )  # fmt: skip
    alone = be.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "RR").to_frame()
    assert alone["low"].isna().all()


def test_a_frame_without_pandas_names_the_package(comparison, monkeypatch):
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(BerryEvalError, match="pip install pandas"):
        comparison.to_frame()


def test_an_evaluation_in_latex_keeps_intervals_and_bolds_nothing(comparison):
    """The best of a single run is meaningless."""
    evaluation = comparison.evaluations["bm25"]
    interval = evaluation["nDCG@10"].interval
    text = evaluation.to_latex()
    assert f"[{interval.low:.4f}, {interval.high:.4f}]" in text
    assert r"\textbf" not in text


def test_a_comparison_in_latex_has_differences_with_intervals(comparison):
    """Each difference is a row, with its interval and p-value."""
    difference = comparison.differences[0]
    text = comparison.to_latex()
    assert f"{difference.mean:+.4f} & [{difference.interval.low:+.4f}" in text
    assert r"\textbf" in text
    assert r"System & Measure & Difference & 95\% interval & $p$ & Result" in text


@pytest.mark.parametrize("ending", ["html", "json", "md", "csv", "tex", "txt", "svg", "png"])
def test_any_result_is_saved_by_extension(comparison, gate, tmp_path, ending):
    """The content is that of the format."""
    begins = {
        "html": b"<!doctype html",
        "json": b"{",
        "svg": b"<svg",
        "png": b"\x89PNG",
        "tex": b"\\begin",
    }
    for number, result in enumerate((comparison, gate, comparison.evaluations["bm25"])):
        path = tmp_path / f"{number}.{ending}"
        result.save(path)
        assert path.read_bytes().lower().startswith(begins.get(ending, b"").lower())
        assert path.stat().st_size > 100


def test_only_a_gate_is_saved_as_junit(comparison, gate, tmp_path):
    """It has test cases; a comparison has none."""
    gate.save(tmp_path / "gate.xml")
    assert (tmp_path / "gate.xml").read_text().startswith("<?xml")
    with pytest.raises(ArgumentError, match=r"path: expected a name that ends in \.csv"):
        comparison.save(tmp_path / "comparison.xml")


def test_a_plot_shows_differences_or_scores(comparison, gate):
    """A comparison and its gate have the differences, an evaluation the scores of a measure."""
    assert comparison.plot().title == gate.plot().title
    evaluation = comparison.evaluations["bm25"]
    assert "nDCG@10" in evaluation.plot().title
    assert "P@5" in evaluation.plot("P@5").title


def test_a_repr_has_interval_and_p_value(comparison, gate):
    """The deciding figures are visible at a prompt."""
    first = comparison.differences[0]
    assert f"[{first.interval.low:+.4f}, {first.interval.high:+.4f}], p " in repr(comparison)
    guard = next(guard for guard in gate.guards if guard.interval is not None)
    line = next(line for line in repr(gate).splitlines() if line.startswith(guard.name))
    assert f"{guard.interval.low:.4f}" in line
