"""Text without the characters that UTF-8, pages, pictures or XML files cannot contain."""

from __future__ import annotations

import os.path
import re
from collections.abc import Sequence

__all__ = ["distinct_parts", "natural_key", "printable", "replace_lone_surrogates"]

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
    # Printable text has none of them, and str.isprintable is faster than a search.
    return found if found.isprintable() else _NOT_TEXT.sub("\ufffd", found)


_PART_ENDS = frozenset("/._-:· ")
_MIN_COMMON = 4
"""Fewer characters in common take little room, and may mean something."""


def distinct_parts(names: Sequence[str]) -> list[str]:
    """Return names without the beginning and the end that all of them share.

    Only whole parts are dropped, up to a dot, a dash or the like, and never a whole name.

    Examples
    --------
    >>> distinct_parts(["trec8/input.bm25.gz", "trec8/input.dense.gz"])
    ['bm25', 'dense']
    >>> distinct_parts(["bm25", "bm25-tuned"])
    ['bm25', 'bm25-tuned']
    """
    if len({*names}) == 1:
        return list(names)
    start = _common_start(names)
    while start and start[-1] not in _PART_ENDS:
        start = start[:-1]
    rest = [name[len(start) :] for name in names]
    end = _common_start([name[::-1] for name in rest])[::-1]
    while end and end[0] not in _PART_ENDS:
        end = end[1:]
    if len(start) + len(end) < _MIN_COMMON:
        return list(names)
    found = [name[: len(name) - len(end)] for name in rest]
    return found if all(found) else list(names)


def _common_start(names: Sequence[str]) -> str:
    return os.path.commonprefix(list(names))  # noqa: RUF071 - characters, not folders


_DIGITS = re.compile("([0-9]+)")


def natural_key(text: str) -> list[tuple[bool, int, str]]:
    """Return a key that sorts numbers in texts by their value.

    Examples
    --------
    >>> sorted(["q10", "q2", "q1"], key=natural_key)
    ['q1', 'q2', 'q10']
    """
    # A number is compared by its length first, which needs no conversion of many digits.
    return [
        (False, len(part.lstrip("0")), part.lstrip("0")) if i % 2 else (True, 0, part)
        for i, part in enumerate(_DIGITS.split(text))
    ]
