"""Slices: the queries that share a label."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from berryeval.core.query import Query, QueryType, check_strata
from berryeval.errors import ArgumentError, InputTypeError, MismatchError
from berryeval.evaluation.weighting import PARTS, parts_of_traffic
from berryeval.formats.queries import read_queries

__all__ = [
    "LABELS",
    "QueriesSource",
    "Slice",
    "SliceLabel",
    "find_all_slices",
    "find_slices",
    "in_order",
    "load_queries",
    "values_in",
]

SliceLabel: TypeAlias = Literal["category", "difficulty", "tag", "traffic", "turn"]
"""The labels that queries can be sliced by. Traffic is head, torso or tail, by the weights of
queries; a turn is the place of a query in its session.
"""

LABELS: tuple[SliceLabel, ...] = get_args(SliceLabel)

QueriesSource: TypeAlias = "str | os.PathLike[str] | Iterable[Query]"
"""Queries, or the path of a file of them."""


@dataclass(frozen=True, order=True)
class Slice:
    """Queries that share a label: ``category=factual``."""

    label: str
    value: str

    def __post_init__(self) -> None:
        if self.label == "category":
            object.__setattr__(self, "value", QueryType.name_of(self.value))

    @classmethod
    def read(cls, text: str) -> Slice | None:
        """Read a slice as written in addresses; None if the text does not name one.

        Examples
        --------
        >>> Slice.read("category=troubleshooting"), Slice.read("colour=red")
        (Slice(label='category', value='troubleshoot'), None)
        """
        label, _, value = text.partition("=")
        return cls(label, value) if label in LABELS and value else None

    def __str__(self) -> str:
        return f"{self.label}={self.value}"


def load_queries(source: QueriesSource | None) -> dict[str, Query]:
    """Return queries by their ids; none if there is no source.

    Raises `InputTypeError` for anything but queries, and `ArgumentError` for a group in two strata;
    in a file, `FormatError` with its line.
    """
    if source is None:
        return {}
    if isinstance(source, (str, os.PathLike)):
        return {query.query_id: query for query in read_queries(source)}
    found = {}
    for query in source:
        if not isinstance(query, Query):
            raise InputTypeError("queries", "Query objects or a path", type(query).__name__)
        found[query.query_id] = query
    check_strata(found.values())
    return found


def find_slices(
    queries: Mapping[str, Query], label: str, query_ids: Sequence[str]
) -> dict[Slice, list[int]]:
    """Return for each value of a label the positions of its queries in `query_ids`.

    A query with several tags is in several slices; one without the label is in none. Slices of the
    traffic are those of all known queries, whichever of them are in `query_ids`. Raises
    `ArgumentError` for an unknown label, and `MismatchError` if none of the queries has it.
    """
    if label not in LABELS:
        raise ArgumentError("slices", " or ".join(map(repr, LABELS)), repr(label))
    values_of = values_in(queries, label)
    found: dict[str, list[int]] = {}
    for position, query_id in enumerate(query_ids):
        for value in values_of(query_id):
            found.setdefault(value, []).append(position)
    if not found:
        expected = "weights that differ" if label == "traffic" else f"a {label}"
        reason = "none has one" if queries else "no queries were given (`queries`, --queries)"
        if label == "traffic" and queries:
            reason = "all count equally"
        raise MismatchError(f"expected queries with {expected}: {reason}")
    return {Slice(label, value): found[value] for value in in_order(found)}


def find_all_slices(
    queries: Mapping[str, Query], query_ids: Sequence[str]
) -> dict[Slice, list[int]]:
    """Return the slices of every label that any of the queries has; none if none has one."""
    labels = [label for label in LABELS if any(map(values_in(queries, label), query_ids))]
    return {
        part: positions
        for label in labels
        for part, positions in find_slices(queries, label, query_ids).items()
    }


def values_in(queries: Mapping[str, Query], label: str) -> Callable[[str], tuple[str, ...]]:
    """Return a function from a query id to its values of a label: none, one, or several tags."""
    parts = parts_of_traffic(queries) if label == "traffic" else {}

    def values_of(query_id: str) -> tuple[str, ...]:
        query = queries.get(query_id)
        if query is None:
            return ()
        if label == "tag":
            return query.tags
        value = parts.get(query_id) if label == "traffic" else getattr(query, label)
        return () if value is None else (str(value),)

    return values_of


def in_order(values: Iterable[str]) -> list[str]:
    """Return the values of a label in the order in which they are shown: head before tail.

    Examples
    --------
    >>> in_order(["tail", "head"]), in_order(["10", "9"])
    (['head', 'tail'], ['9', '10'])
    """

    def place(value: str) -> tuple[int, bool, int, str]:
        part = PARTS.index(value) if value in PARTS else len(PARTS)
        is_number = value.isascii() and value.isdecimal()
        return part, not is_number, int(value) if is_number else 0, value

    return sorted(values, key=place)
