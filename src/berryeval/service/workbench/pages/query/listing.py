"""The list of queries: filtered, fifty per page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query, QueryType
from berryeval.service.paging import numbered_page
from berryeval.service.paths import address

__all__ = ["PAGE", "QueryListing", "QueryRow", "WantedQueries", "list_queries"]

PAGE = 50
"""Queries per page."""


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
    page : int
        Number of the page, from 1.
    """

    text: str = ""
    category: str = ""
    difficulty: str = ""
    is_unjudged: bool = False
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
            page="" if wanted.page == 1 else wanted.page,
        )


@dataclass(frozen=True)
class QueryRow:
    """One query of the list."""

    query_id: str
    query: Query | None
    """None if it is judged but not stored."""
    n_judged: int

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
    queries: Mapping[str, Query], judgments: Judgments, wanted: WantedQueries
) -> QueryListing:
    """Return a page of the stored or judged queries, by id."""
    judged = list(judgments.query_ids)
    n_judged = {
        query_id: judgments.starts[i + 1] - judgments.starts[i] for i, query_id in enumerate(judged)
    }
    ids = sorted(queries.keys() | n_judged.keys(), key=encode_id)
    words = wanted.text.casefold().split()
    found = [
        query_id
        for query_id in ids
        if _fits(queries.get(query_id), wanted)
        and not (wanted.is_unjudged and n_judged.get(query_id))
        and (not words or _has(query_id, queries.get(query_id), words))
    ]
    page = numbered_page(len(found), wanted.page, PAGE)
    return QueryListing(
        tuple(
            QueryRow(query_id, queries.get(query_id), n_judged.get(query_id, 0))
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
