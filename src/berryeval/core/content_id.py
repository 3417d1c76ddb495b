"""Ids derived from texts, for documents that have no id of their own."""

from __future__ import annotations

import hashlib

__all__ = ["content_id", "is_content_id"]

_N_DIGITS = 20
_PREFIX = "sha256:"


def content_id(text: str) -> str:
    """Return an id that depends only on a text; differences in white space do not change it.

    Examples
    --------
    >>> content_id("Use a token.") == content_id(" Use  a\\ntoken. ")
    True
    >>> content_id("Use a token.")
    'sha256:bb002b0d4f81ede6f00f'
    """
    data = " ".join(text.split()).encode("utf-8", "surrogatepass")
    return f"{_PREFIX}{hashlib.sha256(data).hexdigest()[:_N_DIGITS]}"


def is_content_id(doc_id: str) -> bool:
    """Return whether an id may come from `content_id`."""
    return doc_id.startswith(_PREFIX) and len(doc_id) == len(_PREFIX) + _N_DIGITS
