"""A gate as the lines of ``berryeval.toml`` that make the command line decide the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from berryeval.evaluation.gate_rules import DEFAULT_RULES, RULES, GateRules

__all__ = ["gate_to_toml"]


def gate_to_toml(rules: GateRules, baseline: str | None = None) -> str:
    """Write the rules of a gate; defaults are left out, except alpha.

    The service knows baselines by name, the command line by file: the baseline is a file of that
    name, as `berryeval baseline save` writes one.

    Examples
    --------
    >>> rules = GateRules.from_dict({"guards": [{"measure": "RR", "at_least": 0.7}]})
    >>> print(gate_to_toml(rules))
    [gate]
    alpha = 0.05
    <BLANKLINE>
    [[gate.guard]]
    measure = "RR"
    at_least = 0.7
    <BLANKLINE>
    """
    return "\n".join("\n".join(part) + "\n" for part in _parts(rules, baseline) if part)


def _parts(rules: GateRules, baseline: str | None) -> Iterator[list[str]]:
    plain = rules.to_dict()
    changed = [
        rule
        for rule in RULES
        if rule.name == "alpha" or getattr(rules, rule.name) != getattr(DEFAULT_RULES, rule.name)
    ]
    named = {} if baseline is None else {"baseline": f"baselines/{baseline}.json"}
    yield _lines({**named, **{rule.name: plain[rule.name] for rule in changed if rule.is_of_set}})
    yield ["[gate]", *_lines({r.name: plain[r.name] for r in changed if not r.is_of_set})]
    for entry in plain["guards"]:
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
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_value(key)} = {_value(one)}' for key, one in value.items())}}}"
    return repr(value)


def _character(character: str) -> str:
    """Write a character of a basic string; a lone surrogate, which TOML cannot hold, as ``?``."""
    code = ord(character)
    if character in '"\\':
        return f"\\{character}"
    if code < 0x20 or code == 0x7F:  # noqa: PLR2004
        return f"\\u{code:04X}"
    return "?" if 0xD800 <= code <= 0xDFFF else character  # noqa: PLR2004
