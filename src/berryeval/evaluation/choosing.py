"""Choosing one of several runs, with a score that holds up on unseen queries.

For each fold of the judged queries, the run with the best mean over the other folds is chosen, and
scored on the fold. The mean of these scores is what to expect of such a choice. The mean over the
queries that it was made on is optimistic: the more runs, the more of them are good by chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import score
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measure
from berryeval.evaluation.folds import QueryWeights, check_averaged, fold_queries, held_out_run
from berryeval.evaluation.slices import QueriesSource, load_queries
from berryeval.evaluation.weighting import mean_over
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.result import MeasureResult
    from berryeval.stats import Interval

__all__ = ["FoldRun", "RunChoice", "choose_run"]

TUNED = "Tuned search"


@dataclass(frozen=True)
class FoldRun:
    """The run that was chosen without a fold, and its score there."""

    query_ids: tuple[str, ...]
    """The queries of the fold."""
    choice: str
    """Name of the run."""
    training: float
    """Mean score of the other folds, on which it was the best."""
    held_out: float
    """Mean score of the fold."""


@dataclass(frozen=True, eq=False)
class RunChoice:
    """The best run, and what to expect of such a choice on other queries."""

    measure: Measure
    choice: str
    """Name of the run that is the best over all queries."""
    means: Mapping[str, float]
    """The mean of each run over all queries."""
    folds: tuple[FoldRun, ...]
    held_out: MeasureResult
    """Scores of queries by the choice of the other folds."""
    training: float
    """The optimistic mean: that of the queries on which choices were made."""
    comparisons: Mapping[str, Comparison]
    """The held-out choice compared with each reference, by the name of the reference."""
    seed: int

    @property
    def interval(self) -> Interval | None:
        """The confidence interval of the held-out mean."""
        return self.held_out.interval

    def beats(self, reference: str) -> bool:
        """Whether the choice clearly beats a reference on held-out queries."""
        return self.comparisons[reference].differences[0].finding == "better"


def choose_run(
    judgments: Judgments,
    runs: Mapping[str, Run],
    measure: MeasureLike = "nDCG@10",
    *,
    references: Iterable[str] = (),
    queries: QueriesSource | None = None,
    n_folds: int = 5,
    level: float = 0.95,
    seed: int = 0,
) -> RunChoice:
    """Choose the best of several runs by cross-validation over queries.

    Parameters
    ----------
    judgments : Judgments
        Grades of documents.
    runs : mapping of str to Run
        Runs to choose from. Of equally good ones, the first is chosen.
    measure : Measure or str
        What to improve: a measure that is averaged over queries.
    references : iterable of str
        Names of runs to compare the choice with.
    queries : path or Query objects, optional
        Their weights count in every mean. Queries of one group are in the same fold.
    n_folds : int
        Parts that queries are divided into, at least 3.
    level : float
        Confidence level of intervals.
    seed : int
        Random seed for the folds.

    Raises
    ------
    ArgumentError
        For fewer queries, or groups of queries, than folds.

    Examples
    --------
    >>> judgments = Judgments.from_dict({f"q{i}": {"a": 1} for i in range(6)})
    >>> good = Run.from_lists({f"q{i}": ["a", "b"] for i in range(6)})
    >>> bad = Run.from_lists({f"q{i}": ["b", "a"] for i in range(6)})
    >>> chosen = choose_run(judgments, {"bad": bad, "good": good}, "RR@10", references=["bad"])
    >>> chosen.choice, chosen.held_out.mean
    ('good', 1.0)
    """
    chosen = read_measure(measure)
    check_averaged(chosen)
    known = load_queries(queries)
    folds = fold_queries(judgments, n_folds, seed, known)
    query_ids = [query_id for fold in folds for query_id in fold]
    weights = QueryWeights(known, query_ids)
    scores = {name: _scores(judgments, run, chosen) for name, run in runs.items()}
    sign = 1 if chosen.higher_is_better else -1

    def mean(name: str, over: Iterable[bytes]) -> float:
        return weights.mean_score(scores[name], over)

    def best(over: Iterable[bytes]) -> str:
        among = [*over]
        return max(runs, key=lambda name: sign * mean(name, among))

    by_fold = []
    for number, fold in enumerate(folds):
        others = [q for i, other in enumerate(folds) if i != number for q in other]
        name = best(others)
        own = tuple(query_id.decode("utf-8", "surrogateescape") for query_id in fold)
        by_fold.append(FoldRun(own, name, mean(name, others), mean(name, fold)))
    held_out = held_out_run(folds, [runs[one.choice] for one in by_fold])
    return RunChoice(
        measure=chosen,
        choice=best(query_ids),
        means={name: mean(name, query_ids) for name in runs},
        folds=tuple(by_fold),
        held_out=evaluate(judgments, held_out, chosen, queries=known.values())[str(chosen)],
        training=mean_over([one.training for one in by_fold]),
        comparisons={
            name: compare(
                judgments,
                {name: runs[name], TUNED: held_out},
                chosen,
                queries=known.values(),
                level=level,
                seed=seed,
            )
            for name in references
        },
        seed=seed,
    )


def _scores(judgments: Judgments, run: Run, measure: Measure) -> dict[bytes, float]:
    found = score(judgments, run, [measure])
    return dict(zip(found.query_ids.iter_bytes(), found.values[str(measure)], strict=True))
