"""The hosts that requests may go to, if their addresses come from outside.

A name is resolved once per connection, each of its addresses is checked, and the connection goes
to a checked one. A name that resolves differently a moment later makes no difference.
"""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import time
import urllib.request
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

from berryeval.errors import ArgumentError

__all__ = ["AllowedHosts", "HostError"]

_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_LARGEST_PORT = 65535
_SECRET_SERVICES = tuple(
    map(ipaddress.ip_network, ("168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::/32"))
)
"""Addresses of cloud metadata services, which return credentials, besides the link-local one."""
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""IPv6 addresses that a gateway translates to the IPv4 address in their last bytes."""


class HostError(OSError):
    """Requests to this host are not allowed."""


@dataclass(frozen=True)
class _Entry:
    """An allowed host: its name, or its addresses; None for any port."""

    name: str | None
    network: _Network | None
    port: int | None

    def has(self, port: int) -> bool:
        return self.port in (None, port)


class AllowedHosts:
    """The hosts that an operator has allowed.

    Parameters
    ----------
    entries : iterable of str
        Host names, addresses and networks, each with a port if only that one is allowed:
        ``search.example``, ``search.example:9200``, ``10.1.2.0/24``, ``[::1]:9200``. A name
        allows only ordinary addresses: loopback, link-local and similar ones, and those at which
        clouds hand out credentials, must be listed as addresses. ``localhost`` is loopback.
    longest_answer : int
        Bytes of a response; longer ones are rejected.

    Raises
    ------
    ArgumentError
        For an entry that is none of these.

    Examples
    --------
    >>> AllowedHosts(["search.example"]).check("search.example", 443)
    >>> AllowedHosts(["search.example"]).check("169.254.169.254", 80)
    Traceback (most recent call last):
      ...
    berryeval.search.hosts.HostError: requests to 169.254.169.254:80 are not allowed
    """

    def __init__(self, entries: Iterable[str], *, longest_answer: int = 8 << 20) -> None:
        self._entries = tuple(map(_entry_of, entries))
        self.longest_answer = longest_answer

    def check(self, host: str, port: int) -> None:
        """Raise if no entry names a host, before its name is resolved.

        Raises
        ------
        HostError
            With the host and the port.
        """
        address = _address_of(host)
        if address is not None:
            is_allowed = self._lists(address, port)
        else:
            is_allowed = any(one.name == _plain(host) and one.has(port) for one in self._entries)
        if not is_allowed:
            raise HostError(f"requests to {host}:{port} are not allowed")

    def connect(self, host: str, port: int, timeout: float) -> _TimedSocket:
        """Return a connection to an allowed address of a host.

        Raises
        ------
        HostError
            If the host or all of its addresses are not allowed.
        OSError
            If there is no connection.
        """
        self.check(host, port)
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        allowed = [one for one in found if self._may_reach(host, str(one[4][0]), port)]
        if not allowed:
            shown = ", ".join(sorted({str(one[4][0]) for one in found}))
            raise HostError(f"requests to {host}:{port} are not allowed, since it is at {shown}")
        failure: OSError | None = None
        for family, kind, protocol, _, place in allowed:
            connection = _TimedSocket(family, kind, protocol)
            connection.settimeout(timeout)
            connection.deadline = time.monotonic() + timeout
            try:
                connection.connect(place)
            except OSError as error:
                connection.close()
                failure = error
            else:
                return connection
        assert failure is not None
        raise failure

    def opener(self) -> urllib.request.OpenerDirector:
        """Return an opener for addresses at these hosts only, without redirects and proxies.

        A proxy would resolve names itself. A response that is not complete within the timeout
        is cut off, however slowly it comes.
        """
        found = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            _Handler(self),
            _SecureHandler(self),
        ):
            found.add_handler(handler)
        return found

    def _lists(self, address: _Address, port: int) -> bool:
        return any(
            one.network is not None and address in one.network and one.has(port)
            for one in self._entries
        )

    def _may_reach(self, host: str, text: str, port: int) -> bool:
        address = _embedded(ipaddress.ip_address(text.partition("%")[0]))
        if self._lists(address, port):
            return True
        is_named = _address_of(host) is None
        if is_named and _plain(host) == "localhost":
            return address.is_loopback
        return is_named and not _is_special(address)


def _is_special(address: _Address) -> bool:
    """Whether an address is this machine, its link, or no single machine."""
    return (
        address.is_loopback
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or address.is_reserved
        or any(address in network for network in _SECRET_SERVICES)
    )


def _embedded(address: _Address) -> _Address:
    """Return the IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _TRANSLATED:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else address)


def _plain(host: str) -> str:
    return host.lower().rstrip(".")


def _address_of(host: str) -> _Address | None:
    """Return the address that a host is written as; None for a name."""
    try:
        return _embedded(ipaddress.ip_address(host.strip("[]").partition("%")[0]))
    except ValueError:
        return None


def _entry_of(text: str) -> _Entry:
    given, port = text.strip(), None
    head, colon, tail = given.rpartition(":")
    if colon and tail.isdecimal() and (":" not in head or head.endswith("]")):
        given, port = head, int(tail)
    try:
        return _Entry(None, ipaddress.ip_network(given.strip("[]"), strict=False), _port(port))
    except ValueError:
        is_name = bool(given) and all(one.isalnum() or one in "-._" for one in given)
        if not is_name or (port is not None and not 0 < port <= _LARGEST_PORT):
            expected = "a host, an address or a network, with or without a port"
            raise ArgumentError("search_hosts", expected, repr(text[:80])) from None
        return _Entry(_plain(given), None, port)


def _port(port: int | None) -> int | None:
    if port is not None and not 0 < port <= _LARGEST_PORT:
        raise ValueError
    return port


class _TimedSocket(socket.socket):
    """A socket that reads until a deadline, however slowly bytes arrive."""

    deadline: float

    def recv_into(self, *arguments: Any) -> int:  # noqa: ANN401 - those of a socket
        self.settimeout(_left(self.deadline))
        return super().recv_into(*arguments)


class _TimedSecureSocket(ssl.SSLSocket):
    """A timed socket with TLS."""

    deadline: float

    def recv_into(self, *arguments: Any) -> int:  # noqa: ANN401
        self.settimeout(_left(self.deadline))
        return super().recv_into(*arguments)


def _left(deadline: float) -> float:
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


class _Connection(http.client.HTTPConnection):
    """A connection to an allowed host."""

    def __init__(self, hosts: AllowedHosts, host: str, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(host, **settings)
        self._hosts = hosts

    def connect(self) -> None:
        self.sock = self._dial()

    def _dial(self) -> _TimedSocket:
        assert self.timeout is not None
        return self._hosts.connect(self.host, self.port, self.timeout)


class _SecureConnection(_Connection):
    """A connection with TLS, for the name of the host."""

    default_port = http.client.HTTPS_PORT

    def connect(self) -> None:
        plain = self._dial()
        context = ssl.create_default_context()
        context.sslsocket_class = _TimedSecureSocket
        secure = cast("_TimedSecureSocket", context.wrap_socket(plain, server_hostname=self.host))
        secure.deadline = plain.deadline
        self.sock = secure


class _Handler(urllib.request.HTTPHandler):
    def __init__(self, hosts: AllowedHosts) -> None:
        super().__init__()
        self._made: Any = partial(_Connection, hosts)

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._made, request)


class _SecureHandler(urllib.request.HTTPSHandler):
    def __init__(self, hosts: AllowedHosts) -> None:
        super().__init__()
        self._made: Any = partial(_SecureConnection, hosts)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(self._made, request)
