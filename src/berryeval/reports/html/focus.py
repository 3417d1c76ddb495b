"""The initial selection of a page: one candidate in one measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from berryeval.evaluation.leaderboard import best_first
from berryeval.measures import Measure
from berryeval.reports.gate import candidate_of

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.verdict import GateResult

__all__ = ["Focus", "focus_of"]


@dataclass(frozen=True)
class Focus:
    """A candidate and a measure."""

    system: str
    measure: Measure


def focus_of(comparison: Comparison, gate: GateResult | None = None) -> Focus:
    """Return the candidate that was judged and the measure that decided.

    Without a gate, they are the best candidate over the queries of the headline, and the leading
    measure.
    """
    measure = comparison.lead
    system = best_first(comparison.deciding(), measure)[0].system
    if gate is None:
        return Focus(system, measure)
    deciding = [
        guard.guard.measure
        for guard in gate.guards
        if hasattr(guard.guard, "measure")
        and guard.verdict == gate.verdict
        and not guard.is_watched
    ]
    compared = [found for found in deciding if found in comparison.measures]
    return Focus(candidate_of(gate) or system, next(iter(compared), measure))
