"""Whether two sets of judgments order systems alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.all_pairs import SystemPair, all_pairs
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.comparison import Comparison, Difference
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.evaluation.findings import difference_of
from berryeval.evaluation.notes import count_queries
from berryeval.evaluation.sources import JudgmentsSource, RunSource, load_judgments, load_run
from berryeval.measures import Measure
from berryeval.stats import kendall_tau, tau_ap

__all__ = ["Agreement", "MeasureAgreement", "PairOrders", "SystemRanks", "agree"]

_DIGITS = 12
"""Means that differ in later digits only are equal."""

Order: TypeAlias = Literal["same", "swapped", "tied"]
"""What becomes of the order of two systems under the other judgments; tied if one set of judgments
gives both the same mean."""


@dataclass(frozen=True)
class SystemRanks:
    """The means and ranks of one system, under the first and the second set of judgments."""

    system: str
    means: tuple[float, float]
    ranks: tuple[int, int]
    """From 1. Systems with the same mean share a rank."""


@dataclass(frozen=True, eq=False)
class PairOrders:
    """Two systems under the first and the second set of judgments."""

    first: str
    second: str
    differences: tuple[Difference, Difference]
    """Of the second system from the first. Intervals and p-values hold for all pairs of a measure
    together."""
    order: Order

    @property
    def is_established(self) -> tuple[bool, bool]:
        """Whether each set of judgments has an interval that excludes 0."""
        one, other = (d.finding in ("better", "worse") for d in self.differences)
        return one, other


@dataclass(frozen=True, eq=False)
class MeasureAgreement:
    """How alike two sets of judgments order the systems by one measure."""

    measure: Measure
    systems: tuple[SystemRanks, ...]
    """By their rank under the first set of judgments."""
    pairs: tuple[PairOrders, ...]
    """Every two systems."""
    tau: float | None
    """Kendall's tau-b; None if all systems tie under one set of judgments."""
    tau_ap: float | None
    """The same with more weight at the top."""

    @property
    def swaps(self) -> tuple[PairOrders, ...]:
        """The pairs whose order changes."""
        return tuple(pair for pair in self.pairs if pair.order == "swapped")

    def count(self, order: Order) -> int:
        """Count the pairs of one kind."""
        return sum(1 for pair in self.pairs if pair.order == order)

    @property
    def sentence(self) -> str:
        """The result in words."""
        name, n_pairs, swaps = str(self.measure), len(self.pairs), self.swaps
        if not swaps:
            tied = f"; {self.count('tied')} of them tie under one set" * bool(self.count("tied"))
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


def agree(
    judgments: Mapping[str, JudgmentsSource],
    runs: Mapping[str, RunSource],
    measures: Iterable[MeasureLike] | MeasureLike = "nDCG@10",
    **options: Any,  # noqa: ANN401 - as compare takes them
) -> Agreement:
    """Report whether two sets of judgments order systems alike.

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
        ``judges``, ``exclude_self``, ``level``, ``n_resamples``, ``seed``.

    Returns
    -------
    Agreement
        For each measure the ranks of the systems under both sets, Kendall's tau, tau_AP, and the
        pairs whose order changes.

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
    chosen = tuple(read_measures(measures))
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
        measures=tuple(_by_measure(one, other, chosen)),
        notes=tuple(_notes((first, second), (one, other))),
    )


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
    one: Comparison, other: Comparison, measures: Iterable[Measure]
) -> Iterable[MeasureAgreement]:
    pairs_of_one, pairs_of_other = all_pairs(one), all_pairs(other)
    for measure in measures:
        means = [
            [round(run[str(measure)].mean, _DIGITS) for run in comparison.evaluations.values()]
            for comparison in (one, other)
        ]
        x, y = ([m if measure.higher_is_better else -m for m in column] for column in means)
        ranks = zip(_ranks(x), _ranks(y), strict=True)
        systems = [
            SystemRanks(system, both, of_both)
            for system, both, of_both in zip(
                one.evaluations, zip(*means, strict=True), ranks, strict=True
            )
        ]
        pairs = [
            _pair(a, b)
            for a, b in zip(pairs_of_one, pairs_of_other, strict=True)
            if a.difference.measure == measure
        ]
        yield MeasureAgreement(
            measure,
            tuple(sorted(systems, key=lambda found: found.ranks)),
            tuple(pairs),
            kendall_tau(x, y),
            tau_ap(x, y),
        )


def _ranks(values: Sequence[float]) -> list[int]:
    return [1 + sum(1 for other in values if other > value) for value in values]


def _pair(one: SystemPair, other: SystemPair) -> PairOrders:
    before, after = (
        difference_of(found.difference.baseline_mean, found.difference.candidate_mean)
        for found in (one, other)
    )
    order: Order = "swapped"
    if before == 0.0 or after == 0.0:
        order = "tied"
    elif (before > 0.0) == (after > 0.0):
        order = "same"
    return PairOrders(one.first, one.second, (one.difference, other.difference), order)


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
