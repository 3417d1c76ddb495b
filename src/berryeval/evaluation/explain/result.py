"""What an explanation holds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from berryeval.evaluation.findings import Outcome, difference_of, outcome_of
from berryeval.measures import Measure

__all__ = ["Explanation", "Method", "Move"]

Method: TypeAlias = Literal["additive", "shapley", "path"]
"""How a difference is shared out: see `Explanation.method`."""


@dataclass(frozen=True)
class Move:
    """One document that stands elsewhere, and what that was worth."""

    doc_id: str
    grade: float | None
    """None if nobody judged the document."""
    rank_before: int | None
    """From 1; None if the document was not retrieved."""
    rank_after: int | None
    contribution: float
    """Its part of the difference, with its sign."""


@dataclass(frozen=True)
class Explanation:
    """Why a measure of a query differs between two runs."""

    query_id: str
    measure: Measure
    before: float
    """The score in the first run."""
    after: float
    moves: tuple[Move, ...]
    """All documents within the measure's cutoff, in either run, whose rank changed; the largest
    contribution first, then by rank. Their contributions add up to the difference."""
    method: Method
    """``additive``: the measure is a sum over documents, and each has its own part of it.
    ``shapley``: what a move changes depends on the others, so it is averaged over all orders in
    which the documents could have moved. ``path``: the same for one order only, since there are
    too many: by their rank in the second run, then those that it no longer has."""
    n_shared: int
    """Over how many documents the difference is shared out: those that moved and could count."""
    n_retrieved: tuple[int, int]
    """How many documents each run has for the query; 0 if it is missing from the run."""

    @property
    def difference(self) -> float:
        """The score in the second run minus that in the first."""
        return difference_of(self.before, self.after)

    @property
    def verb(self) -> str:
        """What the score did: ``"rose"``, ``"fell"``, or ``"did not change"``."""
        if self.difference == 0.0:
            return "did not change"
        return "rose" if self.difference > 0.0 else "fell"

    @property
    def outcome(self) -> Outcome:
        """Whether the second run is better, worse or equal."""
        return outcome_of(self.difference, higher_is_better=self.measure.higher_is_better)

    def outcome_of(self, contribution: float) -> Outcome:
        """Return whether a part of the difference made the second run better or worse."""
        return outcome_of(contribution, higher_is_better=self.measure.higher_is_better)

    def rest(self, n_shown: int) -> float:
        """Return what the effective moves after the first `n_shown` contributed together."""
        return math.fsum(move.contribution for move in self.effective[n_shown:])

    @property
    def effective(self) -> tuple[Move, ...]:
        """The moves that changed the score."""
        return tuple(move for move in self.moves if move.contribution != 0.0)

    def __repr__(self) -> str:
        return (
            f"<Explanation of {self.measure} for query {self.query_id!r}: {self.before:.4f} to "
            f"{self.after:.4f}, {len(self.effective)} of {len(self.moves)} moves count>"
        )
