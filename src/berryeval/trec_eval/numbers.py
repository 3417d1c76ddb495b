"""Numbers as C reads them: what a text begins with, and 0 if it begins with no number."""

from __future__ import annotations

import re

__all__ = ["atof", "atol"]

_WHOLE = re.compile(rb"\s*([-+]?\d+)")
_HEXADECIMAL = re.compile(
    rb"\s*([-+]?0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[-+]?\d+)?)", re.IGNORECASE
)
_DECIMAL = re.compile(
    rb"\s*([-+]?(?:(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|inf(?:inity)?|nan))", re.IGNORECASE
)
_LEAST, _MOST = -(2**63), 2**63 - 1


def atol(text: bytes) -> int:
    """Read a whole number: ``1.9`` and ``1abc`` are 1, ``abc`` is 0."""
    found = _WHOLE.match(text)
    return min(max(int(found[1]), _LEAST), _MOST) if found else 0


def atof(text: bytes) -> float:
    """Read a number: ``1,5`` is 1, ``0x10`` is 16, ``abc`` is 0; ``inf`` and ``nan`` are read."""
    if (found := _HEXADECIMAL.match(text)) is not None:
        digits = found[1].decode("ascii")
        try:
            return float.fromhex(digits)
        except OverflowError:
            return float("-inf" if digits.startswith("-") else "inf")
    found = _DECIMAL.match(text)
    return float(found[1]) if found else 0.0
