"""Comparisons of runs on Spark: scores are collected, and compared as on one machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from berryeval.core.grouped import Duplicates
from berryeval.core.id_column import decode_id
from berryeval.core.judging import Judges
from berryeval.engine import MissingQueries, NoRelevant
from berryeval.evaluation.collected import CollectedComparison, compare_scores
from berryeval.evaluation.comparing import check_runs
from berryeval.evaluation.evaluate import (
    COMPARED_MEASURES,
    DEFAULT_MEASURES,
    MeasureLike,
    mismatches_of,
    read_measures,
)
from berryeval.evaluation.slices import load_queries
from berryeval.spark import rows, tasks
from berryeval.spark.failures import import_spark, translated
from berryeval.spark.scoring import check_frame, collect, evaluate, in_partitions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from berryeval.evaluation.slices import QueriesSource

__all__ = ["compare"]


def compare(
    judgments: DataFrame,
    runs: Mapping[str, DataFrame],
    measures: Iterable[MeasureLike] | MeasureLike | None = None,
    *,
    baseline: str | None = None,
    queries: QueriesSource | None = None,
    slices: Iterable[str] = (),
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    exclude_self: bool = False,
    judged_only: bool = False,
    lengths: Mapping[Any, float] | None = None,
    level: float = 0.95,
    tests: Iterable[str] = (),
    n_resamples: int = 10_000,
    seed: int = 0,
    risk: Iterable[float] = (),
    partitions: int | None = None,
    broadcast: bool | None = None,
) -> CollectedComparison:
    """Compare runs with a baseline, query by query; the same numbers as `berryeval.compare`.

    Each run is scored by a job of its own. The result can be passed to `berryeval.gate`: if no
    score has changed, the gate starts another job, which checks whether the rankings have.

    Parameters
    ----------
    judgments : DataFrame
        As `evaluate` takes it.
    runs : mapping of str to DataFrame
        At least two, by name; each as `evaluate` takes it.
    measures : Measure, str, or several of them, optional
        The first one leads and decides. If omitted, nDCG@10 leads, and RR, P@5 and R@100 follow,
        whatever the depth of the runs.
    baseline, queries, slices, missing, no_relevant, level, tests, n_resamples, seed, risk
        As `berryeval.compare` takes them.
    duplicates, judges, exclude_self, judged_only, lengths, partitions, broadcast
        As `evaluate` takes them.

    Returns
    -------
    CollectedComparison
        A `Comparison` of scores. It contains no judgments and no rankings: reports show none, and
        only the number of unjudged documents is known.

    Raises
    ------
    MismatchError
        If judgments and a run, or two runs, have no query in common.
    """
    import_spark()
    reference = check_runs(runs, baseline)
    for name, frame in runs.items():
        check_frame(frame, f"runs[{name!r}]")
    chosen = read_measures(
        COMPARED_MEASURES if measures is None else measures, judged_only=judged_only
    )
    defaults = read_measures(DEFAULT_MEASURES, judged_only=judged_only) if measures is None else ()
    shown = tuple(dict.fromkeys((*defaults, *chosen)))
    known_queries = [*load_queries(queries).values()]
    evaluations = {}
    for name, frame in runs.items():
        scores = evaluate(
            judgments,
            frame,
            shown,
            duplicates=duplicates,
            judges=judges,
            exclude_self=exclude_self,
            lengths=lengths,
            partitions=partitions,
            broadcast=broadcast,
        )
        with mismatches_of(name):
            evaluations[name] = collect(
                scores, shown, queries=known_queries, missing=missing, no_relevant=no_relevant
            )
    rankings = _Rankings(judgments, runs, exclude_self=exclude_self, partitions=partitions)
    return compare_scores(
        evaluations,
        chosen,
        baseline=reference,
        slices=slices,
        level=level,
        tests=tests,
        n_resamples=n_resamples,
        seed=seed,
        risk=risk,
        same_rankings=rankings.are_same,
    )


class _Rankings:
    """The rankings of runs, which stay on the cluster."""

    def __init__(
        self,
        judgments: DataFrame,
        runs: Mapping[str, DataFrame],
        *,
        exclude_self: bool,
        partitions: int | None,
    ) -> None:
        self._judgments = judgments
        self._runs = runs
        self._exclude_self = exclude_self
        self._partitions = partitions
        self._changed: dict[tuple[str, str, int | None], set[str]] = {}

    def are_same(self, baseline: str, system: str, k: int | None, query_ids: Sequence[str]) -> bool:
        """Whether two runs have the same first k documents for some queries."""
        key = baseline, system, k
        if key not in self._changed:
            self._changed[key] = self._find_changed(*key)
        return self._changed[key].isdisjoint(query_ids)

    def _find_changed(self, baseline: str, system: str, k: int | None) -> set[str]:
        """Return the judged queries whose rankings differ."""
        from pyspark.sql.types import BinaryType, StructType

        before = self._rows(baseline, rows.RETRIEVED)
        after = self._rows(system, rows.UNJUDGED)
        found = in_partitions(
            before.unionAll(after),
            partial(tasks.changed_batches, k=k),
            StructType().add("query_id", BinaryType()),
            self._partitions,
        )
        with translated():
            ids = found.toArrow().column("query_id").to_pylist()
        return set(map(decode_id, ids))

    def _rows(self, name: str, kind: int) -> DataFrame:
        found = rows.run_rows(self._runs[name], kind)
        if self._exclude_self:
            found = found.where(found["query_id"] != found["doc_id"])
        return found.join(self._judged, "query_id", "left_semi").select(found.columns)

    @cached_property
    def _judged(self) -> DataFrame:
        return rows.query_ids(self._judgments, "judgments")
