"""Intervals of tau and tau_AP between two orders of systems."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.errors import ArgumentError
from berryeval.stats import kendall_tau, order_intervals, tau_ap
from berryeval.stats.order_intervals import kendall_taus, tau_aps_of
from depth import examples

orders = st.integers(2, 7).flatmap(
    lambda n: st.lists(
        st.tuples(*[st.lists(st.integers(0, 4).map(float), min_size=n, max_size=n)] * 2),
        min_size=1,
        max_size=5,
    )
)


@examples(100)
@given(cases=orders)
def test_many_rows_at_once_have_the_taus_of_each(cases):
    """NaN takes the place of None for a single row."""
    x, y = (np.array(side) for side in zip(*cases, strict=True))
    for rows, single in ((kendall_taus(x, y), kendall_tau), (tau_aps_of(x, y), tau_ap)):
        for found, (one, other) in zip(rows.tolist(), cases, strict=True):
            expected = single(one, other)
            assert math.isnan(found) if expected is None else found == pytest.approx(expected)


def scores(seed, n_queries=60, distance=0.3):
    """Return scores of four systems by two measures, each system a little better than the next."""
    random = np.random.default_rng(seed)
    quality = distance * np.arange(4)[::-1]
    shared = quality + random.normal(0, 1, (n_queries, 4))
    return shared + random.normal(0, 0.3, (n_queries, 4)), shared


def test_clear_orders_have_narrow_intervals_and_close_ones_wide():
    """Both measures see the same queries."""
    clear = order_intervals(*scores(1, distance=2.0))
    close = order_intervals(*scores(1, distance=0.05))
    assert [(one.low, one.high) for one in clear] == [(1.0, 1.0)] * 2
    assert all(one.low < 0.5 and one.high - one.low > 0.3 for one in close)
    assert close[0].method == "bootstrap"
    assert close[0].level == 0.95


def test_the_level_the_seed_and_the_number_of_resamples_are_respected():
    """The same seed gives the same interval."""
    x, y = scores(2, distance=0.1)
    wide, _ = order_intervals(x, y, 0.99)
    narrow, _ = order_intervals(x, y, 0.5)
    assert wide.low < narrow.low <= narrow.high <= wide.high
    assert order_intervals(x, y, seed=3) == order_intervals(x, y, seed=3)
    assert (
        order_intervals(x, y, n_resamples=1)[0].low == order_intervals(x, y, n_resamples=1)[0].high
    )


def test_queries_of_one_group_are_drawn_together():
    """60 copies of two queries are no more than two queries."""
    x = np.repeat([[1.0, 0.0], [0.0, 0.9]], 30, axis=0)
    y = np.repeat([[1.0, 0.0], [0.0, 0.2]], 30, axis=0)
    alone, _ = order_intervals(x, y)
    grouped, _ = order_intervals(x, y, groups=["a"] * 30 + ["b"] * 30)
    single, _ = order_intervals(x, y, groups=["a"] * 30 + [None] * 30)
    assert alone.high == 1.0
    assert grouped.low == 1.0  # with one group of each, both prefer the first; else they agree
    assert single.high == 1.0
    stratified, _ = order_intervals(x, y, strata=["a"] * 30 + ["b"] * 30)
    assert (stratified.low, stratified.high) == (1.0, 1.0)


def test_weights_change_the_order():
    """With all weight on the first query, both measures prefer the first system."""
    x = [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    y = [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    assert order_intervals(x, y)[0].low == -1.0
    heavy, _ = order_intervals(x, y, weights=[1e6, 1.0, 1.0], groups=["a", "a", "a"])
    assert (heavy.low, heavy.high) == (1.0, 1.0)


def test_nothing_is_known_of_one_query_one_system_or_ties():
    """The result is None, not an error."""
    assert order_intervals([[1.0, 2.0]], [[1.0, 2.0]]) == (None, None)
    assert order_intervals([[1.0], [2.0]], [[1.0], [2.0]]) == (None, None)
    assert order_intervals([[1.0, 1.0]] * 3, [[1.0, 2.0]] * 3) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([[1, 2]], [[1, 2], [3, 4]]), {}, r"y: expected the shape of x, \(1, 2\), got \(2, 2\)"),
        (([[1, 2]] * 2, [[1, 2]] * 2), {"level": 1.0}, "level"),
        (([[1, 2]] * 2, [[1, 2]] * 2), {"n_resamples": 0}, "n_resamples"),
    ],
)
def test_invalid_arguments_are_rejected(arguments, options, message):
    """The message names the argument."""
    with pytest.raises(ArgumentError, match=message):
        order_intervals(*arguments, **options)
