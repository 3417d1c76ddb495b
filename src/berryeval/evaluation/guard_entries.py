"""Guards as tables: one entry of ``[[gate.guard]]`` in TOML, or of ``guards`` in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from berryeval.errors import ArgumentError, BerryEvalError, InputError
from berryeval.evaluation.guards import (
    Guard,
    LatencyGuard,
    Margin,
    MarginGuard,
    ThresholdGuard,
    positional,
)
from berryeval.evaluation.rule_kinds import (
    Rule,
    amount,
    check_keys,
    flag,
    labels,
    number,
    rules_of,
    text,
)
from berryeval.evaluation.slices import LABELS
from berryeval.measures import parse_measure

__all__ = ["ENTRY", "GUARD_EXAMPLES", "GuardEntry", "entry_of", "guards_of_texts", "read_guards"]

GUARD_EXAMPLES = {"at_least": "P@5=0.70", "margin": "nDCG@10=0.05", "equivalent": "nDCG@10=0.01"}


@dataclass(frozen=True)
class GuardEntry:
    """One entry: a measure with ``at_least``, ``margin`` or ``equivalent``; or a latency."""

    measure: str | None = text(
        longest=200, expected="a measure", help="Measure to guard.", example="nDCG@10"
    )
    at_least: float | None = number(
        None,
        help="Threshold that the mean on this set must reach; equality passes. At most the "
        "measure's highest value.",
    )
    confident: bool | None = flag(
        help="Require the lower end of the interval to reach `at_least`, too."
    )
    margin: float | str | None = amount(
        help="Largest acceptable drop from the baseline: a number, or a share of the baseline's "
        'mean such as `"2%"`. At most the measure\'s range.'
    )
    equivalent: float | str | None = amount(
        help="Largest acceptable change from the baseline in either direction, for a refactoring "
        "that should change nothing. Same syntax as `margin`, which it replaces."
    )
    slices: tuple[str, ...] | None = labels(
        help=f"Labels ({', '.join(f'`{label}`' for label in LABELS)}). The guard also applies to "
        "each of their slices."
    )
    latency: str | None = text(
        longest=20,
        expected="a percentile such as 'p95'",
        example="p95",
        help='Percentile of the query times, such as `"p95"`, with `at_most_ms`. Between two '
        "times, the higher one is used.",
    )
    at_most_ms: float | None = number(None, help="Maximum time in milliseconds at that percentile.")

    def guards(self) -> tuple[Guard, ...]:
        """Return a guard of each kind that the entry defines."""
        given = [rule.name for rule in ENTRY if getattr(self, rule.name) is not None]
        if self.latency is not None:
            return (self._latency_guard(self.latency, given),)
        if self.measure is None:
            raise InputError("expected measure or latency, found neither")
        measure, slices = parse_measure(self.measure), self.slices or ()
        found: list[Guard] = []
        if self.at_least is not None:
            found.append(ThresholdGuard(measure, self.at_least, bool(self.confident), slices))
        if self.margin is not None:
            found.append(MarginGuard(measure, Margin.parse(self.margin), slices))
        if self.equivalent is not None:
            if self.margin is not None:
                raise ArgumentError("equivalent", "no margin in the same guard", "one")
            same = Margin.parse(self.equivalent)
            found.append(MarginGuard(measure, same, slices, is_equivalence=True))
        if not found:
            raise InputError(f"expected at_least, margin or equivalent for {measure}, found none")
        for key, partner in (("confident", "at_least"), ("at_most_ms", "latency")):
            if key in given and partner not in given:
                raise ArgumentError(key, f"{partner} in the same guard", "none")
        return tuple(found)

    def _latency_guard(self, latency: str, given: list[str]) -> LatencyGuard:
        found = re.fullmatch(r"p([0-9]+(?:\.[0-9]+)?)", latency)
        if found is None:
            raise ArgumentError("latency", "a percentile such as 'p95'", repr(latency)[:60])
        if self.at_most_ms is None or len(given) != 2:  # noqa: PLR2004 - latency and at_most_ms
            raise InputError(f"expected latency and at_most_ms, found {', '.join(given)}")
        return LatencyGuard(float(found[1]), self.at_most_ms)


ENTRY: tuple[Rule, ...] = rules_of(GuardEntry)
"""The keys of an entry."""


def read_guards(entries: object) -> tuple[Guard, ...]:
    """Read a list of entries; one with ``at_least`` and ``margin`` is two guards.

    Raises `InputError` with the number of an invalid entry.
    """
    if not isinstance(entries, (list, tuple)):
        raise ArgumentError("gate.guard", "a list", repr(entries)[:60])
    found: list[Guard] = []
    for place, entry in enumerate(entries, start=1):
        found += _guards_of(entry, f"gate.guard {place}")
    return tuple(found)


def _guards_of(entry: object, where: str) -> tuple[Guard, ...]:
    try:
        return _read_entry(entry).guards()
    except BerryEvalError as error:
        raise InputError(f"{where}: {error}") from None


def _read_entry(entry: object) -> GuardEntry:
    if not isinstance(entry, Mapping):
        raise InputError(f"expected a table, got {repr(entry)[:60]}")
    check_keys(entry, [rule.name for rule in ENTRY], "")
    return GuardEntry(
        **{
            rule.name: rule.check(entry[rule.name], rule.name)
            for rule in ENTRY
            if rule.name in entry
        }
    )


def entry_of(guard: Guard) -> dict[str, Any]:
    """Return the entry that `read_guards` reads as this guard, as JSON and TOML hold it.

    Examples
    --------
    >>> entry_of(LatencyGuard(95, 200))
    {'latency': 'p95', 'at_most_ms': 200}
    """
    if isinstance(guard, LatencyGuard):
        return {"latency": f"p{positional(guard.percentile)}", "at_most_ms": guard.at_most_ms}
    entry: dict[str, Any] = {"measure": str(guard.measure)}
    if isinstance(guard, ThresholdGuard):
        entry["at_least"] = guard.at_least
        if guard.is_confident:
            entry["confident"] = True
    else:
        key = "equivalent" if guard.is_equivalence else "margin"
        entry[key] = guard.margin.to_plain()
    if guard.slices:
        entry["slices"] = list(guard.slices)
    return entry


def guards_of_texts(
    texts: Mapping[str, Iterable[str]], names: Mapping[str, str]
) -> tuple[Guard, ...]:
    """Read guards of the form ``MEASURE=VALUE``, as flags and environment variables have them.

    Texts are by ``"at_least"``, ``"margin"`` and ``"equivalent"``; `names` has the names of these
    in messages.
    """
    found: list[Guard] = []
    for kind, example in GUARD_EXAMPLES.items():
        for given in texts.get(kind, ()):
            name, _, value = given.rpartition("=")
            try:
                limit = float(value) if kind == "at_least" else value
            except ValueError:
                name = ""
            if not name:
                expected = f"MEASURE=VALUE such as {example}"
                raise ArgumentError(names[kind], expected, repr(given)[:60])
            measure = parse_measure(name)
            if kind == "at_least":
                found.append(ThresholdGuard(measure, float(limit)))
            else:
                is_equivalence = kind == "equivalent"
                found.append(
                    MarginGuard(measure, Margin.parse(limit), is_equivalence=is_equivalence)
                )
    return tuple(found)
