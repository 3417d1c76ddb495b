"""Where the service listens, what it keeps, and how much it takes."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import COMPARED_MEASURES

__all__ = ["LOCAL_NAMES", "ServiceSettings", "is_loopback", "service_settings"]

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
"""What a browser on the same machine may call the service."""

_MEGABYTE = 1 << 20


@dataclass(frozen=True)
class ServiceSettings:
    """What ``berryeval serve`` is told.

    Parameters
    ----------
    host : str
        The address to listen on.
    port : int
        From 0 to 65535; 0 takes any that is free.
    archive : str
        The path of an SQLite file, or ``postgresql://…``.
    max_body : int
        The most bytes of a request's body; more is answered with 413.
    max_upload : int
        The same for files of runs, as they come and decompressed.
    timeout : float
        Seconds within which a request is answered, or 504 is. A body that stops coming for as
        long is given up.
    allowed_hosts : tuple of str
        Names besides ``localhost`` that a request without a token may call the service by.
    is_token_required : bool or None
        None means: wherever the service listens on anything but loopback.
    systems : mapping of str to mapping
        Search systems of the server's own configuration, ``[systems.NAME]`` of berryeval.toml.
        They are stores that clients can search and cannot change.
    max_jobs : int
        How many long tasks may wait or run at the same time.
    grace : float
        Seconds that requests have to finish when the service is told to stop.
    measures : tuple of str
        What the pages of the workbench show; the first is the one that leads.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    archive: str = "berryeval.db"
    max_body: int = 32 * _MEGABYTE
    max_upload: int = 2048 * _MEGABYTE
    timeout: float = 60.0
    allowed_hosts: tuple[str, ...] = ()
    is_token_required: bool | None = None
    systems: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    max_jobs: int = 100
    grace: float = 10.0
    measures: tuple[str, ...] = tuple(map(str, COMPARED_MEASURES))

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:  # noqa: PLR2004 - what TCP has
            raise ArgumentError("port", "a number from 0 to 65535", str(self.port))
        for name in ("max_body", "max_upload", "max_jobs", "timeout", "grace"):
            if not getattr(self, name) > 0:
                raise ArgumentError(name, "a number above 0", str(getattr(self, name)))

    @property
    def needs_token(self) -> bool:
        """Whether a request without a token is refused."""
        if self.is_token_required is not None:
            return self.is_token_required
        return not is_loopback(self.host)

    @property
    def known_hosts(self) -> frozenset[str]:
        """The names that a request without a token may call the service by."""
        return frozenset(name.lower() for name in (*LOCAL_NAMES, *self.allowed_hosts))


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name: whoever resolves it decides
        return False


def service_settings(
    table: Mapping[str, Any],
    systems: Mapping[str, Mapping[str, Any]],
    flags: Mapping[str, Any],
) -> ServiceSettings:
    """Return what ``[service]`` of berryeval.toml says, unless a flag says otherwise.

    Raises
    ------
    ArgumentError
        For a value that cannot be.
    """
    told = {key: value for key, value in flags.items() if value not in (None, ())}
    found = {**table, **told}
    if "require_token" in found:
        is_required = found.pop("require_token")
        found.setdefault("is_token_required", is_required)
    for name in ("max_body", "max_upload"):
        if f"{name}_mb" in found:
            found[name] = found.pop(f"{name}_mb") * _MEGABYTE
    for name in ("allowed_hosts", "measures"):
        if name in found:
            found[name] = tuple(found[name])
    return ServiceSettings(**found, systems=systems)
