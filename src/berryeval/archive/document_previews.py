"""The beginnings of documents, read without the rest.

A document is stored as the JSON of its title and text, in ASCII; a ranking shows the beginnings of
fifty, and one of them may be a book. So only the first characters of the JSON are read, and the
truncated string is closed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from json.decoder import scanstring  # type: ignore[attr-defined]  # public, but not typed

__all__ = ["JSON_PREFIX", "beginning_of"]

JSON_PREFIX = 2_000
"""Characters of the JSON that are read per document."""

_TITLE = '{"title":"'
_TEXT = ',"text":"'
_LONGEST_ESCAPE = len(r"\u0000")


def beginning_of(prefix: str) -> tuple[str, str]:
    """Return title and text from the first characters of their JSON."""
    if not prefix.startswith(_TITLE):
        return "", ""
    title, end = _string(prefix, len(_TITLE))
    if not prefix.startswith(_TEXT, end):
        return title, ""
    return title, _string(prefix, end + len(_TEXT))[0]


def _string(prefix: str, start: int) -> tuple[str, int]:
    """Return the string at a position, and its end."""
    with suppress(json.JSONDecodeError):
        return _scan(prefix, start)
    for cut in range(_LONGEST_ESCAPE):
        with suppress(json.JSONDecodeError):
            found = _scan(prefix[: len(prefix) - cut] + '"', start)[0]
            # A surrogate pair may be cut in the middle.
            return found[:-1] if "\ud800" <= found[-1:] <= "\udbff" else found, len(prefix)
    return "", len(prefix)


def _scan(text: str, start: int) -> tuple[str, int]:
    found: tuple[str, int] = scanstring(text, start)
    return found
