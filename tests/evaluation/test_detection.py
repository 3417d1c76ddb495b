"""What a number of queries can detect."""

import math

import numpy as np
import pytest

from berryeval.evaluation.detection import curve, detection, detection_by_slice, pooled_sd
from berryeval.stats import power_at, queries_needed, smallest_drop


def test_a_detection_is_that_of_the_statistics():
    """The drop by the noncentral t distribution, and the fewest queries that suffice."""
    found = detection(50, 0.1, 0.03, alpha=0.05, power=0.8)
    assert found.smallest_drop == pytest.approx(smallest_drop(0.1, 50))
    assert power_at(0.1, found.needed, 0.03) >= 0.8 > power_at(0.1, found.needed - 1, 0.03)
    assert not found.is_enough
    assert found.missing == found.needed - 50
    assert detection(found.needed, 0.1, 0.03, 0.05, 0.8).is_enough
    drops = [drop for _, drop in found.curve]
    assert drops == sorted(drops, reverse=True)
    assert found.curve[-1][0] >= 2 * found.needed - 1


def test_without_a_spread_nothing_is_detected():
    """Nor by a single query."""
    found = detection(50, 0.0, 0.02, 0.05, 0.8)
    assert (found.smallest_drop, found.needed, found.curve) == (None, None, ())
    assert detection(1, 0.1, 0.02, 0.05, 0.8).smallest_drop is None
    assert pooled_sd([np.full(3, 0.1), np.array([1.0])]) == 0.0
    assert curve(0.0, 0.05, 0.8, reach=10) == ()


def test_spreads_of_several_pairs_are_pooled():
    """The root of the mean variance."""
    assert pooled_sd([np.array([0.0, 2.0]), np.array([0.0, 4.0])]) == pytest.approx(math.sqrt(5))


def test_the_slice_that_detects_least_comes_first():
    """What has no spread at all comes before everything."""
    spreads = {2: 0.0, 30: 0.2, 40: 0.1}
    slices = {"a": range(40), "b": range(30), "c": range(2)}
    found = detection_by_slice(lambda places: (spreads[len(places)], 9), slices, 0.02, 0.05, 0.8)
    assert [part.name for part in found] == ["c", "b", "a"]
    assert found[1].needed == queries_needed(0.2, 0.02, 0.05, 0.8)
