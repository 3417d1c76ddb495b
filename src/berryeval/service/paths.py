"""Ids in paths: any text, slashes and bytes that are no UTF-8 among it.

A server hands over a path with its escapes undone, and then nobody can tell the slash of an id
from one between two of them. So routes see the path as it was sent, and each id is decoded when
it has been found: ``/v1/judgments/{query_id:id}/{doc_id:id}``.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import quote, unquote

from fastapi import Path
from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["DocId", "Name", "QueryId", "RawPath", "RunId", "is_rank_eval", "quoted"]

MAX_ID = 1024
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
_RANK_EVAL = re.compile("(/[^/]+)?/_rank_eval")


class _IdConvertor(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        return unquote(value, errors="surrogateescape")

    def to_string(self, value: str) -> str:
        return quoted(value)


register_url_convertor("id", _IdConvertor())


def quoted(text: str) -> str:
    """Write an id as a part of a path."""
    return quote(text, safe="", errors="surrogateescape")


def is_rank_eval(scope: Scope) -> bool:
    """Whether a request is for Elasticsearch's ranking evaluation, of one store or of all."""
    raw: bytes | None = scope.get("raw_path")
    path = scope["path"] if raw is None else raw.decode("latin-1")
    return _RANK_EVAL.fullmatch(path) is not None


class RawPath:
    """Let routes see paths with their escapes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace the path by what was sent."""
        raw: bytes | None = scope.get("raw_path")
        if scope["type"] == "http" and raw is not None:
            scope["path"] = raw.decode("latin-1")
        await self._app(scope, receive, send)


QueryId = Annotated[
    str, Path(description="A query, with its escapes.", examples=["q1"], max_length=MAX_ID)
]
DocId = Annotated[
    str, Path(description="A document, with its escapes.", examples=["d7"], max_length=MAX_ID)
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
        description="A run: the SHA-256 of what it says.",
        examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
        pattern="^[0-9a-f]{64}$",
    ),
]
