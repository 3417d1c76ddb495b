"""Corrections for many tests, by hand and against SciPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import adjust

METHODS = ["none", "bonferroni", "holm", "benjamini-hochberg"]
p_values = st.lists(st.none() | st.floats(0, 1), max_size=12)


def test_corrections_match_a_worked_example():
    """Each method's arithmetic for 0.01, 0.04, 0.03, 0.005 is redone by hand."""
    p = [0.01, 0.04, 0.03, 0.005]
    assert adjust(p, "none") == p
    assert adjust(p, "bonferroni") == pytest.approx([0.04, 0.16, 0.12, 0.02])
    # In ascending order times 4, 3, 2, 1, never falling: 0.02, 0.03, 0.06, 0.06.
    assert adjust(p, "holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    # Times 4/1, 4/2, 4/3, 4/4, never rising from the end: 0.02, 0.02, 0.04, 0.04.
    assert adjust(p, "benjamini-hochberg") == pytest.approx([0.02, 0.04, 0.04, 0.02])


def test_undefined_tests_do_not_count():
    """None stays None, and the others are corrected for their own number."""
    assert adjust([None, 0.02, None, 0.01], "bonferroni") == [None, 0.04, None, 0.02]


@pytest.mark.parametrize("method", METHODS)
def test_without_tests_nothing_is_corrected(method):
    """There may be no test, or only undefined ones."""
    assert adjust([], method) == []
    assert adjust([None], method) == [None]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_matches_scipy(p):
    """It equals scipy.stats.false_discovery_control."""
    expected = stats.false_discovery_control(p)
    assert adjust(p, "benjamini-hochberg") == pytest.approx(np.asarray(expected), rel=1e-12)


@given(p_values, st.sampled_from(METHODS))
def test_corrections_keep_the_order_and_never_lower_p(p, method):
    """Adjusted p-values are between p and 1, in the order of p; Holm is at most Bonferroni."""
    adjusted = adjust(p, method)
    pairs = sorted((x, y) for x, y in zip(p, adjusted, strict=True) if x is not None)
    assert all(x <= y * (1 + 1e-12) and y <= 1 for x, y in pairs)
    assert [y for _, y in pairs] == sorted(y for _, y in pairs)
    assert [y is None for y in adjusted] == [x is None for x in p]
    for holm, bonferroni in zip(adjust(p, "holm"), adjust(p, "bonferroni"), strict=True):
        assert holm is bonferroni or holm <= bonferroni


def test_invalid_p_values_and_methods_are_rejected():
    """p-values may be out of range or NaN."""
    with pytest.raises(ArgumentError, match=r"p_values: expected numbers from 0 to 1, got 1\.5"):
        adjust([0.5, 1.5], "holm")
    with pytest.raises(ArgumentError, match="got nan"):
        adjust([float("nan")], "none")
    with pytest.raises(ArgumentError, match=r"method: expected one of 'none', .* got 'bonferoni'"):
        adjust([0.5], "bonferoni")
