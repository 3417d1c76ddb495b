"""M11: the categories of queries."""

import json

import pytest

import berryeval as be
from berryeval import Query, QueryType
from berryeval.evaluation.quality import QueryResult, quality_report
from berryeval.evaluation.slices import Slice
from berryeval.golden import read_golden_set
from small_golden_set import QUERIES, write_golden_set

LABELS = ["factual", "conceptual", "procedural", "comparative", "troubleshoot", "code_lookup"]


def test_there_are_six_types():
    """M11: in this order, with these labels."""
    assert [query_type.value for query_type in QueryType] == LABELS


@pytest.mark.parametrize("label", LABELS)
def test_a_type_is_its_label(label):
    """M11: a type compares, prints and formats like its label."""
    query_type = QueryType(label)
    assert query_type == label
    assert str(query_type) == f"{query_type}" == label
    assert f"{query_type:>20}" == label.rjust(20)


def test_troubleshooting_is_an_alias():
    """M11: both spellings are one type, by attribute and by label."""
    assert QueryType("troubleshooting") is QueryType.TROUBLESHOOTING is QueryType.TROUBLESHOOT


def test_any_other_label_is_kept():
    """M11: custom categories are allowed, and known ones are recognised."""
    assert QueryType.of("billing") == "billing"
    assert QueryType.of("factual") is QueryType.FACTUAL


def test_an_unknown_label_is_not_a_type():
    """The enumeration raises an error."""
    with pytest.raises(ValueError, match="billing"):
        QueryType("billing")


def test_a_query_has_the_type_of_its_alias():
    """M11: `troubleshooting` is `troubleshoot` as a label, and a label is plain text."""
    query = Query("q1", "why", category="troubleshooting")
    assert query == Query("q1", "why", category=QueryType.TROUBLESHOOT)
    assert repr(query.category) == "'troubleshoot'"
    assert Query("q1", "why", category="billing").category == "billing"
    assert Query("q1", "why").category is None
    assert str(Slice("category", "troubleshooting")) == "category=troubleshoot"
    assert str(Slice("tag", "troubleshooting")) == "tag=troubleshooting"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("queries.json", '[{"id": "q1", "query": "why", "category": "troubleshooting"}]'),
        ("queries.jsonl", '{"_id": "q1", "text": "why", "category": "troubleshooting"}\n'),
        ("queries.csv", "query_id,text,category\nq1,why,troubleshooting\n"),
        ("queries.tsv", "query_id\ttext\tcategory\nq1\twhy\ttroubleshooting\n"),
    ],
)
def test_query_files_may_use_the_alias(tmp_path, name, content):
    """M11: every format of queries with categories accepts it."""
    (tmp_path / name).write_text(content)
    assert [query.category for query in be.read_queries(tmp_path / name)] == ["troubleshoot"]


def test_both_spellings_are_one_slice():
    """M11: evaluations and quality reports count them under `troubleshoot`."""
    queries = [
        Query("q1", "one", category="troubleshooting"),
        Query("q2", "two", category="troubleshoot"),
    ]
    grades = {"q1": {"d": 1}, "q2": {"d": 1}}
    result = be.evaluate(grades, {"q1": ["d"], "q2": ["e"]}, ["P@1"], queries=queries)
    assert {value: part["P@1"].mean for value, part in result.by("category").items()} == {
        "troubleshoot": 0.5
    }
    found = [QueryResult(query.query_id, query.text, ("d",), frozenset("d")) for query in queries]
    (label,) = quality_report(found, queries).by_category.items()
    assert (label[0], label[1].count) == ("troubleshoot", 2)


def test_a_golden_set_may_use_the_alias(tmp_path):
    """M11: either spelling gives the same set, with the same hash."""
    alias = json.loads(json.dumps(QUERIES).replace("troubleshoot", "troubleshooting"))
    golden = read_golden_set(write_golden_set(tmp_path / "alias", queries=alias))
    plain = read_golden_set(write_golden_set(tmp_path / "plain"))
    assert golden.queries == plain.queries
    assert golden.content_hash == plain.content_hash
