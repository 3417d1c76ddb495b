"""Comparisons of evaluations whose rankings are elsewhere: only the scores were collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TypeAlias

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.comparing import check_runs, compared, scored_for_all
from berryeval.evaluation.comparison import Comparison, Statistics
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.evaluation.result import Evaluation
from berryeval.measures import NumRetrieved

__all__ = ["CollectedComparison", "SameRankings", "compare_scores"]

SameRankings: TypeAlias = "Callable[[str, str, int | None, Sequence[str]], bool]"
"""Whether two runs, by name, have the same first k documents (all for None) for some queries."""


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CollectedComparison(Comparison):
    """A comparison of scores, without judgments and rankings.

    ``judgments`` and ``runs`` are empty, and `ranking` returns nothing.
    """

    same_rankings: SameRankings | None = None
    """A function that compares rankings where they are stored. If None, rankings count as
    different, even if all scores are the same."""

    def is_unchanged(self, system: str, k: int | None, query_ids: Iterable[str]) -> bool:
        """Return whether the first k documents are the baseline's, for all these queries."""
        if self.same_rankings is None:
            return False
        return self.same_rankings(self.baseline, system, k, [*query_ids])


def compare_scores(
    evaluations: Mapping[str, Evaluation],
    measures: Iterable[MeasureLike] | MeasureLike | None = None,
    *,
    baseline: str | None = None,
    slices: Iterable[str] = (),
    level: float = 0.95,
    tests: Iterable[str] = (),
    n_resamples: int = 10_000,
    seed: int = 0,
    risk: Iterable[float] = (),
    same_rankings: SameRankings | None = None,
) -> CollectedComparison:
    """Compare runs that are already scored; the same numbers as those of `compare`.

    Use it for scores that were computed by partition, as returned by `gather_scores`. The
    comparison can be passed to `gate`.

    Parameters
    ----------
    evaluations : mapping of str to Evaluation
        At least two, by the name of the run, with the same measures.
    measures : Measure, str, or several of them, optional
        Measures to compare; the first one leads. Default: the measures of the evaluations.
    baseline, slices, level, tests, n_resamples, seed, risk
        As `compare` takes them. The labels of slices are those of the queries in the evaluations.
    same_rankings : callable, optional
        Whether two runs, by name, have the same first k documents for some queries. A gate asks
        for it only if no score has changed: it then passes *unchanged*. Without it, such a gate is
        decided by its scores.

    Raises
    ------
    MismatchError
        If two runs have no query in common.

    Examples
    --------
    >>> from berryeval.evaluation import evaluate
    >>> judgments = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    >>> runs = {"old": {"q1": ["d1"], "q2": ["d9", "d2"]}, "new": {"q1": ["d1"], "q2": ["d2"]}}
    >>> compare_scores({name: evaluate(judgments, run, "RR") for name, run in runs.items()})
    <Comparison with old over 2 queries
    new: RR +0.2500, too few changes to decide>
    """
    how = Statistics(level, tuple(dict.fromkeys(tests)), n_resamples, seed)
    reference = check_runs(evaluations, baseline)
    first = evaluations[reference]
    chosen = first.measures if measures is None else read_measures(measures)
    for name, one in evaluations.items():
        lacking = [*{*first.measures, *chosen}.difference(one.measures)]
        if lacking:
            raise ArgumentError("evaluations", f"{lacking[0]} of every run", f"none of {name}")
    _check_common(evaluations, reference)
    found = compared(
        Judgments.from_dict({}),
        dict.fromkeys(evaluations, Run.from_dict({})),
        evaluations,
        reference,
        chosen,
        first.queries,
        scored_for_all([*evaluations.values()], evaluations),
        labels=slices,
        how=how,
        risk=risk,
        depths=_depths(evaluations),
    )
    known = {one.name: getattr(found, one.name) for one in fields(found)}
    return CollectedComparison(**known, same_rankings=same_rankings)


def _depths(evaluations: Mapping[str, Evaluation]) -> dict[str, int]:
    """Return the size of the longest ranking of each run; empty unless all of them are known."""
    sizes = {name: one.scores.values.get(str(NumRetrieved())) for name, one in evaluations.items()}
    if any(one is None for one in sizes.values()):
        return {}
    return {name: int(max(one, default=0.0)) for name, one in sizes.items() if one is not None}


def _check_common(evaluations: Mapping[str, Evaluation], reference: str) -> None:
    """Reject runs with different queries, as `compare` does."""
    found = {
        name: {
            query_id
            for query_id, is_missing in zip(
                one.scores.query_ids, one.scores.is_missing, strict=True
            )
            if not is_missing
        }
        for name, one in evaluations.items()
    }
    for name, query_ids in found.items():
        if found[reference].isdisjoint(query_ids):
            raise MismatchError(f"{reference} and {name} have no judged query in common")
