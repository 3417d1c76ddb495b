"""Summaries of runs: their means with the judgments at a point in time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from berryeval.core.judgments import Judgments
from berryeval.evaluation.result import Evaluation, holes_measure
from berryeval.service.workbench.state.scoring import JudgmentsLike
from berryeval.stats import Interval

__all__ = ["JudgmentsAt", "KnownSummaries", "Mean", "RunSummary", "summary_of"]


class JudgmentsAt(NamedTuple):
    """The judgments at a point in time."""

    revision: int
    """The newest revision that they contain, or one shortly before it."""
    state: JudgmentsLike

    @property
    def judgments(self) -> Judgments:
        """The judgments, read on access."""
        return self.state.judgments

    @property
    def hash(self) -> str:
        """The hash of the judgments."""
        return self.state.hash

    @property
    def sampling(self) -> str:
        """The hash of the weights, groups and strata of the queries."""
        return self.state.sampling


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure."""

    value: float
    interval: Interval | None
    """95% interval; None if undefined."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The means of a run."""

    means: Mapping[str, Mean]
    """Means by measure; empty if the run cannot be scored."""
    reason: str | None = None
    """Why there are no means."""
    holes: float | None = None
    """Unjudged documents per query, within the cutoff of the first measure; None if not counted."""


@dataclass(frozen=True, slots=True)
class KnownSummaries:
    """Summaries of some runs, all with the same judgments."""

    summaries: Mapping[str, RunSummary]
    """Summaries by run, without those that are not scored yet."""
    state: JudgmentsAt | None
    """The judgments; None before the first count."""
    as_of: datetime | None
    """Time at which they were the newest."""
    n_waiting: int
    """Number of runs that are not scored yet."""
    n_newer: int
    """Number of changed judgments that are not counted yet."""

    @property
    def is_current(self) -> bool:
        """Whether everything is up to date."""
        return not self.n_waiting and not self.n_newer


def summary_of(evaluation: Evaluation) -> RunSummary:
    """Return the means of an evaluation with their intervals, without the scores of queries."""
    holes = evaluation.scores.values.get(str(holes_measure(evaluation.measures[0])))
    return RunSummary(
        {name: Mean(result.mean, result.interval) for name, result in evaluation.items()},
        holes=sum(holes) / len(holes) if holes else None,
    )
