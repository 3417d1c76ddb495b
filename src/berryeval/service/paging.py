"""Paginated lists, in the order of their keys.

A page names the key after which the next one starts, so that entries added or removed in between
cause no duplicates or gaps.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Generic, TypeVar
from urllib.parse import urlencode

from fastapi import Query, Request
from pydantic import BaseModel, Field

from berryeval.core.id_column import decode_id, encode_id
from berryeval.errors import ArgumentError
from berryeval.service.answers import Answer

__all__ = ["After", "Limit", "Listed", "as_after", "key_of", "listed"]

Item = TypeVar("Item")

Limit = Annotated[int, Query(ge=1, le=1000, description="Largest number of entries.")]
After = Annotated[
    str | None,
    Query(
        max_length=8192,
        pattern="^[A-Za-z0-9_-]+$",
        description="End of the previous page, from its `next`.",
        examples=["WyJxMSJd"],
    ),
]


class Listed(BaseModel, Generic[Item]):
    """A page of a list."""

    items: list[Item]
    next: str | None = Field(
        description="The address of the next page; null on the last.",
        examples=["/v1/runs?limit=100&after=eyJrIjoxfQ"],
    )


def as_after(key: str) -> str:
    """Encode the last key of a page for `after`, whatever its characters."""
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


def listed(
    request: Request,
    items: Iterable[Any],
    following: str | None,
    to_dict: Callable[[Any], dict[str, Any]],
) -> Answer:
    """Return the response for a page, with a link to the next one."""
    url = None
    if following is not None:
        kept = [item for item in request.query_params.multi_items() if item[0] != "after"]
        url = f"{request.scope['path']}?{urlencode([*kept, ('after', following)])}"
    headers = {} if url is None else {"Link": f'<{url}>; rel="next"'}
    return Answer({"items": [to_dict(item) for item in items], "next": url}, headers=headers)
