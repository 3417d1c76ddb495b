"""What counts as a grade, and as a level."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from berryeval.core.grade import MAX_GRADE, check_grade, check_level
from berryeval.errors import ArgumentError, InputTypeError


@pytest.mark.parametrize(
    ("grade", "expected"),
    [
        (2, 2.0),
        (True, 1.0),
        (-1.5, -1.5),
        (np.int8(3), 3.0),
        (np.float32(0.5), 0.5),
        (np.bool_(1), 1.0),
        (Fraction(1, 4), 0.25),
        (Decimal("1.5"), 1.5),
        (MAX_GRADE, MAX_GRADE),
    ],
)
def test_any_number_is_a_grade(grade, expected):
    """M9: whatever Python can turn into a float."""
    value = check_grade(grade, "grade")
    assert (value, type(value)) == (expected, float)


@pytest.mark.parametrize(
    ("grade", "got"),
    [
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (1e291, "1e+291"),
        (-1e291, "-1e+291"),
        (10**400, "inf"),
    ],
)
def test_a_grade_that_would_spoil_sums_is_refused(grade, got):
    """M10: NaN, infinity, and what adds up to it."""
    with pytest.raises(ArgumentError) as caught:
        check_grade(grade, "grade of 'a'")
    assert str(caught.value) == (
        f"grade of 'a': expected a finite number of at most 1e+290, got {got}"
    )


@pytest.mark.parametrize(
    ("grade", "got"), [("2", "str '2'"), (None, "NoneType None"), (np.str_("2"), "str_ ")]
)
def test_text_and_nothing_are_no_grades(grade, got):
    """M10: a column that was not parsed is noticed."""
    with pytest.raises(InputTypeError, match="grade: expected a number, got " + got):
        check_grade(grade, "grade")


@pytest.mark.parametrize("grade", [np.array([1, 2]), Decimal("sNaN")])
def test_what_cannot_become_a_float_is_refused_by_name(grade):
    """M10: the document is named, whatever NumPy or decimal would have said."""
    with pytest.raises(InputTypeError, match="grade of 'a': expected a number, got "):
        check_grade(grade, "grade of 'a'")


def test_a_level_is_a_number_from_zero_on():
    """Below 0 stands for no judgment, so no level can reach it."""
    assert check_level(0) == 0.0
    assert check_level(1.5) == 1.5
    with pytest.raises(ArgumentError, match="level: expected a number, at least 0, got -1"):
        check_level(-1)
    with pytest.raises(InputTypeError, match="got bool True"):
        check_level(True)  # noqa: FBT003 - that is the mistake
