import numpy as np
import pytest

from berryeval import InputError, InputTypeError, RelevanceJudgment, ranking

AT_K = [
    ranking.recall_at_k,
    ranking.precision_at_k,
    ranking.f1_at_k,
    ranking.hit_rate_at_k,
    ranking.ndcg_at_k,
    ranking.dcg_at_k,
]
K_OPTIONAL = [ranking.reciprocal_rank, ranking.average_precision]
EVERY_METRIC = [*AT_K, *K_OPTIONAL]

every_metric = pytest.mark.parametrize("metric", EVERY_METRIC, ids=lambda f: f.__name__)


@every_metric
def test_set_list_mapping_and_records_are_equivalent(metric):
    """M9: a member of a set has grade 1."""
    retrieved = ["x", "a", "y", "b"]
    values = {
        metric(retrieved, judgments, 3)
        for judgments in (
            {"a", "b", "c"},
            frozenset("abc"),
            ["a", "b", "c", "a"],
            iter("abc"),
            {"a": 1, "b": 1.0, "c": True},
            [RelevanceJudgment("a"), RelevanceJudgment("b", 1), RelevanceJudgment("c", 1)],
        )
    }
    assert len(values) == 1
    assert values != {0.0}


@every_metric
@pytest.mark.parametrize("grade", [1, 3, 5, 2.5, 100, np.int64(2), np.float32(1.5)])
def test_grades_are_equal_in_a_mapping_and_in_records(metric, grade):
    """M9: small scales, any integer and float gains are accepted."""
    retrieved = ["x", "a", "b"]
    from_records = metric(retrieved, [RelevanceJudgment("a", grade), RelevanceJudgment("b", 0)], 2)
    assert from_records == metric(retrieved, {"a": grade, "b": 0}, 2) > 0.0


@every_metric
@pytest.mark.parametrize("doc_id", ["a", b"a", 7, 2.5, ("doc", 7), None, frozenset("ab"), -1])
def test_any_hashable_is_an_id(metric, doc_id):
    """M9: None and -1 have no special meaning here."""
    assert metric([doc_id], {doc_id}, 1) == 1.0
    assert metric([doc_id], {"other"}, 1) == 0.0


@every_metric
def test_numpy_integers_are_ids_and_cutoffs(metric):
    """M9: np.int32(2) is the document 2, and a valid k."""
    assert metric(np.array([2, 9], dtype=np.int32), {2}, np.int64(1)) == 1.0


@every_metric
def test_inputs_are_not_changed(metric):
    """M9: metrics only read them."""
    retrieved, judgments = ["b", "a", "b"], {"a": 2, "b": 1}
    metric(retrieved, judgments, 2)
    assert (retrieved, judgments) == (["b", "a", "b"], {"a": 2, "b": 1})


@every_metric
@pytest.mark.parametrize("k", [0, -3])
def test_k_below_one_is_rejected(metric, k):
    """M10, D3: it is a ValueError, even for an empty list."""
    for retrieved, judgments in (["a"], {"a"}), ([], set()):
        with pytest.raises(InputError) as error:
            metric(retrieved, judgments, k)
        assert isinstance(error.value, ValueError)
        assert str(error.value) == f"k: expected an integer, at least 1, got {k}"


@every_metric
@pytest.mark.parametrize(
    ("k", "got"), [(2.0, "float 2.0"), (True, "bool True"), ("3", "str '3'"), ([1], "list [1]")]
)
def test_k_must_be_an_integer(metric, k, got):
    """M10: 2.0 and True are more likely mistakes than cutoffs."""
    with pytest.raises(InputTypeError) as error:
        metric(["a"], {"a"}, k)
    assert isinstance(error.value, TypeError)
    assert str(error.value) == f"k: expected an integer, at least 1, got {got}"


@pytest.mark.parametrize("metric", AT_K, ids=lambda f: f.__name__)
def test_k_of_none_is_rejected_where_k_is_required(metric):
    """M10: None means the whole list for reciprocal rank and average precision only."""
    with pytest.raises(InputTypeError) as error:
        metric(["a"], {"a"}, None)
    assert str(error.value) == "k: expected an integer, at least 1, got None"


@every_metric
@pytest.mark.parametrize(
    ("grade", "error", "expected"),
    [
        (float("nan"), InputError, "a finite number of at most 1e+290, got nan"),
        (float("inf"), InputError, "a finite number of at most 1e+290, got inf"),
        (float("-inf"), InputError, "a finite number of at most 1e+290, got -inf"),
        (2e290, InputError, "a finite number of at most 1e+290, got 2e+290"),
        ("2", InputTypeError, "a number, got str '2'"),
        (None, InputTypeError, "a number, got NoneType None"),
        (1j, InputTypeError, "a number, got complex 1j"),
    ],
)
def test_a_grade_must_be_a_finite_number(metric, grade, error, expected):
    """M9: this holds in a mapping and in a record, retrieved or not."""
    for judgments in {"a": 1, "b": grade}, [RelevanceJudgment("b", grade)]:
        with pytest.raises(error) as raised:
            metric(["a"], judgments, 1)
        assert str(raised.value) == f"grade of 'b': expected {expected}"


@every_metric
@pytest.mark.parametrize(
    ("judgments", "got"),
    [
        ("abc", "str"),
        (b"abc", "bytes"),
        (None, "None"),
        (5, "int"),
        ([RelevanceJudgment("a"), "b"], "ids and records mixed"),
    ],
)
def test_judgments_of_other_types_are_rejected(metric, judgments, got):
    """M9: a str is an iterable of letters, and hardly meant as one."""
    expected = "a set of ids, a mapping from id to grade, or RelevanceJudgment records"
    with pytest.raises(InputTypeError) as error:
        metric(["a"], judgments, 1)
    assert str(error.value) == f"judgments: expected {expected}, got {got}"


@every_metric
@pytest.mark.parametrize("judgments", [[["a"]], [RelevanceJudgment(["a"], 1)]])
def test_judged_ids_must_be_hashable(metric, judgments):
    """M9: this holds in records, too."""
    expected = "ids that can be looked up, got list, which is not hashable"
    with pytest.raises(InputTypeError) as error:
        metric(["a"], judgments, 1)
    assert str(error.value) == f"judgments: expected {expected}"


@every_metric
def test_two_judgments_of_one_document_are_rejected(metric):
    """M9: it would be ambiguous which one counts."""
    with pytest.raises(InputError) as error:
        metric(["a"], [RelevanceJudgment("a", 1), RelevanceJudgment("a", 2)], 1)
    assert str(error.value) == "judgments: expected one judgment per document, got two of 'a'"


@every_metric
@pytest.mark.parametrize(
    ("retrieved", "message"),
    [
        ("abc", "document ids, best first, got str"),
        (b"abc", "document ids, best first, got bytes"),
        (None, "document ids, best first, got None"),
        (5, "document ids, best first, got int"),
        ({"a"}, "document ids, best first, got set, which has no order"),
        ({"a": 1}, "document ids, best first, got dict, which has no order"),
        (["a", ["b"]], "ids that can be looked up, got list, which is not hashable"),
    ],
)
def test_retrieved_must_be_a_ranked_list(metric, retrieved, message):
    """M9: a set has no ranks, and scores by document are for other functions."""
    with pytest.raises(InputTypeError) as error:
        metric(retrieved, {"a"}, 1)
    assert str(error.value) == f"retrieved: expected {message}"
