"""What somebody asks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from berryeval.core.id_column import as_id, shown_id
from berryeval.core.query_type import QueryType
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["Query", "check_strata", "check_weight", "find_split_group"]

_WEIGHT = "a finite number above 0"


@dataclass(frozen=True, slots=True)
class Query:
    """A query with its labels. Queries that share a label are a slice.

    Parameters
    ----------
    query_id : str
        What judgments and runs call it; a whole number becomes its decimal text.
    text : str
        What is asked.
    category : str, optional
        Such as one of `QueryType`, whose aliases are replaced: a query given as
        ``"troubleshooting"`` has the category ``"troubleshoot"``.
    difficulty : str, optional
        Such as ``"easy"``, ``"medium"`` or ``"hard"``.
    description : str, optional
        What somebody who asks this wants to know.
    tags : tuple of str
        Any other labels.
    weight : float, optional
        How much the query counts in relation to others, such as how often people ask it: a finite
        number above 0.
    group : str, optional
        A name that queries share which are not independent: paraphrases of one intent, queries of
        one session or tenant.
    stratum : str, optional
        A name that queries share which were drawn together, apart from others: so many how-to
        questions, so many error codes. Means do not depend on it; their intervals leave out what
        lies between strata. All queries of a group are in one stratum.

    Examples
    --------
    >>> Query("Q001", "configure OAuth", category="procedural", tags=("security",))
    Query(query_id='Q001', text='configure OAuth', category='procedural', difficulty=None,
    description=None, tags=('security',), weight=None, group=None,
    stratum=None)
    """

    query_id: str
    text: str
    category: str | None = None
    difficulty: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    weight: float | None = None
    group: str | None = None
    stratum: str | None = None

    __test__: ClassVar[bool] = False  # pytest takes it for a test where it is called TestQuery

    def __post_init__(self) -> None:
        # Here, because files, requests and archives all make their queries through this class.
        if type(self.query_id) is not str:
            object.__setattr__(self, "query_id", as_id(self.query_id, "query_id"))
        if isinstance(self.category, str):
            object.__setattr__(self, "category", QueryType.name_of(self.category))
        if self.weight is not None:
            object.__setattr__(self, "weight", check_weight(self.weight))
        for name, label in (("group", self.group), ("stratum", self.stratum)):
            if label == "":
                raise ArgumentError(name, "a name", "an empty text")


def check_weight(weight: object) -> float:
    """Return a weight as a float; raise unless it is a finite number above 0."""
    if isinstance(weight, bool) or not isinstance(weight, Real):
        raise InputTypeError("weight", _WEIGHT, f"{type(weight).__name__} {weight!r}")
    try:
        number = float(weight)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise ArgumentError("weight", _WEIGHT, str(number))
    return number


def check_strata(queries: Iterable[Query]) -> None:
    """Raise if a group lies in two strata."""
    found = find_split_group(queries)
    if found is not None:
        query, got = found
        raise ArgumentError(f"group {shown_id(query.group or '')}", "queries of one stratum", got)


def find_split_group(queries: Iterable[Query]) -> tuple[Query, str] | None:
    """Return the first query that is in another stratum than its group, and where both are."""
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
