"""The lowest and the highest value that something may have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

__all__ = ["Bounds"]

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Bounds:
    """The lowest and the highest value that a score or a difference may have.

    Parameters
    ----------
    low, high : float
        The minimum and the maximum over all assignments of grades to holes.
    is_outer : bool
        Whether the true minimum and maximum lie within, and may be nearer together.

    Examples
    --------
    >>> Bounds(0.25, 0.75).width
    0.5
    """

    low: float
    high: float
    is_outer: bool = False

    @classmethod
    def over(cls, values: Iterable[float]) -> Bounds:
        """Return the lowest and the highest of some values."""
        found = list(values)
        return cls(min(found), max(found))

    @property
    def width(self) -> float:
        """How far apart they are: 0 if the holes change nothing."""
        return self.high - self.low

    def minus(self, other: Bounds) -> Bounds:
        """Return the bounds of a difference of two values that may vary on their own.

        They are outer bounds, unless one of the two values is certain.
        """
        is_certain = self.width == 0.0 or other.width == 0.0
        return Bounds(
            self.low - other.high,
            self.high - other.low,
            self.is_outer or other.is_outer or not is_certain,
        )

    def around(self, value: float) -> Bounds:
        """Return these bounds with a value, known to be within, that rounding may have left out.

        A bound that differs from it by rounding alone becomes that value: a difference of 0 is 0.
        """
        room = _ROUNDING * max(1.0, abs(value))
        low = value if self.low > value - room else self.low
        high = value if self.high < value + room else self.high
        return Bounds(low, high, self.is_outer)
