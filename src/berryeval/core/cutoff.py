"""The k of every measure at k: its checks, and values by k."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["DEFAULT_KS", "AtK", "check_k", "check_ks"]

DEFAULT_KS = (1, 3, 5, 10)
"""The cutoffs that are reported by default."""


def check_k(k: object, name: str = "k") -> int:
    """Return k as an int, or raise unless it is a whole number of at least 1.

    `name` is that of the argument in messages.
    """
    if isinstance(k, bool):
        raise InputTypeError(name, "an integer, at least 1", f"bool {k}")
    try:
        number = operator.index(k)  # type: ignore[arg-type]  # that is the question
    except TypeError:
        got = "None" if k is None else f"{type(k).__name__} {k!r}"
        raise InputTypeError(name, "an integer, at least 1", got) from None
    if number < 1:
        raise ArgumentError(name, "an integer, at least 1", str(number))
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


Value = TypeVar("Value")


class AtK(Mapping[int, Value]):
    """The values of one metric, by k; immutable.

    Examples
    --------
    >>> AtK({1: 0.0, 3: 0.5})[3]
    0.5
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[int, Value]) -> None:
        self._values = dict(values)

    def __getitem__(self, k: int) -> Value:
        return self._values[k]

    def __iter__(self) -> Iterator[int]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return repr(self._values)
