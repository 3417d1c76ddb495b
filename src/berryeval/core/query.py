"""What somebody asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from berryeval.core.id_column import as_id
from berryeval.core.query_type import QueryType

__all__ = ["Query"]


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
    group : str, optional
        What it shares with others that are not independent of it: an intent that is asked in
        several ways, a session, a tenant.

    Examples
    --------
    >>> Query("Q001", "configure OAuth", category="procedural", tags=("security",))
    Query(query_id='Q001', text='configure OAuth', category='procedural', difficulty=None,
    description=None, tags=('security',), group=None)
    """

    query_id: str
    text: str
    category: str | None = None
    difficulty: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    group: str | None = None

    __test__: ClassVar[bool] = False  # pytest takes it for a test where it is called TestQuery

    def __post_init__(self) -> None:
        # Here, because files, requests and archives all make their queries through this class.
        if type(self.query_id) is not str:
            object.__setattr__(self, "query_id", as_id(self.query_id, "query_id"))
        if isinstance(self.category, str):
            object.__setattr__(self, "category", QueryType.name_of(self.category))
