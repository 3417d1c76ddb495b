"""Gates and their guards in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from berryeval.errors import BerryEvalError
from berryeval.evaluation.gate_rules import RULES
from berryeval.service.verdicts import read_gate

__all__ = ["changes", "guard_sentences", "summary"]

_LABELS = {"baseline": "Baseline", **{rule.name: rule.label for rule in RULES}}


def guard_sentences(settings: Mapping[str, Any]) -> list[str]:
    """Return what each guard asks, as verdicts call it; nothing for settings that cannot be read.

    Examples
    --------
    >>> guard_sentences({"guards": [{"measure": "RR", "at_least": 0.7, "slices": ["category"]}]})
    ['RR at least 0.7, and in each category']
    """
    try:
        guards = read_gate(settings).guards
    except BerryEvalError:
        return []
    return [
        str(guard)
        + (", surely" if getattr(guard, "is_confident", False) else "")
        + "".join(f", and in each {label}" for label in getattr(guard, "slices", ()))
        for guard in guards
    ]


def summary(settings: Mapping[str, Any]) -> str:
    """Say how many guards a gate has, and its baseline.

    Examples
    --------
    >>> summary({"guards": [{"measure": "RR", "margin": 0.1}], "baseline": "main"})
    '1 guard, against the baseline main'
    """
    n_guards = len(guard_sentences(settings))
    guards = "1 guard" if n_guards == 1 else f"{n_guards} guards"
    baseline = settings.get("baseline")
    return guards if baseline is None else f"{guards}, against the baseline {baseline}"


def changes(theirs: Mapping[str, Any], mine: Mapping[str, Any]) -> list[str]:
    """Return what two people's settings of one gate differ in, theirs first."""
    found = [f"{line} (only theirs)" for line in _only(theirs, mine)]
    found += [f"{line} (only yours)" for line in _only(mine, theirs)]
    for key, name in _LABELS.items():
        if theirs.get(key) != mine.get(key):
            found.append(f"{name}: theirs {_shown(theirs.get(key))}, yours {_shown(mine.get(key))}")
    return found


def _only(some: Mapping[str, Any], others: Mapping[str, Any]) -> Sequence[str]:
    known = guard_sentences(others)
    return [line for line in guard_sentences(some) if line not in known]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "allowed" if value else "not allowed"
    return "nothing" if value is None else str(value)
