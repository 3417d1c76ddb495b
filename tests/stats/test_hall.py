"""Hall's transform, and its inverse in closed form."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from berryeval.stats.hall import hall_inverse, hall_transform

ts = st.floats(-50, 50)
skewnesses = st.floats(-8, 8) | st.floats(-1e-6, 1e-6)
sizes = st.integers(2, 10_000)


def as_published(t, skewness, n):
    """T + g T^2 / (3 sqrt n) + g^2 T^3 / (27 n) + g / (6 sqrt n)."""
    return (
        t
        + skewness * t**2 / (3 * math.sqrt(n))
        + skewness**2 * t**3 / (27 * n)
        + skewness / (6 * math.sqrt(n))
    )


def closed_form(c, skewness, n):
    """sqrt n (3 / g) (cbrt(1 + g (c / sqrt n - g / (6 n))) - 1)."""
    cube = 1 + skewness * (c / math.sqrt(n) - skewness / (6 * n))
    return math.sqrt(n) * 3 / skewness * (np.cbrt(cube) - 1)


@given(ts, skewnesses, sizes)
def test_the_transform_is_the_published_cubic(t, skewness, n):
    """It is Hall's third-degree polynomial, term by term."""
    assert hall_transform(t, skewness, n) == pytest.approx(
        as_published(t, skewness, n), rel=1e-9, abs=1e-9
    )


@given(st.floats(-10, 10), skewnesses, sizes)
def test_the_inverse_undoes_the_transform(t, skewness, n):
    """This holds in both directions, for both signs of skewness and both tails."""
    assert hall_inverse(hall_transform(t, skewness, n), skewness, n) == pytest.approx(t, abs=1e-6)
    there = hall_inverse(t, skewness, n)
    assert hall_transform(there, skewness, n) == pytest.approx(t, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("skewness", [-3.0, -1.0, -0.1, 0.1, 1.0, 3.0])
@pytest.mark.parametrize("c", [-2.6, -1.7, 0.0, 1.7, 2.6])
@pytest.mark.parametrize("n", [10, 50, 1000])
def test_the_inverse_is_the_root_of_the_cubic(skewness, c, n):
    """A numerical solution and the closed form agree."""
    root = brentq(lambda t: as_published(t, skewness, n) - c, -1e4, 1e4, xtol=1e-13)
    assert hall_inverse(c, skewness, n) == pytest.approx(root, abs=1e-8)
    assert hall_inverse(c, skewness, n) == pytest.approx(closed_form(c, skewness, n), abs=1e-12)


@given(st.floats(-10, 10), st.sampled_from([0.0, 1e-300, -1e-18, 1e-12]), sizes)
def test_without_skewness_the_transform_is_the_identity(c, skewness, n):
    """No digits are lost as g approaches 0."""
    assert hall_transform(c, skewness, n) == pytest.approx(c, abs=1e-10)
    assert hall_inverse(c, skewness, n) == pytest.approx(c, abs=1e-10)


@given(ts, st.floats(1e-3, 10), skewnesses, sizes)
def test_the_transform_increases(t, step, skewness, n):
    """A larger mean never has a larger p-value."""
    assert hall_transform(t + step, skewness, n) > hall_transform(t, skewness, n)


@given(ts, skewnesses, sizes)
def test_mirrored_values_have_a_mirrored_transform(t, skewness, n):
    """Bits are equal: one side mirrors the other."""
    assert hall_transform(-t, -skewness, n) == -hall_transform(t, skewness, n)
    assert hall_inverse(-t, -skewness, n) == -hall_inverse(t, skewness, n)


def test_a_long_tail_below_lowers_a_large_t():
    """A sample that misses the tail has too large a T; with a tail above, too small."""
    assert hall_transform(2.0, -2.0, 30) < 2.0 < hall_transform(2.0, 2.0, 30)


def test_arrays_are_transformed_elementwise():
    """Every number is transformed as on its own."""
    t, skewness = np.array([-1.0, 2.0]), np.array([0.5, -0.5])
    for function in (hall_transform, hall_inverse):
        alone = [function(*pair, 20) for pair in zip(t.tolist(), skewness.tolist(), strict=True)]
        assert function(t, skewness, 20).tolist() == alone
