"""Whether two sets of judgments, or two measures, rank systems in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.all_pairs import SystemPair, all_pairs
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.comparison import Comparison, Difference
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.evaluation.findings import difference_of
from berryeval.evaluation.notes import count_queries
from berryeval.evaluation.sampling import sampling_of
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments, load_run
from berryeval.measures import Measure
from berryeval.stats import Interval, kendall_tau, order_intervals, tau_ap

__all__ = [
    "Agreement",
    "MeasureAgreement",
    "MeasurePair",
    "MeasuresAgreement",
    "PairOrders",
    "SystemRanks",
    "agree",
    "agree_measures",
]

_DIGITS = 12
"""Means that differ in later digits only are equal."""

Order: TypeAlias = Literal["same", "swapped", "tied"]
"""The order of two systems under the other judgments; tied if one set of judgments
gives both the same mean."""


@dataclass(frozen=True)
class SystemRanks:
    """The means and ranks of one system, under two sets of judgments or by two measures."""

    system: str
    means: tuple[float, float]
    ranks: tuple[int, int]
    """Rank, from 1. Systems with the same mean share a rank."""


@dataclass(frozen=True, eq=False)
class PairOrders:
    """Two systems under two sets of judgments, or by two measures."""

    first: str
    second: str
    differences: tuple[Difference, Difference]
    """Differences of the second system from the first. Intervals and p-values hold for all pairs of
    a measure together."""
    order: Order

    @property
    def is_established(self) -> tuple[bool, bool]:
        """Whether each set of judgments, or each measure, has an interval that excludes 0."""
        one, other = (d.finding in ("better", "worse") for d in self.differences)
        return one, other


@dataclass(frozen=True, eq=False)
class _Orders:
    """Two orders of the same systems."""

    systems: tuple[SystemRanks, ...]
    """Systems, by their rank in the first order."""
    pairs: tuple[PairOrders, ...]
    """All pairs of systems."""
    tau: float | None
    """Kendall's tau-b; None if all systems tie in one order."""
    tau_ap: float | None
    """The same with more weight at the top."""
    tau_interval: Interval | None
    """Bootstrap interval over queries; None if the orders are over different queries, or one."""
    tau_ap_interval: Interval | None

    @property
    def swaps(self) -> tuple[PairOrders, ...]:
        """The pairs whose order changes."""
        return tuple(pair for pair in self.pairs if pair.order == "swapped")

    def count(self, order: Order) -> int:
        """Count the pairs of one kind."""
        return sum(1 for pair in self.pairs if pair.order == order)

    def describe(self, name: str, where: str) -> str:
        """Return the result in words; `where` is what systems tie in."""
        n_pairs, swaps = len(self.pairs), self.swaps
        if not swaps:
            tied = f"; {self.count('tied')} of them tie {where}" * bool(self.count("tied"))
            pairs = "the pair" if n_pairs == 1 else f"none of the {n_pairs:,} pairs"
            verb = "keeps its order" if n_pairs == 1 else "of systems changes its order"
            return f"{name}: {pairs} {verb}{tied}."
        change = "changes its order" if len(swaps) == 1 else "change their order"
        systems = "pair" if n_pairs == 1 else "pairs"
        established = sum(1 for swap in swaps if all(swap.is_established))
        return (
            f"{name}: {len(swaps):,} of {n_pairs:,} {systems} of systems {change}, "
            f"{established or 'none'} with both orders established."
        )


@dataclass(frozen=True, eq=False)
class MeasureAgreement(_Orders):
    """How similarly two sets of judgments rank the systems by one measure."""

    measure: Measure

    @property
    def sentence(self) -> str:
        """The result in words."""
        return self.describe(str(self.measure), "under one set")


@dataclass(frozen=True, eq=False)
class MeasurePair(_Orders):
    """How similarly two measures rank the systems."""

    measures: tuple[Measure, Measure]

    @property
    def sentence(self) -> str:
        """The result in words."""
        one, other = self.measures
        return self.describe(f"{one} and {other}", "by one measure")


@dataclass(frozen=True, eq=False)
class Agreement:
    """The result of `agree`."""

    sets: tuple[str, str]
    """The names of the judgments."""
    n_queries: tuple[int, int]
    """Queries scored with each set of judgments."""
    measures: tuple[MeasureAgreement, ...]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        lines = [f"<Agreement of {' and '.join(self.sets)}", *(m.sentence for m in self.measures)]
        return "\n".join(lines) + ">"


@dataclass(frozen=True, eq=False)
class MeasuresAgreement:
    """The result of `agree_measures`."""

    measures: tuple[Measure, ...]
    n_queries: int
    pairs: tuple[MeasurePair, ...]
    """Every two measures."""
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        names = ", ".join(map(str, self.measures))
        return "\n".join([f"<Agreement of {names}", *(p.sentence for p in self.pairs)]) + ">"


def agree(
    judgments: Mapping[str, JudgmentsSource],
    runs: Mapping[str, RunSource],
    measures: Iterable[MeasureLike] | MeasureLike = "nDCG@10",
    **options: Any,  # noqa: ANN401 - as compare takes them
) -> Agreement:
    """Report whether two sets of judgments rank systems in the same order.

    Each set scores the runs over its own queries. Every pair of systems is compared under each set
    as `compare` compares them, all pairs of a measure as one family.

    Parameters
    ----------
    judgments : mapping of str to judgments
        Two sets by name, each as `evaluate` takes it; such as those of experts and of a language
        model.
    runs : mapping of str to run
        At least two, by name.
    measures : Measure, str, or several of them
        Each orders the systems by its mean.
    **options
        As `compare` takes them: ``queries``, ``missing``, ``no_relevant``, ``duplicates``,
        ``judges``, ``exclude_self``, ``judged_only``, ``level``, ``n_resamples``, ``seed``.

    Returns
    -------
    Agreement
        For each measure the ranks of the systems under both sets, Kendall's tau and tau_AP with
        their intervals, and the pairs whose order changes.

    Raises
    ------
    ArgumentError
        If there are not two sets of judgments, or fewer than two runs.
    MismatchError
        If judgments and a run, or two runs, have no query in common.

    Examples
    --------
    >>> experts = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> model = {"q1": {"d1": 1}, "q2": {"d3": 1}}
    >>> a, b = {"q1": ["d1"], "q2": ["d2"]}, {"q1": ["d9", "d1"], "q2": ["d3"]}
    >>> agree({"experts": experts, "model": model}, {"a": a, "b": b}, "RR")
    <Agreement of experts and model
    RR: 1 of 1 pair of systems changes its order, none with both orders established.>
    """
    if len(judgments) != 2:  # noqa: PLR2004
        raise ArgumentError("judgments", "two sets by name", f"{len(judgments)}")
    chosen = _chosen(measures, options)
    reading = {key: options[key] for key in ("duplicates", "judges") if key in options}
    duplicates = options.get("duplicates", "error")
    loaded = {name: load_run(source, duplicates) for name, source in runs.items()}
    one, other = (
        _compared(name, load_judgments(source, **reading), loaded, chosen, options)
        for name, source in judgments.items()
    )
    first, second = judgments
    return Agreement(
        sets=(first, second),
        n_queries=(one.n_queries, other.n_queries),
        measures=tuple(_by_measure(one, other, chosen, options)),
        notes=tuple(_notes((first, second), (one, other))),
    )


def agree_measures(
    judgments: JudgmentsSource,
    runs: Mapping[str, RunSource],
    measures: Iterable[MeasureLike] | MeasureLike = ("nDCG@10", "AP"),
    **options: Any,  # noqa: ANN401 - as compare takes them
) -> MeasuresAgreement:
    """Report whether measures rank systems in the same order.

    Every pair of systems is compared by each measure as `compare` compares them, all pairs of a
    measure as one family. If two measures always agree, one of them is enough.

    Parameters
    ----------
    judgments : judgments
        As `evaluate` takes them.
    runs : mapping of str to run
        At least two, by name.
    measures : Measure, str, or several of them
        At least two; every pair of them is compared.
    **options
        As `agree` takes them.

    Returns
    -------
    MeasuresAgreement
        For every pair of measures, the ranks of the systems, Kendall's tau and tau_AP with their
        intervals, and the pairs of systems whose order changes.

    Raises
    ------
    ArgumentError
        For fewer than two measures or runs.
    MismatchError
        If judgments and a run, or two runs, have no query in common.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 1, "d2": 1}, "q2": {"d3": 1, "d4": 1}}
    >>> a = {"q1": ["d1", "x", "y", "z"], "q2": ["d3", "x", "y", "z"]}
    >>> b = {"q1": ["x", "y", "d1", "d2"], "q2": ["x", "y", "d3", "d4"]}
    >>> agree_measures(judgments, {"a": a, "b": b}, ["RR", "R@4"])
    <Agreement of RR, R@4
    RR and R@4: 1 of 1 pair of systems changes its order, none with both orders established.>
    """
    chosen = _chosen(measures, options)
    if len(chosen) < 2:  # noqa: PLR2004
        raise ArgumentError("measures", "at least two", f"{len(chosen)}")
    comparison = compare(judgments, runs, chosen, **options)
    systems = all_pairs(comparison)
    views = {measure: _View(comparison, systems, measure) for measure in chosen}
    pairs = tuple(
        MeasurePair(**_orders(views[one], views[other], options), measures=(one, other))
        for one, other in combinations(chosen, 2)
    )
    note = f"All measures score the same {count_queries(comparison.n_queries)}."
    notes = (note, *comparison.notes[1:])
    return MeasuresAgreement(chosen, comparison.n_queries, pairs, notes)


def _chosen(
    measures: Iterable[MeasureLike] | MeasureLike, options: Mapping[str, Any]
) -> tuple[Measure, ...]:
    return read_measures(measures, judged_only=options.get("judged_only", False))


def _compared(
    name: str,
    judgments: JudgmentsSource,
    runs: Mapping[str, RunSource],
    measures: Sequence[Measure],
    options: Mapping[str, Any],
) -> Comparison:
    try:
        return compare(judgments, runs, measures, **options)
    except MismatchError as error:
        raise MismatchError(f"{name}: {error}") from None


def _by_measure(
    one: Comparison, other: Comparison, measures: Iterable[Measure], options: Mapping[str, Any]
) -> Iterable[MeasureAgreement]:
    pairs = [all_pairs(comparison) for comparison in (one, other)]
    for measure in measures:
        first, second = _View(one, pairs[0], measure), _View(other, pairs[1], measure)
        yield MeasureAgreement(**_orders(first, second, options), measure=measure)


@dataclass(frozen=True, eq=False)
class _View:
    """The systems of a comparison by one measure."""

    comparison: Comparison
    all_pairs: Sequence[SystemPair]
    measure: Measure

    @property
    def means(self) -> list[float]:
        name = str(self.measure)
        return [round(run[name].mean, _DIGITS) for run in self.comparison.evaluations.values()]

    @property
    def goodness(self) -> list[float]:
        """The means, higher is better."""
        return [self._sign * mean for mean in self.means]

    @property
    def scores(self) -> NDArray[np.float64]:
        """One row per query and one column per system, higher is better."""
        name = str(self.measure)
        columns = [np.asarray(run[name].values) for run in self.comparison.evaluations.values()]
        return self._sign * np.column_stack(columns)

    @property
    def pairs(self) -> list[SystemPair]:
        return [pair for pair in self.all_pairs if pair.difference.measure == self.measure]

    @property
    def _sign(self) -> float:
        return 1.0 if self.measure.higher_is_better else -1.0


def _orders(one: _View, other: _View, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `_Orders`."""
    x, y = one.goodness, other.goodness
    systems = [
        SystemRanks(system, means, ranks)
        for system, means, ranks in zip(
            one.comparison.evaluations,
            zip(one.means, other.means, strict=True),
            zip(_ranks(x), _ranks(y), strict=True),
            strict=True,
        )
    ]
    tau_interval, tau_ap_interval = _intervals(one, other, options)
    return {
        "systems": tuple(sorted(systems, key=lambda found: found.ranks)),
        "pairs": tuple(map(_pair, one.pairs, other.pairs)),
        "tau": kendall_tau(x, y),
        "tau_ap": tau_ap(x, y),
        "tau_interval": tau_interval,
        "tau_ap_interval": tau_ap_interval,
    }


def _intervals(
    one: _View, other: _View, options: Mapping[str, Any]
) -> tuple[Interval | None, Interval | None]:
    query_ids = one.comparison.query_ids
    if tuple(query_ids) != tuple(other.comparison.query_ids):
        return None, None
    first = next(iter(one.comparison.evaluations.values()))
    sampling = sampling_of(first.queries, query_ids)
    return order_intervals(
        one.scores,
        other.scores,
        options.get("level", 0.95),
        weights=sampling.weights,
        groups=sampling.groups,
        strata=sampling.strata,
        seed=options.get("seed", 0),
    )


def _ranks(values: Sequence[float]) -> list[int]:
    return [1 + sum(1 for other in values if other > value) for value in values]


def _pair(one: SystemPair, other: SystemPair) -> PairOrders:
    before, after = (_gain(found.difference) for found in (one, other))
    order: Order = "swapped"
    if before == 0.0 or after == 0.0:
        order = "tied"
    elif (before > 0.0) == (after > 0.0):
        order = "same"
    return PairOrders(one.first, one.second, (one.difference, other.difference), order)


def _gain(difference: Difference) -> float:
    """Return how much better the second system is."""
    gain = difference_of(difference.baseline_mean, difference.candidate_mean)
    return gain if difference.measure.higher_is_better else -gain


def _notes(sets: Sequence[str], comparisons: Sequence[Comparison]) -> Iterable[str]:
    one, other = ({*comparison.query_ids} for comparison in comparisons)
    if one == other:
        yield f"Both sets judge the same {count_queries(len(one))}."
    else:
        judged = ", ".join(
            f"{name} {count_queries(comparison.n_queries)}"
            for name, comparison in zip(sets, comparisons, strict=True)
        )
        yield (
            f"The sets judge different queries ({judged}; {len(one & other):,} in common): "
            "orders can differ for that reason alone."
        )
    for name, comparison in zip(sets, comparisons, strict=True):
        yield from (f"{name}: {note}" for note in comparison.notes[1:])
