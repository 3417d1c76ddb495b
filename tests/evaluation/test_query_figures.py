"""Facts about a run's queries, in addition to scores."""

import math

import pytest

from berryeval import Judgments, Run, evaluate
from berryeval.evaluation.query_figures import query_figures

JUDGMENTS = Judgments.from_dict(
    {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"a": 0}, "q4": {"a": 1}, "q5": {"a": 1}}
)
RUN = Run.from_lists({"q1": ["a"], "q2": ["x", "y", "a"], "q3": ["a", "x"], "q5": ["x"]})


def figures(measures="RR", run=RUN, **options):
    return query_figures(evaluate(JUDGMENTS, run, measures, **options), lambda: JUDGMENTS, run)


def test_every_query_has_its_first_hit_and_its_holes():
    """They are in the order of the evaluation; a missing query has neither."""
    found = figures()
    assert found.first_relevant.tolist() == [1, 3, math.inf, math.inf, math.inf]
    assert found.n_holes.tolist() == [0, 2, 1, 0, 1]
    assert found.judged.tolist() == pytest.approx([1, 1 / 3, 0.5, math.nan, 0], nan_ok=True)
    assert (found.n_without_relevant, found.n_with_holes) == (3, 3)


@pytest.mark.parametrize("measures", ["AP", "nDCG@10", ["P@5", "R@3"]])
def test_they_are_available_for_any_measure(measures):
    """Judgments are read only if no measure has the facts."""
    assert figures(measures).n_holes.tolist() == [0, 2, 1, 0, 1]
    assert figures(measures, missing="skip").n_holes.tolist() == [0, 2, 1, 1]


def test_the_judged_share_is_that_of_all_first_documents():
    """4 of 7 documents are holes; without documents there is no share."""
    found = figures()
    assert (found.judged_share, found.n_unjudged) == (pytest.approx(3 / 7), 4)
    assert figures(run=Run.from_lists({"q1": []})).judged_share is None


def test_quartiles_are_those_of_the_scores():
    """They are 0 without queries."""
    result = evaluate(JUDGMENTS, RUN, "RR")["RR"]
    assert result.quartiles == (0.0, 0.0, pytest.approx(1 / 3))
    alone = evaluate({"q1": {"a": 0}}, {"q1": ["a"]}, "RR", no_relevant="skip")["RR"]
    assert alone.quartiles == (0.0, 0.0, 0.0)
