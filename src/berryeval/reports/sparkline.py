"""A line of figures as high as their characters."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["sparkline"]

_BLOCKS = "▁▂▃▄▅▆▇█"
_ASCII = "_.,-=+*#"


def sparkline(values: Sequence[float], encoding: str = "utf-8") -> str:
    """Return one character a value, from the lowest to the highest of eight.

    Values that are all alike stand in the middle. An encoding without block characters gets
    punctuation instead.
    """
    try:
        _BLOCKS.encode(encoding)
        levels = _BLOCKS
    except (UnicodeEncodeError, LookupError):
        levels = _ASCII
    low, high = min(values), max(values)
    if low == high:
        return levels[len(levels) // 2 - 1] * len(values)
    top = len(levels) - 1
    return "".join(levels[round((value - low) / (high - low) * top)] for value in values)
