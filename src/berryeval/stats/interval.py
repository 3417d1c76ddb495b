"""A confidence interval."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Interval"]


@dataclass(frozen=True)
class Interval:
    """The range of a mean, with a stated confidence.

    Examples
    --------
    >>> Interval(0.371, 0.455, level=0.95, method="t and hall").contains(0.4)
    True
    """

    low: float
    high: float
    level: float
    """The confidence, two-sided, such as 0.95."""
    method: str
    """``"t"``, Student's; ``"t and hall"``, from the lower of the two low ends to the higher of
    the two high ones; ``"max t"``, one of a family that holds simultaneously; ``"bootstrap"``, by
    resampling queries; or ``"clopper-pearson"``, of a share."""

    def contains(self, value: float) -> bool:
        """Return whether the interval, including its ends, contains a value."""
        return self.low <= value <= self.high
