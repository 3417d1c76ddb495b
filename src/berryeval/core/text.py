"""Text that a file can hold."""

from __future__ import annotations

import re

__all__ = ["without_halves"]

_HALF = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of characters, but for those that stand for bytes that are no UTF-8."""


def without_halves(text: str) -> str:
    r"""Return text with a replacement character for each half of a character.

    JSON can hold them, as where somebody cut a text in the middle of an emoji; UTF-8 cannot.

    Examples
    --------
    >>> without_halves("cut \ud83d") == "cut \ufffd"
    True
    """
    return _HALF.sub("\ufffd", text)
