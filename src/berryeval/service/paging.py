"""Paginated lists, in the order of their keys.

A page names the key after which the next one starts, so that entries added or removed in between
cause no duplicates or gaps.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, TypeAlias, TypeVar
from urllib.parse import urlencode

from fastapi import Depends, Query, Request
from pydantic import BaseModel, Field

from berryeval.archive.records import Page
from berryeval.core.id_column import decode_id, encode_id
from berryeval.errors import ArgumentError
from berryeval.service.answers import Answer

__all__ = ["Listed", "NumberedPage", "PagingDep", "as_after", "key_of", "numbered_page"]

MAX_ENTRIES = 1000
"""Maximum number of entries on a page."""

Item = TypeVar("Item")


class Listed(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next: str | None = Field(
        description="The address of the next page; null on the last.",
        examples=["/v1/runs?limit=100&after=eyJrIjoxfQ"],
    )


def as_after(key: str) -> str:
    """Encode the last key of a page for `after`; it may contain any characters."""
    return base64.urlsafe_b64encode(encode_id(key)).decode().rstrip("=")


def key_of(after: str | None) -> str | None:
    """Return the key that `as_after` wrote; None on the first page.

    Raises
    ------
    ArgumentError
        If no page returned it.
    """
    if after is None:
        return None
    try:
        return decode_id(base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)))
    except ValueError:
        raise ArgumentError(
            "after", "a value from the next link of a page", repr(after[:40])
        ) from None


@dataclass(frozen=True)
class Paging:
    """The requested part of a list."""

    request: Request
    after: str | None
    limit: int

    @property
    def bounds(self) -> dict[str, Any]:
        """The arguments of an archive's `page`."""
        return {"after": self.after, "limit": self.limit}

    def answer(self, page: Page[Any], to_dict: Callable[[Any], dict[str, Any]]) -> Answer:
        """Return the response for a page, with a link to the next one."""
        url = None
        if page.next is not None:
            kept = [item for item in self.request.query_params.multi_items() if item[0] != "after"]
            path = f"{self.request.state.prefix}{self.request.scope['path']}"
            url = f"{path}?{urlencode([*kept, ('after', page.next)])}"
        headers = {} if url is None else {"Link": f'<{url}>; rel="next"'}
        return Answer({"items": [*map(to_dict, page.items)], "next": url}, headers=headers)


async def _paging(
    request: Request,
    after: Annotated[
        str | None,
        Query(
            max_length=8192,
            pattern="^[A-Za-z0-9_-]+$",
            description="End of the previous page, from its `next`.",
            examples=["WyJxMSJd"],
        ),
    ] = None,
    limit: Annotated[
        int, Query(ge=1, le=MAX_ENTRIES, description="Maximum number of entries.")
    ] = 100,
) -> Paging:
    return Paging(request, after, limit)


PagingDep: TypeAlias = Annotated[Paging, Depends(_paging)]


class NumberedPage(NamedTuple):
    """A page of a list in the workbench, with a page number."""

    number: int
    n_pages: int
    rows: slice
    """The rows of the page."""


def numbered_page(n_rows: int, number: int, size: int) -> NumberedPage:
    """Return a page by its number, from 1; the last page if there are fewer.

    Examples
    --------
    >>> numbered_page(120, 9, 50)
    NumberedPage(number=3, n_pages=3, rows=slice(100, 150, None))
    """
    n_pages = max(1, -(-n_rows // size))
    shown = min(max(1, number), n_pages)
    return NumberedPage(shown, n_pages, slice((shown - 1) * size, shown * size))
