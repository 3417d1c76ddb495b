"""A confidence interval."""

from berryeval.stats import Interval


def test_an_interval_contains_its_ends():
    """Both ends are included."""
    interval = Interval(0.1, 0.3, 0.95, "t")
    assert [interval.contains(x) for x in (0.0, 0.1, 0.2, 0.3, 0.4)] == [
        False,
        True,
        True,
        True,
        False,
    ]
