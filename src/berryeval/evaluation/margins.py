"""Margin guards in numbers: whether the drop is smaller, or larger, than what is accepted.

Two hypotheses are tested for each guard: that the mean difference is at most minus the margin,
and that it is at least that. The p-value of each is the larger of Student's t and of the BCa
bootstrap: either alone rejects too often on small or skewed sets.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.gate_rules import Verdict
from berryeval.stats import (
    Interval,
    adjust,
    bca_intervals,
    bca_p_values,
    resampled_means,
    student_interval,
)
from berryeval.stats._moments import deviations_of, means_of, variances_of

__all__ = [
    "FEWEST_CHANGED",
    "Floats",
    "changed_share_bound",
    "correct_failing",
    "judge_margin",
    "margin_intervals",
    "margin_p_values",
    "queries_for_few_changes",
    "widened",
]

FEWEST_CHANGED = 10
"""With fewer queries whose score changed neither test can be trusted."""

_MOST_QUERIES = 1_000_000
"""Nobody judges more, and a share at the margin's edge would take any number."""

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MarginPValues:
    """For each guard the p-values of both hypotheses."""

    passing: Floats
    """Of H0: the mean difference is -margin or less. Small: the drop is within the margin."""
    failing: Floats
    """Of H0: the mean difference is -margin or more. Small: the drop exceeds the margin."""


def margin_p_values(
    differences: Floats, margins: Floats, n_resamples: int = 10_000, seed: int = 0
) -> MarginPValues:
    """Test the mean of each column of differences against minus its margin.

    Parameters
    ----------
    differences : array of (queries, guards)
        Candidate minus baseline, turned so that below 0 is worse; at least two queries.
    margins : array of (guards,)
        Above 0.
    n_resamples, seed : int
        For the bootstrap, whose draw all guards share.
    """
    means = resampled_means(differences, n_resamples, seed)
    boot_passing, boot_failing = bca_p_values(differences, -margins, means)
    t_passing, t_failing = _student(differences, -margins)
    return MarginPValues(np.maximum(boot_passing, t_passing), np.maximum(boot_failing, t_failing))


def _student(differences: Floats, nulls: Floats) -> tuple[Floats, Floats]:
    n_queries = len(differences)
    distance = means_of(differences) - nulls
    error = deviations_of(differences) / math.sqrt(n_queries)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(distance == 0.0, 0.0, distance / error)
    return special.stdtr(n_queries - 1, -t), special.stdtr(n_queries - 1, t)


def margin_intervals(
    differences: Floats, alpha: float, n_resamples: int = 10_000, seed: int = 0
) -> list[Interval | None]:
    """Return intervals that agree with the p-values: those of both methods, taken together.

    They are two-sided at 1 - 2 alpha, and not adjusted for other guards. An interval that lies
    above minus the margin passes.
    """
    level = 1 - 2 * alpha
    by_bootstrap = bca_intervals(differences, level, n_resamples=n_resamples, seed=seed)
    found: list[Interval | None] = []
    for column, boot in zip(differences.T, by_bootstrap, strict=True):
        student = student_interval(column, level)
        if boot is None or student is None:
            found.append(None)
        else:
            low, high = min(boot.low, student.low), max(boot.high, student.high)
            found.append(Interval(low, high, level, "t and bca"))
    return found


def correct_failing(p_values: Sequence[float | None]) -> list[float | None]:
    """Correct the p-values of failing by Holm over all margin guards of a gate.

    None is a guard that is not tested. It stays so, but counts: which guards are tested depends
    on the data, and a family that shrinks with them would not keep its level.
    """
    corrected = adjust([1.0 if p is None else p for p in p_values], "holm")
    return [None if p is None else q for p, q in zip(p_values, corrected, strict=True)]


def changed_share_bound(n_changed: float, n_queries: int, alpha: float) -> float:
    """Return the upper bound, by Clopper and Pearson, of the share of queries that change.

    The number of changed queries may be an expected one, and so a fraction.
    """
    if n_changed >= n_queries:
        return 1.0
    return float(special.betaincinv(n_changed + 1, n_queries - n_changed, 1 - alpha))


def judge_margin(
    p_pass: float | None,
    p_fail: float | None,
    n_changed: int,
    n_queries: int,
    margin: float,
    score_range: float,
    alpha: float,
) -> Verdict:
    """Return the verdict of one margin guard.

    Parameters
    ----------
    p_pass, p_fail : float or None
        Of both hypotheses, the second one corrected over all guards; None if fewer than
        `FEWEST_CHANGED` queries changed. The guard then never fails, and passes only if the share
        of queries that change is surely so small that the margin holds, whatever they lose.
    score_range : float
        How far the measure's highest value is from its lowest: what one query can lose.
    """
    if p_pass is None or p_fail is None:
        most_lost = changed_share_bound(n_changed, n_queries, alpha) * score_range
        return "pass" if most_lost <= margin else "inconclusive"
    if p_pass <= alpha:
        return "pass"
    return "fail" if p_fail <= alpha else "inconclusive"


def queries_for_few_changes(
    n_changed: int,
    n_queries: int,
    margin: float,
    score_range: float,
    alpha: float,
    by_spread: int | None,
) -> int | None:
    """Return about how many queries a verdict takes where fewer than `FEWEST_CHANGED` changed.

    As many queries are assumed to change, in proportion. Either so many change that the
    difference can be tested, and `by_spread` queries are there besides; or so few of so many that
    the margin holds whatever they lose. The smaller number counts; None where neither comes.
    """
    options = []
    if n_changed > 0:
        options.append(max(math.ceil(FEWEST_CHANGED * n_queries / n_changed), by_spread or 0))
    share = n_changed / n_queries

    def is_enough(number: int) -> bool:
        return changed_share_bound(share * number, number, alpha) * score_range <= margin

    enough = n_queries
    while enough <= _MOST_QUERIES and not is_enough(enough):
        enough *= 2
    if enough <= _MOST_QUERIES:
        candidates = range(enough // 2, enough + 1)
        options.append(candidates[bisect_left(candidates, 1, key=is_enough)])
    return min(options, default=None)


def widened(differences: Floats, noise_sd: float) -> Floats:
    """Spread differences about their mean so that their variance has that of noise added.

    `noise_sd` says how much the score of one query varies from run to run of the same system.
    Differences that are all equal have no spread to stretch: they get one that alternates. A
    single query stays as it is.
    """
    n_queries = len(differences)
    if noise_sd == 0.0 or n_queries < 2:  # noqa: PLR2004
        return differences
    mean = means_of(differences)
    around = differences - mean
    if np.abs(around).max() < ROUNDING:
        around = np.resize([1.0, -1.0], n_queries)
        around -= means_of(around)
        factor = noise_sd / deviations_of(around)
    else:
        factor = np.sqrt(1 + noise_sd**2 / variances_of(around))
    stretched: Floats = mean + around * factor
    return stretched
