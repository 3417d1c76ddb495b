"""The settings of systems that users may change while they try queries.

Only settings that decide how documents are ranked are tunable. Those that name a file, a table, a
host or a credential are not, since the values come from outside.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args, get_origin, get_type_hints

from berryeval.errors import ArgumentError
from berryeval.search.opening import POSTGRES, SETTINGS, kind_of
from berryeval.search.systems.hybrid import default_weights

__all__ = ["LONGEST_VALUE", "Tunable", "TunableKind", "read_changes", "tunables_of"]

TunableKind: TypeAlias = Literal["number", "whole", "pair", "choice", "text", "json"]
"""The type of a setting's value."""

LONGEST_VALUE = 20_000
"""Maximum length of a value, in characters."""

_MAX_BRACKETS = 200
"""JSON with more of them could nest too deeply to be filled in."""

_LARGEST = 1_000_000.0


@dataclass(frozen=True)
class Tunable:
    """A setting that may be changed."""

    name: str
    kind: TunableKind
    about: str
    """Description of its effect."""
    value: str | None
    """Its value as text; None if it has none, or one that is not shown."""
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    is_advanced: bool = False
    """Whether it is rarely changed, so a form can fold it unless there is nothing else to show."""


class _Declared(NamedTuple):
    about: str
    least: float | None = None
    most: float | None = None
    is_advanced: bool = False


_MODE = _Declared("Search by words, by meaning, or by both")
_FUSION = {
    "title_weight": _Declared("Weight of words in the title", 0, 1000, is_advanced=True),
    "fusion": _Declared("Fuse scores, or ranks"),
    "weights": _Declared("Weights of words and vectors", 0, _LARGEST),
    "late": _Declared(
        "Weight of the token matching; 0 turns it off", 0, _LARGEST, is_advanced=True
    ),
    "feedback": _Declared(
        "Documents that a second search learns from; 0 turns it off", 0, 100, is_advanced=True
    ),
    "constant": _Declared("Added to each rank, if ranks are fused", 0, _LARGEST, is_advanced=True),
    "depth": _Declared("Hits of each search to fuse", 1, 10_000, is_advanced=True),
}
_TUNABLE: Mapping[str, Mapping[str, _Declared]] = {
    "embedded": {"mode": _MODE, **_FUSION},
    "postgres": {
        "mode": _MODE,
        "rank": _Declared("How words are weighted"),
        "match": _Declared("Whether any word must match, or all"),
        **_FUSION,
    },
    "opensearch": {
        "mode": _MODE,
        "fields": _Declared("Text fields, with weights such as title^2"),
        **{name: _FUSION[name] for name in ("weights", "constant", "depth")},
        "template": _Declared("Your own query: JSON with {{query}} and {{k}}"),
    },
    "http": {
        "body": _Declared("Request body: JSON with {query} and {k}"),
        "ids": _Declared("Path to the document ids"),
        "scores": _Declared("Path to the scores"),
    },
}
_ONLY = {"bm25": ("title_weight",), "vector": ()}
"""The tunable settings of embedded engines that search in one way."""

_ALIASES = ("knn",)
"""Choices that are aliases of others."""

_JSON: Mapping[str, tuple[str, ...]] = {"template": ("{",), "body": ("{", "[", '"')}
"""How values in JSON begin. Any other text would be the name of a file on the server."""


def tunables_of(place: str, settings: Mapping[str, str] | None = None) -> tuple[Tunable, ...]:
    """Return the tunable settings of a system, with their values.

    Parameters
    ----------
    place : str
        The name of a system, as `open_system` accepts it.
    settings : mapping, optional
        Its settings as text. Others have their defaults.

    Examples
    --------
    >>> [(one.name, one.value) for one in tunables_of("https://search.example/?q={query}")]
    [('body', None), ('ids', 'hits[*].id'), ('scores', None)]
    """
    given = {**POSTGRES.get(place, {}), **(settings or {})}
    kind = kind_of(place) or ""
    if kind == "postgres" and "template" in given:  # a statement in a file
        return ()
    declared = _TUNABLE.get(kind, {})
    names = _ONLY.get(place, tuple(declared))
    if kind == "embedded":
        given["mode"] = place
    given.setdefault("weights", _text(default_weights(given.get("fusion", "scores"))) or "")  # type: ignore[arg-type]
    factory = _factory(kind) if names else None
    return tuple(_tunable(kind, name, declared[name], factory, given.get(name)) for name in names)


def _factory(kind: str) -> type:
    """Return the class of a kind, whose constructor declares choices and defaults."""
    if kind == "embedded":
        from berryeval.search.systems.embedded import Embedded

        return Embedded
    if kind == "postgres":
        from berryeval.search.systems.postgres import Postgres

        return Postgres
    if kind == "opensearch":
        from berryeval.search.systems.opensearch import OpenSearch

        return OpenSearch
    from berryeval.search.systems.http import Http

    return Http


def _tunable(
    kind: str, name: str, declared: _Declared, factory: type | None, given: str | None
) -> Tunable:
    assert factory is not None
    constructor: Callable[..., None] = factory.__init__  # type: ignore[misc]
    hint = get_type_hints(constructor)[name]
    value = given
    if value is None:
        value = _text(inspect.signature(constructor).parameters[name].default)
    if get_origin(hint) is Literal:
        choices = tuple(one for one in get_args(hint) if one not in _ALIASES)
        return Tunable(name, "choice", declared.about, value, choices)
    if name in _JSON:
        is_shown = value is not None and value.lstrip().startswith(_JSON[name])
        return Tunable(name, "json", declared.about, value if is_shown else None)
    if declared.least is None:
        return Tunable(name, "text", declared.about, value)
    kinds: dict[object, TunableKind] = {float: "number", int: "whole"}
    shape = kinds.get(SETTINGS[kind][name], "pair")
    return Tunable(name, shape, declared.about, value, (), *declared[1:])


def _text(value: object) -> str | None:
    """Return a default as text, as `read_settings` reads it."""
    if isinstance(value, tuple):
        return ",".join(_text(part) or "" for part in value)
    if value is None:
        return None
    return f"{value:g}" if isinstance(value, float) else str(value)


def read_changes(known: Sequence[Tunable], given: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings whose values differ from those of a system, checked.

    A blank value stands for the system's own.

    Raises
    ------
    ArgumentError
        For a setting that may not be changed, and for an invalid value.
    """
    by_name = {one.name: one for one in known}
    found = {}
    for name, text in given.items():
        if name not in by_name:
            names = ", ".join(by_name) or "none"
            raise ArgumentError("setting", f"one that can be changed here ({names})", repr(name))
        value = text.strip()
        if value and _checked(by_name[name], value) != _checked(by_name[name], by_name[name].value):
            found[name] = value
    return found


def _checked(one: Tunable, value: str | None) -> object:
    """Return a valid value in a form that can be compared."""
    if value is None:
        return None
    where = f"setting {one.name}"
    if len(value) > LONGEST_VALUE:
        raise ArgumentError(where, f"at most {LONGEST_VALUE:,} characters", f"{len(value):,}")
    if one.kind == "choice" and value not in one.choices:
        raise ArgumentError(where, " or ".join(map(repr, one.choices)), repr(value[:80]))
    if one.kind == "json":
        if not value.startswith(_JSON[one.name]):
            raise ArgumentError(where, "JSON", repr(value[:40]))
        if value.count("{") + value.count("[") > _MAX_BRACKETS:
            raise ArgumentError(where, f"at most {_MAX_BRACKETS} brackets", "more")
    return value if one.least is None else _numbers(one, value)


def _numbers(one: Tunable, value: str) -> tuple[float, ...]:
    assert one.least is not None
    assert one.most is not None
    read = int if one.kind == "whole" else float
    parts = value.split(",")
    try:
        numbers = tuple(read(part) for part in parts)
        # NaN is not in the range, and so not a valid weight.
        is_valid = all(one.least <= number <= one.most for number in numbers)
    except ValueError:
        is_valid = False
    if not is_valid or len(parts) != (2 if one.kind == "pair" else 1):
        words = {"whole": "a whole number", "pair": "two numbers such as 1,0.5, each"}
        expected = f"{words.get(one.kind, 'a number')} from {one.least:g} to {one.most:g}"
        raise ArgumentError(f"setting {one.name}", expected, repr(value[:80]))
    return numbers
