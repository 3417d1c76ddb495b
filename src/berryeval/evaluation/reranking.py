"""The upper limit for any reranker: the first documents of a run in the best possible order."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from berryeval.core.cutoff import check_k
from berryeval.core.grouped import Grouping
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measure, read_measures
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.sources import (
    JudgmentsSource,
    RunSource,
    load_judgments,
    load_run,
    reshape_run,
)
from berryeval.kernels.relevance import NOT_IN_POOL, usable_grade
from berryeval.measures import depth_of

__all__ = ["RerankingCeiling", "ideally_reranked", "reranking_ceiling"]

_CHART = "berryeval.charts.reranking"
_DEPTHS = (10, 20, 50, 100)


@dataclass(frozen=True)
class RerankingCeiling:
    """The scores of a run, and those of a perfect reranker by the number of documents it sees.

    Attributes
    ----------
    current : Evaluation
        The unchanged run.
    at : mapping of int to Evaluation
        By depth, rising: the run with its first documents in the best order.
    """

    current: Evaluation
    at: Mapping[int, Evaluation]

    def means(self, measure: MeasureLike | None = None) -> dict[int, float]:
        """Return the best possible mean at each depth; by default of the first measure.

        Depth 1 is the unchanged run.
        """
        name = self.name_of(measure)
        best = {depth: evaluation[name].mean for depth, evaluation in self.at.items()}
        return {1: self.current[name].mean} | best

    def name_of(self, measure: MeasureLike | None) -> str:
        """Return the name of a measure, by default of the first one."""
        if measure is None:
            return next(iter(self.current))
        return str(read_measure(measure))

    def plot(self, measure: MeasureLike | None = None) -> Any:  # noqa: ANN401 - a Chart, above
        """Return a `Chart` of the best possible mean by depth."""
        return importlib.import_module(_CHART).reranking_curves({"best": self}, measure)

    def __repr__(self) -> str:
        name = self.name_of(None)
        current, *best = self.means().items()
        shown = ", ".join(f"{mean:.4f} at {depth:,}" for depth, mean in best)
        return f"<RerankingCeiling of {name}: {current[1]:.4f} as it is, at best {shown}>"


def reranking_ceiling(
    judgments: JudgmentsSource,
    run: RunSource,
    measures: Iterable[MeasureLike] | MeasureLike = "nDCG@10",
    depths: Iterable[int] = _DEPTHS,
    **options: Any,  # noqa: ANN401 - as evaluate takes them
) -> RerankingCeiling:
    """Return the best scores that any reranker of the first documents of a run can reach.

    Parameters
    ----------
    judgments, run
        As `evaluate` takes them.
    measures : Measure, str, or several of them
        The first one leads. Default: nDCG@10.
    depths : iterable of int
        The numbers of documents that a reranker gets to see, each at least 1.
    **options
        Other arguments of `evaluate`, such as ``queries=`` or ``judged_only=True``.

    Returns
    -------
    RerankingCeiling

    Notes
    -----
    Documents are ordered by grade, unjudged ones last; documents below the depth keep their ranks.
    That is the best order for every measure of quality, except where a table of gains values a
    lower grade above a higher one. Documents that are unjudged could turn out to be relevant, so
    that the true ceiling may be higher.

    Examples
    --------
    >>> judgments = {"q1": {"d1": 1, "d2": 1}}
    >>> reranking_ceiling(judgments, {"q1": ["d9", "d1", "d8", "d2"]}, "AP", depths=[2, 4])
    <RerankingCeiling of AP: 0.5000 as it is, at best 0.7500 at 2, 1.0000 at 4>
    """
    wanted = sorted({check_k(depth, "depths") for depth in depths})
    if not wanted:
        raise ArgumentError("depths", "at least one", "none")
    judges, duplicates = (options.pop(key, default) for key, default in _LOADED.items())
    documents, exclude_self = (options.pop(key, default) for key, default in _RESHAPED.items())
    chosen = read_measures(measures, judged_only=options.pop("judged_only", False))
    loaded = load_judgments(judgments, duplicates, judges)
    ranked = load_run(run, duplicates)
    if documents is not None or exclude_self:
        ranked = reshape_run(ranked, documents=documents, exclude_self=exclude_self)
    needed = depth_of(chosen)
    return RerankingCeiling(
        evaluate(loaded, ranked, chosen, **options),
        {
            depth: evaluate(
                loaded, ideally_reranked(loaded, ranked, depth, needed), chosen, **options
            )
            for depth in wanted
        },
    )


_LOADED: dict[str, Any] = {"judges": "first", "duplicates": "error"}
_RESHAPED: dict[str, Any] = {"documents": None, "exclude_self": False}


def ideally_reranked(judgments: Judgments, run: Run, depth: int, n_kept: int | None = None) -> Run:
    """Return a run with its first `depth` documents in the best order.

    That is by grade, unjudged ones last, and equal ones in their order. Only the first `n_kept`
    documents of the new order are kept; all of them by default.
    """
    looked_at = None if n_kept is None else max(depth, n_kept)
    rows = Grouping()
    for query_id in run.query_ids.iter_bytes():
        rows.add_query(query_id)
        ranking = run.ranked_ids(query_id, looked_at)
        grade_of = judgments.grades_of(query_id)
        best_first = sorted(
            ranking[:depth],
            key=lambda doc_id: max(usable_grade(grade_of, doc_id), NOT_IN_POOL),
            reverse=True,
        )
        for rank, doc_id in enumerate([*best_first, *ranking[depth:]][:n_kept], start=1):
            rows.add(query_id, doc_id, -float(rank))
    return Run.collect(rows)
