"""Text that any page, picture or XML file can hold."""

from __future__ import annotations

import re

__all__ = ["printable"]

_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Control characters, and halves of characters: ids of bytes that are no UTF-8 have them."""


def printable(text: object) -> str:
    """Return text with a replacement character for what is none."""
    return _NOT_TEXT.sub("\ufffd", str(text))
