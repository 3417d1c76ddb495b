"""The form of the page Power: its fields as they were typed, read into a question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from starlette.datastructures import QueryParams

from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER
from berryeval.evaluation.slices import Slice
from berryeval.service.workbench.state.measuring import PowerForm

__all__ = ["SOURCES", "read_form"]

SOURCES: Mapping[str, str] = {
    "runs": "measured between two runs",
    "series": "measured over a series of runs",
    "assumed": "assumed from one run",
    "given": "entered below",
}
"""Sources of the spread of differences."""

_DEFAULTS = {"margin": 0.02, "alpha": DEFAULT_RULES.alpha, "power": POWER, "sd": 0.1}
_LEAST = 1e-6
_BELOW = {"margin": 1e6, "alpha": 0.5, "power": 1.0, "sd": 1e6}
"""What each number is below; beyond these limits floating-point numbers overflow."""


def read_form(
    given: QueryParams, measures: Sequence[str], a: str, b: str, source: str
) -> PowerForm:
    """Read the form; `a`, `b` and `source` are its defaults.

    An invalid field gets a message, and the default value takes its place.
    """
    texts = {key: given.get(key, str(default)).strip()[:40] for key, default in _DEFAULTS.items()}
    messages: dict[str, str] = {}
    margin, alpha, power = (_number(texts, key, messages) for key in ("margin", "alpha", "power"))
    chosen = given.get("source", source)
    sd = _number(texts, "sd", messages) if chosen == "given" else None
    part = given.get("slice", "")[:300]
    measure = given.get("measure", measures[0])
    if measure not in measures:
        messages["measure"] = f"expected a measure of the workbench, found {measure[:40]!r}"
        measure = measures[0]
    return PowerForm(
        texts,
        measure,
        str(Slice.read(part) or part),
        chosen if chosen in SOURCES else source,
        given.get("a") or a,
        given.get("b") or b,
        margin,
        alpha,
        power,
        sd,
        messages,
    )


def _number(texts: Mapping[str, str], key: str, messages: dict[str, str]) -> float:
    try:
        found = float(texts[key])
    except ValueError:
        found = math.nan
    if _LEAST <= found < _BELOW[key]:
        return found
    limits = f"from {_LEAST:.6f} to below {_BELOW[key]:g}"
    messages[key] = f"expected a number {limits}, found {texts[key]!r}"
    return _DEFAULTS[key]
