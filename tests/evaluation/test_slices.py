"""Slices: queries that share a label."""

import pytest

from berryeval import ArgumentError, InputTypeError, MismatchError, Query, evaluate
from berryeval.evaluation.slices import Slice, find_slices, load_queries

QUERIES = [
    Query("q1", "one", category="factual", tags=("a", "b")),
    Query("q2", "two", category="procedural", difficulty="easy"),
    Query("q3", "three", category="factual"),
    Query("q4", "four"),
]
BY_ID = {query.query_id: query for query in QUERIES}
JUDGMENTS = {f"q{i}": {"d": 1} for i in range(1, 6)}
RUN = {"q1": ["d"], "q2": ["x", "d"], "q3": ["x", "x2"], "q5": ["d"]}


def test_queries_are_grouped_by_the_value_of_a_label():
    """Slices are in the order of values, without unlabelled queries."""
    assert find_slices(BY_ID, "category", ["q1", "q2", "q3", "q4", "q9"]) == {
        Slice("category", "factual"): [0, 2],
        Slice("category", "procedural"): [1],
    }
    assert str(Slice("category", "factual")) == "category=factual"


def test_a_query_with_two_tags_is_in_two_slices():
    """Each tag is a label."""
    found = find_slices(BY_ID, "tag", ["q1", "q2"])
    assert found == {Slice("tag", "a"): [0], Slice("tag", "b"): [0]}


def test_an_unknown_label_is_an_error():
    """The message lists the known ones."""
    with pytest.raises(ArgumentError, match="expected 'category' or 'difficulty' or 'tag'"):
        find_slices(BY_ID, "colour", ["q1"])


@pytest.mark.parametrize(
    ("queries", "reason"), [(BY_ID, "none has one"), ({}, "no queries were given")]
)
def test_a_label_that_no_query_has_is_an_error(queries, reason):
    """An empty slice would be misleading."""
    with pytest.raises(MismatchError, match=reason):
        find_slices(queries, "difficulty", ["q1", "q3"])


def test_queries_come_from_objects_or_a_file(tmp_path):
    """No queries are not an error."""
    path = tmp_path / "queries.tsv"
    path.write_text("q1\tone\n")
    assert load_queries(None) == {}
    assert load_queries(QUERIES)["q2"].difficulty == "easy"
    assert load_queries(path)["q1"].text == "one"
    with pytest.raises(InputTypeError, match="Query objects or a path"):
        load_queries(["q1"])


def test_an_evaluation_has_the_same_figures_for_each_slice():
    """X5: mean, counts, holes and intervals are those of the slice's queries."""
    result = evaluate(JUDGMENTS, RUN, ["RR", "P@2"], queries=QUERIES)
    parts = result.by("category")
    assert list(parts) == ["factual", "procedural"]
    factual = parts["factual"]
    assert factual["RR"].mean == 0.5
    assert factual["RR"].by_query == {"q1": 1.0, "q3": 0.0}
    assert (factual.counts.judged, factual.counts.missing) == (2, 0)
    assert (factual["P@2"].holes, result["P@2"].holes) == (2, 3)
    assert parts["procedural"]["RR"].interval is None


def test_slices_need_queries():
    """Otherwise labels are unknown."""
    with pytest.raises(MismatchError, match="no queries were given"):
        evaluate(JUDGMENTS, RUN, "RR").by("category")
