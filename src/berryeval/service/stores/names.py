"""What a store may be called: nothing that could be a path, an address or a function."""

from __future__ import annotations

import re

from berryeval.errors import ArgumentError

__all__ = ["check_store_name"]

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_store_name(name: str) -> str:
    """Return the name, or raise unless it is one.

    Examples
    --------
    >>> check_store_name("products-2026.v1")
    'products-2026.v1'
    >>> check_store_name("../etc")
    Traceback (most recent call last):
      ...
    berryeval.errors.ArgumentError: store: expected letters, digits, dots, dashes and underscores,
    a letter or digit first, at most 100, got '../etc'
    """
    if not _NAME.fullmatch(name):
        expected = (
            "letters, digits, dots, dashes and underscores, a letter or digit first, at most 100"
        )
        raise ArgumentError("store", expected, repr(name[:80]))
    return name
