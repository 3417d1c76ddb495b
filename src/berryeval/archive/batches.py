"""Batches of items, since a statement has a limited number of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

__all__ = ["batches_of"]

Item = TypeVar("Item")

_AT_ONCE = 500


def batches_of(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Iterate over lists of up to 500 items, in order."""
    rest = iter(items)
    while batch := list(islice(rest, _AT_ONCE)):
        yield batch
