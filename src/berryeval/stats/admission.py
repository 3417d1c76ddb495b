"""Whether a judge may count: its agreement with people, its biases, and the rule that decides.

A judge is an instrument. It grades pairs that people have graded, without seeing their grades, and
is admitted if the evidence is good enough: what has to reach the limit is the lower end of an
interval, not an estimate that may be high by chance. Strata are reweighted by the probabilities
with which pairs were drawn, so the figures are those of all pairs, not of the sample.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from berryeval.errors import ArgumentError
from berryeval.stats.agreement import (
    Weights,
    krippendorff_alpha,
    weighted_kappa,
)
from berryeval.stats.agreement_intervals import alpha_interval, kappa_interval
from berryeval.stats.calibration import CalibrationPoint, calibrate
from berryeval.stats.checked_pairs import CheckedPairs
from berryeval.stats.confusion import ConfusionCell, confusion_of, share_interval
from berryeval.stats.interval import Interval
from berryeval.stats.judge_bias import Bias, find_biases
from berryeval.stats.moments import sums_of
from berryeval.stats.order_intervals import order_intervals
from berryeval.stats.similarity import tau_ap
from berryeval.stats.validation import as_values, check_amount, check_share

__all__ = [
    "MIN_QUERIES",
    "Admission",
    "AdmissionRule",
    "Agreement",
    "Bias",
    "CheckedPairs",
    "ConfusionCell",
    "Consistency",
    "check_judge",
    "pairs_needed",
]

MIN_QUERIES = 20
"""Minimum number of queries behind the pairs; intervals from fewer independent units are
unreliable.
"""

_MIN_PAIRS = 20


@dataclass(frozen=True)
class AdmissionRule:
    """What is required of a judge before its grades count.

    Raises
    ------
    ArgumentError
        For a limit out of range.
    """

    min_kappa: float = 0.6
    """The lower limit of weighted kappa has to reach this."""
    max_favour: float = 0.1
    """Largest share of the scale by which the judge may favour or disfavour the documents of any
    system: the whole interval must lie within. On a scale from 0 to 3, 0.1 is 0.3
    grades."""
    confidence: float = 0.95
    """Confidence level of all intervals, two-sided."""
    weights: Weights = "linear"
    """How kappa weighs disagreements: by their distance, or by its square."""

    def __post_init__(self) -> None:
        check_share("confidence", self.confidence)
        check_amount("max_favour", self.max_favour)
        if not -1 <= self.min_kappa <= 1:
            raise ArgumentError("min_kappa", "a number from -1 to 1", repr(self.min_kappa))


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement with its interval."""

    value: float | None
    """None if it is not defined."""
    interval: Interval | None
    """None if it cannot be estimated."""
    reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True)
class Consistency:
    """How well a judge agrees with itself."""

    n_pairs: int
    """Pairs that were graded more than once."""
    same: float
    """Share of these pairs that got the same grade every time, reweighted."""
    same_interval: Interval
    """Interval of that share, by Clopper and Pearson."""
    alpha: Agreement
    """Krippendorff's alpha of the judge with itself, ordinal."""


@dataclass(frozen=True)
class Admission:
    """How a judge compares with people, and whether it is admitted."""

    rule: AdmissionRule
    n_pairs: int
    n_queries: int | None
    """None if the queries of the pairs are not known."""
    n_unanswered: int
    """Pairs that the judge could not judge. Agreement is computed without them."""
    kappa: Agreement
    """Weighted kappa of judge and people."""
    alpha: Agreement
    """Krippendorff's alpha of judge and people, ordinal."""
    confusion: tuple[ConfusionCell, ...]
    calibration: tuple[CalibrationPoint, ...]
    biases: tuple[Bias, ...]
    repeats: Consistency | None
    """Self-consistency over repeated calls; None without any."""
    orders: Consistency | None
    """Self-consistency over other orders of the documents; None without any."""
    tau_ap: Agreement
    """Whether judge and people rank the systems in the same order, by the total of the grades of
    their documents."""
    scale: float
    """The distance from the lowest to the highest grade."""
    reasons: tuple[str, ...]
    """Why the judge is not admitted; empty if it is."""

    @property
    def is_admitted(self) -> bool:
        """Whether the rule holds."""
        return not self.reasons


def check_judge(
    pairs: CheckedPairs, rule: AdmissionRule | None = None, *, scale: float | None = None
) -> Admission:
    """Compare a judge with people, and decide whether its grades may count.

    Parameters
    ----------
    pairs : CheckedPairs
        What people and the judge graded, and how the pairs were drawn.
    rule : AdmissionRule, optional
        Defaults apply if omitted.
    scale : float, optional
        The distance from the lowest to the highest grade of the scale. Default: that of the grades
        that occur.

    Returns
    -------
    Admission
        Not admitted if an interval that the rule needs cannot be estimated: fewer than 20 pairs
        or 20 queries, or a single grade everywhere.

    Notes
    -----
    A judge that agrees with people on every pair has no spread to estimate an interval from. The
    lower limit of its kappa is then that of a judge that errs as far as possible, as often as it
    can without an error in so many queries (or pairs), by Clopper and Pearson.

    Examples
    --------
    >>> people, judge = [0, 1, 2, 3, 0, 1] * 20, [0, 1, 2, 3, 0, 2] * 20
    >>> admission = check_judge(CheckedPairs(people, judge))
    >>> round(admission.kappa.value, 3), admission.is_admitted
    (0.864, True)
    """
    wanted = rule or AdmissionRule()
    answered = pairs.answered
    grades = np.concatenate([answered.of_people, answered.of_judge])
    span = scale if scale is not None else float(np.ptp(grades)) if len(grades) else 0.0
    found = Admission(
        rule=wanted,
        n_pairs=pairs.n_pairs,
        n_queries=pairs.n_queries,
        n_unanswered=pairs.n_pairs - answered.n_pairs,
        kappa=_kappa(answered, wanted),
        alpha=_alpha(answered, wanted.confidence),
        confusion=tuple(confusion_of(pairs, wanted.confidence)) if pairs.n_pairs else (),
        calibration=tuple(calibrate(answered, wanted.confidence)),
        biases=tuple(find_biases(answered, wanted.confidence)),
        repeats=_consistency(answered, answered.repeats, wanted.confidence),
        orders=_consistency(answered, answered.orders, wanted.confidence),
        tau_ap=_order(answered, wanted.confidence),
        scale=span,
        reasons=(),
    )
    return replace(found, reasons=tuple(_reasons(found, answered)))


def _reasons(found: Admission, answered: CheckedPairs) -> Iterator[str]:
    rule = found.rule
    if answered.n_pairs < _MIN_PAIRS:
        yield f"{answered.n_pairs} pairs were graded by both; at least {_MIN_PAIRS} are needed"
        return
    n_queries = answered.n_queries
    if n_queries is not None and n_queries < MIN_QUERIES:
        yield f"the pairs come from {n_queries} queries; at least {MIN_QUERIES} are needed"
        return
    kappa = found.kappa
    if kappa.value is None or kappa.interval is None:
        why = kappa.reason or "it depends on a single pair"
        yield f"weighted kappa has no interval: {why}"
    elif kappa.interval.low < rule.min_kappa:
        yield (
            f"the lower limit of weighted kappa is {kappa.interval.low:.2f}, below "
            f"{rule.min_kappa:g} (kappa {kappa.value:.2f})"
        )
    most = rule.max_favour * found.scale
    for bias in found.biases:
        if bias.kind != "system":
            continue
        if bias.interval is None:
            yield f"the bias towards {bias.group} cannot be estimated from {bias.n_pairs} pairs"
        elif bias.interval.low < -most or bias.interval.high > most:
            yield (
                f"the judge may favour {bias.group} by {bias.interval.low:+.2f} to "
                f"{bias.interval.high:+.2f} grades; at most {most:.2f} either way are allowed"
            )


def _counts(pairs: CheckedPairs) -> list[float] | None:
    return None if pairs.probabilities is None else pairs.counts.tolist()


def _kappa(pairs: CheckedPairs, rule: AdmissionRule) -> Agreement:
    both = [*zip(pairs.of_people.tolist(), pairs.of_judge.tolist(), strict=True)]
    counts = _counts(pairs)
    found = weighted_kappa(both, rule.weights, counts=counts)
    if found.value == 1.0:
        return Agreement(1.0, _of_full_agreement(pairs, rule))
    interval = kappa_interval(
        both,
        rule.weights,
        rule.confidence,
        groups=pairs.query_ids,
        strata=pairs.variance_strata,
        counts=counts,
    )
    return Agreement(found.value, interval, found.reason)


def _of_full_agreement(pairs: CheckedPairs, rule: AdmissionRule) -> Interval:
    """Return the interval of a kappa of 1: the judge may err as much, and as often, as possible."""
    squares = float(sums_of(pairs.counts**2))
    worth = float(sums_of(pairs.counts)) ** 2 / squares
    n_units = worth if pairs.n_queries is None else min(worth, pairs.n_queries)
    most_errors = share_interval(0, n_units, rule.confidence).high
    distances = _distances(np.unique(pairs.of_people), rule.weights)
    shares = np.array(
        [pairs.mean_over((pairs.of_people == grade) * 1.0) for grade in np.unique(pairs.of_people)]
    )
    by_chance = float(sums_of(sums_of(shares[:, None] * shares * distances)))
    low = max(-1.0, 1 - most_errors * float(distances.max()) / by_chance)
    return Interval(low, 1.0, rule.confidence, "clopper-pearson")


def _alpha(pairs: CheckedPairs, confidence: float) -> Agreement:
    units = [*zip(pairs.of_people.tolist(), pairs.of_judge.tolist(), strict=True)]
    counts = _counts(pairs)
    found = krippendorff_alpha(units, "ordinal", counts=counts)
    interval = alpha_interval(
        units,
        "ordinal",
        confidence,
        groups=pairs.query_ids,
        strata=pairs.variance_strata,
        counts=counts,
    )
    return Agreement(found.value, interval, found.reason)


def _consistency(
    pairs: CheckedPairs, again: Sequence[Sequence[float]] | None, confidence: float
) -> Consistency | None:
    """Compare the judge with itself, over the pairs that it graded more than once."""
    if again is None:
        return None
    units = [
        (first, *(grade for grade in others if not math.isnan(grade)))
        for first, others in zip(pairs.of_judge.tolist(), again, strict=True)
    ]
    rows = [row for row, unit in enumerate(units) if len(unit) > 1]
    if not rows:
        return None
    repeated, units = pairs.take(rows), [units[row] for row in rows]
    is_same = np.array([len(set(unit)) == 1 for unit in units])
    share = repeated.mean_over(is_same * 1.0)
    worth = float(sums_of(repeated.counts)) ** 2 / float(sums_of(repeated.counts**2))
    counts = _counts(repeated)
    found = krippendorff_alpha(units, "ordinal", counts=counts)
    interval = alpha_interval(
        units,
        "ordinal",
        confidence,
        groups=repeated.query_ids,
        strata=repeated.variance_strata,
        counts=counts,
    )
    return Consistency(
        len(rows),
        share,
        share_interval(min(worth, share * worth), worth, confidence),
        Agreement(found.value, interval, found.reason),
    )


def _order(pairs: CheckedPairs, confidence: float) -> Agreement:
    """Return tau_AP between the orders of systems by judge and people."""
    if len(pairs.systems) < 2:  # noqa: PLR2004 - one system has no order
        return Agreement(None, None, "fewer than two systems")
    queries = range(pairs.n_pairs) if pairs.query_ids is None else pairs.query_ids
    place_of = {query: place for place, query in enumerate(dict.fromkeys(queries))}
    rows = np.array([place_of[query] for query in queries], dtype=np.intp)
    retrieved = np.array([*pairs.systems.values()], dtype=np.float64).T
    totals = []
    for grades in (pairs.of_people, pairs.of_judge):
        by_query = np.zeros((len(place_of), len(pairs.systems)))
        np.add.at(by_query, rows, (pairs.counts * grades)[:, None] * retrieved)
        totals.append(by_query)
    one, other = totals
    if not len(one):
        return Agreement(None, None, "no pair was graded by both")
    _, interval = order_intervals(one, other, confidence)
    value = tau_ap(np.round(sums_of(one), 9), np.round(sums_of(other), 9))
    return Agreement(value, interval, None if value is not None else "all systems tie")


def pairs_needed(
    width: float,
    *,
    kappa: float = 0.75,
    shares: Sequence[float] = (0.4, 0.3, 0.2, 0.1),
    confidence: float = 0.95,
    weights: Weights = "linear",
    design_effect: float = 1.0,
) -> int:
    """Return about how many pairs are needed for an interval of weighted kappa of some width.

    The expected judge gives the same grade as people with probability `kappa`, and otherwise draws
    a grade according to `shares`; its weighted kappa is `kappa`.

    Parameters
    ----------
    width : float
        Width of the interval, from its lower to its upper limit; above 0.
    kappa : float
        The expected kappa, from 0 to 1. The default is one that a rule of 0.6 admits with an
        interval of 0.3.
    shares : sequence of float
        The share of each grade from 0 up, among the pairs to be graded.
    confidence : float
        Confidence level of the interval.
    weights : {"linear", "quadratic"}
        As in `berryeval.stats.weighted_kappa`.
    design_effect : float
        By how much pairs of the same query, or unequal probabilities, inflate the variance.

    Returns
    -------
    int
        At least 20.

    References
    ----------
    Fleiss, Cohen and Everitt (1969), Psychological Bulletin 72(5), 323-327, for the variance.

    Examples
    --------
    >>> pairs_needed(0.2)
    140
    >>> pairs_needed(0.1)
    558
    """
    check_share("confidence", confidence)
    found = as_values(shares, "shares")
    if not width > 0:
        raise ArgumentError("width", "a number above 0", repr(width))
    if not 0 <= kappa <= 1:
        raise ArgumentError("kappa", "a number from 0 to 1", repr(kappa))
    if not design_effect > 0:
        raise ArgumentError("design_effect", "a number above 0", repr(design_effect))
    if np.count_nonzero(found > 0) < 2 or found.min(initial=0.0) < 0:  # noqa: PLR2004
        raise ArgumentError("shares", "the shares of at least two grades", repr(list(shares)))
    margin = found / sums_of(found)
    table = kappa * np.diag(margin) + (1 - kappa) * margin[:, None] * margin
    variance = _kappa_variance(table, _distances(np.arange(len(margin), dtype=np.float64), weights))
    quantile = float(ndtri((1 + confidence) / 2))
    n_pairs = design_effect * variance * (2 * quantile / width) ** 2
    return max(_MIN_PAIRS, math.ceil(n_pairs))


def _distances(grades: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
    apart = np.abs(grades[:, None] - grades)
    return apart**2 if weights == "quadratic" else apart


def _kappa_variance(table: NDArray[np.float64], distances: NDArray[np.float64]) -> float:
    """Return the variance of weighted kappa of one pair, drawn from a table of probabilities."""
    rows, columns = sums_of(table.T), sums_of(table)
    by_chance = sums_of(sums_of(rows[:, None] * columns * distances))
    ratio = sums_of(sums_of(table * distances)) / by_chance
    expected = sums_of((distances * columns).T)[:, None] + sums_of(rows[:, None] * distances)
    influence = (distances - ratio * (expected - by_chance)) / by_chance
    mean = sums_of(sums_of(table * influence))
    return float(sums_of(sums_of(table * (influence - mean) ** 2)))
