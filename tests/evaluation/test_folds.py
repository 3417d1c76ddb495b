"""Folds keep groups together, and means over them follow the weights of queries."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval import Query
from berryeval.core.judgments import Judgments
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.folds import QueryWeights, fold_queries


def judged(n_queries):
    return Judgments.from_dict({f"q{n:02}": {"a": 1} for n in range(n_queries)})


def grouped(labels):
    """Return queries by id; None is a query without a group."""
    return {f"q{n:02}": Query(f"q{n:02}", "", group=group) for n, group in enumerate(labels)}


@given(
    labels=st.lists(st.one_of(st.none(), st.sampled_from("abcde")), min_size=12, max_size=40),
    seed=st.integers(0, 9),
)
def test_a_group_is_in_one_fold(labels, seed):
    """Every query is in one fold, no group is divided, and folds are as even as groups allow."""
    folds = fold_queries(judged(len(labels)), 3, seed, grouped([*labels, "x", None, None]))
    assert sorted(q for fold in folds for q in fold) == [
        f"q{n:02}".encode() for n in range(len(labels))
    ]
    for group in {*labels} - {None}:
        own = {f"q{n:02}".encode() for n, label in enumerate(labels) if label == group}
        assert sum(bool(own & {*fold}) for fold in folds) == 1
    largest = max([labels.count(label) for label in {*labels} - {None}], default=1)
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= largest


def test_folds_without_groups_differ_by_one_query():
    """The same seed gives the same folds, another seed others."""
    folds = fold_queries(judged(11), 4, 0)
    assert sorted(map(len, folds)) == [2, 3, 3, 3]
    assert folds == fold_queries(judged(11), 4, 0, grouped([None] * 11))
    assert folds != fold_queries(judged(11), 4, 1)


def test_more_folds_than_groups_are_an_error():
    """The message counts groups."""
    expected = r"from 3 to 4, the number of groups of judged queries \(--folds\), got 5"
    with pytest.raises(ArgumentError, match=expected):
        fold_queries(judged(6), 5, 0, grouped("aabbcd"))


def test_fewer_than_three_groups_cannot_be_divided():
    """No number of folds helps, so the message asks for none."""
    message = "cross-validation requires at least 3 groups of judged queries, found 2"
    with pytest.raises(MismatchError, match=message):
        fold_queries(judged(6), 3, 0, grouped("aaabbb"))
    with pytest.raises(MismatchError, match="at least 3 judged queries, found 2"):
        fold_queries(judged(2), 3, 0)


def test_means_follow_the_weights():
    """3 of 4 parts of the weight are on the first query."""
    queries = {name: Query(name, "", weight=weight) for name, weight in (("a", 6), ("b", 2))}
    weights = QueryWeights(queries, [b"a", b"b"])
    scores = {b"a": 1.0, b"b": 0.0}
    assert weights.mean_score(scores, [b"b", b"a"]) == 0.75
    assert weights.mean_score(scores, [b"b"]) == 0.0
    assert weights.total([b"a"]) == 3 * weights.total([b"b"])
    assert QueryWeights({}, [b"a", b"b"]).mean_score(scores, [b"a", b"b"]) == 0.5
