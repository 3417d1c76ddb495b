"""What is kept of runs: their means at the judgments of a moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from berryeval.core.judgments import Judgments
from berryeval.evaluation.result import Evaluation
from berryeval.service.workbench.state.scoring import JudgmentsLike
from berryeval.stats import Interval

__all__ = ["JudgmentsAt", "Kept", "Mean", "RunSummary", "summary_of"]


class JudgmentsAt(NamedTuple):
    """The judgments at a moment."""

    revision: int
    """Of a change that they have: the newest, or one shortly before it."""
    state: JudgmentsLike

    @property
    def judgments(self) -> Judgments:
        """All of them, read when they are asked for."""
        return self.state.judgments

    @property
    def hash(self) -> str:
        """What they are known by."""
        return self.state.hash

    @property
    def sampling(self) -> str:
        """What the weights, groups and strata of the queries are known by."""
        return self.state.sampling


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure."""

    value: float
    interval: Interval | None
    """Of 95%; None where there is none."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What is kept of a run."""

    means: Mapping[str, Mean]
    """By measure; none where the run cannot be scored."""
    reason: str | None = None
    """Why there are no means."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of some runs, all at the same judgments."""

    summaries: Mapping[str, RunSummary]
    """By run, without those that wait."""
    state: JudgmentsAt | None
    """The judgments; None before the first count."""
    as_of: datetime | None
    """When they were the newest."""
    n_waiting: int
    """How many of the runs are not scored yet."""
    n_newer: int
    """How many changes of judgments are not counted yet."""

    @property
    def is_current(self) -> bool:
        """Whether nothing is being counted any more."""
        return not self.n_waiting and not self.n_newer


def summary_of(evaluation: Evaluation) -> RunSummary:
    """Return the means of an evaluation with their intervals, without the scores of queries."""
    return RunSummary(
        {name: Mean(result.mean, result.interval) for name, result in evaluation.items()}
    )
