"""The trigamma function: sums of 1 / x^2 in one step, where user models would need a thousand."""

from __future__ import annotations

__all__ = ["trigamma"]

_ASYMPTOTIC = 12.0  # from here on, the series is exact to the last digits


def trigamma(x: float) -> float:
    """Return the sum of 1 / (x + i)^2 over i = 0, 1, 2, …, for x above 0.

    So ``trigamma(x) - trigamma(x + n)`` is the sum of the first n terms. Only the four basic
    operations are used, which makes both twins equal to the bit.
    """
    total = 0.0
    while x < _ASYMPTOTIC:
        total += 1.0 / (x * x)
        x += 1.0
    y = 1.0 / (x * x)
    # Abramowitz and Stegun (1964), 6.4.12.
    series = 1.0 / 30.0 - y * (5.0 / 66.0 - y * (691.0 / 2730.0 - y * (7.0 / 6.0)))
    series = 1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * series))
    return total + (1.0 / x + y / 2.0 + series * y / x)
