"""Systems by what people type: ``hybrid``, ``postgresql://…``, ``module:function``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import entry_points
from typing import Any

from berryeval.core.query import Query
from berryeval.errors import ArgumentError
from berryeval.search.system import System

__all__ = ["ENTRY_POINTS", "SETTINGS", "open_system"]

ENTRY_POINTS = "berryeval.systems"
"""The group of entry points in which a package names systems of its own."""


def _pair(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(","))


def _yes_or_no(text: str) -> bool:
    known = {"yes": True, "true": True, "no": False, "false": False}
    if text.lower() not in known:
        raise ValueError
    return known[text.lower()]


_FUSION: dict[str, Callable[[str], Any]] = {
    "fusion": str,
    "weights": _pair,
    "depth": int,
    "late": float,
    "feedback": int,
    "constant": float,
}

_ENCODER: dict[str, Callable[[str], Any]] = {
    "encoder": str,
    "pooling": str,
    "max_length": int,
    "query_prefix": str,
    "document_prefix": str,
}

SETTINGS: dict[str, dict[str, Callable[[str], Any]]] = {
    "embedded": {
        "path": str,
        "title_weight": float,
        "approximate": _yes_or_no,
        **_FUSION,
        **_ENCODER,
    },
    "postgres": {
        "mode": str,
        "table": str,
        "rank": str,
        "match": str,
        "normalization": int,
        "title_weight": float,
        "approximate": _yes_or_no,
        **_FUSION,
        **_ENCODER,
    },
    "http": {"body": str, "ids": str, "scores": str},
    "replay": {},
    "function": {},
}
"""The settings that each kind of system takes, and how their text is read."""


def open_system(
    place: str,
    settings: Mapping[str, str] | None = None,
    *,
    queries: Iterable[Query] = (),
    headers: Mapping[str, str] | None = None,
) -> System:
    """Return the system that a text names.

    Parameters
    ----------
    place : str
        ``bm25``, ``vector`` or ``hybrid`` for the embedded engine; an address that begins with
        ``postgresql://`` or ``http://``; ``replay:FILE`` for a stored run; ``module:function``;
        or the name of an entry point, with what it shall be given behind a colon.
    settings : mapping, optional
        Settings as text, see `SETTINGS`. Those of entry points are passed on as they are.
    queries : iterable of Query
        For replays: which text belongs to which id.
    headers : mapping, optional
        For HTTP: what else to send.

    Raises
    ------
    ArgumentError
        If nothing goes by this name, or a setting is unknown or cannot be read.
    """
    given = dict(settings or {})
    kind, _, rest = place.partition(":")
    if place in ("bm25", "vector", "hybrid"):
        from berryeval.search.embedded import Embedded

        return Embedded(place, **_read(given, "embedded"))  # type: ignore[arg-type]
    if kind in ("postgres", "postgresql"):
        from berryeval.search.postgres import Postgres

        return Postgres(place, **_read(given, "postgres"))
    if kind in ("http", "https"):
        from berryeval.search.http import Http

        return Http(place, headers=headers, **_read(given, "http"))
    if kind == "replay":
        from berryeval.search.replay import Replay

        _read(given, "replay")
        return Replay(rest, queries)
    for found in entry_points(group=ENTRY_POINTS, name=kind):
        system: System = found.load()(rest, **given)
        return system
    if rest:
        from berryeval.search.function import Function

        _read(given, "function")
        return Function(place)
    known = "bm25, vector, hybrid, postgresql://…, http://…, replay:FILE or module:function"
    raise ArgumentError("system", known, repr(place))


def _read(settings: Mapping[str, str], kind: str) -> dict[str, Any]:
    readers = SETTINGS[kind]
    found = {}
    for name, text in settings.items():
        if name not in readers:
            known = ", ".join(sorted(readers)) or "none"
            raise ArgumentError("setting", f"one of {kind}'s ({known})", repr(name))
        try:
            found[name] = readers[name](text)
        except ValueError:
            raise ArgumentError(f"setting {name}", _wanted(readers[name]), repr(text)) from None
    return _with_encoder(found)


def _with_encoder(settings: dict[str, Any]) -> dict[str, Any]:
    """Make an embedder of the settings that say which encoder on the disk makes vectors."""
    said = {name: settings.pop(name) for name in _ENCODER if name in settings}
    if not said:
        return settings
    if "encoder" not in said:
        expected = f"encoder=FOLDER beside {', '.join(said)}"
        raise ArgumentError("setting encoder", expected, "none")
    from berryeval.search.onnx_encoder import OnnxEncoder

    return {**settings, "embedder": OnnxEncoder(said.pop("encoder"), **said)}


def _wanted(reader: Callable[[str], Any]) -> str:
    if reader is _pair:
        return "two numbers such as 1,0.5"
    return "yes or no" if reader is _yes_or_no else "a number"
