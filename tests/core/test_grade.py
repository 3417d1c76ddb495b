"""Valid grades and levels."""

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
    """M9: everything that Python can convert to a float is accepted."""
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
def test_a_grade_that_would_make_sums_infinite_is_rejected(grade, got):
    """M10: NaN, infinity and huge numbers are rejected."""
    with pytest.raises(ArgumentError) as caught:
        check_grade(grade, "grade of 'a'")
    assert str(caught.value) == (
        f"grade of 'a': expected a finite number of at most 1e+290, got {got}"
    )


@pytest.mark.parametrize(
    ("grade", "got"), [("2", "str '2'"), (None, "NoneType None"), (np.str_("2"), "str_ ")]
)
def test_text_and_none_are_not_grades(grade, got):
    """M10: a column that was not parsed is noticed."""
    with pytest.raises(InputTypeError, match="grade: expected a number, got " + got):
        check_grade(grade, "grade")


@pytest.mark.parametrize("grade", [np.array([1, 2]), Decimal("sNaN")])
def test_a_value_that_is_not_a_number_is_rejected_by_document(grade):
    """M10: the message names the document, not an error of NumPy or decimal."""
    with pytest.raises(InputTypeError, match="grade of 'a': expected a number, got "):
        check_grade(grade, "grade of 'a'")


def test_a_level_is_a_number_of_at_least_0():
    """Negative grades mean unjudged, so no level includes them."""
    assert check_level(0) == 0.0
    assert check_level(1.5) == 1.5
    with pytest.raises(ArgumentError, match="level: expected a number, at least 0, got -1"):
        check_level(-1)
    with pytest.raises(InputTypeError, match="got bool True"):
        check_level(True)  # noqa: FBT003 - that is the mistake
