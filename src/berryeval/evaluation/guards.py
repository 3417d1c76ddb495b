"""Guards: what a gate requires of a candidate."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import TypeAlias

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.measures import Measure

__all__ = [
    "DEFAULT_MARGIN",
    "Guard",
    "LatencyGuard",
    "Margin",
    "MarginGuard",
    "ThresholdGuard",
    "condensed_guard",
    "positional",
    "written",
]

DEFAULT_MARGIN = 0.05
"""The largest drop that is accepted where a test or a demonstration names none."""

_MARGIN = "a number above 0, or a share such as '2%'"
_LONGEST = 2000  # characters of a number; the smallest float has 1,077


def written(number: float) -> str:
    """Format a limit as people wrote it, without rounding errors: 0.7."""
    return f"{number:.12g}"


def positional(number: float | Decimal) -> str:
    """Write a number with all its digits and without an exponent: ``95``, ``99.9``."""
    exact = number if isinstance(number, Decimal) else Decimal(repr(float(number)))
    return format(exact.normalize(), "f")


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number of some hundred digits
        return False


@dataclass(frozen=True)
class Margin:
    """The largest drop that is accepted, absolute or as a share of the baseline's mean."""

    amount: float
    is_relative: bool = False

    def __post_init__(self) -> None:
        if not (_is_finite(self.amount) and self.amount > 0):
            raise ArgumentError("margin", _MARGIN, repr(self.amount)[:40])

    @classmethod
    def parse(cls, text: str | float) -> Margin:
        """Read ``0.05`` or ``"2%"``."""
        if not isinstance(text, str):
            if not isinstance(text, Real) or isinstance(text, bool):
                raise InputTypeError("margin", _MARGIN, repr(text))
            return cls(text)
        stripped = text.strip()
        digits = stripped.removesuffix("%").rstrip()
        try:
            if len(digits) > _LONGEST or not re.fullmatch(r"[0-9.eE+-]+", digits):
                raise ArithmeticError  # noqa: TRY301 - Decimal() also reads nan, and digits with _
            number = Decimal(digits)
        except ArithmeticError:
            raise ArgumentError("margin", _MARGIN, repr(text[:40])[:40]) from None
        # Decimal: 2.3% is 0.023 to the last bit, and is written as 2.3% again.
        if stripped.endswith("%"):
            return cls(float(number.scaleb(-2)), is_relative=True)
        return cls(float(number))

    def to_plain(self) -> float | str:
        """Return what `parse` reads as this margin: a number, or text such as ``"2%"``."""
        if not self.is_relative:
            return self.amount
        return f"{positional(Decimal(repr(float(self.amount))).scaleb(2))}%"

    def of(self, baseline_mean: float) -> float:
        """Return the margin as an amount of the measure."""
        return self.amount * abs(baseline_mean) if self.is_relative else self.amount

    def __str__(self) -> str:
        if self.is_relative:
            return f"{written(self.amount * 100)}%"
        return written(self.amount)


@dataclass(frozen=True)
class ThresholdGuard:
    """The mean on this set has to reach a figure. Equality passes."""

    measure: Measure
    at_least: float
    is_confident: bool = False
    """Whether the lower end of the interval has to reach it, too."""
    slices: tuple[str, ...] = ()
    """Labels: the guard applies to each of their slices as well."""

    def __post_init__(self) -> None:
        if isinstance(self.at_least, bool) or not _is_finite(self.at_least):
            raise ArgumentError("at_least", "a finite number", repr(self.at_least)[:40])
        highest = self.measure.bounds[1]
        if self.at_least > highest:
            expected = f"at most {written(highest)}, the highest possible {self.measure}"
            raise ArgumentError("at_least", expected, written(self.at_least))

    def __str__(self) -> str:
        return f"{self.measure} at least {written(self.at_least)}"


@dataclass(frozen=True)
class MarginGuard:
    """The mean must not get worse than the baseline's by more than the margin."""

    measure: Measure
    margin: Margin
    slices: tuple[str, ...] = ()
    """Labels: the guard applies to each of their slices as well."""
    is_equivalence: bool = False
    """Whether it must not get better by more than the margin, either: for a refactoring."""

    def __post_init__(self) -> None:
        lowest, highest = self.measure.bounds
        if not self.margin.is_relative and self.margin.amount > highest - lowest:
            expected = f"at most {written(highest - lowest)}, the range of {self.measure}"
            name = "equivalent" if self.is_equivalence else "margin"
            raise ArgumentError(name, expected, str(self.margin))

    def __str__(self) -> str:
        if self.is_equivalence:
            return f"{self.measure} changes by less than {self.margin}"
        worsens = "drops" if self.measure.higher_is_better else "rises"
        return f"{self.measure} {worsens} by less than {self.margin}"


@dataclass(frozen=True)
class LatencyGuard:
    """A percentile of the time that queries took has to stay within a limit."""

    percentile: float
    at_most_ms: float

    def __post_init__(self) -> None:
        if not 0 < self.percentile <= 100:  # noqa: PLR2004
            got = repr(self.percentile)
            raise ArgumentError("latency", "a percentile above 0 and up to 100", got)
        if not (_is_finite(self.at_most_ms) and self.at_most_ms > 0):
            got = repr(self.at_most_ms)[:40]
            raise ArgumentError("at_most_ms", "a number of milliseconds above 0", got)

    def __str__(self) -> str:
        return f"latency p{self.percentile:g} at most {written(self.at_most_ms)} ms"


Guard: TypeAlias = "ThresholdGuard | MarginGuard | LatencyGuard"


def condensed_guard(guard: Guard) -> Guard:
    """Return a guard whose measure considers judged documents only."""
    if isinstance(guard, LatencyGuard):
        return guard
    return replace(guard, measure=guard.measure.condensed())
