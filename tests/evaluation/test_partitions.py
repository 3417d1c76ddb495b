"""Scores by partition: the same bits as on one machine, however queries are partitioned."""

import pickle

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.errors import ArgumentError, InputError, InputTypeError, MismatchError
from berryeval.evaluation.partitions import N_QUERIES, ScoringPlan, gather_scores, score_partition

MEASURES = ["nDCG@3", "AP", "RR", "P@2", "R@5", "bpref", "RBP(p=0.7)", "nDCG(gain=exp2)@2", "GMAP"]
QUERIES = st.sampled_from(["q1", "q2", "q10", "é", "Q", "a b", "zz"])
DOCUMENTS = st.sampled_from(["d1", "d2", "d3", "d10", "ü", "x", "D1"])
GRADES = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])
SCORES = st.sampled_from([0.0, -1.5, 2.0, 2.0, 7.25, float("inf"), float("-inf")])


def rows(values):
    """Draw rows of queries and documents, each pair once, in any order."""
    pairs = st.dictionaries(st.tuples(QUERIES, DOCUMENTS), values, min_size=1, max_size=30)
    return pairs.map(lambda found: [(*pair, value) for pair, value in found.items()]).flatmap(
        st.permutations
    )


def table(rows, number):
    """Return rows as an Arrow table."""
    columns = [*zip(*rows, strict=True)] or [(), (), ()]
    types = (pa.string(), pa.string(), pa.float64())
    arrays = [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)]
    return pa.table(arrays, names=["query_id", "doc_id", number])


def by_partition(judgments, run, places, plan):
    """Score each partition separately."""
    n_partitions = 1 + max(places.values(), default=0)
    return [
        score_partition(
            table([row for row in judgments if places[row[0]] == number], "relevance"),
            table([row for row in run if places[row[0]] == number], "score"),
            plan,
        )
        for number in range(n_partitions)
    ]


@given(rows(GRADES), rows(SCORES), st.data())
def test_any_partitioning_gives_the_bits_of_one_machine(judgments, run, data):
    """Scores, means and counts are those of evaluate."""
    queries = sorted({row[0] for row in (*judgments, *run)})
    places = {query: data.draw(st.integers(0, 3)) for query in queries}
    parts = by_partition(judgments, run, places, ScoringPlan(MEASURES))
    options = {
        "missing": data.draw(st.sampled_from(["zero", "skip"])),
        "no_relevant": data.draw(st.sampled_from(["zero", "skip"])),
    }
    whole = table(judgments, "relevance"), table(run, "score")
    try:
        expected = be.evaluate(*whole, MEASURES, **options)
    except MismatchError:
        with pytest.raises(MismatchError, match="no query in common"):
            gather_scores(parts, **options)
        return
    found = gather_scores(data.draw(st.permutations(parts)), **options)
    assert found.scores.query_ids == expected.scores.query_ids
    assert found.counts == expected.counts
    assert found.scores.ignored_ids == expected.scores.ignored_ids
    assert found.scores.is_missing == expected.scores.is_missing
    assert found.scores.lacks_relevant == expected.scores.lacks_relevant
    for name, values in expected.scores.values.items():
        assert found.scores.values[name].tobytes() == values.tobytes()
    assert found.to_dict() == expected.to_dict()
    assert found.measures == expected.measures


JUDGMENTS = [("q1", "a", 1.0), ("q2", "b", 2.0)]
RUN = [("q1", "a", 0.5), ("q3", "a", 0.1)]


def scored(judgments=JUDGMENTS, run=RUN, **options):
    """Score one partition."""
    plan = ScoringPlan("RR", **options)
    return score_partition(table(judgments, "relevance"), table(run, "score"), plan)


def test_a_partition_tells_what_became_of_each_query():
    """Judged queries come first; an ignored one has no scores."""
    found = scored()
    assert found.column("query_id").to_pylist() == ["q1", "q2", "q3"]
    assert found.column("status").to_pylist() == ["scored", "missing", "ignored"]
    assert found.column("RR").to_pylist() == [1.0, 0.0, None]
    assert found.column("NumRet").to_pylist() == [1.0, 0.0, None]
    assert found.column("lacks_relevant").to_pylist() == [False, False, None]


def test_either_frame_may_be_empty():
    """A partition need not have judgments, nor a run."""
    assert scored(judgments=[]).column("status").to_pylist() == ["ignored", "ignored"]
    assert scored(run=[]).column("status").to_pylist() == ["missing", "missing"]
    assert scored(judgments=[], run=[]).num_rows == 0


def test_ids_that_are_bytes_stay_bytes():
    """Such ids need not be text."""
    judgments = pa.table({"qid": [b"\xff"], "docno": ["a"], "rel": [1]})
    run = pa.table({"qid": [b"\xff"], "docno": ["a"], "score": [1]})
    found = score_partition(judgments, run, ScoringPlan("RR"))
    assert found.column("query_id").to_pylist() == [b"\xff"]
    assert gather_scores(found)["RR"].by_query == {"\udcff": 1.0}


def test_other_frames_are_taken():
    """Anything with an Arrow stream is scored, even if it streams only once."""
    judgments, run = table(JUDGMENTS, "relevance"), table(RUN, "score")
    found = score_partition(pl.DataFrame(judgments), run.to_reader(), ScoringPlan("RR"))
    assert found.equals(scored())


def test_whole_numbers_are_ids():
    """They mean their decimal text."""
    judgments = pl.DataFrame({"query_id": [7], "doc_id": [1], "relevance": [1]})
    run = pl.DataFrame({"query_id": [7], "doc_id": [1], "score": [1.0]})
    found = score_partition(judgments, run, ScoringPlan("RR"))
    assert found.column("query_id").to_pylist() == ["7"]


def test_a_duplicate_names_its_query_and_the_way_out():
    """A row number would be meaningless."""
    with pytest.raises(ArgumentError) as error:
        scored(run=[("q1", "a", 0.5), ("q1", "a", 0.4)])
    assert str(error.value) == (
        "run: expected each document once for a query, got 'a' a second time for 'q1'; "
        "remove duplicates, or pass duplicates='keep-best'"
    )
    twice = [("q1", "a", 0.0), ("q1", "a", 1.0)]
    with pytest.raises(ArgumentError, match=r"judgments: expected each document once"):
        scored(judgments=twice)
    assert scored(judgments=twice, duplicates="keep-best").column("RR")[0].as_py() == 1.0


@pytest.mark.parametrize(
    ("row", "reported"),
    [
        (("q9", "a", float("nan")), r"a number as score, got nan \(query 'q9', document 'a'\)"),
        (("q9", "a", None), r"a value in column 'score', got none \(query 'q9', document 'a'\)"),
        ((None, "a", 1.0), r"a value in column 'query_id', got none \(document 'a'\)"),
        ((None, None, 1.0), r"a value in column 'query_id', got none$"),
        (("q9", "", 1.0), r"an id, got '' \(query 'q9', document ''\)"),
    ],
)
def test_what_is_wrong_in_a_row_names_the_query(row, reported):
    """A row number would be meaningless on Spark."""
    with pytest.raises(ArgumentError, match=f"run: expected {reported}"):
        scored(run=[*RUN, row])


def test_a_missing_column_is_named():
    """The message is the same as on one machine."""
    run = table(RUN, "similar")
    for judgments in (JUDGMENTS, []):
        with pytest.raises(ArgumentError, match="run: expected a column 'score', got"):
            score_partition(table(judgments, "relevance"), run, ScoringPlan("RR"))


def test_what_is_no_frame_is_refused():
    """A dict has no Arrow stream."""
    with pytest.raises(InputTypeError, match="judgments: expected a frame"):
        score_partition({"q1": {"a": 1}}, table(RUN, "score"), ScoringPlan("RR"))


def test_a_document_that_is_its_own_query_can_be_left_out():
    """A ranking that contains only this document then is empty, not missing."""
    run = [("q1", "q1", 9.0), ("q1", "a", 0.5), ("q2", "q2", 1.0)]
    found = scored(run=run, exclude_self=True)
    assert found.column("RR").to_pylist() == [1.0, 0.0]
    assert found.column("status").to_pylist() == ["scored", "scored"]
    assert found.equals(
        scored(run=[run[1], ("q2", "c", 1.0)])
        .set_column(4, "Holes", [[0.0, 0.0]])
        .set_column(5, "NumRet", [[1.0, 0.0]])
    )


def test_a_query_in_two_partitions_is_refused():
    """Its scores would be those of parts of its ranking."""
    with pytest.raises(MismatchError, match=r"query 'q1' is in two partitions; partition"):
        gather_scores([scored(), scored(judgments=JUDGMENTS[:1], run=[])])


def test_ignored_queries_can_be_summed_up():
    """A row then stands for several queries."""
    found = scored(run=[("q1", "a", 1.0), ("q8", "a", 1.0)])
    summed = found.append_column(N_QUERIES, [[1, 1, 5]])
    assert gather_scores(summed).counts.ignored == 5
    assert gather_scores(summed).scores.ignored_ids == ("q8",)


def test_only_what_was_scored_can_be_reported():
    """Columns that were added for reports are left out unless they are named."""
    assert [str(one) for one in gather_scores(scored()).measures] == ["RR"]
    assert gather_scores(scored(), ["NumRet", "RR"])["NumRet"].mean == 1.0
    with pytest.raises(
        ArgumentError, match=r"measures: expected measures that were scored, got AP"
    ):
        gather_scores(scored(), "AP")


def test_other_columns_may_have_been_joined():
    """A log has more columns than measures."""
    joined = scored().append_column("weight", [[1.0, 2.0, 3.0]])
    assert [str(one) for one in gather_scores(joined).measures] == ["RR"]


def test_counts_alone_are_reported():
    """Counts that were requested are distinguished from those added for reports."""
    plan = ScoringPlan(["NumRet", "Holes"])
    found = score_partition(table(JUDGMENTS, "relevance"), table(RUN, "score"), plan)
    assert gather_scores(found).to_dict() == {"NumRet": 1.0, "Holes": 0.0}


def test_tables_must_be_scores():
    """No table, or another one, is an error."""
    with pytest.raises(ArgumentError, match="tables: expected at least one, got none"):
        gather_scores([])
    with pytest.raises(ArgumentError, match="tables: expected a column 'status'"):
        gather_scores(table(RUN, "score"))
    with pytest.raises(MismatchError, match="at least one judged query"):
        gather_scores(scored(judgments=[]))


@pytest.mark.parametrize(
    ("measure", "reported"),
    [
        ("ms@p95", "is a measure of times"),
        ("Hole@10", "cannot be computed by partition"),
        ("tokens@5", "requires the lengths of documents"),
    ],
)
def test_measures_that_need_more_than_a_partition_are_refused(measure, reported):
    """The message has a way out."""
    with pytest.raises(InputError, match=reported):
        ScoringPlan(measure)


def test_lengths_are_part_of_a_plan():
    """Measures of lengths have the same values as on one machine."""
    lengths = {"a": 10, "b": 20}
    found = score_partition(
        table(JUDGMENTS, "relevance"),
        table(RUN[:1], "score"),
        ScoringPlan("tokens@5", lengths=lengths),
    )
    expected = be.evaluate(
        table(JUDGMENTS, "relevance"), table(RUN[:1], "score"), "tokens@5", lengths=lengths
    )
    assert gather_scores(found).to_dict() == expected.to_dict()


def test_an_unknown_length_names_its_document():
    """The message is the same as on one machine."""
    with pytest.raises(InputError, match="found none for 'a'"):
        score_partition(
            table(JUDGMENTS, "relevance"),
            table(RUN, "score"),
            ScoringPlan("tokens@5", lengths={"b": 1}),
        )


def test_subtopics_and_judges_are_read():
    """Columns besides query, document and grade count, as on one machine."""
    judgments = pa.table(
        {
            "query_id": ["q1", "q1", "q1", "q2"],
            "doc_id": ["a", "a", "b", "a"],
            "relevance": [1, 2, 1, 1],
            "subtopic": ["x", "y", "x", None],
        }
    )
    run = table([("q1", "b", 2.0), ("q1", "a", 1.0), ("q2", "a", 1.0)], "score")
    expected = be.evaluate(judgments, run, ["alpha_nDCG@5", "StRecall@1"])
    plan = ScoringPlan(["alpha_nDCG@5", "StRecall@1"])
    parts = [
        score_partition(judgments.slice(first, n), run.filter(pa.array(wanted)), plan)
        for first, n, wanted in ((0, 3, [True, True, False]), (3, 1, [False, False, True]))
    ]
    assert gather_scores(parts).to_dict() == expected.to_dict()
    with pytest.raises(InputError, match="requires a column 'subtopic'"):
        score_partition(judgments.drop_columns(["subtopic"]).slice(1), run, plan)


def test_a_plan_can_be_sent_to_another_process():
    """Distributed engines pickle it."""
    plan = ScoringPlan(MEASURES, duplicates="keep-best")
    assert pickle.loads(pickle.dumps(plan)) == plan  # noqa: S301 - it is ours


def test_a_wrong_choice_is_refused():
    """The error is raised before anything is scored."""
    with pytest.raises(ArgumentError, match="duplicates: expected"):
        ScoringPlan("RR", duplicates="first")
    with pytest.raises(ArgumentError, match="judges: expected"):
        ScoringPlan("RR", judges="last")
    with pytest.raises(ArgumentError, match="missing: expected"):
        gather_scores(scored(), missing="none")


def test_weights_of_queries_count():
    """Queries have labels and weights, as in evaluate."""
    queries = [be.Query("q1", "one", weight=3.0), be.Query("q2", "two", weight=1.0)]
    assert gather_scores(scored(), queries=queries)["RR"].mean == 0.75


def test_ids_of_another_set_are_a_caution():
    """It equals that of evaluate, without examples: partitions return no document ids."""
    judgments = table([("q1", "a.md", 1.0), ("q2", "b.md", 1.0)], "relevance")

    def cautions(*doc_ids):
        run = table([("q1", doc_ids[0], 1.0), ("q2", doc_ids[1], 1.0)], "score")
        return gather_scores(score_partition(judgments, run, ScoringPlan(["RR", "P@5"]))).cautions

    expected = "every score is 0; check that the run has the document ids of the judgments"
    assert cautions("docs/a.md", "docs/b.md") == (expected,)
    assert cautions("docs/a.md", "b.md") == ()
