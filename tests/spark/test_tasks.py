"""The code that runs on executors, called with batches like Spark's."""

import pytest

pa = pytest.importorskip("pyarrow")

import berryeval as be  # noqa: E402
from berryeval.errors import ArgumentError, InputError, SparkError  # noqa: E402
from berryeval.evaluation.partitions import (  # noqa: E402
    N_QUERIES,
    ScoringPlan,
    gather_scores,
    score_partition,
)
from berryeval.spark import tasks  # noqa: E402
from berryeval.spark.failures import _translate  # noqa: E402
from berryeval.spark.rows import JUDGED, KIND_BITS, RETRIEVED, UNJUDGED  # noqa: E402
from spark.cases import MEASURES, assert_same, table, tricky  # noqa: E402


@pytest.fixture(autouse=True)
def outside_of_a_task(monkeypatch):
    """Keep the number of threads, since there is no task that limits it."""
    monkeypatch.setattr(tasks, "_limit_threads", lambda: None)


def key(query, kind, hash_of=hash):
    """Return the key of a row, as Spark computes it from another hash."""
    hashed = hash_of(query) & 0xFFFFFFFFFFFFFFFF & ~(3 << KIND_BITS) | (kind << KIND_BITS)
    return hashed - (1 << 64) if hashed >> 63 else hashed


def shuffled(*kinds, hash_of=hash):
    """Return rows of each kind as the shuffle delivers them, sorted by their keys."""
    rows = [
        (
            key(query, kind, hash_of),
            None if query is None else query.encode(),
            None if document is None else document.encode(),
            value,
        )
        for kind, several in kinds
        for query, document, value in several
    ]
    columns = [*zip(*sorted(rows, key=lambda row: row[0]), strict=True)]
    types = (pa.int64(), pa.binary(), pa.binary(), pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["key", "query_id", "doc_id", "value"])


@pytest.mark.parametrize("rows_at_once", [1, 200, 10**6])
def test_a_task_needs_memory_for_a_bucket_not_for_its_partition(rows_at_once, monkeypatch):
    """Rows of a partition are scored bucket by bucket, each with all rows of its queries."""
    judgments, run = tricky(3)
    frame = shuffled((JUDGED, judgments), (RETRIEVED, run))
    sizes = []

    def noting(parts, plan, score=tasks._score):
        sizes.append(sum(part.num_rows for part in parts.values()))
        return score(parts, plan)

    monkeypatch.setattr(tasks, "ROWS_AT_ONCE", rows_at_once)
    monkeypatch.setattr(tasks, "_score", noting)
    batches = frame.to_batches(max_chunksize=37)
    found = [*tasks.score_batches(iter(batches), ScoringPlan(MEASURES))]
    assert sum(sizes) == frame.num_rows
    assert rows_at_once > 200 or max(sizes) < frame.num_rows / 4
    expected = be.evaluate(table(judgments, "relevance"), table(run, "score"), MEASURES)
    assert_same(gather_scores(pa.Table.from_batches(found)), expected)


def test_queries_of_the_same_hash_are_told_apart():
    """Rows of two queries may then be mixed."""
    judgments, run = tricky(4, n_queries=30)
    frame = shuffled((JUDGED, judgments), (RETRIEVED, run), hash_of=len)
    found = [*tasks.score_batches(iter(frame.to_batches(max_chunksize=50)), ScoringPlan("AP"))]
    expected = be.evaluate(table(judgments, "relevance"), table(run, "score"), "AP")
    assert_same(gather_scores(pa.Table.from_batches(found)), expected)


def test_an_empty_partition_has_no_scores():
    """Hashes leave some partitions empty."""
    assert [*tasks.score_batches(iter([]), ScoringPlan("RR"))] == []
    assert [*tasks.summary_batches(iter([]))] == []


def test_unjudged_queries_are_counted_without_their_documents():
    """With a broadcast, only their ids arrive."""
    judgments = [("q1", "a", 1.0)]
    frame = shuffled(
        (JUDGED, judgments),
        (RETRIEVED, [("q1", "a", 1.0)]),
        (UNJUDGED, [(f"x{i % 7}", None, 1.0) for i in range(70)]),
    )
    found = pa.Table.from_batches(tasks.score_batches(iter(frame.to_batches()), ScoringPlan("RR")))
    assert gather_scores(found).counts.ignored == 7
    summed = pa.Table.from_batches(tasks.summary_batches(iter(found.to_batches(max_chunksize=3))))
    assert summed.num_rows == 4
    assert sum(summed.column(N_QUERIES).to_pylist()) == 8
    gathered = gather_scores(summed)
    assert gathered.counts.ignored == 7
    assert gathered.scores.ignored_ids == ("x0", "x1", "x2")


@pytest.mark.parametrize(
    ("row", "reported"),
    [
        (("x", None, None), r"a value in column 'score', got none \(query 'x'\)"),
        (("x", None, float("nan")), r"a number as score, got nan \(query 'x'\)"),
        (("", None, 1.0), r"an id, got '' \(query ''\)"),
        ((None, None, 1.0), "a value in column 'query_id', got none"),
    ],
)
def test_rows_of_unjudged_queries_are_checked(row, reported):
    """An invalid score is an error wherever it is."""
    frame = shuffled((UNJUDGED, [("y", None, 1.0), row]))
    with pytest.raises(ArgumentError, match=f"run: expected {reported}"):
        [*tasks.score_batches(iter(frame.to_batches()), ScoringPlan("RR"))]


@pytest.mark.parametrize(
    ("row", "reported"),
    [
        (("q1", "d1", float("nan")), r"a number as score, got nan \(query 'q1', document 'd1'\)"),
        (("q1", None, 1.0), r"a value in column 'doc_id', got none \(query 'q1'\)"),
        (("q1", "a", 1.0), r"each document once for a query, got 'a' a second time for 'q1'; rem"),
    ],
)
def test_rows_of_judged_queries_are_checked(row, reported):
    """The message is the one that the driver shows."""
    run = [("q1", "a", 2.0), ("q2", "a", 1.0), row]
    frame = shuffled((JUDGED, [("q1", "a", 1.0)]), (RETRIEVED, run))
    with pytest.raises(InputError, match=f"^run: expected {reported}"):
        [*tasks.score_batches(iter(frame.to_batches()), ScoringPlan("RR"))]


def test_changed_rankings_are_found():
    """Only the first k documents count."""
    frame = shuffled(
        (RETRIEVED, [("q1", "a", 9.0), ("q1", "b", 1.0), ("q2", "a", 1.0)]),
        (UNJUDGED, [("q1", "a", 9.0), ("q1", "b", 9.5), ("q2", "a", 2.0), ("q3", "a", 1.0)]),
    )

    def changed(k):
        batches = tasks.changed_batches(iter(frame.to_batches()), k)
        return {one for batch in batches for one in batch.column(0).to_pylist()}

    assert changed(1) == {b"q1", b"q3"}
    frame = shuffled(
        (RETRIEVED, [("q1", "a", 9.0), ("q1", "b", 1.0)]), (UNJUDGED, [("q1", "a", 1.0)])
    )
    assert changed(1) == set()
    assert changed(None) == {b"q1"}


def test_means_of_several_judges_do_not_depend_on_the_order_of_rows():
    """Fractions add up differently in another order."""
    rows = [("q1", "a", grade) for grade in (0.1, 0.7, 1 / 3)]
    plan = ScoringPlan("DCG@1", judges="mean")
    found = set()
    for shift in range(3):
        frame = shuffled((JUDGED, rows[shift:] + rows[:shift]), (RETRIEVED, [("q1", "a", 1.0)]))
        judges = pa.array(
            [[b"x", b"y", b"z"][(i + shift) % 3] for i in range(3)] + [None], pa.binary()
        )
        frame = frame.append_column("judge", judges)
        batches = tasks.score_batches(iter(frame.to_batches()), plan)
        found.add(pa.Table.from_batches(batches).column("DCG@1")[0].as_py())
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "kind", "reported"),
    [
        (
            "An exception was thrown\n  File x\nberryeval.errors.ArgumentError: run: expected a, "
            "got b\n\nDriver stacktrace",
            InputError,
            "run: expected a, got b",
        ),
        (
            "berryeval.errors.MissingExtraError: Reading requires pip",
            SparkError,
            "Reading requires pip",
        ),
        (
            "ModuleNotFoundError: No module named 'berryeval'",
            SparkError,
            "Spark: an executor has no module 'berryeval'; install berryeval[spark] on every "
            "executor, in the version of the driver",
        ),
        (
            "Job aborted\nCaused by: java.lang.OutOfMemoryError: Java heap space",
            SparkError,
            "Spark: an executor was lost, perhaps out of memory; raise "
            "spark.executor.memoryOverhead, or the number of partitions",
        ),
        ("first\nCaused by: one\nCaused by: two\n at x", SparkError, "Spark: two"),
        ("", SparkError, "Spark: no message"),
    ],
)
def test_an_error_of_spark_becomes_one_line(text, kind, reported):
    """It is BerryEval's own message if there is one, else the cause and a fix."""
    found = _translate(text)
    assert type(found) is kind
    assert str(found) == reported


def test_a_partition_is_what_a_task_scores():
    """Spark tasks use the function that other engines call."""
    judgments, run = tricky(8, n_queries=20)
    frame = shuffled((JUDGED, judgments), (RETRIEVED, run))
    plan = ScoringPlan(MEASURES)
    found = pa.Table.from_batches(tasks.score_batches(iter(frame.to_batches()), plan))
    alone = score_partition(table(judgments, "relevance"), table(run, "score"), plan)
    assert found.drop_columns(["query_id"]).equals(alone.drop_columns(["query_id"]))
