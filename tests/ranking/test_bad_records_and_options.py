from functools import partial

import pytest

from berryeval import InputError, InputTypeError, ranking

WITH_LEVEL = [
    partial(ranking.recall_at_k, ["a"], {"a"}, 1),
    partial(ranking.precision_at_k, ["a"], {"a"}, 1),
    partial(ranking.f1_at_k, ["a"], {"a"}, 1),
    partial(ranking.hit_rate_at_k, ["a"], {"a"}, 1),
    partial(ranking.reciprocal_rank, ["a"], {"a"}),
    partial(ranking.average_precision, ["a"], {"a"}),
    partial(ranking.compute_all, ["a"], {"a"}),
    partial(ranking.mean_metrics, []),
]
WITH_KS = [partial(ranking.compute_all, ["a"], {"a"}), partial(ranking.mean_metrics, [])]


@pytest.mark.parametrize("call", WITH_LEVEL, ids=lambda call: call.func.__name__)
@pytest.mark.parametrize(
    ("level", "error", "expected"),
    [
        (-1, InputError, "a number, at least 0, got -1"),
        (True, InputTypeError, "a number, at least 0, got bool True"),
        (float("nan"), InputError, "a finite number of at most 1e+290, got nan"),
        (float("inf"), InputError, "a finite number of at most 1e+290, got inf"),
        ("1", InputTypeError, "a number, got str '1'"),
        (None, InputTypeError, "a number, got NoneType None"),
    ],
)
def test_a_level_must_be_a_number_of_at_least_0(call, level, error, expected):
    """M9: a negative level would make unjudged documents relevant."""
    with pytest.raises(error) as raised:
        call(level=level)
    assert str(raised.value) == f"level: expected {expected}"


@pytest.mark.parametrize("call", WITH_KS, ids=lambda call: call.func.__name__)
@pytest.mark.parametrize(
    ("ks", "error", "message"),
    [
        ((1, 0), InputError, "k: expected an integer, at least 1, got 0"),
        ((1, 2.5), InputTypeError, "k: expected an integer, at least 1, got float 2.5"),
        ((True,), InputTypeError, "k: expected an integer, at least 1, got bool True"),
        ((None,), InputTypeError, "k: expected an integer, at least 1, got None"),
        ((), InputError, "ks: expected at least one k, got none"),
        (5, InputTypeError, "ks: expected an iterable of integers, got int"),
    ],
)
def test_invalid_cutoffs_are_rejected(call, ks, error, message):
    """M8, M10: each k of several is checked, and at least one is required."""
    with pytest.raises(error) as raised:
        call(ks=ks)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("change", "error", "complaint"),
    [
        (
            {"retrieved": "ab"},
            InputTypeError,
            ": retrieved: expected document ids, best first, got str",
        ),
        (
            {"retrieved": {"a"}},
            InputTypeError,
            ": retrieved: expected document ids, best first, got set, which has no order",
        ),
        (
            {"retrieved": None},
            InputTypeError,
            ": retrieved: expected document ids, best first, got None",
        ),
        (
            {"relevant": {"a": float("nan")}},
            InputError,
            ": grade of 'a': expected a finite number of at most 1e+290, got nan",
        ),
        (
            {"relevance_scores": {"a": "high"}},
            InputTypeError,
            ": grade of 'a': expected a number, got str 'high'",
        ),
        (
            {"relevance_scores": {"a"}},
            InputTypeError,
            ".relevance_scores: expected a mapping from id to grade, got set",
        ),
    ],
)
def test_an_invalid_record_is_reported_by_position(change, error, complaint):
    """M9: the second of three records is named."""
    good = {"retrieved": ["a"], "relevant": {"a"}}
    with pytest.raises(error) as raised:
        ranking.mean_metrics([good, {**good, **change}, good])
    assert str(raised.value) == f"records[1]{complaint}"


@pytest.mark.parametrize("relevant", ["ab", None, [["a"]]])
def test_invalid_judgments_of_a_record_are_reported_by_key(relevant):
    """M9: the caller wrote `relevant`, not an argument named judgments."""
    with pytest.raises(InputTypeError) as error:
        ranking.mean_metrics([{"retrieved": ["a"], "relevant": relevant}])
    assert str(error.value).startswith("records[0]")
    assert "relevant: expected " in str(error.value)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"retrieved": ["a"]}, "a key 'relevant', got keys 'retrieved'"),
        ({"relevant": {"a"}, "id": 1}, "a key 'retrieved', got keys 'relevant', 'id'"),
        ({}, "a key 'retrieved', got keys none"),
    ],
)
def test_a_record_without_a_required_key_is_rejected(record, expected):
    """M9: retrieved and relevant are required; the message lists the keys found."""
    with pytest.raises(InputError) as error:
        ranking.mean_metrics([record])
    assert str(error.value) == f"records[0]: expected {expected}"


def test_a_record_must_be_a_mapping():
    """M9: a pair of lists is not a record."""
    with pytest.raises(InputTypeError) as error:
        ranking.mean_metrics([(["a"], {"a"})])
    assert str(error.value) == "records[0]: expected a mapping, got tuple"


@pytest.mark.parametrize("records", [None, 5])
def test_records_that_cannot_be_iterated_are_rejected(records):
    """M9: the message names the argument."""
    with pytest.raises(InputTypeError) as error:
        ranking.mean_metrics(records)
    assert str(error.value).startswith("records: expected ")
