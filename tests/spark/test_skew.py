"""Skewed data, and a cluster that loses an executor."""

import threading
import time

import pytest

from spark.cluster import executors, kill, require_spark, session

require_spark()

from pyspark.sql import functions  # noqa: E402 - only if Spark is there

import berryeval as be  # noqa: E402
import berryeval.spark  # noqa: E402
from spark.cases import MEASURES, assert_same, table, tricky  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    """The cluster."""
    return session()


def test_a_query_that_spans_many_batches(spark):
    """A ranking of 300,000 documents arrives in 30 pieces, between other queries."""
    n_rows = 300_000
    run = spark.range(n_rows).select(
        functions.when(functions.col("id") % 1000 == 7, functions.concat(functions.lit("q"), "id"))
        .otherwise("long")
        .alias("query_id"),
        functions.concat(functions.lit("d"), functions.col("id")).alias("doc_id"),
        functions.pmod(functions.hash("id"), functions.lit(5000)).cast("double").alias("score"),
    )
    judgments = spark.range(0, n_rows, 301).select(
        functions.lit("long").alias("query_id"),
        functions.concat(functions.lit("d"), functions.col("id")).alias("doc_id"),
        (functions.col("id") % 4).alias("relevance"),
    )
    expected = be.evaluate(judgments.toArrow(), run.toArrow(), MEASURES)
    assert expected.counts.ignored == 300
    for broadcast in (True, False):
        scores = berryeval.spark.evaluate(judgments, run, MEASURES, broadcast=broadcast)
        assert_same(berryeval.spark.collect(scores), expected)


def test_many_queries_of_one_row(spark):
    """They are scored in few calls, and collected in the order of their ids."""
    n_queries = 100_000
    ids = spark.range(n_queries)
    query = functions.concat(functions.lit("q"), functions.col("id")).alias("query_id")
    judgments = ids.select(query, functions.lit("a").alias("doc_id"), functions.lit(1).alias("rel"))
    run = ids.select(
        query,
        functions.when(functions.col("id") % 3 == 0, "a").otherwise("b").alias("doc_id"),
        functions.lit(0.5).alias("score"),
    )
    scores = berryeval.spark.evaluate(judgments, run, ["RR", "nDCG@10"])
    expected = be.evaluate(judgments.toArrow(), run.toArrow(), ["RR", "nDCG@10"])
    assert_same(berryeval.spark.collect(scores), expected)


def test_judgments_that_outnumber_the_run(spark):
    """They are shuffled and sorted like rows of a run, so no process needs them all in memory."""
    n_judged, per_query = 200_000, 20
    number = functions.col("id")
    query = functions.concat(functions.lit("q"), functions.floor(number / per_query))
    document = functions.concat(functions.lit("d"), number % 9973).alias("doc_id")
    judgments = spark.range(n_judged).select(
        query.alias("query_id"), document, (number % 3).alias("relevance")
    )
    run = spark.range(0, n_judged, 7).select(
        query.alias("query_id"), document, functions.rand(1).alias("score")
    )
    expected = be.evaluate(judgments.toArrow(), run.toArrow(), MEASURES)
    assert expected.counts.judged == n_judged / per_query
    scores = berryeval.spark.evaluate(judgments, run, MEASURES, broadcast=False)
    assert_same(berryeval.spark.collect(scores), expected)


def test_the_loss_of_an_executor_changes_nothing(spark):
    """One process is killed in the middle of a job, which finishes with the same bits."""

    def slowly(batches):  # inside, so that executors need not find this module
        import time

        for batch in batches:
            time.sleep(0.4)
            yield batch

    judgments, run = tricky(9)
    judged, found = table(judgments, "relevance"), table(run, "score")
    expected = be.evaluate(judged, found, MEASURES)
    slow = spark.createDataFrame(found).repartition(8)
    slow = slow.mapInArrow(slowly, slow.schema)
    scores = berryeval.spark.evaluate(spark.createDataFrame(judged), slow, MEASURES, partitions=6)
    result = []
    job = threading.Thread(target=lambda: result.append(berryeval.spark.collect(scores)))
    before = executors(spark)
    assert len(before) == 2
    job.start()
    tracker = spark.sparkContext.statusTracker()
    deadline = time.monotonic() + 60
    while not is_half_done(tracker) and time.monotonic() < deadline:
        time.sleep(0.05)
    killed, pid = max(before.items())
    kill(pid)
    assert job.is_alive()
    job.join(120)
    assert_same(result[0], expected)
    after = executors(spark)
    assert killed not in after
    assert pid not in after.values()


def is_half_done(tracker):
    """Whether a stage has finished some of its tasks, and not others."""
    stages = [tracker.getStageInfo(one) for one in tracker.getActiveStageIds()]
    return any(one is not None and 2 <= one.numCompletedTasks < one.numTasks - 2 for one in stages)
