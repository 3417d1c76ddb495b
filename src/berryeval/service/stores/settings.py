"""Settings of embedded stores, and of systems in the configuration of the server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, TypeAlias

from berryeval.errors import ArgumentError
from berryeval.search.opening import OWN_KEYS, SETTINGS, kind_of, open_configured_system
from berryeval.search.system import System
from berryeval.service.stores.engines import new_engine
from berryeval.suite.settings import setting_text

__all__ = ["Kind", "check_settings", "opener_of"]

Kind: TypeAlias = Literal["bm25", "vector", "hybrid"]

_TAKEN: Mapping[str, frozenset[str]] = {
    "bm25": frozenset({"title_weight"}),
    "vector": frozenset({"approximate"}),
    "hybrid": frozenset({"title_weight", "approximate", "weights", "constant", "depth"}),
}


def check_settings(kind: str, settings: Mapping[str, Any]) -> None:
    """Raise for an unknown setting or an invalid value."""
    for name in settings:
        if name not in _TAKEN[kind]:
            known = ", ".join(sorted(_TAKEN[kind]))
            raise ArgumentError("settings", f"one of {kind}'s ({known})", repr(name))
    new_engine(kind, settings)


def opener_of(name: str, table: Mapping[str, Any]) -> Callable[[], System]:
    """Return a function that opens a system in the configuration of the server.

    Parameters
    ----------
    name : str
        Its name for clients.
    table : mapping
        ``system``, as for `berryeval retrieve`; ``dsn`` and ``headers`` if it needs them; every
        other key is a setting of that system.

    Raises
    ------
    ArgumentError
        Without a system, or for an unknown setting.
    """
    place = table.get("system")
    if not isinstance(place, str):
        raise ArgumentError(f"systems.{name}", 'system = "…"', repr(place))
    kind = kind_of(place)
    known = SETTINGS[kind] if kind else None
    for key in table:
        if known is not None and key not in known and key not in OWN_KEYS:
            expected = f"one of {', '.join(sorted(known)) or 'no settings'}"
            raise ArgumentError(f"systems.{name}", expected, repr(key))
    texts = {
        key: value if key in OWN_KEYS else setting_text(value, f"systems.{name}.{key}")
        for key, value in table.items()
    }
    return partial(open_configured_system, name, texts)
