"""Systems that administrators register over HTTP: what they may be, and how they are opened.

Only addresses of allowed hosts are accepted. Names of files, functions and databases are not: an
operator can put them into the configuration of the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from berryeval.archive.records import RegisteredSystem
from berryeval.errors import ArgumentError
from berryeval.search.exchange import check_address
from berryeval.search.hosts import AllowedHosts, HostError
from berryeval.search.opening import check_no_secret, kind_of
from berryeval.search.tuning import LONGEST_VALUE, read_changes, tunables_of
from berryeval.service.stores.engines import SystemOpener, opener_of

__all__ = ["HEADER", "SETTINGS", "check_registration", "registered_opener"]

HEADER = "header "
"""Prefix of the name of a secret that is sent as a header."""

SETTINGS: Mapping[str, tuple[str, ...]] = {
    "http": ("body", "ids", "scores"),
    "opensearch": (
        "index", "mode", "dialect", "template", "search_pipeline", "fields", "vector_field",
        "weights", "constant", "depth",
    ),
}  # fmt: skip
"""The settings that a registered system may have, by kind. None names a file."""

_CREDENTIALS = {"http": (), "opensearch": ("user", "password", "api_key")}
_PORTS = {"http": 80, "https": 443}


def check_registration(
    name: str,
    place: str,
    settings: Mapping[str, str],
    secrets: Mapping[str, str],
    hosts: AllowedHosts,
) -> None:
    """Raise if a system cannot be registered; no request is sent.

    Parameters
    ----------
    name : str
        Its name.
    place : str
        Its address: ``http://…`` or ``https://…``, or one after ``opensearch:`` or
        ``elasticsearch:``. It must not contain credentials, since every reader can see it.
    settings : mapping of str to str
        Some of `SETTINGS`.
    secrets : mapping of str to str
        Headers, as ``header NAME``; for OpenSearch also ``user``, ``password`` and ``api_key``.
    hosts : AllowedHosts
        The hosts that the operator has allowed.

    Raises
    ------
    ArgumentError
        If the registration is invalid; the message names the invalid part.
    """
    kind = kind_of(place) or ""
    if kind not in SETTINGS:
        expected = "an address with http:// or https://, for OpenSearch after opensearch:"
        raise ArgumentError("system", expected, "something else")
    check_no_secret(place, "system")
    parts = check_address(place if kind == "http" else place.partition(":")[2])
    try:
        hosts.check(parts.hostname or "", parts.port or _PORTS[parts.scheme])
    except HostError as error:
        way_out = "the operator of the service can allow it with --search-host"
        raise ArgumentError("system", "an allowed host", f"{error}; {way_out}") from None
    _check_names("setting", settings, SETTINGS[kind])
    known = {one.name: one for one in tunables_of(place)}
    read_changes(tuple(known.values()), {one: settings[one] for one in settings if one in known})
    plain = {one: value for one, value in secrets.items() if not one.startswith(HEADER)}
    _check_names("secret", plain, _CREDENTIALS[kind])
    for one, value in {**settings, **secrets}.items():
        if len(value) > LONGEST_VALUE:
            raise ArgumentError(one, f"at most {LONGEST_VALUE:,} characters", f"{len(value):,}")
    _opener(name, place, settings, secrets, hosts)().close()


def registered_opener(system: RegisteredSystem, hosts: AllowedHosts) -> SystemOpener:
    """Return what opens a registered system."""
    return _opener(system.name, system.place, system.settings, system.secrets, hosts)


def _opener(
    name: str,
    place: str,
    settings: Mapping[str, str],
    secrets: Mapping[str, str],
    hosts: AllowedHosts,
) -> SystemOpener:
    headers = {
        one.removeprefix(HEADER): value for one, value in secrets.items() if one.startswith(HEADER)
    }
    table: dict[str, Any] = {"system": place, "headers": headers, **settings}
    table |= {one: value for one, value in secrets.items() if not one.startswith(HEADER)}
    if kind_of(place) == "opensearch":
        # Otherwise those in the environment of the server would be sent.
        table.setdefault("user", "")
        if table["user"]:
            table.setdefault("password", "")
    return opener_of(name, table, hosts)


def _check_names(what: str, given: Mapping[str, str], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise ArgumentError(what, f"one of {', '.join(known) or 'none'}", repr(name[:80]))
