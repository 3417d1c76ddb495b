"""Scores on a real cluster of two executor processes equal those of one machine bit for bit."""

import random

import pytest

from spark.cluster import require_spark, session

require_spark()

import pyarrow as pa  # noqa: E402 - only if Spark is there
from pyarrow import parquet  # noqa: E402

import berryeval as be  # noqa: E402
import berryeval.spark  # noqa: E402
from berryeval.errors import ArgumentError, InputError, InputTypeError, MismatchError  # noqa: E402
from spark.cases import MEASURES, assert_same, table, tricky  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    """The cluster."""
    return session()


def frames(spark, judgments, run):
    """Return both as Spark DataFrames."""
    return spark.createDataFrame(judgments), spark.createDataFrame(run)


@pytest.mark.parametrize(
    ("seed", "partitions", "broadcast"),
    [(1, None, None), (2, 1, False), (3, 7, True), (4, 12, False)],
)
def test_any_partitioning_gives_the_bits_of_one_machine(spark, seed, partitions, broadcast):
    """Scores, means and counts do not depend on how rows and queries are partitioned."""
    judgments, run = tricky(seed)
    judged, found = table(judgments, "relevance"), table(run, "score")
    expected = be.evaluate(judged, found, MEASURES)
    judged_frame, run_frame = frames(spark, judged, found)
    scores = berryeval.spark.evaluate(
        judged_frame.repartition(1 + seed),
        run_frame.repartition(3),
        MEASURES,
        partitions=partitions,
        broadcast=broadcast,
    )
    assert_same(berryeval.spark.collect(scores), expected)


def test_the_result_is_a_frame_like_any_other(spark):
    """It can be written, read again, and collected with other options."""
    judgments, run = tricky(5)
    judged, found = table(judgments, "relevance"), table(run, "score")
    scores = berryeval.spark.evaluate(*frames(spark, judged, found), ["nDCG@10", "RBP(p=0.7)"])
    assert scores.columns[:3] == ["query_id", "status", "lacks_relevant"]
    assert {row.status for row in scores.select("status").distinct().collect()} == {
        "scored",
        "missing",
        "ignored",
    }
    scores.createOrReplaceTempView("scores")
    good = spark.sql("select count(*) from scores where `nDCG@10` > 0.5").first()[0]
    measures = ["nDCG@10", "RBP(p=0.7)"]
    whole = be.evaluate(judged, found, measures)
    assert good == sum(value > 0.5 for value in whole["nDCG@10"].values)
    options = {"missing": "skip", "no_relevant": "skip"}
    expected = be.evaluate(judged, found, measures, **options)
    assert_same(berryeval.spark.collect(scores, **options), expected)


def test_scores_survive_a_file(spark, tmp_path):
    """Comparing months needs the scores of the last one, not its run."""
    judgments, run = tricky(6)
    judged, found = table(judgments, "relevance"), table(run, "score")
    scores = berryeval.spark.evaluate(*frames(spark, judged, found), ["nDCG@10", "AP"])
    scores.write.parquet(str(tmp_path / "scores"))
    again = berryeval.spark.collect(spark.read.parquet(str(tmp_path / "scores")))
    assert_same(again, be.evaluate(judged, found, ["nDCG@10", "AP"]))
    assert_same(be.gather_scores(parquet.read_table(tmp_path / "scores")), again)


def test_a_query_may_be_in_many_files(spark, tmp_path):
    """Files of a log may be split anywhere; the local engine reads the same folder."""
    judgments, run = tricky(7, n_queries=40)
    folder = tmp_path / "run"
    folder.mkdir()
    for number in range(9):
        parquet.write_table(table(run[number::9], "score"), folder / f"part-{number}.parquet")
    parquet.write_table(table(judgments, "relevance"), tmp_path / "judgments.parquet")
    expected = be.evaluate(tmp_path / "judgments.parquet", folder, MEASURES)
    scores = berryeval.spark.evaluate(
        spark.read.parquet(str(tmp_path / "judgments.parquet")),
        spark.read.parquet(str(folder)),
        MEASURES,
        broadcast=False,
    )
    assert_same(berryeval.spark.collect(scores), expected)


def test_one_shuffle_and_a_broadcast_if_judgments_are_small(spark):
    """The plan shuffles rows once; judged ids are broadcast if Spark considers them small."""
    judgments, run = tricky(8, n_queries=20)
    judged, found = frames(spark, table(judgments, "relevance"), table(run, "score"))

    def plan(**options):
        scores = berryeval.spark.evaluate(judged, found, "RR", **options)
        return scores._jdf.queryExecution().executedPlan().toString()

    for text in (plan(), plan(broadcast=False), plan(partitions=9)):
        assert text.count("Exchange hashpartitioning") == 1
        assert text.count("Exchange ") - text.count("BroadcastExchange ") == 1
    assert "BroadcastExchange" in plan()
    assert "BroadcastExchange" not in plan(broadcast=False)
    spark.conf.set("spark.sql.autoBroadcastJoinThreshold", "-1")
    try:
        assert "BroadcastExchange" not in plan()
    finally:
        spark.conf.unset("spark.sql.autoBroadcastJoinThreshold")


def test_documents_of_unjudged_queries_stay_behind(spark):
    """With a broadcast, only their ids are shuffled, and they are still counted."""
    run = [(f"q{i}", f"d{k}", float(k)) for i in range(50) for k in range(5)]
    judged, found = table([("q7", "d1", 1.0)], "relevance"), table(run, "score")
    expected = be.evaluate(judged, found, ["RR"])
    assert expected.counts.ignored == 49
    for broadcast in (True, False):
        scores = berryeval.spark.evaluate(*frames(spark, judged, found), "RR", broadcast=broadcast)
        assert_same(berryeval.spark.collect(scores), expected)


@pytest.mark.parametrize("n_partitions", [4, 3])
def test_frames_that_are_partitioned_by_query_already(spark, n_partitions):
    """Spark would omit a shuffle that seems needless, and coalesce partitions differently."""
    judgments, run = tricky(10, n_queries=60)
    judged, found = table(judgments, "relevance"), table(run, "score")
    expected = be.evaluate(judged, found, MEASURES)
    as_bytes = [
        frame.withColumn("query_id", frame.query_id.cast("binary")).repartition(number, "query_id")
        for frame, number in zip(frames(spark, judged, found), (4, n_partitions), strict=True)
    ]
    scores = berryeval.spark.evaluate(*as_bytes, MEASURES, broadcast=False)
    assert_same(berryeval.spark.collect(scores), expected)


@pytest.mark.parametrize("id_type", [pa.binary(), pa.int64()])
def test_ids_of_other_types(spark, id_type):
    """Ids are bytes, or whole numbers, which mean their decimal text."""
    draw = random.Random(1)  # noqa: S311 - no secret

    def make(number):
        return bytes([number, 255]) if id_type == pa.binary() else number

    rows = [(make(q), make(d), draw.random()) for q in range(30) for d in range(10)]
    judged = table([(q, d, float(draw.choice([0, 1]))) for q, d, _ in rows[::3]], "rel", id_type)
    found = table(rows, "score", id_type)
    scores = berryeval.spark.evaluate(*frames(spark, judged, found), ["AP", "RR"])
    assert dict(scores.dtypes)["query_id"] == ("binary" if id_type == pa.binary() else "string")
    assert_same(berryeval.spark.collect(scores), be.evaluate(judged, found, ["AP", "RR"]))


def test_subtopics_strata_and_judges(spark):
    """Columns besides query, document and grade count as they do on one machine."""
    judgments = pa.table(
        {
            "query_id": ["q1", "q1", "q1", "q2", "q2", "q3"],
            "doc_id": ["a", "a", "b", "a", "c", "a"],
            "relevance": [1, 2, 1, 1, 0, 1],
            "subtopic": ["x", "y", "x", "z", None, None],
            "subtopic_weight": [1.0, 2.0, 1.0, 1.0, None, None],
            "stratum": ["1", "1", "2", "1", "1", "1"],
        }
    )
    run = [(f"q{q}", d, s) for q in (1, 2, 3) for d, s in (("c", 3.0), ("a", 2.0), ("b", 1.0))]
    measures = ["alpha_nDCG@5", "ERR_IA@5", "xinfAP", "StRecall@2"]
    expected = be.evaluate(judgments, table(run, "score"), measures)
    judged, found = frames(spark, judgments, table(run, "score"))
    scores = berryeval.spark.evaluate(judged, found, measures, partitions=3)
    assert_same(berryeval.spark.collect(scores), expected)
    twice = [("q1", "a", g, j) for g, j in ((1 / 3, "x"), (0.1, "y"), (0.7, "z"))]
    rows = [*zip(*twice, strict=True)]
    names = ["query_id", "doc_id", "relevance", "judge"]
    judged = spark.createDataFrame(pa.table([*map(list, rows)], names=names))
    with pytest.raises(ArgumentError, match="does not depend on the order of rows"):
        berryeval.spark.evaluate(judged, found, "DCG@2")
    for rule in ("max", "mean", "majority"):
        scores = berryeval.spark.evaluate(judged, found, "DCG@2", judges=rule)
        local = be.evaluate(judged.toArrow(), table(run, "score"), "DCG@2", judges=rule)
        assert berryeval.spark.collect(scores)["DCG@2"].mean == pytest.approx(
            local["DCG@2"].mean, abs=1e-15
        )


def test_a_document_that_is_its_own_query_is_left_out(spark):
    """BEIR does so as well."""
    run = table([("q1", "q1", 9.0), ("q1", "a", 1.0), ("q2", "q2", 1.0)], "score")
    judged = table([("q1", "a", 1.0), ("q2", "b", 1.0)], "relevance")
    expected = be.evaluate(judged, run, "RR", exclude_self=True)
    scores = berryeval.spark.evaluate(*frames(spark, judged, run), "RR", exclude_self=True)
    assert_same(berryeval.spark.collect(scores), expected)


def test_what_is_wrong_in_a_row_is_one_line_that_names_the_query(spark):
    """It is not the traceback that Spark prints; test_tasks.py has more rows."""
    judged = table([("q1", "a", 1.0)], "relevance")
    run = table([("q1", "a", 2.0), ("q2", "a", 1.0), ("other", "a", float("nan"))], "score")
    scores = berryeval.spark.evaluate(*frames(spark, judged, run), "RR", broadcast=True)
    reported = r"^run: expected a number as score, got nan \(query 'other'\)$"
    with pytest.raises(InputError, match=reported):
        berryeval.spark.collect(scores)


def test_duplicates_can_be_kept(spark):
    """The better score counts, as on one machine."""
    judged = table([("q1", "a", 1.0), ("q1", "a", 2.0)], "relevance")
    run = table([("q1", "a", 0.5), ("q1", "b", 1.0), ("q1", "a", 2.0)], "score")
    expected = be.evaluate(judged, run, ["RR", "DCG"], duplicates="keep-best")
    scores = berryeval.spark.evaluate(
        *frames(spark, judged, run), ["RR", "DCG"], duplicates="keep-best"
    )
    assert_same(berryeval.spark.collect(scores), expected)


def test_wrong_columns_are_refused_before_anything_runs(spark):
    """The message names the column, its type, and what was expected."""
    judged, run = frames(
        spark, table([("q", "d", 1.0)], "relevance"), table([("q", "d", 1.0)], "score")
    )
    with pytest.raises(
        ArgumentError, match="run: expected a column 'score', got 'query_id', 'doc_id', 'x'"
    ):
        berryeval.spark.evaluate(judged, run.withColumnRenamed("score", "x"))
    with pytest.raises(
        ArgumentError, match=r"run: expected numbers in column 'score' \(score\), got string"
    ):
        berryeval.spark.evaluate(judged, run.withColumn("score", run.score.cast("string")))
    with pytest.raises(ArgumentError, match=r"judgments: expected ids .* 'doc_id', got double"):
        berryeval.spark.evaluate(judged.withColumn("doc_id", judged.relevance), run)
    with pytest.raises(InputTypeError, match="run: expected a Spark DataFrame, got dict"):
        berryeval.spark.evaluate(judged, {})
    with pytest.raises(ArgumentError, match="partitions: expected a whole number"):
        berryeval.spark.evaluate(judged, run, partitions=0)
    with pytest.raises(InputError, match=r"Hole@5 .* cannot be computed by partition"):
        berryeval.spark.evaluate(judged, run, "Hole@5")


def test_nothing_in_common_is_an_error(spark):
    """Ids of other queries are a mistake, not a score of 0."""
    judged, run = table([("q1", "a", 1.0)], "relevance"), table([("Q1", "a", 1.0)], "score")
    scores = berryeval.spark.evaluate(*frames(spark, judged, run), "RR")
    with pytest.raises(MismatchError, match="judged queries are 'q1'; queries in the run are 'Q1'"):
        berryeval.spark.collect(scores)


def test_names_of_columns_may_have_dots_and_other_case(spark):
    """Columns are found by their usual names, whatever the case, among others."""
    columns = [["q1"], ["a"], [1.0], ["x"]]
    judged, run = frames(
        spark,
        pa.table(columns, names=["QID", "DocNo", "Rel", "a.b"]),
        pa.table(columns, names=["query_id", "doc_id", "Score", "a`b.c"]),
    )
    scores = berryeval.spark.evaluate(judged, run, ["RR", "RBP(p=0.5)"])
    assert berryeval.spark.collect(scores).to_dict() == {"RR": 1.0, "RBP(p=0.5)": 0.5}
