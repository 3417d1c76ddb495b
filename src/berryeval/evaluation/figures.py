"""Formatting of single figures: scores, differences, intervals, p-values.

A figure that is not defined is a dash; a note gives the reason.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.bounds import Bounds
    from berryeval.stats import Interval

__all__ = [
    "DASH",
    "bounds_text",
    "end_text",
    "finite",
    "interval_text",
    "json_value",
    "p_text",
    "percent",
    "record_as_dict",
    "score",
    "shown_interval",
    "signed",
]

DASH = "-"

_SMALLEST_P = 0.0001
_MAX_DIGITS = 13
"""Scores that differ by less are equal."""


def score(value: float | None, digits: int = 4) -> str:
    """Write a score with four decimals."""
    return DASH if finite(value) is None else f"{value:.{digits}f}"


def signed(value: float | None, digits: int = 4) -> str:
    """Format a difference with its sign and four decimals; a value that rounds to 0 has no sign."""
    if finite(value) is None:
        return DASH
    text = f"{value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def end_text(value: float, digits: int = 4) -> str:
    """Format an end of an interval with enough decimals to show on which side of 0 it lies.

    Examples
    --------
    >>> end_text(0.01234), end_text(-0.0000312), end_text(0.0)
    ('+0.0123', '-0.00003', '0.0000')
    """
    for more in range(digits, _MAX_DIGITS):
        text = signed(value, more)
        if value == 0 or text[0] in "+-":
            return text
    return signed(value, digits)


def p_text(value: float | None) -> str:
    """Write a p-value with four decimals; never as 0."""
    if finite(value) is None or value is None:
        return DASH
    return f"<{_SMALLEST_P}" if value < _SMALLEST_P else f"{value:.4f}"


def percent(share: float) -> str:
    """Write a share without needless decimals: ``95%``."""
    return f"{share * 100:.4g}%"


def interval_text(interval: Interval | None, digits: int = 4) -> str:
    """Write both ends of an interval, with their signs."""
    if interval is None:
        return DASH
    return f"[{end_text(interval.low, digits)}, {end_text(interval.high, digits)}]"


def record_as_dict(record: Any) -> dict[str, Any]:  # noqa: ANN401 - any dataclass
    """Return all fields of a record of figures as JSON has them.

    Numbers are called ``pairs`` for ``n_pairs``; values are converted by `json_value`.
    """
    return {
        one.name.removeprefix("n_"): json_value(getattr(record, one.name)) for one in fields(record)
    }


def json_value(value: Any) -> Any:  # noqa: ANN401 - anything that JSON has, or a record of it
    """Return a value as JSON has it: records as objects, measures by name, no NaN.

    Examples
    --------
    >>> json_value({"mean": float("nan"), "ranks": (1, 2)})
    {'mean': None, 'ranks': [1, 2]}
    """
    if isinstance(value, float):
        return finite(value)
    if isinstance(value, Measure):
        return str(value)
    if is_dataclass(value):
        return record_as_dict(value)
    if isinstance(value, Mapping):
        return {key: json_value(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [json_value(one) for one in value]
    return value


def shown_interval(interval: Interval | None) -> str:
    """Write both ends of an interval of scores, which need no sign."""
    return DASH if interval is None else f"[{score(interval.low)}, {score(interval.high)}]"


def bounds_text(bounds: Bounds | None) -> str:
    """Format the bounds of a difference; a tilde marks outer bounds."""
    if bounds is None:
        return DASH
    return f"{'~' if bounds.is_outer else ''}[{signed(bounds.low)}, {signed(bounds.high)}]"


def finite(value: float | None) -> float | None:
    """Return a number that JSON has, or None."""
    return None if value is None or not math.isfinite(value) else float(value)
