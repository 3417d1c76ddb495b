"""Requests over persistent connections, one per thread."""

from __future__ import annotations

import http.client
import json
import os
import selectors
import ssl
import threading
import urllib.parse
import weakref
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias

from berryeval.client.problems import error_of
from berryeval.errors import ArgumentError, InputTypeError, ServiceError

__all__ = ["Connection", "Record", "Resource", "quoted", "save"]

_BLOCK = 1 << 16

# Not `select`, which is limited to 1024 files, and not `epoll`, which opens one itself.
_Selector = getattr(selectors, "PollSelector", selectors.SelectSelector)

Parameters: TypeAlias = "Mapping[str, Any]"


class Record(dict[str, Any]):
    """A response of the service: a dict as in its description, and its ETag."""

    etag: str | None = None
    """The value of `if_match` to replace it; None if it has none."""


def quoted(text: str) -> str:
    """Encode an id as one part of a path."""
    return urllib.parse.quote(text, safe="", errors="surrogateescape")


class Connection:
    """Requests to one service, by http or https; threads may share it.

    `timeout` is in seconds, for each response. Requests name the collection, if there is one.
    """

    def __init__(
        self, url: str, token: str | None, timeout: float, collection: str | None = None
    ) -> None:
        parts = _parts_of(url)
        self.url = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
        self._parts = parts
        self._headers = {} if token is None else {"Authorization": f"Bearer {_checked(token)}"}
        self._timeout = timeout
        self._collection = collection
        self._local = threading.local()
        self._all: weakref.WeakSet[http.client.HTTPConnection] = weakref.WeakSet()

    def ask(
        self,
        method: str,
        path: str,
        ids: Mapping[str, str] | None = None,
        *,
        query: Parameters | None = None,
        body: object = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Record:
        """Send a request and return its response, both as JSON.

        `path` has placeholders for ids in braces, as in the description of the service. Values of
        None in `query` and `headers` are not sent.
        """
        data = None if body is None else _as_json(body)
        sent = {"Content-Type": "application/json", **(headers or {})} if data else headers or {}
        with self._answer(method, _filled(path, ids), query, data, sent) as response:
            content = response.read()
        record = Record(json.loads(content) if content else {})
        record.etag = response.headers.get("ETag")
        return record

    def iter_list(
        self, path: str, ids: Mapping[str, str] | None = None, query: Parameters | None = None
    ) -> list[Record]:
        """Return a response that is a list."""
        with self._answer("GET", _filled(path, ids), query, None, {}) as response:
            return [Record(one) for one in json.loads(response.read())]

    def iter_items(
        self, path: str, ids: Mapping[str, str] | None = None, query: Parameters | None = None
    ) -> Iterator[Record]:
        """Iterate over all items of a list, page by page, on demand."""
        page = self.ask("GET", path, ids, query={**(query or {}), "limit": 1000})
        while True:
            yield from map(Record, page["items"])
            if page.get("next") is None:
                return
            page = self.ask("GET", page["next"])

    def send_file(
        self,
        path: str,
        content: IO[bytes] | Iterable[bytes],
        query: Parameters,
        n_bytes: int | None,
    ) -> Record:
        """Stream a file to the service, and return the response."""
        headers = {"Content-Type": "application/octet-stream"}
        if n_bytes is not None:
            headers["Content-Length"] = str(n_bytes)
        with self._answer("POST", path, query, content, headers) as response:
            return Record(json.loads(response.read()))

    @contextmanager
    def stream(
        self, path: str, ids: Mapping[str, str], query: Parameters | None = None
    ) -> Iterator[Iterator[bytes]]:
        """Stream a response."""
        with self._answer("GET", _filled(path, ids), query, None, {}) as response:
            yield iter(lambda: response.read1(_BLOCK), b"")

    def text(self, path: str) -> str:
        """Return a response that is not JSON."""
        with self._answer("GET", path, None, None, {}) as response:
            return response.read().decode("utf-8")

    def close(self) -> None:
        """Close the connections of all threads."""
        for kept in [*self._all]:
            kept.close()

    @contextmanager
    def _answer(
        self,
        method: str,
        path: str,
        query: Parameters | None,
        body: bytes | IO[bytes] | Iterable[bytes] | None,
        headers: Mapping[str, str | None],
    ) -> Iterator[http.client.HTTPResponse]:
        """Send a request, and return its response; raise the errors of the service."""
        sent = {name: value for name, value in headers.items() if value is not None}
        if self._collection is not None and "?" not in path:  # the next page already names it
            query = {**(query or {}), "collection": self._collection}
        target = self._parts.path.rstrip("/") + path + _query(query)
        is_read = False
        try:
            response = self._send(method, target, body, {**self._headers, **sent})
            if response.status >= 400:  # noqa: PLR2004
                problem = _problem(response.read())
                is_read = True
                raise error_of(self.url, response.status, problem)
            yield response
            is_read = response.isclosed()
        except TimeoutError as error:
            message = f"no response within {self._timeout:g} s"
            raise ServiceError(self.url, message, kind="timeout") from error
        except (OSError, http.client.HTTPException) as error:
            message = f"cannot be reached: {type(error).__name__} {error}".rstrip()
            raise ServiceError(self.url, message, kind="unreachable") from error
        finally:
            if not is_read:
                self._hang_up()  # the rest of a response would be read as the next one

    def _send(
        self,
        method: str,
        target: str,
        body: bytes | IO[bytes] | Iterable[bytes] | None,
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        connection = self._connection()
        is_kept = connection.sock is not None
        try:
            connection.request(method, target, body, headers)
            return connection.getresponse()
        except (ConnectionError, http.client.RemoteDisconnected):
            # A persistent connection may close while a request is sent. Idempotent requests
            # are sent again.
            if not is_kept or method == "POST":
                raise
        self._hang_up()
        connection = self._connection()
        connection.request(method, target, body, headers)
        return connection.getresponse()

    def _connection(self) -> http.client.HTTPConnection:
        """Return this thread's connection, a new one if the service has closed the last."""
        kept: http.client.HTTPConnection | None = getattr(self._local, "kept", None)
        if kept is not None and kept.sock is not None and not _is_closed(kept):
            return kept
        self._hang_up()
        host, port = self._parts.hostname, self._parts.port
        assert host is not None
        if self._parts.scheme == "https":
            context = ssl.create_default_context()
            kept = http.client.HTTPSConnection(host, port, timeout=self._timeout, context=context)
        else:
            kept = http.client.HTTPConnection(host, port, timeout=self._timeout)
        kept.blocksize = _BLOCK
        self._local.kept = kept
        self._all.add(kept)
        return kept

    def _hang_up(self) -> None:
        """Close the connection of this thread."""
        kept: http.client.HTTPConnection | None = getattr(self._local, "kept", None)
        if kept is not None:
            kept.close()


class Resource:
    """A part of the service, such as its runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection


def save(pieces: Iterable[bytes], path: str | os.PathLike[str]) -> None:
    """Write a response to a file, which is replaced only when complete."""
    partial = Path(f"{os.fspath(path)}.partial")
    try:
        with partial.open("wb") as file:
            file.writelines(pieces)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _parts_of(url: str) -> urllib.parse.SplitResult:
    """Parse an address, or raise if it is invalid."""
    expected = "an address such as http://127.0.0.1:8765"
    try:
        parts = urllib.parse.urlsplit(url)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # unclosed brackets, an invalid port
        is_one = False
    if not is_one:
        raise ArgumentError("url", expected, repr(url))
    if "@" in parts.netloc:  # not shown: there may be a password
        raise ArgumentError("url", expected, "one with a user; give a token instead")
    return parts


def _checked(token: str) -> str:
    """Return a token for a header, without the newline of a file."""
    bare = token.strip()
    if not bare.isascii() or not bare.isprintable() or " " in bare or not bare:
        raise ArgumentError("token", "a token printed by berryeval token create", "something else")
    return bare


def _is_closed(connection: http.client.HTTPConnection) -> bool:
    """Whether the service has closed the connection: nothing else could be readable."""
    with _Selector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _as_json(body: object) -> bytes:
    try:
        return json.dumps(body, allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputTypeError("body", "a JSON value", str(error)[:80]) from None


def _filled(path: str, ids: Mapping[str, str] | None) -> str:
    return path if ids is None else path.format_map({key: quoted(one) for key, one in ids.items()})


def _query(query: Parameters | None) -> str:
    pairs = [
        (name, _as_text(one))
        for name, value in (query or {}).items()
        for one in (value if isinstance(value, (list, tuple)) else [value])
        if one is not None
    ]
    return f"?{urllib.parse.urlencode(pairs, errors='surrogateescape')}" if pairs else ""


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _problem(content: bytes) -> Mapping[str, Any]:
    try:
        problem = json.loads(content)
    except ValueError:
        return {}
    if not isinstance(problem, dict):
        return {}
    cause = problem.get("error")  # Elasticsearch's shape, of /_rank_eval
    return {"detail": cause["reason"]} if isinstance(cause, dict) else problem
