"""The mean grade of a judge for each grade of people."""

import pytest

from berryeval.stats.calibration import calibrate
from berryeval.stats.checked_pairs import CheckedPairs


def test_a_point_is_the_mean_of_the_judge_where_people_gave_a_grade():
    """The judge gave 0, 1 and 1 where people gave 0; one pair has no interval."""
    first, second = calibrate(CheckedPairs([0, 0, 0, 2], [0, 1, 1, 2]))
    assert (first.people, first.n_pairs) == (0, 3)
    assert first.mean == pytest.approx(2 / 3)
    assert first.interval.low < 2 / 3 < first.interval.high
    assert (second.people, second.n_pairs, second.mean, second.interval) == (2, 1, 2, None)


def test_points_are_reweighted_by_the_probabilities_of_the_sample():
    """A pair that was drawn with probability 0.25 stands for four."""
    pairs = CheckedPairs([1, 1], [0, 3], probabilities=[0.25, 1.0])
    assert [point.mean for point in calibrate(pairs)] == [pytest.approx(3 / 5)]


def test_pairs_of_one_query_are_not_independent():
    """The interval of three queries is wider than that of twelve pairs."""
    judge = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    [apart] = calibrate(CheckedPairs([1] * 12, judge))
    [grouped] = calibrate(CheckedPairs([1] * 12, judge, query_ids=[*"aaaabbbbcccc"]))
    assert apart.mean == grouped.mean
    assert grouped.interval.low < apart.interval.low
