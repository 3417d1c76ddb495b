"""The k of every measure at k."""

from __future__ import annotations

import operator
from collections.abc import Iterable

from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["DEFAULT_KS", "check_k", "check_ks"]

DEFAULT_KS = (1, 3, 5, 10)
"""The cutoffs that are reported when none is named."""


def check_k(k: object) -> int:
    """Return k as an int, or raise unless it is a whole number of at least 1."""
    if isinstance(k, bool):
        raise InputTypeError("k", "an integer, at least 1", f"bool {k}")
    try:
        number = operator.index(k)  # type: ignore[arg-type]  # that is the question
    except TypeError:
        got = "None" if k is None else f"{type(k).__name__} {k!r}"
        raise InputTypeError("k", "an integer, at least 1", got) from None
    if number < 1:
        raise ArgumentError("k", "an integer, at least 1", str(number))
    return number


def check_ks(ks: Iterable[object]) -> tuple[int, ...]:
    """Return several k in ascending order, each once."""
    try:
        iterator = iter(ks)
    except TypeError:
        raise InputTypeError("ks", "an iterable of integers", type(ks).__name__) from None
    checked = {check_k(k) for k in iterator}
    if not checked:
        raise ArgumentError("ks", "at least one k", "none")
    return tuple(sorted(checked))
