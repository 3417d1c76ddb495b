"""What a judge may answer."""

import pytest

from berryeval.core.grade import default_labels
from berryeval.errors import ArgumentError
from berryeval.judges.protocol import Guideline, Opinion, Scale


def test_a_grade_outside_the_scale_means_that_the_judge_cannot_judge():
    """No grade is rounded or clipped into the scale."""
    for grade in (-1, 4, 1.5, float("nan"), True, "2", [2]):
        assert Opinion.of(grade, Scale(3)).grade is None


@pytest.mark.parametrize(("confidence", "kept"), [(0.5, 0.5), (1, 1.0), (7, None), ("high", None)])
def test_a_confidence_is_a_share_or_dropped(confidence, kept):
    """A confidence in words does not make a grade invalid."""
    opinion = Opinion.of({"grade": 2, "confidence": confidence}, Scale(3))
    assert (opinion.grade, opinion.confidence) == (2.0, kept)


def test_a_judge_may_decline():
    """None, alone or as a grade, is a valid answer."""
    assert Opinion.of(None, Scale(3)) == Opinion(None)
    declined = Opinion(None, "in another  language")
    assert Opinion.of(declined, Scale(3)) == Opinion(None, "in another language")


@pytest.mark.parametrize(("highest", "labels"), [(0, None), (2, ("no", "yes"))])
def test_a_scale_has_one_label_per_grade(highest, labels):
    """A scale without grades, or with labels missing, is rejected."""
    with pytest.raises(ArgumentError):
        Scale(highest, labels)


def test_another_guideline_has_another_digest():
    """Text, highest grade and labels all count."""
    guidelines = [
        Guideline("a", Scale(2)), Guideline("b", Scale(2)), Guideline("a", Scale(3)),
        Guideline("a", Scale(2, ("x", "y", "z"))),
    ]  # fmt: skip
    assert len({one.digest for one in guidelines}) == 4


def test_what_does_not_change_a_guideline_does_not_change_its_digest():
    """Files, forms and archives differ in line ends, in space, and in default labels."""
    guideline = Guideline("Be fair.\nRead all.", Scale(3))
    labels = default_labels(3)
    assert guideline.digest == Guideline("Be fair.\r\nRead all.\r\n", Scale(3, labels)).digest
    assert guideline.digest != Guideline("Be fair.\n\nRead all.", Scale(3)).digest
    assert Scale(10).labels is None
    with pytest.raises(ArgumentError, match="at most 40,000 characters"):
        Guideline("x" * 40_001, Scale(3))
