"""Scores as a Spark DataFrame, and their evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from berryeval.core.column_names import JUDGE, find_name
from berryeval.core.grouped import Duplicates
from berryeval.core.judging import Judges
from berryeval.engine import MissingQueries, NoRelevant
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.evaluation.evaluate import DEFAULT_MEASURES, MeasureLike
from berryeval.evaluation.partitions import N_QUERIES, ScoringPlan, gather_scores
from berryeval.evaluation.result import Evaluation
from berryeval.spark import rows, tasks
from berryeval.spark.failures import import_spark, translated

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

    from berryeval.evaluation.slices import QueriesSource

__all__ = ["check_frame", "collect", "evaluate", "in_partitions"]


def evaluate(
    judgments: DataFrame,
    run: DataFrame,
    measures: Iterable[MeasureLike] | MeasureLike = DEFAULT_MEASURES,
    *,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
    exclude_self: bool = False,
    judged_only: bool = False,
    lengths: Mapping[Any, float] | None = None,
    partitions: int | None = None,
    broadcast: bool | None = None,
) -> DataFrame:
    """Score a run against judgments, both Spark DataFrames from any source.

    Nothing runs until the result is used. There is one shuffle, of both frames by query; each task
    then scores its queries in a stream, in memory for some thousand queries or the largest one.

    Parameters
    ----------
    judgments, run : DataFrame
        Columns as `berryeval.evaluate` takes them: query_id, doc_id, and relevance or score, or
        other usual names. Ids are text, bytes or whole numbers. Rows may be in any order.
    measures : Measure, str, or several of them
        As `berryeval.evaluate` takes them, except for Hole and measures of times.
    duplicates, exclude_self, judged_only
        As `berryeval.evaluate` takes them.
    judges : {"max", "mean", "majority"}
        Which grade counts if several judges graded a document. Required if the judgments name
        judges: the rows of a Spark DataFrame have no order, so there is no first grade.
    lengths : mapping, optional
        The length of each document, for measures that need it; it is sent to every task.
    partitions : int, optional
        The number of tasks that score. Default: Spark's own, ``spark.sql.shuffle.partitions``, of
        which adaptive execution joins small ones.
    broadcast : bool, optional
        Whether to broadcast the ids of judged queries. The documents of unjudged queries then stay
        out of the shuffle, and duplicates among them are not reported. Default: if Spark estimates
        their size below ``spark.sql.autoBroadcastJoinThreshold``.

    Returns
    -------
    DataFrame
        One row per query of either frame: ``query_id`` (text, or bytes if a frame has bytes),
        ``status`` (scored; missing, if only the judgments have the query; ignored, if only the run
        does), ``lacks_relevant``, and one column per measure, then ``Holes@k`` and ``NumRet`` for
        reports. Scores of missing queries are those of an empty ranking, scores of ignored ones
        are null. `collect` returns means, intervals and counts.

    Raises
    ------
    ArgumentError
        For a missing column, or one of another type. Errors in a row, such as a score that is not
        a number, are raised when the result is used; `collect` names the query.
    """
    import_spark()
    check_frame(judgments, "judgments")
    check_frame(run, "run")
    if partitions is not None and partitions < 1:
        raise ArgumentError("partitions", "a whole number of at least 1", repr(partitions))
    plan = ScoringPlan(
        measures,
        duplicates=duplicates,
        judges=judges,
        exclude_self=exclude_self,
        judged_only=judged_only,
        lengths=lengths,
    )
    if judges in ("first", "latest") and find_name(judgments.columns, JUDGE) is not None:
        way_out = "choose 'max', 'mean' or 'majority', or drop the column"
        expected = (
            f"a rule that does not depend on the order of rows, as 'judge' is a column; {way_out}"
        )
        raise ArgumentError("judges", expected, repr(judges))
    judged = rows.judgment_rows(judgments, plan)
    retrieved = rows.run_rows(run, labels=judged)
    if _is_small(judged) if broadcast is None else broadcast:
        retrieved = rows.pruned(retrieved, judged)
    scored = in_partitions(
        judged.unionAll(retrieved),
        partial(tasks.score_batches, plan=plan),
        _schema(plan),
        partitions,
    )
    if rows.has_bytes(judgments, "judgments") or rows.has_bytes(run, "run"):
        return scored
    return scored.withColumn("query_id", scored["query_id"].cast("string"))


def collect(
    scores: DataFrame,
    measures: Iterable[MeasureLike] | MeasureLike | None = None,
    *,
    queries: QueriesSource | None = None,
    missing: MissingQueries = "zero",
    no_relevant: NoRelevant = "zero",
) -> Evaluation:
    """Collect the scores that `evaluate` returned: bit for bit the result of `berryeval.evaluate`.

    A million queries with ten measures are 80 MB. Means are summed on the driver, in the order of
    query ids as bytes, so they do not depend on the partitions. The scores may also have been
    written to a file and read again.

    Parameters
    ----------
    scores : DataFrame
        What `evaluate` returned.
    measures : Measure, str, or several of them, optional
        The measures to report. Default: all columns but those that were added for reports.
    queries, missing, no_relevant
        As `berryeval.evaluate` takes them.

    Raises
    ------
    InputError
        For a row that cannot be scored, such as a duplicate document, with its query.
    MismatchError
        If judgments and run have no query in common.
    SparkError
        If Spark fails.
    """
    import_spark()
    check_frame(scores, "scores")
    from pyspark.sql import functions
    from pyspark.sql.types import DoubleType, LongType, StructType

    numbers = [one.name for one in scores.schema.fields if isinstance(one.dataType, DoubleType)]
    with translated():
        scores = scores.select(
            functions.col("query_id").cast("binary").alias("query_id"),
            "status",
            "lacks_relevant",
            # mapInArrow takes no names with a dot, as RBP(p=0.9) has one.
            *(functions.col(rows.quoted(name)).alias(f"_{i}") for i, name in enumerate(numbers)),
        )
        schema = StructType(list(scores.schema.fields)).add(N_QUERIES, LongType())
        table = scores.mapInArrow(tasks.summary_batches, schema).toArrow()
    table = table.rename_columns([*table.schema.names[:3], *numbers, N_QUERIES])
    return gather_scores(table, measures, queries=queries, missing=missing, no_relevant=no_relevant)


def in_partitions(
    frame: DataFrame,
    task: Callable[[Iterator[Any]], Iterator[Any]],
    schema: StructType,
    partitions: int | None,
) -> DataFrame:
    """Bring the rows of each query together, sorted, and run a task on each partition.

    Rows are partitioned by the hash in their key. If they were partitioned by the query itself,
    Spark would omit the shuffle wherever both frames already are, and adaptive execution could then
    coalesce the partitions of one frame differently from those of the other.
    """
    hashed = rows.query_hash()
    by_query = (hashed,) if partitions is None else (partitions, hashed)
    return frame.repartition(*by_query).sortWithinPartitions("key").mapInArrow(task, schema)


def check_frame(frame: object, argument: str) -> None:
    """Raise `InputTypeError` unless it is a Spark DataFrame."""
    from pyspark.sql import DataFrame

    if not isinstance(frame, DataFrame):
        raise InputTypeError(argument, "a Spark DataFrame", type(frame).__name__)


def _schema(plan: ScoringPlan) -> StructType:
    from pyspark.sql.types import BinaryType, BooleanType, DoubleType, StringType, StructType

    schema = StructType().add("query_id", BinaryType()).add("status", StringType())
    schema = schema.add("lacks_relevant", BooleanType())
    for name in plan.columns:
        schema = schema.add(name, DoubleType())
    return schema


def _is_small(judgments: DataFrame) -> bool:
    """Whether Spark would broadcast the ids of judged queries; False where it cannot tell."""
    try:
        plan = judgments.select("query_id")._jdf.queryExecution().optimizedPlan()  # noqa: SLF001
        size = int(str(plan.stats().sizeInBytes()))
        session = judgments.sparkSession._jsparkSession  # noqa: SLF001 - Spark has no other way
        most = int(session.sessionState().conf().autoBroadcastJoinThreshold())
    except (AttributeError, TypeError):  # Spark Connect, where plans are on the server
        return False
    return size <= most
