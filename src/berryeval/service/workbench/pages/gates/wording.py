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
    """Return each guard as verdicts name it; nothing for invalid settings.

    Examples
    --------
    >>> guard_sentences({"guards": [{"measure": "RR", "at_least": 0.7, "slices": ["category"]}]})
    ['RR at least 0.7, also in each category']
    """
    try:
        guards = read_gate(settings).guards
    except BerryEvalError:
        return []
    return [
        str(guard)
        + (", with confidence" if getattr(guard, "is_confident", False) else "")
        + "".join(f", also in each {label}" for label in getattr(guard, "slices", ()))
        for guard in guards
    ]


def summary(settings: Mapping[str, Any]) -> str:
    """Return the number of guards of a gate, and its baseline.

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
    """Return the differences between stored settings of a gate and an edit of it."""
    found = [f"{line} (only in the saved gate)" for line in _only(theirs, mine)]
    found += [f"{line} (only in your edit)" for line in _only(mine, theirs)]
    for key, name in _LABELS.items():
        if theirs.get(key) != mine.get(key):
            found.append(f"{name}: saved {_shown(theirs.get(key))}, yours {_shown(mine.get(key))}")
    return found


def _only(some: Mapping[str, Any], others: Mapping[str, Any]) -> Sequence[str]:
    known = guard_sentences(others)
    return [line for line in guard_sentences(some) if line not in known]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "allowed" if value else "not allowed"
    return "nothing" if value is None else str(value)
