"""Guards: what a gate asks of a candidate."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TypeAlias

from berryeval.errors import ArgumentError
from berryeval.measures import Measure

__all__ = ["Guard", "LatencyGuard", "Margin", "MarginGuard", "ThresholdGuard"]


@dataclass(frozen=True)
class Margin:
    """The largest drop that is accepted, absolute or as a share of the baseline's mean."""

    amount: float
    is_relative: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.amount) and self.amount > 0):
            raise ArgumentError("margin", "a number above 0, or a share such as '2%'", str(self))

    @classmethod
    def parse(cls, text: str | float) -> Margin:
        """Read ``0.05`` or ``"2%"``."""
        if not isinstance(text, str):
            return cls(float(text))
        found = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(%?)\s*", text)
        try:
            amount = float(found[1]) if found else math.nan
        except ValueError:
            amount = math.nan
        if found is None or math.isnan(amount):
            raise ArgumentError("margin", "a number above 0, or a share such as '2%'", repr(text))
        return cls(amount / 100, is_relative=True) if found[2] else cls(amount)

    def of(self, baseline_mean: float) -> float:
        """Return the margin as an amount of the measure."""
        return self.amount * abs(baseline_mean) if self.is_relative else self.amount

    def __str__(self) -> str:
        return f"{self.amount * 100:g}%" if self.is_relative else f"{self.amount:g}"


@dataclass(frozen=True)
class ThresholdGuard:
    """The mean on this set has to reach a figure. Equality passes."""

    measure: Measure
    at_least: float
    is_confident: bool = False
    """Whether the lower end of the interval has to reach it, too."""
    slices: tuple[str, ...] = ()
    """Labels whose every slice is held to it as well."""

    def __str__(self) -> str:
        return f"{self.measure} at least {self.at_least:g}"


@dataclass(frozen=True)
class MarginGuard:
    """The mean must not drop by the margin or more against the baseline."""

    measure: Measure
    margin: Margin
    slices: tuple[str, ...] = ()
    """Labels whose every slice is held to it as well."""

    def __str__(self) -> str:
        return f"{self.measure} drops by less than {self.margin}"


@dataclass(frozen=True)
class LatencyGuard:
    """A percentile of the time that queries took has to stay within a limit."""

    percentile: float
    at_most_ms: float

    def __str__(self) -> str:
        return f"latency p{self.percentile:g} at most {self.at_most_ms:g} ms"


Guard: TypeAlias = "ThresholdGuard | MarginGuard | LatencyGuard"
