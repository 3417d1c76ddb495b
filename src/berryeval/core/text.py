"""Text without the characters that UTF-8, pages, pictures or XML files cannot contain."""

from __future__ import annotations

import re

__all__ = ["printable", "replace_lone_surrogates"]

_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Surrogates, except those that stand for bytes that are not UTF-8."""


def replace_lone_surrogates(text: str) -> str:
    r"""Return text with a replacement character for each lone surrogate.

    JSON can contain them, for example if a text was cut in the middle of an emoji; UTF-8 cannot.

    Examples
    --------
    >>> replace_lone_surrogates("cut \ud83d") == "cut \ufffd"
    True
    """
    return _SURROGATE.sub("\ufffd", text)


_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Control characters and surrogates, which ids of bytes that are not UTF-8 have."""


def printable(text: object) -> str:
    """Return text with a replacement character for each control character and surrogate."""
    found = str(text)
    # What Python can print has none of them; asking is faster than searching.
    return found if found.isprintable() else _NOT_TEXT.sub("\ufffd", found)
