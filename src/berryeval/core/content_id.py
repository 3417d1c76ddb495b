"""Ids made of texts, for documents that have no id of their own."""

from __future__ import annotations

import hashlib

__all__ = ["content_id"]

_N_DIGITS = 20


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
    return f"sha256:{hashlib.sha256(data).hexdigest()[:_N_DIGITS]}"
