"""The reader behind a measure."""

import math

import pytest
from hypothesis import given

from berryeval import user_model
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.measures import INST, parse_measure
from cases import judged_rankings, kernel_input
from depth import examples

WITH_READER = [
    "BPM(T=2)@8", "INSQ(max_grade=4)", "INST(T=0.2,max_grade=3)", "INST(T=3)", "NERR8(max_grade=9)",
    "NERR9@7", "NERR10(max_grade=9)", "NERR11(T=2,max_grade=9)", "SDCG@5", "P@5", "P(rel=2)@40",
    "RR", "RR@3", "RBP", "RBP(p=0.995)@4", "RBP(max_grade=4)", "RR(judged_only=True)",
    "P(judged_only=True)@5",
]  # fmt: skip


@pytest.mark.parametrize("name", WITH_READER)
@examples(40)
@given(case=judged_rankings(min_grade=-2, max_grade=4))
def test_expected_utility_is_the_value_of_the_measure(name, case):
    """Therefore, weights add up to 1, or to less for RBP, whose reader may not reach the end."""
    grades, judged = kernel_input(case)
    model = user_model(name, grades)
    assert model.expected_utility == pytest.approx(
        parse_measure(name).score(grades, judged), abs=1e-12
    )
    assert math.fsum(model.weights) == pytest.approx(1.0, abs=0.02)
    assert math.fsum(model.stopping) == pytest.approx(1.0, abs=0.02)
    assert model.expected_total_utility == pytest.approx(
        model.expected_utility * model.expected_documents
    )
    assert model.expected_cost == pytest.approx(1.0)
    assert model.expected_total_cost == pytest.approx(model.expected_documents)


def test_a_reader_goes_on_from_rank_to_rank():
    """Half of them stop at the first document; the others see all three."""
    model = user_model("NERR8(max_grade=2)@3", [1, None, 2])
    assert model.gains == (0.5, 0.0, 1.0)
    assert model.continuation == (0.5, 1.0, 0.0)
    assert model.seen == (1.0, 0.5, 0.5)
    assert model.stopping == (0.5, 0.0, 0.5)
    assert model.weights == (0.5, 0.25, 0.25)


def test_costs_are_weighted_by_who_sees_the_document():
    """The reader of RR stops at the second document, after 10 and 20 seconds."""
    model = user_model("RR", [0, 1, 1], costs=[10, 20, 70])
    assert (model.expected_cost, model.expected_total_cost) == (15.0, 30.0)


def test_ranks_after_the_last_document_cost_the_mean():
    """For P@4, two documents cost 10 and 30, and two missing ones 20 each."""
    assert user_model("P@4", [1, 1], costs=[10, 30]).expected_total_cost == 80.0
    patient = user_model("RBP(p=0.9)", [1, 1], costs=[10, 30])
    assert patient.expected_total_cost == pytest.approx(10 + 0.9 * 30 + 8.1 * 20)


def test_unjudged_documents_and_their_costs_are_removed_first():
    """With judged_only, the second document is the first."""
    model = user_model("P(judged_only=True)@1", [None, 1], costs=[50, 7])
    assert (model.expected_utility, model.expected_cost) == (1.0, 7.0)


def test_an_empty_ranking_has_a_reader():
    """They gain nothing, and stop at the end."""
    assert user_model("RR", []).expected_utility == 0.0
    assert user_model(INST, []).expected_utility == 0.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: user_model("nDCG@10", [1]), "measure: expected one with a user model .*got nDCG"),
        (lambda: user_model("SetP", [1]), "measure: expected one with a user model .*got SetP"),
        (lambda: user_model("RR", [1], [1, 2]), "costs: expected one for each of 1 grades, got 2"),
        (lambda: user_model("RR", [1], [-1]), "costs: expected numbers of at least 0, got -1"),
        (lambda: user_model("RR", ["1"]), "grades: expected a number"),
    ],
)
def test_invalid_arguments_are_rejected(call, message):
    """The message has what was expected and found."""
    with pytest.raises((ArgumentError, InputTypeError), match=message):
        call()


def test_a_measure_is_required():
    """A number is not a measure."""
    with pytest.raises(InputTypeError, match="measure: expected a measure or its name, got int"):
        user_model(3, [1])
