"""Addresses, index names and credentials of OpenSearch and Elasticsearch."""

from __future__ import annotations

import base64
import os
import urllib.parse

from berryeval.errors import ArgumentError
from berryeval.search.exchange import basic_authorization

__all__ = ["authorization", "check_index_name", "place_and_index", "quoted"]


def place_and_index(parts: urllib.parse.SplitResult, index: str | None) -> tuple[str, str]:
    """Return the address of an engine without credentials, and the index.

    Raises
    ------
    ArgumentError
        If there is no index, or the address has more than an index after the host.
    """
    path = parts.path.rstrip("/")
    if index is None:
        path, _, last = path.rpartition("/")
        index = urllib.parse.unquote(last)
    if not index or parts.query or parts.fragment:
        expected = "the index as the last part of the address, or by itself"
        raise ArgumentError("index", expected, "none" if not index else "an address with more")
    host = parts.netloc.rpartition("@")[2]
    return urllib.parse.urlunsplit((parts.scheme, host, path, "", "")), index


def authorization(
    parts: urllib.parse.SplitResult, user: str | None, password: str | None, api_key: str | None
) -> dict[str, str]:
    """Return the header with credentials from the arguments, the address or the environment.

    The first of these that has any is used; a key takes precedence over a user name.

    Raises
    ------
    ArgumentError
        For a password without a user name.
    """
    nothing_given = user is None and password is None and api_key is None
    if nothing_given and parts.username is not None:
        return basic_authorization(parts)
    if nothing_given:
        api_key = os.environ.get("OPENSEARCH_API_KEY")
        user = os.environ.get("OPENSEARCH_USER")
    if api_key:
        return {"Authorization": f"ApiKey {api_key}"}
    if not user:
        if password is not None:
            raise ArgumentError("user", "a name with the password", "none")
        return {}
    if password is None:
        password = os.environ.get("OPENSEARCH_PASSWORD", "")
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


def quoted(name: str) -> str:
    """Return a name quoted as part of an address."""
    return urllib.parse.quote(name, safe="*,:")


def check_index_name(name: str) -> None:
    """Raise if an index with this name cannot be created."""
    is_name = (
        name == name.lower() and not set(name) & set('\\/*?"<>| ,#:') and name[0] not in "-_+."
    )
    if not is_name:
        raise ArgumentError("index", "the name of one index, in lower case", repr(name))
