"""Queries, and their usual categories."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from numbers import Real
from typing import ClassVar

from berryeval.core.id_column import as_id, shown_id
from berryeval.errors import ArgumentError, InputTypeError

__all__ = [
    "Query",
    "QueryType",
    "check_strata",
    "check_turn",
    "check_weight",
    "find_split_group",
]


class QueryType(str, Enum):
    """The usual categories of a query. Any other label is valid, too.

    Examples
    --------
    >>> QueryType("procedural")
    <QueryType.PROCEDURAL: 'procedural'>
    >>> QueryType("troubleshooting") is QueryType.TROUBLESHOOT
    True
    >>> QueryType.of("billing")
    'billing'
    """

    FACTUAL = "factual"
    CONCEPTUAL = "conceptual"
    PROCEDURAL = "procedural"
    COMPARATIVE = "comparative"
    TROUBLESHOOT = "troubleshoot"
    TROUBLESHOOTING = "troubleshoot"  # noqa: PIE796 - an alias
    CODE_LOOKUP = "code_lookup"

    def __str__(self) -> str:
        # Python versions format an enumeration of strings differently.
        return self.value

    def __format__(self, format_spec: str) -> str:
        return format(self.value, format_spec)

    @classmethod
    def _missing_(cls, value: object) -> QueryType | None:
        return cls.TROUBLESHOOT if value == "troubleshooting" else None

    @classmethod
    def of(cls, label: str) -> QueryType | str:
        """Return the type of a label, or the label itself if there is none."""
        try:
            return cls(label)
        except ValueError:
            return label

    @classmethod
    def name_of(cls, label: str) -> str:
        """Return the canonical name of a category: aliases are replaced.

        Examples
        --------
        >>> QueryType.name_of("troubleshooting"), QueryType.name_of("billing")
        ('troubleshoot', 'billing')
        """
        return str(cls.of(label))


_WEIGHT = "a finite number above 0"
_TURN = "a whole number from 1"
_MAX_TURNS = 2**53


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its labels. Queries that share a label are a slice.

    Examples
    --------
    >>> Query("Q001", "configure OAuth", category="procedural", tags=("security",))
    Query(query_id='Q001', text='configure OAuth', category='procedural', difficulty=None,
    description=None, tags=('security',), weight=None, group=None,
    stratum=None, turn=None)
    """

    query_id: str
    """Its id in judgments and runs; a whole number becomes its decimal text."""
    text: str
    category: str | None = None
    """A label such as one of `QueryType`, whose aliases are replaced: a query given as
    ``"troubleshooting"`` has the category ``"troubleshoot"``."""
    difficulty: str | None = None
    """A label such as ``"easy"``, ``"medium"`` or ``"hard"``."""
    description: str | None = None
    """The information need behind the query."""
    tags: tuple[str, ...] = ()
    """Any other labels."""
    weight: float | None = None
    """Weight relative to other queries, such as its frequency: a finite number above 0."""
    group: str | None = None
    """A name shared by queries that are not independent: paraphrases of one intent, queries of one
    session or tenant."""
    stratum: str | None = None
    """A name shared by queries that were sampled together, such as 50 how-to questions and 50 error
    codes. Means do not depend on it; their intervals ignore the spread between strata. All queries
    of a group are in one stratum."""
    turn: int | None = None
    """The position of the query in its session or conversation, from 1; the session is the
    group."""

    __test__: ClassVar[bool] = False  # pytest would collect it under the name TestQuery

    def __post_init__(self) -> None:
        # Here, because files, requests and archives all create their queries by this class.
        if type(self.query_id) is not str:
            object.__setattr__(self, "query_id", as_id(self.query_id, "query_id"))
        if isinstance(self.category, str):
            object.__setattr__(self, "category", QueryType.name_of(self.category))
        if self.weight is not None:
            object.__setattr__(self, "weight", check_weight(self.weight))
        for name, label in (("group", self.group), ("stratum", self.stratum)):
            if label == "":
                raise ArgumentError(name, "a name", "an empty text")
        if self.turn is not None:
            object.__setattr__(self, "turn", check_turn(self.turn))


def check_weight(weight: object, argument: str = "weight") -> float:
    """Return a weight as a float; raise unless it is a finite number above 0."""
    if isinstance(weight, bool) or not isinstance(weight, Real):
        raise InputTypeError(argument, _WEIGHT, f"{type(weight).__name__} {weight!r}")
    try:
        number = float(weight)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise ArgumentError(argument, _WEIGHT, str(number))
    return number


def check_turn(turn: object, argument: str = "turn") -> int:
    """Return the position of a query in its session; raise unless it is a whole number from 1."""
    if isinstance(turn, bool) or not isinstance(turn, Real):
        raise InputTypeError(argument, _TURN, f"{type(turn).__name__} {turn!r}")
    try:
        number = float(turn)
    except OverflowError:
        number = math.inf
    if not (number.is_integer() and 1 <= number < _MAX_TURNS):
        raise ArgumentError(argument, _TURN, str(turn)[:40])
    return int(number)


def check_strata(queries: Iterable[Query]) -> None:
    """Raise if a group is in two strata."""
    found = find_split_group(queries)
    if found is not None:
        query, got = found
        raise ArgumentError(f"group {shown_id(query.group or '')}", "queries of one stratum", got)


def find_split_group(queries: Iterable[Query]) -> tuple[Query, str] | None:
    """Return the first query that is in another stratum than its group, and both strata."""
    firsts: dict[str, Query] = {}
    for query in queries:
        if query.group is None:
            continue
        first = firsts.setdefault(query.group, query)
        if first.stratum != query.stratum:
            places = (
                f"{shown_id(one.query_id)} in "
                f"{'none' if one.stratum is None else shown_id(one.stratum)}"
                for one in (first, query)
            )
            return query, " and ".join(places)
    return None
