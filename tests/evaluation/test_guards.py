"""Valid and invalid guards."""

import pytest

from berryeval import ArgumentError
from berryeval.errors import InputTypeError
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard, written
from berryeval.measures import parse_measure

NDCG = parse_measure("nDCG@10")


@pytest.mark.parametrize(
    ("text", "amount", "is_relative", "shown"),
    [
        (0.05, 0.05, False, "0.05"),
        (1, 1, False, "1"),
        ("0.05", 0.05, False, "0.05"),
        (" 5e-2 ", 0.05, False, "0.05"),
        ("2%", 0.02, True, "2%"),
        ("0.5 %", 0.005, True, "0.5%"),
    ],
)
def test_a_margin_is_an_amount_or_a_share(text, amount, is_relative, shown):
    """Both notations are parsed, and written back unchanged."""
    margin = Margin.parse(text)
    assert (margin.amount, margin.is_relative, str(margin)) == (
        pytest.approx(amount),
        is_relative,
        shown,
    )


def test_a_share_is_one_of_the_baselines_mean():
    """2% of 0.5, and of -0.5, is 0.01; an amount is kept."""
    assert Margin.parse("2%").of(0.5) == Margin.parse("2%").of(-0.5) == pytest.approx(0.01)
    assert Margin.parse(0.05).of(0.5) == 0.05


@pytest.mark.parametrize(
    "text",
    [0, -0.1, "0", "-2%", "0%", float("nan"), float("inf"), 10**400, "x", "", "%", "1e", "--"],
)
def test_a_margin_must_be_above_0(text):
    """Zero, negative and infinite numbers, and NaN, are errors."""
    with pytest.raises(ArgumentError, match="margin: expected a number above 0, or a share such"):
        Margin.parse(text)


@pytest.mark.parametrize("value", [True, None, [0.1]])
def test_a_margin_is_a_number_or_text(value):
    """True is not a margin of 1."""
    with pytest.raises(InputTypeError, match="margin: expected a number above 0"):
        Margin.parse(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), True, 10**400])
def test_a_threshold_is_finite(value):
    """NaN and infinity are rejected."""
    with pytest.raises(ArgumentError, match="at_least: expected a finite number"):
        ThresholdGuard(NDCG, value)


@pytest.mark.parametrize("percentile", [0, -5, 101, float("nan")])
def test_a_percentile_is_up_to_100(percentile):
    """It must be above 0."""
    with pytest.raises(ArgumentError, match="latency: expected a percentile above 0 and up to 100"):
        LatencyGuard(percentile, 200)


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), 10**400])
def test_a_time_limit_must_be_above_0(limit):
    """Otherwise no query could meet it."""
    with pytest.raises(ArgumentError, match="at_most_ms: expected a number of milliseconds"):
        LatencyGuard(95, limit)


def test_guards_have_names():
    """Tables and reports show them; if lower is better, worse means a rise."""
    assert str(ThresholdGuard(NDCG, 0.7)) == "nDCG@10 at least 0.7"
    assert str(MarginGuard(NDCG, Margin.parse("2%"))) == "nDCG@10 drops by less than 2%"
    unjudged = MarginGuard(parse_measure("Unjudged@10"), Margin(0.1))
    assert str(unjudged) == "Unjudged@10 rises by less than 0.1"
    assert str(LatencyGuard(99.9, 200)) == "latency p99.9 at most 200 ms"


def test_limits_are_written_without_rounding_errors():
    """All significant digits are kept."""
    assert (written(0.7), written(0.70004123), written(0.1 + 0.2)) == ("0.7", "0.70004123", "0.3")


def test_a_threshold_that_cannot_be_reached_is_an_error():
    """70 should be 0.70; a measure without a maximum accepts any number."""
    with pytest.raises(ArgumentError, match="at most 1, the highest possible nDCG@10, got 70"):
        ThresholdGuard(NDCG, 70)
    assert ThresholdGuard(NDCG, 1.0).at_least == 1
    assert ThresholdGuard(parse_measure("DCG@10"), 70).at_least == 70


def test_a_margin_beyond_the_range_is_an_error():
    """5 should be 5% or 0.05, and would let everything pass."""
    with pytest.raises(ArgumentError, match="at most 1, the range of nDCG@10, got 5"):
        MarginGuard(NDCG, Margin(5))
    assert MarginGuard(NDCG, Margin(1)).margin.amount == 1
    assert MarginGuard(parse_measure("DCG@10"), Margin(5)).margin.amount == 5
