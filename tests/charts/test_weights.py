"""The chart of weights."""

import pytest

import berryeval as be
from berryeval.charts import weights_chart

JUDGMENTS = {f"q{n}": {"a": 1} for n in range(9)}
RUNS = {
    "words": {query: {"a": 1.0, "b": 2.0} for query in JUDGMENTS},
    "<vectors>": {query: {"a": 5.0, "b": 1.0} for query in JUDGMENTS},
}


def tuned(runs=RUNS, methods=("wsum",)):
    return be.tune_fusion(JUDGMENTS, runs, "RR@5", methods=methods, n_folds=3)


def test_two_runs_are_one_line_with_a_dot_per_fold():
    """The line leads from the first run alone to the second alone."""
    chart = weights_chart(tuned())
    drawn = chart.to_svg()
    assert chart.title == "RR@5 by weight"
    assert "folds chose 0.75, 0.75, 0.75" in chart.description
    assert drawn.count('class="line"') == 1
    assert drawn.count("held-out mean 1.0000") == 3
    assert "weight of &lt;vectors&gt;" in drawn
    assert "&lt;vectors&gt; alone: 1.000" in drawn


def test_three_runs_have_a_line_each():
    """The legend names them."""
    runs = RUNS | {"third": RUNS["words"]}
    drawn = weights_chart(tuned(runs)).to_svg()
    assert drawn.count("mean over all queries at fixed weights") == 3
    assert "weight of the run" in drawn


def test_without_weights_there_is_nothing_to_draw():
    """The message names a method that has some."""
    with pytest.raises(be.ArgumentError, match="expected one with weights, such as those of wsum"):
        weights_chart(tuned(methods=["isr"]))


def test_the_best_weighted_candidate_is_drawn():
    """If the choice has no weights, another candidate shows what they would do."""
    tuning = tuned(methods=["isr", "w_bordafuse"])
    assert tuning.curve_choice.method == "w_bordafuse"
    assert weights_chart(tuning).kind == "weights"
