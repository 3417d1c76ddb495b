import dataclasses
import json
import pickle

import pytest

from berryeval.ranking import (
    AtK,
    average_precision,
    compute_all,
    dcg_at_k,
    f1_at_k,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)

SINGLE = {
    "recall": recall_at_k,
    "precision": precision_at_k,
    "f1": f1_at_k,
    "hit_rate": hit_rate_at_k,
    "dcg": dcg_at_k,
    "ndcg": ndcg_at_k,
    "rr": reciprocal_rank,
    "ap": average_precision,
}
RETRIEVED = ["x", "a", "a", "c", "b", "y", "d"]
JUDGMENTS = {"a": 2, "b": 1, "c": 0, "d": 3, "e": 1, "f": -1}


def two_cutoffs():
    """Return the metrics of one small list at 1 and 3."""
    return compute_all(["a", "x", "b"], {"a", "b"}, ks=(1, 3))


@pytest.mark.parametrize("metric", SINGLE)
def test_every_value_equals_that_of_the_single_function(metric):
    """M8: a shared look-up table gives identical bits."""
    expected = {k: SINGLE[metric](RETRIEVED, JUDGMENTS, k) for k in (1, 2, 3, 5, 7, 20)}
    assert getattr(compute_all(RETRIEVED, JUDGMENTS, expected), metric) == expected


def test_every_field_is_compared_with_a_single_function():
    """M8: a metric that is added without its own function fails here."""
    names = {field.name for field in dataclasses.fields(two_cutoffs())}
    assert names == {*SINGLE, "reciprocal_rank", "average_precision"}


def test_reciprocal_rank_and_average_precision_are_also_given_without_cutoff():
    """M8: the hit at rank 12 is beyond every k, but still counts."""
    metrics = compute_all(range(1, 13), {12})
    assert metrics.rr[10] == metrics.ap[10] == 0.0
    assert metrics.reciprocal_rank == metrics.average_precision == 1 / 12


def test_default_cutoffs_are_1_3_5_and_10():
    """M8: they are used if k is omitted."""
    assert list(compute_all(["a"], {"a"}).recall) == [1, 3, 5, 10]


def test_cutoffs_are_sorted_and_unique():
    """M8: the requested order does not matter."""
    assert list(compute_all(["a"], {"a"}, ks=iter([5, 1, 5, 2])).ndcg) == [1, 2, 5]


def test_input_is_read_once():
    """M8: generators are accepted for ids and for judgments."""
    metrics = compute_all((d for d in RETRIEVED), (d for d in "ab"), ks=(5,))
    assert metrics == compute_all(RETRIEVED, {"a", "b"}, ks=(5,))


def test_level_applies_to_every_binary_metric_but_not_to_ndcg():
    """M8: at level 3 only d, at rank 7, is relevant."""
    strict = compute_all(RETRIEVED, JUDGMENTS, ks=(7,), level=3)
    assert strict.reciprocal_rank == strict.average_precision == strict.rr[7] == strict.ap[7]
    assert (strict.rr[7], strict.recall[7], strict.precision[7]) == (1 / 7, 1.0, 1 / 7)
    assert strict.ndcg == compute_all(RETRIEVED, JUDGMENTS, ks=(7,)).ndcg


@pytest.mark.parametrize(("retrieved", "judgments"), [([], {"a"}), (["a"], {}), ([], {})])
def test_empty_input_gives_zeros(retrieved, judgments):
    """M10: if nothing is retrieved or judged, every value is 0."""
    metrics = compute_all(retrieved, judgments, ks=(1, 3))
    assert metrics.reciprocal_rank == metrics.average_precision == 0.0
    assert all(getattr(metrics, name) == {1: 0.0, 3: 0.0} for name in SINGLE)


def test_metrics_are_immutable():
    """M8: neither a field nor the value at a k can be set."""
    metrics = two_cutoffs()
    with pytest.raises(dataclasses.FrozenInstanceError):
        metrics.reciprocal_rank = 0.0
    with pytest.raises(TypeError):
        metrics.recall[1] = 0.0


def test_equal_metrics_have_equal_hashes():
    """M8: equality and hash are by value."""
    assert two_cutoffs() == two_cutoffs()
    assert len({two_cutoffs(), two_cutoffs(), compute_all([], {}, ks=(1, 3))}) == 2


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_metrics_survive_pickling(protocol):
    """M8: results can come from another process."""
    assert pickle.loads(pickle.dumps(two_cutoffs(), protocol)) == two_cutoffs()  # noqa: S301


def test_metrics_print_as_a_table():
    """M8: four decimals, one line per k, and the values without cutoff on top."""
    assert repr(two_cutoffs()).splitlines() == [
        "<RankingMetrics: reciprocal rank 1.0000, average precision 0.8333",
        "     k  recall  precision      f1  hit_rate     dcg    ndcg      rr      ap",
        "     1  0.5000     1.0000  0.6667    1.0000  1.0000  1.0000  1.0000  0.5000",
        "     3  1.0000     0.6667  0.8000    1.0000  1.5000  0.9197  1.0000  0.8333>",
    ]


def test_values_at_k_are_an_independent_mapping():
    """M8: AtK reads like a dict, equals one, and is a copy of its source."""
    source = {1: 0.0, 3: 0.5}
    values = AtK(source)
    source[1] = 9.0
    assert values == {1: 0.0, 3: 0.5}
    assert (len(values), list(values.items()), 3 in values) == (2, [(1, 0.0), (3, 0.5)], True)
    assert repr(values) == "{1: 0.0, 3: 0.5}"
    assert hash(values) == hash(AtK({3: 0.5, 1: 0.0}))


def test_a_value_at_another_k_is_missing():
    """M8: only the requested k exist."""
    with pytest.raises(KeyError):
        two_cutoffs().recall[2]


def test_metrics_convert_to_plain_types_for_json():
    """M8: to_dict has everything, and works with json.dumps."""
    metrics = compute_all(["a", "x"], {"a"}, ks=(1, 2))
    found = json.loads(json.dumps(metrics.to_dict()))
    assert found["recall"] == {"1": 1.0, "2": 1.0}
    assert found.keys() == metrics.__dataclass_fields__.keys()
