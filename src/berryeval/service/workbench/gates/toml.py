"""A gate as the lines of ``berryeval.toml`` that make the command line decide the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from berryeval.suite.settings import GateSettings

__all__ = ["gate_to_toml"]

_TOP = ("max_grade", "pool_depth")
_GATE = ("alpha", "seed", "resamples", "inference", "holes", "smallest_slice", "allow_other_corpus")
_DEFAULTS = GateSettings()


def gate_to_toml(settings: Mapping[str, Any]) -> str:
    """Write the settings of a gate; what is as it is by default is left out, but for alpha.

    The service knows baselines by name, the command line by file: the baseline is a file of that
    name, as `berryeval baseline save` writes one.

    Examples
    --------
    >>> print(gate_to_toml({"guards": [{"measure": "RR", "at_least": 0.7}]}))
    [gate]
    alpha = 0.05
    <BLANKLINE>
    [[gate.guard]]
    measure = "RR"
    at_least = 0.7
    <BLANKLINE>
    """
    return "\n".join("\n".join(part) + "\n" for part in _parts(settings) if part)


def _parts(settings: Mapping[str, Any]) -> Iterator[list[str]]:
    top = {key: settings[key] for key in _TOP if settings.get(key) is not None}
    baseline = settings.get("baseline")
    named = {} if baseline is None else {"baseline": f"baselines/{baseline}.json"}
    yield _lines({**named, **top})
    rules = {
        key: settings.get(key, getattr(_DEFAULTS, key))
        for key in _GATE
        if key == "alpha" or settings.get(key, None) not in (None, getattr(_DEFAULTS, key))
    }
    yield ["[gate]", *_lines(rules)]
    for entry in settings["guards"]:
        yield ["[[gate.guard]]", *_lines(entry)]


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items()]


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + "".join(map(_character, value)) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)


def _character(character: str) -> str:
    """Write a character of a basic string; a lone surrogate, which TOML cannot hold, as ``?``."""
    code = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if code < 0x20 or code == 0x7F:  # noqa: PLR2004
        return f"\\u{code:04X}"
    return "?" if 0xD800 <= code <= 0xDFFF else character  # noqa: PLR2004
