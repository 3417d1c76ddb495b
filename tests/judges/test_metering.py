"""Budgets, rates and prices."""

import pytest

from berryeval.errors import ArgumentError
from berryeval.judges.metering import BudgetSpentError, Meter, Price


def test_calls_wait_for_their_turn():
    """At 60 per minute, the third simultaneous call waits two seconds."""
    now, waited = [100.0], []
    meter = Meter(per_minute=60, clock=lambda: now[0], sleep=waited.append)
    for _ in range(3):
        meter.begin()
    now[0] = 110.0
    meter.begin()
    assert waited == [1.0, 2.0]


def test_tokens_are_reserved_until_they_are_known():
    """Simultaneous calls cannot exceed a budget together."""
    meter = Meter(max_tokens=100)
    meter.begin(60)
    with pytest.raises(BudgetSpentError, match="100 tokens is used up: 40 are left"):
        meter.begin(60)
    meter.end(60, 20, 5)
    meter.begin(60)
    assert (meter.tokens, meter.n_calls) == (25, 2)


@pytest.mark.parametrize("limit", ["max_calls", "max_tokens", "per_minute"])
def test_a_limit_is_above_zero(limit):
    """A budget of nothing is a mistake."""
    with pytest.raises(ArgumentError, match=limit):
        Meter(**{limit: 0})


@pytest.mark.parametrize("text", ["", "cheap", "1,2,3", "-1", "inf", "nan"])
def test_a_price_is_one_or_two_numbers(text):
    """Prices are per million tokens, input and output."""
    with pytest.raises(ArgumentError, match="per million"):
        Price.parse(text)
    assert Price.parse("1,4").of(1_000_000, 500_000) == 3.0
