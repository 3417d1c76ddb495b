"""Whole numbers as ids in Python, which stand for their decimal text."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import berryeval as be
from berryeval import ranking
from berryeval.core.documents import Document, Documents
from berryeval.core.query import Query
from berryeval.errors import AnswerError, ArgumentError, InputTypeError
from berryeval.evaluation.explain import explain
from berryeval.pytest_plugin._sources import queries_of
from berryeval.search.hits import to_hits
from berryeval.suite.evaluate_system import evaluate_system

JUDGMENTS = {"1": {"10": 1, "12": 2}, "2": {"11": 1}}
SCORES = {"1": {"10": 0.5, "11": 0.4, "12": 0.3}, "2": {"10": 0.9, "11": 0.8}}


def as_ints(data, kind=int):
    """Return a mapping with whole numbers as ids."""
    return {kind(query): {kind(doc): n for doc, n in docs.items()} for query, docs in data.items()}


@pytest.mark.parametrize("kind", [int, np.int64, np.uint32])
def test_evaluate_takes_whole_numbers_as_ids(kind):
    """Judgments, runs with scores, and lists give the same figures as text."""
    expected = be.evaluate(JUDGMENTS, SCORES, ["AP", "nDCG@2"])
    lists = {kind(query): [kind(doc) for doc in docs] for query, docs in SCORES.items()}
    for judgments in (JUDGMENTS, as_ints(JUDGMENTS, kind)):
        for run in (SCORES, as_ints(SCORES, kind), lists):
            found = be.evaluate(judgments, run, ["AP", "nDCG@2"])
            assert found.to_dict() == expected.to_dict()
            assert dict(found["AP"].by_query) == dict(expected["AP"].by_query)


def test_compare_and_explain_take_whole_numbers():
    """Every function that loads judgments and runs accepts them."""
    a, b = as_ints(SCORES), {1: [12, 10], 2: [11]}
    compared = be.compare(as_ints(JUDGMENTS), {"a": a, "b": b}, ["AP"], baseline="a")
    assert compared.evaluations["b"]["AP"].mean == 1.0
    assert explain(as_ints(JUDGMENTS), a, b, 2, measure="AP").query_id == "2"


def test_runs_and_judgments_are_found_under_whole_numbers():
    """Their text also works."""
    run = be.Run.from_dict(as_ints(SCORES))
    assert run == be.Run.from_dict(SCORES)
    assert run.ranking(1) == run.ranking("1") == ["10", "11", "12"]
    assert 1 in run
    assert "1" in run
    assert 1.0 not in run
    assert be.Judgments.from_dict(as_ints(JUDGMENTS)) == be.Judgments.from_dict(JUDGMENTS)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_with_whole_numbers_are_read(library):
    """Files behave in the same way."""
    rows = [(int(q), int(d), s) for q, docs in SCORES.items() for d, s in docs.items()]
    columns = {
        name: [*values]
        for name, values in zip(("qid", "docno", "score"), zip(*rows, strict=True), strict=True)
    }
    frame = library(columns)
    assert be.Run.from_frame(frame) == be.Run.from_dict(SCORES)
    assert (
        be.evaluate(JUDGMENTS, frame, "AP").to_dict()
        == be.evaluate(JUDGMENTS, SCORES, "AP").to_dict()
    )


def test_queries_and_documents_take_whole_numbers():
    """This includes objects, and texts by id."""
    assert Query(7, "berries").query_id == "7"
    assert Document(7, "berries").doc_id == "7"
    assert Documents.of([Document(7, "berries")])["7"].text == "berries"
    assert [*queries_of({7: "berries"})] == ["7"]


@pytest.mark.parametrize(
    "answer", [[12, 10], [(12, 2.0), (10, 1)], {10: 1.0, 12: 2.0}, np.array([12, 10])]
)
def test_a_system_may_return_whole_numbers(answer):
    """They may be alone, in pairs, or in a mapping."""
    assert [hit.doc_id for hit in to_hits(answer, 2, "mine")] == ["12", "10"]
    found = evaluate_system(
        lambda _query, _k: answer, [Query(1, "x")], ks=[2], judgments=as_ints(JUDGMENTS)
    )
    assert found.results[0].recall == {2: 1.0}


@pytest.mark.parametrize("bad", [True, 1.0, np.float64(1), np.True_, None, (1,), b"1"])
def test_other_ids_are_an_error(bad):
    """Booleans and floats are rejected, since 7 and 7.0 would be different ids."""
    shown = f"{type(bad).__name__} {bad!r}"
    for call in (
        lambda: be.evaluate({bad: {"d": 1}}, {"q": {"d": 1}}),
        lambda: be.evaluate({"q": {bad: 1}}, {"q": {"d": 1}}),
        lambda: be.evaluate({"q": {"d": 1}}, {bad: {"d": 1}}),
        lambda: be.evaluate({"q": {"d": 1}}, {"q": {bad: 1}}),
        lambda: be.evaluate({"q": {"d": 1}}, {bad: ["d"]}),
        lambda: be.evaluate({"q": {"d": 1}}, {"q": [bad]}),
        lambda: Query(bad, "x"),
        lambda: Document(bad, "x"),
    ):
        with pytest.raises(InputTypeError, match="expected text or a whole number, got") as caught:
            call()
        assert str(caught.value).endswith(shown)
    with pytest.raises(AnswerError, match="hit 1: expected"):
        to_hits([bad], 1, "mine")


@pytest.mark.parametrize("dtype", ["float64", "bool"])
def test_frames_with_other_numbers_are_an_error(dtype):
    """A missing value turns a column of whole numbers into floats."""
    frame = pd.DataFrame(
        {"query_id": ["q"], "doc_id": pd.Series([1]).astype(dtype), "score": [1.0]}
    )
    with pytest.raises(be.errors.InputError, match="ids"):
        be.Run.from_frame(frame)


def test_a_number_and_its_text_are_the_same_id():
    """Both in one mapping are an error."""
    with pytest.raises(ArgumentError, match="each query once, got '1' twice"):
        be.Judgments.from_dict({1: {"d": 1}, "1": {"e": 1}})
    with pytest.raises(ArgumentError, match="each query once, got '1' twice"):
        be.Run.from_lists({1: ["d"], "1": ["e"]})
    with pytest.raises(ArgumentError, match="each document once"):
        be.Run.from_dict({1: {10: 1, "10": 2}})
    with pytest.raises(ArgumentError, match="each document once"):
        be.Run.from_lists({1: [10, "10"]})


def test_one_list_takes_anything_hashable():
    """These functions compare ids like Python."""
    assert ranking.recall_at_k([10, 11], {10: 1, 12: 1}, k=2) == 0.5
