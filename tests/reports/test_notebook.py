"""Results in a notebook."""

import pytest

import berryeval as be
from berryeval.evaluation.result import Displayed
from berryeval.reports import notebook
from example_results import a_comparison, a_gate


@pytest.fixture(scope="module")
def comparison():
    return a_comparison(20)


def test_a_comparison_shows_sentence_tables_and_chart(comparison):
    """They are one piece of HTML that works in every notebook."""
    html = notebook.to_mimebundle(comparison)["text/html"]
    assert comparison.sentence in html
    assert html.count("<table") == 2
    assert "<svg" in html


def test_a_gate_shows_its_verdict(comparison):
    """Guards and decisive documents are listed, and the chart has the margins."""
    bundle = notebook.to_mimebundle(a_gate(comparison))
    assert "FAIL: hybrid must not ship" in bundle["text/html"]
    assert ">margin<" in bundle["text/html"]
    assert bundle["text/plain"]


def test_an_evaluation_shows_its_means(comparison):
    """It has no chart."""
    html = notebook.to_html(comparison.evaluations["hybrid"])
    assert "nDCG@10" in html
    assert "<svg" not in html


def test_without_named_measures_mrr_is_above_the_table():
    """E4: a notebook shows the same as the command line."""
    result = be.evaluate({"q1": {"d1": 1}}, {"q1": ["d2", "d1"]})
    html = notebook.to_html(result)
    assert "<strong>MRR 0.5000</strong>" in html
    for heading in ("Recall", "Precision", "nDCG", "Hit rate"):
        assert f">{heading}</th>" in html


def test_results_display_themselves(monkeypatch):
    """A notebook calls these two methods, which import the reports."""
    monkeypatch.setattr(notebook, "to_html", lambda result: f"shown: {type(result).__name__}")
    monkeypatch.setattr(notebook, "to_mimebundle", lambda _: {"text/plain": "shown"})

    class Result(Displayed):
        pass

    assert Result()._repr_html_() == "shown: Result"
    assert Result()._repr_mimebundle_(include=None, exclude=None) == {"text/plain": "shown"}
