"""What somebody asks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import ClassVar

from berryeval.core.id_column import as_id
from berryeval.core.query_type import QueryType
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["Query", "check_weight"]

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

    Examples
    --------
    >>> Query("Q001", "configure OAuth", category="procedural", tags=("security",))
    Query(query_id='Q001', text='configure OAuth', category='procedural', difficulty=None,
    description=None, tags=('security',), weight=None, group=None)
    """

    query_id: str
    text: str
    category: str | None = None
    difficulty: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    weight: float | None = None
    group: str | None = None

    __test__: ClassVar[bool] = False  # pytest takes it for a test where it is called TestQuery

    def __post_init__(self) -> None:
        # Here, because files, requests and archives all make their queries through this class.
        if type(self.query_id) is not str:
            object.__setattr__(self, "query_id", as_id(self.query_id, "query_id"))
        if isinstance(self.category, str):
            object.__setattr__(self, "category", QueryType.name_of(self.category))
        if self.weight is not None:
            object.__setattr__(self, "weight", check_weight(self.weight))
        if self.group == "":
            raise ArgumentError("group", "a name", "an empty text")


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
