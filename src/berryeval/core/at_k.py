"""The values of one metric, by k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

__all__ = ["AtK"]

Value = TypeVar("Value")


class AtK(Mapping[int, Value]):
    """The values of one metric, by k. Cannot be changed.

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
