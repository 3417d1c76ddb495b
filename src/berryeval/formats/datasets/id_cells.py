"""Cells of a table with several ids, such as ``SUP-101, SUP-102`` or ``SUP-101 (also SUP-102)``.

Semicolons, bars, line breaks and, without these, commas always separate ids. Whitespace and
slashes may be part of an id, so they separate ids only if all parts look like other ids of the
file.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

__all__ = ["Known", "parts_of"]

_SEPARATORS = re.compile(r"[;|\n]")
_DOUBTFUL = re.compile(r"[\s/]")
_BETWEEN = re.compile(r"[\s/()&+]+")
_FILLERS = frozenset(("also", "and", "or", "plus", "see"))


def parts_of(cell: str) -> list[str]:
    """Return the ids of a cell, as far as separators are certain.

    Examples
    --------
    >>> parts_of("a.md; b, c.md"), parts_of("a.md, b.md")
    (['a.md', 'b, c.md'], ['a.md', 'b.md'])
    """
    parts = _SEPARATORS.split(cell) if _SEPARATORS.search(cell) else cell.split(",")
    return [part.strip() for part in parts if part.strip()]


class Known:
    """The ids of a file that are certainly single ones.

    Examples
    --------
    >>> known = Known(["SUP-1", "SUP-20", "SUP-1 (also SUP-3)"])
    >>> known.split("SUP-1 (also SUP-3)"), known.split("SUP-1 and more")
    (['SUP-1', 'SUP-3'], None)
    >>> known.is_suspicious("SUP-1 and more"), known.is_suspicious("Gift cards")
    (True, False)
    """

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids: Collection[str] = {one for one in ids if not _is_doubtful(one)}
        self._shapes = {_shape(one) for one in self._ids if any(map(str.isdigit, one))}

    def split(self, one: str) -> list[str] | None:
        """Return the ids of a part: itself if it is certainly one id, None if that is unknown."""
        if not _is_doubtful(one):
            return [one]
        parts = _parts(one)
        return parts if parts and all(map(self._has_one_like, parts)) else None

    def is_suspicious(self, one: str) -> bool:
        """Whether a part that cannot be split contains what looks like one of the ids."""
        return any(map(self._has_one_like, _parts(one)))

    def _has_one_like(self, one: str) -> bool:
        return one in self._ids or _shape(one) in self._shapes


def _is_doubtful(one: str) -> bool:
    return bool(_DOUBTFUL.search(one)) or one.count("(") != one.count(")")


def _parts(one: str) -> list[str]:
    return [part for part in _BETWEEN.split(one) if part and part.lower() not in _FILLERS]


def _shape(one: str) -> str:
    """Return an id with each number and each word replaced by one character."""
    return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d+", "0", one))
