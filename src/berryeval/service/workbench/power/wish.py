"""What somebody wants to know of a golden set: the fields of the form, as they were typed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from starlette.datastructures import QueryParams

from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER
from berryeval.evaluation.slices import Slice

__all__ = ["SOURCES", "Wish", "read_wish"]

SOURCES: Mapping[str, str] = {
    "runs": "measured between two runs",
    "series": "measured over a series of runs",
    "assumed": "assumed from one run",
    "given": "as I say",
}
"""Where the spread of differences comes from."""

_MARGIN, _SD = 0.02, 0.1
_ALPHA = DEFAULT_RULES.alpha
_DEFAULTS = {"margin": str(_MARGIN), "alpha": str(_ALPHA), "power": str(POWER), "sd": str(_SD)}


@dataclass(frozen=True)
class Wish:
    """A question, with whatever is wrong with it beside its field."""

    texts: Mapping[str, str]
    measure: str
    slice: str
    """``label=value``, or empty for all queries."""
    source: str
    a: str
    b: str
    margin: float = _MARGIN
    alpha: float = _ALPHA
    power: float = POWER
    sd: float | None = None
    messages: Mapping[str, str] = field(default_factory=dict)


def read_wish(given: QueryParams, measures: Sequence[str], a: str, b: str, source: str) -> Wish:
    """Read the form; `a`, `b` and `source` are taken where it does not say.

    What cannot be read is told beside its field, and the usual value takes its place.
    """
    texts = {key: given.get(key, default).strip()[:40] for key, default in _DEFAULTS.items()}
    messages: dict[str, str] = {}
    margin = _number(texts, "margin", _MARGIN, math.inf, messages)
    alpha = _number(texts, "alpha", _ALPHA, 0.5, messages)
    power = _number(texts, "power", POWER, 1.0, messages)
    chosen = given.get("source", source)
    sd = None
    if chosen == "given":
        sd = _number(texts, "sd", _SD, math.inf, messages)
    part = given.get("slice", "")[:300]
    measure = given.get("measure", measures[0])
    if measure not in measures:
        messages["measure"] = f"expected one that the workbench shows, found {measure[:40]!r}"
        measure = measures[0]
    return Wish(
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


def _number(
    texts: Mapping[str, str], key: str, default: float, below: float, messages: dict[str, str]
) -> float:
    try:
        found = float(texts[key])
    except ValueError:
        found = math.nan
    if 0 < found < below:
        return found
    expected = "a number above 0" if below == math.inf else f"a number between 0 and {below:g}"
    messages[key] = f"expected {expected}, found {texts[key]!r}"
    return default
