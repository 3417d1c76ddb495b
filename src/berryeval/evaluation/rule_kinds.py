"""Declarations of settings: which values are valid, how text is read, and the description.

A declaration is a field of a dataclass. Readers of TOML, JSON, environment variables, flags and
forms, and the pages that describe them, are made from it.
"""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any, Literal, TypeAlias

from berryeval.errors import ArgumentError, BerryEvalError, InputError
from berryeval.evaluation.slices import LABELS, SliceLabel

__all__ = [
    "Rule",
    "amount",
    "check_keys",
    "choice",
    "flag",
    "labels",
    "number",
    "rules_of",
    "text",
    "whole",
]

Value: TypeAlias = "Any"
"""A value of a setting: its rule knows the type."""

_WRONG = (TypeError, ValueError, OverflowError)
_FLAGS = {
    **dict.fromkeys(("yes", "true", "1", "on"), True),
    **dict.fromkeys(("no", "false", "0", "off"), False),
}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One setting: its default, its limits, and its description."""

    help: str
    """One or two sentences, for a flag, a form and a table."""
    default: Value
    expected: str
    """The expected value, as error messages state it."""
    annotation: Value
    """The type of a value in JSON."""
    checked: Callable[[Any], Value]
    """Returns a value in its own type, or raises TypeError, ValueError or OverflowError."""
    parsed: Callable[[str], Value] = str
    """Reads text; raises ValueError."""
    written: Callable[[Any], str] = str
    """Writes a value as `parsed` reads it."""
    plain: Callable[[Any], Value] = lambda value: value
    """Returns a value as JSON and TOML hold it."""
    limits: Mapping[str, Value] = field(default_factory=dict)
    """The limits of a value, as pydantic names them."""
    words: Mapping[Value, str] = field(default_factory=dict)
    """The words of a form for each choice; None is the choice of no value."""
    label: str = ""
    """The caption in a form."""
    form_help: str = ""
    """The description in a form, if `help` has words of files that the form does not show."""
    default_text: str = ""
    """What the default means, if the value alone does not make it clear."""
    example: str = ""
    name: str = ""
    """The field's name, which is also the key in TOML and JSON."""
    argument: str = ""
    """The keyword argument in Python; the name unless declared."""
    is_common: bool = False
    """Whether a form shows it without expanding."""
    is_of_set: bool = False
    """Whether it describes the judgments rather than the gate: TOML has it above ``[gate]``."""

    @property
    def flag(self) -> str:
        """The option of the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"BERRYEVAL_{self.name.upper()}"

    @property
    def shown_default(self) -> str:
        """The default in words, or as it is written."""
        return self.default_text or self.text(self.default)

    def check(self, value: object, where: str) -> Value:
        """Return the value in its own type; raise `ArgumentError` with `where` if it is invalid."""
        if value is None and self.default is None:
            return None
        try:
            return self.checked(value)
        except ArgumentError as error:
            place = f"{where} {error.argument}".rstrip()
            raise ArgumentError(place, error.expected, error.got) from None
        except BerryEvalError as error:
            raise InputError(f"{where}: {error}") from None
        except _WRONG:
            raise ArgumentError(where, self.expected, repr(value)[:60]) from None

    def parse(self, text: str, where: str) -> Value:
        """Read text from a flag, an environment variable or a form; empty is the default."""
        stripped = text.strip()
        if not stripped:
            return self.default
        try:
            value = self.parsed(stripped)
        except _WRONG:
            raise ArgumentError(where, self.expected, repr(text)[:60]) from None
        return self.check(value, where)

    def text(self, value: Value) -> str:
        """Write a value as `parse` reads it; one of another type as it is."""
        try:
            return "" if value is None else self.written(value)
        except (AttributeError, *_WRONG):
            return str(value)


def _declared(default: Value, **declared: Value) -> Value:
    """Return a field of a dataclass with a default, and its rule in the metadata."""
    rule = Rule(default=default, **declared)
    kept = {"default_factory": dict} if isinstance(default, dict) else {"default": default}
    return field(**kept, metadata={"rule": rule})


def number(
    default: float | None,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    most: float = math.inf,
    **declared: Value,
) -> Value:
    """Declare a number.

    Messages do not mention `most`, which no sensible value reaches. Without limits any number is
    taken, infinity included: the guard that it belongs to checks it.
    """
    expected = "a number"
    if above > -math.inf:
        expected += (
            f" above {above:g}" if below == math.inf else f" between {above:g} and {below:g}"
        )
    ends = {"gt": above, "lt": below, "le": most}

    def checked(value: Value) -> float:
        found = _real(value)
        if above > -math.inf and not (above < found < below and found <= most):
            raise ValueError
        return found

    return _declared(
        default,
        expected=expected,
        annotation=float,
        checked=checked,
        parsed=float,
        written=lambda value: repr(value).removesuffix(".0"),  # reads back as the same number
        limits={"allow_inf_nan": False, **{k: v for k, v in ends.items() if math.isfinite(v)}},
        **declared,
    )


def whole(
    default: int | None, *, least: int = 0, most: int = 2**31 - 1, **declared: Value
) -> Value:
    """Declare a whole number."""

    def checked(value: Value) -> int:
        found = operator.index(value)
        if isinstance(value, bool) or not least <= found <= most:
            raise ValueError
        return found

    return _declared(
        default,
        expected=f"a whole number from {least} to {most}",
        annotation=int,
        checked=checked,
        parsed=int,
        limits={"ge": least, "le": most},
        **declared,
    )


def choice(default: Value, words: Mapping[Value, str], **declared: Value) -> Value:
    """Declare one of a few values, each with the words of a form."""
    choices = tuple(one for one in words if one is not None)

    def checked(value: Value) -> Value:
        # True equals 1, but is not an exit code.
        if not any(value == one and type(value) is type(one) for one in choices):
            raise ValueError
        return value

    return _declared(
        default,
        expected=" or ".join(map(repr, choices)),
        annotation=Literal[choices],
        checked=checked,
        parsed=lambda text: {str(one): one for one in choices}.get(text, text),
        words=words,
        **declared,
    )


def flag(*, default: bool | None = None, **declared: Value) -> Value:
    """Declare true or false."""

    def checked(value: Value) -> bool:
        if not isinstance(value, bool):
            raise TypeError
        return value

    return _declared(
        default,
        expected="true or false",
        annotation=bool,
        checked=checked,
        parsed=lambda text: _FLAGS.get(text.lower(), text),
        written=lambda value: "yes" if value is True else "no",
        **declared,
    )


def text(*, longest: int, expected: str = "text", **declared: Value) -> Value:
    """Declare text, or none."""

    def checked(value: Value) -> str:
        if not isinstance(value, str):
            raise TypeError
        return value

    limits = {"min_length": 1, "max_length": longest}
    return _declared(
        None, expected=expected, annotation=str, checked=checked, limits=limits, **declared
    )


def amount(**declared: Value) -> Value:
    """Declare a number or a share such as ``"2%"``, or none; a `Margin` checks which."""
    return _declared(
        None,
        expected="a number, or text such as '2%'",
        annotation=float | str,
        checked=lambda value: value if isinstance(value, str) else _real(value),
        **declared,
    )


def labels(**declared: Value) -> Value:
    """Declare a list of labels that queries can be sliced by, or none."""

    def checked(value: Value) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise TypeError
        for label in value:
            if label not in LABELS:
                raise ArgumentError("", " or ".join(map(repr, LABELS)), repr(label)[:60])
        return tuple(dict.fromkeys(value))

    return _declared(
        None,
        expected="a list",
        annotation=list[SliceLabel],
        checked=checked,
        limits={"max_length": len(LABELS)},
        **declared,
    )


def _real(value: Value) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError
    return float(value)


def rules_of(kind: type) -> tuple[Rule, ...]:
    """Return the rules that a dataclass declares, with their names."""
    return tuple(
        replace(rule, name=one.name, argument=rule.argument or one.name)
        for one in fields(kind)
        if (rule := one.metadata.get("rule")) is not None
    )


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise `InputError` for an unknown key, with the nearest known one."""
    names = list(known)
    for key in table:
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys are {', '.join(names)}"
            raise InputError(f"{where}{key}: unknown key; {hint}")
