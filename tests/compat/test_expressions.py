"""Every expression of ir_measures and ranx has their value, or a written reason."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))

from expressions_table import (
    REASONS,
    STORED,
    Compared,
    compare_calls_of_ranx,
    compare_ir_measures,
    compare_ranx,
    counts_of,
)

IR_MEASURES, RANX, CALLS = compare_ir_measures(), compare_ranx(), compare_calls_of_ranx()


@pytest.mark.parametrize("one", IR_MEASURES, ids=str)
def test_expressions_of_ir_measures_have_its_values(one):
    """Values agree per query, or the page explains why not, or there is nothing to compare with."""
    assert one.outcome in ("same", "reason", "nothing"), one


@pytest.mark.parametrize("one", RANX, ids=str)
def test_names_of_ranx_have_its_values(one):
    """Per query, or there is a reason that the page explains, or ranx has no value, either."""
    assert one.outcome in ("same", "reason", "nothing"), one


@pytest.mark.parametrize("one", CALLS, ids=str)
def test_calls_in_the_tests_of_ranx_have_its_values(one):
    """With the data of its tests."""
    assert one.outcome == "same", one


def test_every_call_of_ranx_has_a_name_in_the_table():
    """Counted by name, none is lost."""
    assert {str(one) for one in CALLS} < {str(one) for one in RANX}


def test_bpref_differs_from_ranx_only_where_that_is_not_a_number():
    """The reason that the page gives covers one query of the made-up six."""
    [found] = [one for one in RANX if str(one) == "bpref"]
    pairs = zip(found.theirs, found.ours, strict=True)
    numbers = [(theirs, ours) for theirs, ours in pairs if theirs is not None]
    assert len(numbers) == len(found.theirs) - 1
    assert all(theirs == pytest.approx(ours) for theirs, ours in numbers)


def test_rbp_of_ranx_exceeds_1():
    """The reason that the page gives: grades are multiplied."""
    [found] = [one for one in RANX if str(one) == "rbp.95"]
    assert max(found.theirs) > 1 >= max(found.ours)


def test_only_incomplete_expressions_have_nothing_to_compare():
    """Whole expressions of the tests have values in ir_measures."""
    nothing = [one.expression for one in IR_MEASURES if one.outcome == "nothing"]
    assert not [name for name in nothing if "@" in name]


def test_every_reason_is_needed():
    """A reason that explains nothing is stale."""
    used = {one.reason for one in (*IR_MEASURES, *RANX)}
    assert set(REASONS) <= used


def test_a_different_value_without_a_reason_is_reported():
    """The comparison can fail."""
    ours = Compared("RR", [0.5], [0.25])
    assert ours.outcome == "different"
    assert counts_of([ours]) == {"different": 1}


def test_nearly_everything_is_stored():
    """The stored values are those of whole test suites."""
    assert len(STORED["ir_measures"]["values"]) == len(IR_MEASURES) > 180
    assert len(STORED["ranx"]["values"]) == len(RANX) > 35
    assert len(STORED["ranx"]["calls"]) == len(CALLS) > 35
