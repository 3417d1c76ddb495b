"""The inputs that `evaluate` and `compare` accept: the data that users already have."""

from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

import numpy as np
import pytest

import berryeval as be
from berryeval.errors import ArgumentError, InputTypeError

GRADES = {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d4": 1}}
RUN = {"q1": {"d2": 3.0, "d3": 2.0, "d1": 1.0}, "q2": {"d5": 2.0, "d4": 1.0}}
MEASURES = ("AP", "RR", "P@2", "nDCG@10")


class Qrel(NamedTuple):
    """A judgment as ir_datasets yields it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


class ScoredDoc(NamedTuple):
    """A row of a run, as in ir_measures."""

    query_id: str
    doc_id: str
    score: float


@dataclass
class Hit:
    """A row of a run as an object."""

    qid: str
    docno: str
    score: float


def scores(judgments, run, **options):
    """Return the score of every query and measure."""
    result = be.evaluate(judgments, run, MEASURES, **options)
    return {name: dict(result[name].by_query) for name in result}


EXPECTED = scores(GRADES, RUN)


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_relevant_documents_can_be_a_list_or_set(kind):
    """Each of them has grade 1."""
    relevant = {"q1": kind(["d1", "d2"]), "q2": kind(["d4"])}
    assert scores(relevant, RUN) == EXPECTED


def test_lists_and_grades_can_be_mixed():
    """Each query may use either form."""
    assert scores({"q1": ["d1", "d2", "d1"], "q2": {"d4": 1}}, RUN) == EXPECTED


def test_ids_can_be_whole_numbers():
    """They mean their decimal text, in lists and in dicts."""
    found = be.evaluate({1: [10, 11]}, {1: [12, 10]}, "RR")["RR"]
    assert dict(found.by_query) == {"1": 0.5}


@pytest.mark.parametrize("kind", [iter, list])
def test_named_tuples_are_records(kind):
    """They have the form that `qrels_iter` of ir_datasets yields; other fields are ignored."""
    judged = [Qrel(q, d, grade, "0") for q, own in GRADES.items() for d, grade in own.items()]
    found = [ScoredDoc(q, d, score) for q, own in RUN.items() for d, score in own.items()]
    assert scores(kind(judged), kind(found)) == EXPECTED


def test_objects_and_dicts_are_records():
    """Fields may have any usual name."""
    rows = [(q, d, n) for q, own in RUN.items() for d, n in own.items()]
    judged = [
        {"query": q, "docid": d, "rating": grade}
        for q, own in GRADES.items()
        for d, grade in own.items()
    ]
    assert scores(judged, [*starmap(Hit, rows)]) == EXPECTED


def test_records_may_name_judges():
    """The rule for several judges applies to them, too."""
    judged = [
        {"query_id": "q", "doc_id": "d", "relevance": grade, "judge": judge}
        for judge, grade in (("anna", 0), ("ben", 1))
    ]
    assert be.evaluate(judged, {"q": ["d"]}, "RR")["RR"].mean == 0
    assert be.evaluate(judged, {"q": ["d"]}, "RR", judges="max")["RR"].mean == 1


def test_a_document_twice_is_an_error_or_keeps_its_best_score():
    """The rule is the same as for files."""
    rows = [ScoredDoc("q", "d", 1.0), ScoredDoc("q", "e", 2.0), ScoredDoc("q", "d", 3.0)]
    with pytest.raises(ArgumentError, match=r"run: expected each document once.*'d'.*row 3"):
        be.evaluate({"q": ["d"]}, rows, "RR")
    assert be.evaluate({"q": ["d"]}, rows, "RR", duplicates="keep-best")["RR"].mean == 1


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("q", "d", 1)], r"rows with the fields query_id, doc_id and score, got \('q', 'd', 1\)"),
        ([Qrel("q", "d", 1, "0")], "query_id, doc_id and score, got Qrel with query_id, doc_id"),
        ([ScoredDoc("q", "d", 1.0), ("q", "e", 2.0)], "run: row 2: expected the fields of row 1"),
        ([ScoredDoc("q", "d", "high")], "run: row 1: expected a number"),
        ([ScoredDoc(1.5, "d", 1.0)], "run: a query id: expected text or a whole number"),
    ],
)
def test_other_rows_are_rejected(rows, message):
    """The message names the row, and what it should have."""
    with pytest.raises(InputTypeError, match=message):
        be.evaluate({"q": ["d"]}, rows, "RR")


def flat():
    """Return grades, scores and query ids as arrays, mixed."""
    rows = [(GRADES[q].get(d, 0), score, q) for q, own in RUN.items() for d, score in own.items()]
    mixed = [rows[i] for i in (3, 0, 4, 1, 2)]
    grades, found, queries = zip(*mixed, strict=True)
    return np.array(grades), np.array(found), np.array(queries)


def test_flat_arrays_with_the_query_of_each_document():
    """This is the form of torchmetrics' indexes."""
    y_true, y_score, query_ids = flat()
    assert scores(y_true, y_score, query_ids=query_ids) == EXPECTED
    assert scores(y_true.tolist(), y_score.tolist(), query_ids=query_ids.tolist()) == EXPECTED


def test_flat_arrays_with_group_sizes():
    """This is the form of LightGBM's groups; queries are numbered."""
    y_true, y_score = np.array([1, 0, 1, 0, 1]), np.array([3.0, 2, 1, 2, 1])
    found = scores(y_true, y_score, group_sizes=[3, 2])
    expected = {name: {"0": own["q1"], "1": own["q2"]} for name, own in EXPECTED.items()}
    assert found == expected


def test_rows_of_an_array_are_queries():
    """This is the form of scikit-learn; queries can have ids."""
    y_true, y_score = np.array([[0, 1], [1, 0]]), np.array([[0.9, 0.1], [0.9, 0.1]])
    by_query = be.evaluate(y_true, y_score, "RR")["RR"].by_query
    assert dict(by_query) == {"0": 0.5, "1": 1.0}
    named = be.evaluate(y_true, y_score, "RR", query_ids=["a", "b"])["RR"].by_query
    assert dict(named) == {"a": 0.5, "b": 1.0}


def test_of_equal_scores_in_an_array_the_first_ranks_first():
    """Only the order of the array can break the tie."""
    many = np.zeros((1, 12))
    many[0, 2] = 1
    assert be.evaluate(many, np.zeros((1, 12)), "RR")["RR"].mean == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 0], [1.0]), {"query_ids": [1, 1]}, "y_score: expected the shape of y_true"),
        (([1, 0], [1.0, 2.0]), {"query_ids": [1]}, "query_ids: expected the shape of y_true"),
        (
            ([1, 0], [1.0, 2.0]),
            {"group_sizes": [1]},
            "group_sizes: expected sizes that add up to 2",
        ),
        (([1], [1.0]), {"query_ids": [1], "group_sizes": [1]}, "either query_ids or group_sizes"),
        (([1], [float("nan")]), {"query_ids": [1]}, "y_score: expected finite numbers"),
        (([1e300], [1.0]), {"query_ids": [1]}, "y_true: expected grades of at most"),
        (([[[1]]], [[[1.0]]]), {"query_ids": [1]}, "y_true: expected one or two dimensions, got 3"),
        ((["a"], [1.0]), {"query_ids": [1]}, "y_true: expected an array of numbers"),
        ((np.array([1]), np.array([1.0])), {}, "query_ids: expected the query of each document"),
    ],
)
def test_arrays_that_do_not_fit_are_rejected(arguments, options, message):
    """The message names the argument."""
    with pytest.raises(ArgumentError, match=message):
        be.evaluate(*arguments, "RR", **options)


CHUNKS = {"q": {"a#1": 1.0, "b#1": 2.0, "a#2": 3.0}}


@pytest.mark.parametrize(
    "documents", [{"a#1": "a", "a#2": "a", "b#1": "b"}, lambda chunk: chunk.partition("#")[0]]
)
def test_the_best_chunk_of_a_document_counts(documents):
    """Documents come from a mapping or a function; a list keeps its first chunk."""
    for run in (CHUNKS, {"q": ["a#2", "b#1", "a#1"]}):
        found = be.evaluate({"q": ["a"]}, run, ["RR", "P@2"], documents=documents)
        assert found.to_dict() == {"RR": 1.0, "P@2": 0.5}


def test_a_chunk_that_the_mapping_lacks_is_an_error():
    """Its document is unknown."""
    with pytest.raises(ArgumentError, match="documents: expected the document of every chunk"):
        be.evaluate({"q": ["a"]}, CHUNKS, "RR", documents={"a#1": "a"})


def test_a_query_can_be_excluded_from_its_own_results():
    """BEIR does so for ArguAna."""
    judgments, run = {"d1": {"d2": 1}}, {"d1": {"d1": 9.0, "d2": 1.0}}
    assert be.evaluate(judgments, run, "RR")["RR"].mean == 0.5
    assert be.evaluate(judgments, run, "RR", exclude_self=True)["RR"].mean == 1.0


def test_a_comparison_takes_the_same_options():
    """They apply to all runs, and to their repeats."""
    judgments = {f"d{i}": [f"e{i}"] for i in range(3)}
    old = {f"d{i}": [f"d{i}", "x#1", f"e{i}#1"] for i in range(3)}
    new = {f"d{i}": [f"d{i}", f"e{i}#1"] for i in range(3)}
    found = be.compare(
        judgments,
        {"old": old, "new": new},
        "RR",
        repeats={"new": [new]},
        documents=lambda chunk: chunk.partition("#")[0],
        exclude_self=True,
    )
    assert found.difference("new", "RR").mean == 0.5
