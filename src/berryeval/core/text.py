"""Text that can be encoded as UTF-8."""

from __future__ import annotations

import re

__all__ = ["replace_lone_surrogates"]

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
