"""Runs and judgments in memory."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.core.id_column import IdColumn, decode_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.evaluation import evaluate

ids = st.text(max_size=5) | st.binary(max_size=4).map(decode_id)
runs = st.dictionaries(
    ids, st.dictionaries(ids, st.floats(allow_nan=False), max_size=5), max_size=4
)
grades = st.dictionaries(ids, st.dictionaries(ids, st.integers(-2, 4), max_size=5), max_size=4)


@given(runs)
def test_a_run_survives_conversion(run):
    """Any ids, infinite scores and queries without documents survive."""
    assert Run.from_dict(run).to_dict() == run


@given(grades)
def test_judgments_survive_conversion(judgments):
    """Negative grades are kept for the engine to interpret."""
    assert Judgments.from_dict(judgments).to_dict() == judgments


@given(st.binary())
def test_bytes_survive_as_text(doc_id):
    """Decoding an id that is not UTF-8 does not change it."""
    assert encode_id(decode_id(doc_id)) == doc_id


@given(runs)
def test_rankings_follow_score_then_id(run):
    """Scores are descending, ties by the bytes of the id descending, as in trec_eval."""
    found = Run.from_dict(run)
    for query_id, scores in run.items():
        expected = sorted(scores, key=lambda doc_id: (scores[doc_id], encode_id(doc_id)))[::-1]
        assert found.ranking(query_id) == expected


def test_ids_compare_as_bytes_not_as_letters():
    """'é' is above 'z', and '9' above '10'."""
    run = Run.from_dict({"q": dict.fromkeys(["z", "é", "10", "9", "Z"], 1.0)})
    assert run.ranking("q") == ["é", "z", "Z", "9", "10"]


def test_a_run_of_lists_keeps_their_order():
    """Without scores the list defines the order."""
    assert Run.from_lists({"q": ["b", "a", "c"]}).ranking("q") == ["b", "a", "c"]


def test_an_unknown_query_has_no_rows():
    """It is not an error."""
    run = Run.from_dict({"q": {"d": 1.0}})
    assert run.ranking("other") == []
    assert ("q" in run, "other" in run, 3 in run) == (True, False, False)


def test_sizes_are_counted_and_shown():
    """The repr shows the numbers of queries and rows."""
    run = Run.from_dict({"a": {"x": 1, "y": 2}, "b": {}})
    assert (len(run), run.n_queries, run.n_rows) == (2, 2, 2)
    assert repr(run) == "<Run: 2 queries, 2 documents>"
    assert repr(Judgments.from_dict({"a": {"x": 1}})) == "<Judgments: 1 query, 1 document>"


def test_equal_content_is_equal():
    """Equality is by content; a run never equals judgments."""
    data = {"q": {"d": 1}}
    assert Run.from_dict(data) == Run.from_dict(data) != Run.from_dict({"q": {"d": 2}})
    assert Run.from_dict(data) != Judgments.from_dict(data)
    assert Run.from_dict(data) != data


def test_a_run_can_be_sent_to_another_process():
    """Pickling keeps everything."""
    run = Run.from_dict({"q": {"d": 1.5}})
    assert pickle.loads(pickle.dumps(run)) == run  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ([], InputTypeError, "run: expected a mapping, got list"),
        ({"q": ["d"]}, InputTypeError, "run['q']: expected a mapping, got list"),
        ({1.0: {}}, InputTypeError, "run: an id: expected text or a whole number, got float 1.0"),
        (
            {"q": {True: 1.0}},
            InputTypeError,
            "run['q']: an id: expected text or a whole number, got bool True",
        ),
        ({"q": {"d": "1"}}, InputTypeError, "run['q']['d']: expected a number, got str '1'"),
        ({"q": {"d": float("nan")}}, ArgumentError, "run['q']['d']: expected a number, got nan"),
    ],
)
def test_an_invalid_run_is_reported_with_its_position(data, error, message):
    """The message names query and document."""
    with pytest.raises(error) as caught:
        Run.from_dict(data)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"q": "abc"}, InputTypeError, "run['q']: expected document ids, best first, got str"),
        (
            {"q": [None]},
            InputTypeError,
            "run['q']: an id: expected text or a whole number, got NoneType None",
        ),
        ({"q": ["a", "a"]}, ArgumentError, "run['q']: expected each document once, got 'a' twice"),
    ],
)
def test_an_invalid_list_of_ids_is_rejected(data, error, message):
    """A repeated document in a run is an error."""
    with pytest.raises(error) as caught:
        Run.from_lists(data)
    assert str(caught.value) == message


def test_a_column_of_ids_is_a_sequence_of_text():
    """Indexing from both ends, slices, and a short repr are supported."""
    column = IdColumn.of([b"a", b"", "é".encode(), b"\xff"])
    assert (column[0], column[1], column[-1]) == ("a", "", "\udcff")
    assert (column[1:3], list(column), len(column)) == (["", "é"], ["a", "", "é", "\udcff"], 4)
    assert repr(column) == "<IdColumn of 4: 'a', '', 'é', …>"
    assert column != ["a"]
    with pytest.raises(IndexError, match="row 4 of a column of 4"):
        _ = column[4]


@given(
    scores=st.lists(st.sampled_from([0.0, 1.0, 1.5, -2.0, float("inf")]), max_size=12),
    depth=st.integers(1, 14),
)
def test_the_first_documents_match_the_whole_ranking(scores, depth):
    """This includes ties at the cutoff."""
    run = Run.from_dict({"q": {f"d{i}": score for i, score in enumerate(scores)}})
    assert run.ranking("q", depth) == run.ranking("q")[:depth]


def test_judgments_and_runs_can_be_sent_to_another_process():
    """This works even after they were used: data that the engine caches for them is not sent."""
    judgments = Judgments.from_dict({"q1": {"d1": 2, "d\udcff": 0}})
    judgments.is_kept_ready = True
    run = Run.from_dict({"q1": {"d1": 0.5, "d2": 0.9}})
    evaluate(judgments, run, ["nDCG@10"])
    assert "q1" in judgments
    for sent in (judgments, run):
        received = pickle.loads(pickle.dumps(sent))  # noqa: S301 - our own
        assert received == sent
        assert "q1" in received
    assert pickle.loads(pickle.dumps(judgments)).is_kept_ready  # noqa: S301
