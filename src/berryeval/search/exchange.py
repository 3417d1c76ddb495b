"""JSON over HTTP: requests, responses, and errors."""

from __future__ import annotations

import base64
import http.client
import json
import math
import re
import ssl
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from email.message import Message
from email.utils import parsedate_to_datetime

from berryeval.errors import AnswerError, ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.search.hosts import AllowedHosts, HostError
from berryeval.search.limits import seconds_allowed

__all__ = [
    "Exchange",
    "StatusError",
    "basic_authorization",
    "check_address",
    "shown_address",
    "without_keys",
]

_TRANSIENT = frozenset({408, 425, 429, 502, 503, 504})
_LONGEST_ANSWER = 64 << 20
_LONGEST_REFUSAL = 64 << 10
_MAX_VALUES = 1_000_000  # in a response of a registered host
_ASCII = "".join(map(chr, range(0x21, 0x7F)))  # characters that need no escape in an address
_SECRET_NAME = re.compile("key|token|secret|passw", re.IGNORECASE)
_SHOWN = 200  # bytes of a server's message
_SHORTEST_SECRET = 6  # replacing shorter ones would also replace ordinary words


class StatusError(SystemUnderTestError):
    """A server responded with an error status or a redirect.

    Parameters
    ----------
    status : int
        The HTTP status.
    content : bytes
        The body of the response.
    """

    def __init__(
        self,
        system: str,
        message: str,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        status: int = 0,
        content: bytes = b"",
    ) -> None:
        super().__init__(system, message, transient=transient, retry_after=retry_after)
        self.status = status
        self.content = content


class Exchange:
    """Sends requests to a server and returns its responses.

    Redirects are not followed: the body would be lost, and credentials might be sent to another
    server.

    Parameters
    ----------
    name : str
        Name of the server in messages.
    headers : mapping
        Headers of each request. Messages never show keys and passwords among them, even if the
        server repeats them.
    timeout : float
        Seconds to wait for each response.
    hosts : AllowedHosts, optional
        Requests go only to these hosts. If omitted, they may go anywhere.

    Raises
    ------
    ArgumentError
        For a header that cannot be sent, such as a key with a line break within it.
    """

    def __init__(
        self,
        name: str,
        headers: Mapping[str, str],
        timeout: float,
        hosts: AllowedHosts | None = None,
    ) -> None:
        self._open = (_OPENER if hosts is None else hosts.opener()).open
        self._is_limited = hosts is not None
        self._longest = _LONGEST_ANSWER if hosts is None else hosts.longest_answer
        self.name = name
        self.headers = {key: _checked_value(key, value) for key, value in headers.items()}
        self.timeout = timeout
        self._secrets = _secrets(self.headers)

    def ask(
        self,
        url: str,
        content: bytes | None = None,
        *,
        method: str | None = None,
        content_type: str = "application/json",
    ) -> object:
        """Send a request and return the response as parsed JSON.

        Raises
        ------
        StatusError
            If the response is an error or a redirect.
        SystemUnderTestError
            If there is no response; `SystemTimeoutError` if it is late, and `AnswerError` if it
            is not JSON, or too long.
        """
        headers = {"Accept": "application/json", **self.headers}
        if content is not None:
            headers.setdefault("Content-Type", content_type)
        request = urllib.request.Request(  # noqa: S310 - `check_address` allows only http and https
            urllib.parse.quote(url, safe=_ASCII), data=content, headers=headers, method=method
        )
        seconds = seconds_allowed(self.timeout)
        with self._errors_mapped(seconds), self._open(request, timeout=seconds) as answer:
            content = answer.read(self._longest + 1)
        if len(content) > self._longest:
            raise AnswerError(self.name, f"expected at most {self._longest >> 20} MB, got more")
        if self._is_limited and sum(map(content.count, (b"[", b"{", b","))) > _MAX_VALUES:
            # A megabyte of "{}" takes thirty when it is parsed.
            raise AnswerError(self.name, f"expected at most {_MAX_VALUES:,} values, got more")
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            shown = self._without_secrets(content[:60].decode("utf-8", "replace"))
            raise AnswerError(self.name, f"expected JSON, got {shown!r}") from None

    @contextmanager
    def _errors_mapped(self, seconds: float) -> Iterator[None]:
        """Convert network errors to errors of a system."""
        late = f"no answer within {seconds:.3g} s"
        try:
            yield
        except urllib.error.HTTPError as error:
            raise self._refusal(error) from error
        except TimeoutError as error:
            raise SystemTimeoutError(self.name, late) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise SystemTimeoutError(self.name, late) from error
            if isinstance(error.reason, HostError):
                raise SystemUnderTestError(self.name, f"{error.reason}") from error
            message = f"cannot be reached: {error.reason}"
            if isinstance(error.reason, ssl.SSLCertVerificationError):
                message += "; set SSL_CERT_FILE to the certificate of its authority"
            is_broken = isinstance(error.reason, ConnectionError)
            raise SystemUnderTestError(self.name, message, transient=is_broken) from error
        except (OSError, http.client.HTTPException) as error:
            message = f"connection lost: {type(error).__name__} {error}".rstrip()
            raise SystemUnderTestError(self.name, message, transient=True) from error

    def _refusal(self, error: urllib.error.HTTPError) -> StatusError:
        with error:
            try:
                content = error.read(_LONGEST_REFUSAL)
            except (OSError, http.client.HTTPException):
                content = b""
        content = self._without_secrets(content.decode("utf-8", "replace")).encode()
        text = " ".join(content[:_SHOWN].decode("utf-8", "replace").split())
        place = self._without_secrets(error.headers.get("Location") or "")
        message = f"answered {error.code} {error.reason}" + (f": {text}" if text else "")
        if place:
            message += f"; ask {place} instead"
        return StatusError(
            self.name,
            message,
            transient=error.code in _TRANSIENT,
            retry_after=_retry_after(error.headers),
            status=error.code,
            content=content,
        )

    def _without_secrets(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text


def check_address(url: str) -> urllib.parse.SplitResult:
    """Return the parts of an address.

    Raises
    ------
    ArgumentError
        If it is not an http or https address.
    """
    try:
        parts = urllib.parse.urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
        _ = parts.port
    except ValueError:
        is_address = False
    if not is_address:
        raise ArgumentError("url", "an address with http:// or https://", shown_address(url))
    return parts


def shown_address(url: str) -> str:
    """Return an address for messages, without user name, password and keys."""
    start, slashes, rest = url.partition("//")
    # Up to the last @, since the password of a malformed address may contain a slash.
    return repr(without_keys(start + slashes + rest.rpartition("@")[2]))


def without_keys(url: str) -> str:
    """Return an address with ``***`` in place of parameters whose names suggest a secret.

    Examples
    --------
    >>> without_keys("https://host/find?q={query}&api_key=sk-12345")
    'https://host/find?q={query}&api_key=***'
    """
    mark = re.search("[?&]", url)
    if mark is None:
        return url
    parameters = url[mark.end() :].split("&")
    return url[: mark.end()] + "&".join(map(_without_key, parameters))


def _without_key(parameter: str) -> str:
    """Return a parameter with ``***`` from the value of the first secret name on.

    A value with a placeholder such as ``{query}`` is not secret; after it, a name begins at a
    ``?``.
    """
    earliest = max(parameter.rfind("{"), parameter.rfind("}"))
    end = -1
    for name in parameter.split("=")[:-1]:
        is_first = end < 0
        end += len(name) + 1
        named = name if is_first else name.partition("?")[2]
        if earliest < end < len(parameter) - 1 and _SECRET_NAME.search(named):
            return f"{parameter[: end + 1]}***"
    return parameter


def basic_authorization(parts: urllib.parse.SplitResult) -> dict[str, str]:
    """Return the header for the user name and password in an address, if it has them."""
    if parts.username is None:
        return {}
    name, password = (urllib.parse.unquote(part or "") for part in (parts.username, parts.password))
    encoded = base64.b64encode(f"{name}:{password}".encode()).decode()
    return {"Authorization": f"Basic {encoded}"}


class _NoRedirections(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: object) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirections)


def _checked_value(name: str, value: str) -> str:
    """Return the value of a header, without surrounding space from a file or the clipboard."""
    text = value.strip()
    # `http.client` would also reject it, but its message shows the value.
    if not text.isprintable() or not text.encode("latin-1", "replace").decode("latin-1") == text:
        raise ArgumentError(f"header {name}", "one line of Latin-1 text", "something else")
    return text


def _secrets(headers: Mapping[str, str]) -> tuple[str, ...]:
    """Return the secrets in headers: the credentials of ``Bearer …``, ``Basic …`` and others."""
    found = []
    for name, value in headers.items():
        if name.lower() in ("accept", "content-type", "user-agent"):
            continue
        scheme, _, secret = value.rpartition(" ")
        found.append(secret)
        if scheme.lower() == "basic":
            with suppress(ValueError):
                found.append(base64.b64decode(secret).decode().partition(":")[2])
    return tuple(secret for secret in found if len(secret) >= _SHORTEST_SECRET)


def _retry_after(headers: Message) -> float | None:
    """Return the seconds that a server asks to wait, given as a number or as a date."""
    text = headers.get("Retry-After")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            when = parsedate_to_datetime(text)
        except ValueError:
            return None
        if when.tzinfo is None:  # "-0000", an old notation for UTC
            when = when.replace(tzinfo=timezone.utc)
        seconds = (when - datetime.now(timezone.utc)).total_seconds()
    return max(seconds, 0.0) if math.isfinite(seconds) else None
