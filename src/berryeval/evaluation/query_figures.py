"""What a run found for each query, in addition to its scores: the first hit, and what is judged."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from berryeval.core.id_column import IdColumn
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import MissingQueries
from berryeval.evaluation.deciding import Floats
from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.result import Evaluation
from berryeval.measures import Holes, Judged, ReciprocalRank

__all__ = ["QueryFigures", "query_figures"]

_RANK = str(ReciprocalRank())


@dataclass(frozen=True, eq=False)
class QueryFigures:
    """One number per query, in the order of the evaluation."""

    first_relevant: Floats
    """The rank of the first relevant document; infinite if there is none in the ranking."""
    n_holes: NDArray[np.int64]
    """Unjudged documents in the first ranks."""
    n_documents: NDArray[np.int64]
    """Documents in the first ranks."""

    @cached_property
    def judged(self) -> Floats:
        """The share of the first documents that is judged; NaN if nothing was returned."""
        with np.errstate(invalid="ignore"):
            return 1.0 - self.n_holes / np.where(self.n_documents, self.n_documents, np.nan)

    @property
    def judged_share(self) -> float | None:
        """The share of all first documents that is judged; None if there are none."""
        n_documents = sum(self.n_documents.tolist())
        return 1.0 - self.n_unjudged / n_documents if n_documents else None

    @property
    def n_unjudged(self) -> int:
        """All unjudged documents in the first ranks."""
        return sum(self.n_holes.tolist())

    @property
    def n_without_relevant(self) -> int:
        """Queries for which nothing relevant was found."""
        return int(np.count_nonzero(np.isinf(self.first_relevant)))

    @property
    def n_with_holes(self) -> int:
        """Queries that have an unjudged document in the first ranks."""
        return int(np.count_nonzero(self.n_holes))


def query_figures(
    evaluation: Evaluation, judgments: Callable[[], Judgments], run: Run, depth: int = 10
) -> QueryFigures:
    """Return what a run found in its first `depth` ranks for the queries that were scored.

    `judgments` is called only if they are needed.
    """
    holes = str(Holes(depth))
    known = _with_ranks_and_holes(evaluation, judgments, run, depth, holes)
    with np.errstate(divide="ignore"):
        ranks = np.rint(1.0 / np.asarray(known[_RANK]))
    n_holes = np.asarray(known[holes]).astype(np.int64)
    return QueryFigures(ranks, n_holes, _n_documents(run, evaluation.scores.query_ids, depth))


def _with_ranks_and_holes(
    evaluation: Evaluation, judgments: Callable[[], Judgments], run: Run, depth: int, holes: str
) -> Mapping[str, array[float]]:
    """Return the scores of an evaluation, including those used here."""
    known = evaluation.scores.values
    if _RANK in known and holes in known:
        return known
    # Over the same queries, whichever way those that the run lacks were scored.
    is_partial = evaluation.n_queries < evaluation.counts.judged
    missing: MissingQueries = "skip" if is_partial else "zero"
    more = evaluate(judgments(), run, [ReciprocalRank(), Judged(depth)], missing=missing)
    return {**more.scores.values, **known}


def _n_documents(run: Run, query_ids: IdColumn, depth: int) -> NDArray[np.int64]:
    """Return how many documents each query has in the first ranks."""
    lengths = np.diff(np.array(run.starts, np.int64))
    if run.query_ids != query_ids:
        length_of = dict(zip(run.query_ids, lengths.tolist(), strict=True))
        lengths = np.fromiter((length_of.get(query_id, 0) for query_id in query_ids), np.int64)
    return np.minimum(lengths, depth)
