"""Ids in paths: any text, including slashes and bytes that are not UTF-8.

Servers decode paths, after which a slash in an id looks like a separator. So routes match the path
as it was sent, and each id is decoded afterwards: ``/v1/judgments/{query_id:id}/{doc_id:id}``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Annotated
from urllib.parse import quote, unquote, urlencode

from fastapi import Path
from starlette.convertors import Convertor, register_url_convertor
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = [
    "DocId", "Name", "QueryId", "RawPath", "RunId", "address", "in_collection", "is_rank_eval",
    "name_from", "pattern_of", "quoted",
]  # fmt: skip

MAX_ID = 1024
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
_SHARED = ("/c/", "//", "/assets/", "/login", "/logout", "/docs", "/openapi.json")
"""Beginnings of addresses that are the same in every collection, or name another."""
_RANK_EVAL = re.compile("(/[^/]+)?/_rank_eval")


class _IdConvertor(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value, errors="surrogateescape")

    def to_string(self, value: str) -> str:
        return quoted(value)


register_url_convertor("id", _IdConvertor())


def pattern_of(path: str) -> re.Pattern[str]:
    """Return the expression that matches the paths of a route."""
    return compile_path(path)[0]


def quoted(text: str) -> str:
    """Encode an id as a part of a path."""
    return quote(text, safe="", errors="surrogateescape")


def name_from(title: str, most: int = 100) -> str:
    """Return a title as a name: other characters than letters and digits become hyphens.

    Examples
    --------
    >>> name_from("Größe & Höhe, first ten")
    'Grosse-Hohe-first-ten'
    """
    plain = unicodedata.normalize("NFKD", title.replace("ß", "ss")).encode("ascii", "ignore")
    return re.sub(r"[^\w.-]+", "-", plain.decode()).lstrip("._-")[:most].rstrip("-")


def address(path: str, /, **parameters: object) -> str:
    """Return an address with parameters; empty ones are omitted.

    Examples
    --------
    >>> address("/compare", a="main", b="", measure="nDCG@10")
    '/compare?a=main&measure=nDCG%4010'
    """
    given = [
        _parameter(name, str(value))
        for name, value in parameters.items()
        if value not in (None, "")
    ]
    return f"{path}?{'&'.join(given)}" if given else path


def in_collection(prefix: str, address: str) -> str:
    """Return an address of this service within a collection.

    Examples
    --------
    >>> in_collection("/c/shop", "/runs?q=a"), in_collection("/c/shop", "/assets/berry.svg")
    ('/c/shop/runs?q=a', '/assets/berry.svg')
    >>> in_collection("/c/shop", "https://example.org"), in_collection("", "/runs")
    ('https://example.org', '/runs')
    """
    if not address.startswith("/") or address.startswith(_SHARED):
        return address
    return prefix + address


@lru_cache(maxsize=1024)  # a page has hundreds of links to the same runs
def _parameter(name: str, value: str) -> str:
    return urlencode({name: value}, errors="surrogateescape")


def is_rank_eval(scope: Scope) -> bool:
    """Whether a path is Elasticsearch's ranking evaluation, of one store or of all."""
    raw: bytes | None = scope.get("raw_path")
    path = scope["path"] if raw is None else raw.decode("latin-1")
    return _RANK_EVAL.fullmatch(path) is not None


class RawPath:
    """Match routes against encoded paths."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace the path with the one that was sent."""
        raw: bytes | None = scope.get("raw_path")
        if scope["type"] == "http" and raw is not None:
            scope["path"] = raw.decode("latin-1")
        await self._app(scope, receive, send)


QueryId = Annotated[
    str, Path(description="Id of a query, percent-encoded.", examples=["q1"], max_length=MAX_ID)
]
DocId = Annotated[
    str, Path(description="Id of a document, percent-encoded.", examples=["d7"], max_length=MAX_ID)
]
Name = Annotated[
    str,
    Path(
        description="A name of letters, digits, dots, dashes and underscores.",
        examples=["main"],
        pattern=NAME,
    ),
]
RunId = Annotated[
    str,
    Path(
        description="Id of a run: the SHA-256 of its content.",
        examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        pattern="^[0-9a-f]{64}$",
    ),
]
