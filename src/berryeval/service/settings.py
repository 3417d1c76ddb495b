"""Settings of the service: address, archive and limits."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import COMPARED_MEASURES
from berryeval.search.hosts import AllowedHosts

__all__ = ["LOCAL_NAMES", "SMALL_BODY", "ServiceSettings", "is_loopback", "service_settings"]

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
"""Host names for browsers on the same machine."""

SMALL_BODY = 1 << 20
"""Largest body in bytes of a request that sends a single record or question."""

_MEGABYTE = 1 << 20
_RATE = 100.0
_MAX_WORKERS = 64
_POSITIVE = (
    "max_body", "max_upload", "max_rows", "max_comparison", "max_connections", "max_rate",
    "workers", "task_processes", "task_memory", "max_jobs", "timeout", "grace",
)  # fmt: skip


@dataclass(frozen=True)
class ServiceSettings:
    """Settings of ``berryeval serve``.

    Parameters
    ----------
    host : str
        The address to listen on.
    port : int
        From 0 to 65535; 0 chooses a free port.
    archive : str
        The path of an SQLite file, or ``postgresql://…``.
    max_body : int
        Largest body of a request that sends many records, in bytes; larger ones are rejected with
        413. Other bodies are limited to `SMALL_BODY`.
    max_upload : int
        The same for uploaded files, both compressed and decompressed.
    max_rows : int
        Largest number of rows of an uploaded file.
    max_comparison : float
        Largest price of a comparison (candidates x measures x queries x resamples) or a list of
        holes (runs x measures x queries x the square of the cutoff).
    max_connections : int
        Largest number of connections; additional ones replace waiting ones, or are closed.
    max_rate : float or None
        Largest number of requests per second and caller; additional ones are rejected with 429.
        None means 100 if the service requires a token, and otherwise no limit.
    workers : int
        Number of processes that serve requests, at most 64.
    task_processes : int
        Number of processes for uploads and expensive comparisons. Workers share them; each has at
        least one.
    task_memory : int
        Largest amount of memory of each of these processes, in bytes.
    timeout : float
        Seconds before a request fails with 504, or a stalled body with 408.
    allowed_hosts : tuple of str
        Host names besides ``localhost`` that requests without a token may use.
    is_token_required : bool or None
        Whether requests need a token. None means unless the service listens only on loopback.
    systems : mapping of str to mapping
        Search systems in the configuration of the server, ``[systems.NAME]`` of berryeval.toml.
        They are stores that clients can search but not change.
    search_hosts : tuple of str
        Hosts that systems registered by administrators may reach, see `AllowedHosts`. Without
        any, none can be registered.
    max_jobs : int
        Largest number of jobs that wait or run.
    grace : float
        Seconds that requests have to finish when the service stops.
    measures : tuple of str
        Measures of the workbench; the first is the default.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    archive: str = "berryeval.db"
    max_body: int = 32 * _MEGABYTE
    max_upload: int = 2048 * _MEGABYTE
    max_rows: int = 50_000_000
    max_comparison: float = 2e10
    max_connections: int = 1000
    max_rate: float | None = None
    workers: int = 1
    task_processes: int = 2
    task_memory: int = 4096 * _MEGABYTE
    timeout: float = 60.0
    allowed_hosts: tuple[str, ...] = ()
    is_token_required: bool | None = None
    systems: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    search_hosts: tuple[str, ...] = ()
    max_jobs: int = 100
    grace: float = 10.0
    measures: tuple[str, ...] = tuple(map(str, COMPARED_MEASURES))

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:  # noqa: PLR2004 - what TCP has
            raise ArgumentError("port", "a number from 0 to 65535", str(self.port))
        if self.workers > _MAX_WORKERS:
            raise ArgumentError("workers", f"at most {_MAX_WORKERS}", str(self.workers))
        for name in _POSITIVE:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ArgumentError(name, "a number above 0", str(value))

        AllowedHosts(self.search_hosts)  # raises for an invalid one

    @property
    def needs_token(self) -> bool:
        """Whether requests without a token are rejected."""
        if self.is_token_required is not None:
            return self.is_token_required
        return not is_loopback(self.host)

    @property
    def rate(self) -> float | None:
        """Largest number of requests per second and caller; None for no limit."""
        return _RATE if self.max_rate is None and self.needs_token else self.max_rate

    @property
    def known_hosts(self) -> frozenset[str]:
        """The host names that requests without a token may use."""
        return frozenset(name.lower() for name in (*LOCAL_NAMES, *self.allowed_hosts))


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address.

    Examples
    --------
    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:  # a name, which may resolve to anything
        return False


def service_settings(
    table: Mapping[str, Any],
    systems: Mapping[str, Mapping[str, Any]],
    flags: Mapping[str, Any],
) -> ServiceSettings:
    """Return the settings in ``[service]`` of berryeval.toml, overridden by flags.

    Raises
    ------
    ArgumentError
        For an invalid value.
    """
    given = {key: value for key, value in flags.items() if value not in (None, ())}
    found = {**table, **given}
    if "require_token" in found:
        is_required = found.pop("require_token")
        found.setdefault("is_token_required", is_required)
    for name in ("max_body", "max_upload", "task_memory"):
        if f"{name}_mb" in found:
            found[name] = found.pop(f"{name}_mb") * _MEGABYTE
    for name in ("allowed_hosts", "search_hosts", "measures"):
        if name in found:
            found[name] = tuple(found[name])
    return ServiceSettings(**found, systems=systems)
