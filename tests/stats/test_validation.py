"""Arguments that public functions reject before drawing."""

import pytest

from berryeval import compare
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.stats import randomisation
from berryeval.stats.validation import MAX_RESAMPLES, MIN_RESAMPLES, check_resamples


@pytest.mark.parametrize("number", [MIN_RESAMPLES, 10_000, MAX_RESAMPLES])
def test_enough_resamples_are_accepted(number):
    """Both ends of the range are included."""
    check_resamples(number)


@pytest.mark.parametrize("number", [-1, 0, 1, MIN_RESAMPLES - 1])
def test_too_few_resamples_are_rejected_with_the_reason(number):
    """One resample gives an interval of width 0, which would look certain."""
    with pytest.raises(ArgumentError, match=f"at the edge: .* from 100 .*too few.*, got {number}"):
        check_resamples(number, "at the edge")


def test_too_many_resamples_are_rejected():
    """They would not fit into memory."""
    with pytest.raises(ArgumentError, match="from 100 to 10000000, got 10000001"):
        check_resamples(MAX_RESAMPLES + 1)


def test_resamples_are_a_whole_number():
    """A float is rejected, even 1000.0."""
    with pytest.raises(InputTypeError, match=r"a whole number from 100 .* got 1000\.0"):
        check_resamples(1000.0)


def test_a_comparison_rejects_too_few_resamples():
    """The functions below it accept any number."""
    runs = {"a": {"q1": ["a"], "q2": ["x"]}, "b": {"q1": ["x"], "q2": ["b"]}}
    with pytest.raises(ArgumentError, match="n_resamples: expected a whole number from 100"):
        compare({"q1": {"a": 1}, "q2": {"b": 1}}, runs, "RR", n_resamples=1)
    assert randomisation([0.0, 0.5, 1.0], n_resamples=1).p_value is not None
