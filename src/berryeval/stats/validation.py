"""Checks of the arguments of this package."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError, InputTypeError

__all__ = [
    "MAX_RESAMPLES",
    "MIN_RESAMPLES",
    "Columns",
    "Values",
    "as_columns",
    "as_pair",
    "as_values",
    "as_weights",
    "check_amount",
    "check_choice",
    "check_count",
    "check_resamples",
    "check_resampling",
    "check_share",
]

MIN_RESAMPLES = 100
"""Fewer resamples are too few for a usable answer: five of 100 lie beyond a simultaneous 95%
interval, and no p-value can be below 1/101. Functions of this package accept fewer; `compare`, the
command line and the service reject them with `check_resamples`."""

MAX_RESAMPLES = 10_000_000
"""Larger values are rejected: the resamples would fill the memory."""

Values: TypeAlias = "NDArray[np.float64]"
"""One number per query."""

Columns: TypeAlias = "NDArray[np.float64]"
"""One row per query, one column per measure or system."""


def as_values(values: ArrayLike, name: str = "differences") -> Values:
    """Return one finite float64 per query; there may be none."""
    found = np.ascontiguousarray(_as_floats(values, name))
    if found.ndim != 1:
        raise ArgumentError(name, "one number per query", f"{found.ndim} dimensions")
    return found


def as_columns(values: ArrayLike, name: str = "values", *, least: int = 1) -> Columns:
    """Return queries x columns of finite float64, in C order; at least `least` queries."""
    found = _as_floats(values, name)
    expected = "an array of queries x columns"
    if found.ndim != 2:  # noqa: PLR2004 - queries and columns
        raise ArgumentError(name, expected, f"{found.ndim} dimensions")
    if len(found) < least or found.shape[1] < 1:
        expected = f"{expected}, at least {least} x 1"
        raise ArgumentError(name, expected, " x ".join(map(str, found.shape)))
    return np.ascontiguousarray(found)


def as_pair(x: ArrayLike, y: ArrayLike) -> tuple[Values, Values]:
    """Return two sequences of numbers of the same length."""
    one, other = as_values(x, "x"), as_values(y, "y")
    if len(one) != len(other):
        raise ArgumentError("y", f"as many numbers as x has, {len(one)}", str(len(other)))
    return one, other


def as_weights(weights: ArrayLike, n_queries: int) -> Values:
    """Return one weight per query, 0 or more."""
    found = as_values(weights, "weights")
    if len(found) != n_queries:
        raise ArgumentError("weights", f"one weight per query, {n_queries}", str(len(found)))
    if (found < 0).any():
        raise ArgumentError("weights", "numbers of at least 0", repr(float(found.min())))
    return found


def check_resampling(n_resamples: int, seed: int, name: str = "n_resamples") -> None:
    """Check that both are whole numbers in range."""
    for argument, number, least, most in (
        (name, n_resamples, 1, MAX_RESAMPLES),
        ("seed", seed, 0, 2**64 - 1),
    ):
        expected = f"a whole number from {least} to {most}"
        if not least <= _whole(argument, number, expected) <= most:
            raise ArgumentError(argument, expected, repr(number))


def check_resamples(n_resamples: int, name: str = "n_resamples") -> None:
    """Check that there are enough resamples for a meaningful interval or p-value, and not too many.

    `name` is that of the setting in messages.
    """
    expected = f"a whole number from {MIN_RESAMPLES} to {MAX_RESAMPLES}"
    found = _whole(name, n_resamples, expected)
    if found < MIN_RESAMPLES:
        expected += " (fewer are too few for an interval or a p-value)"
    if not MIN_RESAMPLES <= found <= MAX_RESAMPLES:
        raise ArgumentError(name, expected, repr(n_resamples))


def check_count(name: str, value: int) -> None:
    """Check that a number of looks, tries or the like is a whole number of at least 1."""
    expected = "a whole number of at least 1"
    if _whole(name, value, expected) < 1:
        raise ArgumentError(name, expected, repr(value))


def _whole(name: str, value: int, expected: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise InputTypeError(name, expected, repr(value)) from None


def check_share(name: str, value: float) -> None:
    """Check that a level, a power or the like lies between 0 and 1."""
    if not (0 < value < 1):
        raise ArgumentError(name, "a number between 0 and 1", repr(value))


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Check that a word is one of the choices."""
    if value not in choices:
        raise ArgumentError(name, f"one of {', '.join(map(repr, choices))}", repr(value))


def check_amount(name: str, value: float) -> None:
    """Check that a spread or a margin is a finite number of at least 0."""
    if not (math.isfinite(value) and value >= 0):
        raise ArgumentError(name, "a finite number, at least 0", repr(value))


def _as_floats(values: ArrayLike, name: str) -> NDArray[np.float64]:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(name, "numbers", type(values).__name__) from None
    if not np.isfinite(found).all():
        raise ArgumentError(name, "finite numbers", "NaN or infinity")
    return found
