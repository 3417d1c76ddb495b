"""The list of queries: filtered, sorted, fifty per page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from berryeval.core.judgments import Judgments
from berryeval.core.query import Query, QueryType
from berryeval.core.text import natural_key
from berryeval.measures import Measure
from berryeval.service.paging import numbered_page
from berryeval.service.paths import address, quoted

__all__ = ["PAGE", "SORTS", "QueryListing", "QueryRow", "WantedQueries", "list_queries"]

PAGE = 50
"""Queries per page."""

Sort: TypeAlias = Literal["query", "judged", "score"]
SORTS: tuple[Sort, ...] = get_args(Sort)


@dataclass(frozen=True)
class WantedQueries:
    """Which queries to list.

    Parameters
    ----------
    text : str
        Only those with all these words in id, text or description.
    category, difficulty : str
        Only those with this label; "" for all.
    is_unjudged : bool
        Only those without judgments.
    run : str
        The run whose scores are shown, by id or the name of a baseline; "" for none.
    sort : {"query", "judged", "score"}
        By id, by the number of judged documents, or by score; the smallest first.
    is_descending : bool
        Whether the largest come first.
    page : int
        Number of the page, from 1.
    """

    text: str = ""
    category: str = ""
    difficulty: str = ""
    is_unjudged: bool = False
    run: str = ""
    sort: Sort = "query"
    is_descending: bool = False
    page: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "category", QueryType.name_of(self.category))

    def address(self, **changes: object) -> str:
        """Return the address of this list with some parameters changed."""
        wanted = replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]
        return address(
            "/queries",
            q=wanted.text,
            category=wanted.category,
            difficulty=wanted.difficulty,
            unjudged="1" if wanted.is_unjudged else "",
            run=wanted.run,
            sort="" if wanted.sort == "query" else wanted.sort,
            order="desc" if wanted.is_descending else "",
            page="" if wanted.page == 1 else wanted.page,
        )

    def sorted_by(self, sort: Sort) -> str:
        """Return the address of this list sorted by a column, reversed if it is already."""
        return self.address(sort=sort, is_descending=self.sort == sort and not self.is_descending)

    def order_of(self, sort: Sort) -> str | None:
        """Return how a column is sorted; None if the list is sorted by another one."""
        if sort != self.sort:
            return None
        return "descending" if self.is_descending else "ascending"

    def query(self, query_id: str, measure: Measure) -> str:
        """Return the address of a query, which keeps the filters for the next ones."""
        part = f"category={self.category}" if self.category else ""
        part = part or (f"difficulty={self.difficulty}" if self.difficulty else "")
        return address(
            f"/queries/{quoted(query_id)}",
            b=self.run,
            measure=measure if self.run else "",
            q=self.text,
            slice=part,
            sort="query" if self.text or part else "",
        )


@dataclass(frozen=True)
class QueryRow:
    """One query of the list."""

    query_id: str
    query: Query | None
    """None if it is judged but not stored."""
    n_judged: int

    score: float | None = None
    """Its score in the chosen run; None if that did not score it."""

    @property
    def labels(self) -> str:
        """Its category and difficulty, as they follow its id on small screens."""
        query = self.query
        labels = () if query is None else (query.category, query.difficulty)
        return "".join(f" · {label}" for label in labels if label)


@dataclass(frozen=True)
class QueryListing:
    """A page of queries, with the values of its filters."""

    rows: tuple[QueryRow, ...]
    n_found: int
    n_all: int
    page: int
    n_pages: int
    categories: tuple[str, ...]
    difficulties: tuple[str, ...]


def list_queries(
    queries: Mapping[str, Query],
    judgments: Judgments,
    wanted: WantedQueries,
    scores: Mapping[str, float] | None = None,
) -> QueryListing:
    """Return a page of the stored or judged queries.

    Queries with the same score or number of judgments are in the order of their ids; those without
    a score come last.
    """
    scored = scores or {}
    judged = list(judgments.query_ids)
    n_judged = {
        query_id: judgments.starts[i + 1] - judgments.starts[i] for i, query_id in enumerate(judged)
    }
    ids = sorted(queries.keys() | n_judged.keys(), key=natural_key)
    words = wanted.text.casefold().split()
    found = [
        query_id
        for query_id in ids
        if _fits(queries.get(query_id), wanted)
        and not (wanted.is_unjudged and n_judged.get(query_id))
        and (not words or _has(query_id, queries.get(query_id), words))
    ]
    if wanted.sort == "judged":
        found.sort(key=lambda one: n_judged.get(one, 0), reverse=wanted.is_descending)
    elif wanted.sort == "score":
        sign = -1 if wanted.is_descending else 1
        found.sort(key=lambda one: (one not in scored, sign * scored.get(one, 0.0)))
    elif wanted.is_descending:
        found.reverse()
    page = numbered_page(len(found), wanted.page, PAGE)
    return QueryListing(
        tuple(
            QueryRow(
                query_id, queries.get(query_id), n_judged.get(query_id, 0), scored.get(query_id)
            )
            for query_id in found[page.rows]
        ),
        len(found),
        len(ids),
        page.number,
        page.n_pages,
        tuple(sorted({query.category for query in queries.values() if query.category})),
        tuple(sorted({query.difficulty for query in queries.values() if query.difficulty})),
    )


def _fits(query: Query | None, wanted: WantedQueries) -> bool:
    if not (wanted.category or wanted.difficulty):
        return True
    return (
        query is not None
        and wanted.category in ("", query.category)
        and wanted.difficulty in ("", query.difficulty)
    )


def _has(query_id: str, query: Query | None, words: list[str]) -> bool:
    text = query_id if query is None else f"{query_id}\n{query.text}\n{query.description or ''}"
    text = text.casefold()
    return all(word in text for word in words)
