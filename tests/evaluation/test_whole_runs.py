"""Measures of a whole run: catalogue coverage, novelty, intra-list diversity."""

import math

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, BerryEvalError, MismatchError

RUN = {"u1": ["a", "b", "c"], "u2": ["a", "c"], "u3": ["d"]}


def test_coverage_counts_each_document_once():
    """The first two ranks have a, b, c and d, out of five."""
    catalogue = ["a", "b", "c", "d", "e"]
    assert be.catalogue_coverage(RUN, 2, catalogue) == 4 / 5
    assert be.catalogue_coverage(RUN, 1, catalogue) == 2 / 5
    assert be.catalogue_coverage(RUN, None, ["a", "e", "z"]) == 1 / 3


def test_coverage_needs_a_catalogue():
    """Without one, there is nothing to divide by."""
    with pytest.raises(ArgumentError, match="catalogue: expected at least one document"):
        be.catalogue_coverage(RUN, 2, [])


def test_a_catalogue_may_be_documents():
    """Their ids count."""
    documents = be.Documents.of([be.Document("a", "one"), be.Document("z", "two")])
    assert be.catalogue_coverage(RUN, 1, documents) == 1 / 2


POPULARITY = {"a": 4, "b": 2, "c": 1, "d": 1}


def test_novelty_is_the_mean_self_information():
    """Out of eight clicks, a has half, b a quarter, c and d an eighth each: 1, 2, 3 and 3 bits."""
    assert be.novelty(RUN, 2, POPULARITY) == pytest.approx(((1 + 2) / 2 + (1 + 3) / 2 + 3) / 3)
    assert be.novelty(RUN, 1, POPULARITY) == pytest.approx((1 + 1 + 3) / 3)


def test_novelty_may_be_relative_to_the_number_of_users():
    """With sixteen users, it is one bit more than relative to the sum of the clicks."""
    more = be.novelty(RUN, 2, POPULARITY, total=16) - be.novelty(RUN, 2, POPULARITY)
    assert more == pytest.approx(1.0)


def test_a_document_that_was_never_seen_needs_a_number():
    """Otherwise, it would be infinitely novel."""
    for popularity in ({"a": 4, "b": 2, "c": 1}, {**POPULARITY, "d": 0}):
        with pytest.raises(ArgumentError, match="or unseen=1, got none for 'd'"):
            be.novelty(RUN, 2, popularity)
    found = be.novelty({"u": ["z"]}, 1, POPULARITY, unseen=1)
    assert found == pytest.approx(math.log2(8))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"total": 0}, "total: expected a number above 0, got 0"),
        ({"unseen": -1}, "unseen: expected a number above 0, got -1"),
    ],
)
def test_invalid_totals_are_rejected(options, message):
    """Logarithms need numbers above 0."""
    with pytest.raises(ArgumentError, match=message):
        be.novelty(RUN, 2, POPULARITY, **options)
    with pytest.raises(ArgumentError, match=r"popularity\[.*a.*\]: expected a number of at least"):
        be.novelty(RUN, 2, {"a": -1})


VECTORS = {"a": [1, 0], "b": [0, 2], "c": [1, 1], "d": [0, 0]}


def test_diversity_is_the_mean_distance_of_all_pairs():
    """It is 1 for a-b, and 1 - 1/sqrt(2) for a-c and b-c; u3 has one document and is left out."""
    near = 1 - 1 / math.sqrt(2)
    found = be.intra_list_diversity(RUN, 3, VECTORS)
    assert found == pytest.approx(((1 + 2 * near) / 3 + near) / 2)
    assert be.intra_list_diversity({"u": ["a", "d"]}, 2, VECTORS) == 1.0


def test_equal_vectors_have_no_distance():
    """The cosine of this vector with itself rounds to above 1."""
    same = {"a": [0.3, 0.9, 1.0], "b": [0.3, 0.9, 1.0]}
    assert be.intra_list_diversity({"u": ["a", "b"]}, 2, same) == 0.0


def test_diversity_of_sets_is_jaccards():
    """One label of three is common; two empty sets are equal."""
    genres = {"a": {"x", "y"}, "b": {"y", "z"}, "c": set(), "d": frozenset()}
    assert be.intra_list_diversity({"u": ["a", "b"]}, 2, genres) == pytest.approx(2 / 3)
    assert be.intra_list_diversity({"u": ["c", "d"]}, 2, genres) == 0.0


def test_any_distance_can_be_given():
    """It receives the features unchanged."""
    found = be.intra_list_diversity(
        {"u": ["a", "b"]}, 2, {"a": 3, "b": 7}, distance=lambda a, b: abs(a - b)
    )
    assert found == 4.0


def test_missing_features_are_an_error():
    """The document is named."""
    with pytest.raises(ArgumentError, match=r"features: .* got none for 'c'"):
        be.intra_list_diversity(RUN, 3, {"a": [1], "b": [2]})
    with pytest.raises(ArgumentError, match="vectors of the same length, got 1 and 2"):
        be.intra_list_diversity(RUN, 2, {"a": [1], "b": [1, 2], "c": [1]})


def test_a_run_without_pairs_is_an_error():
    """A mean over no query is not a number."""
    with pytest.raises(MismatchError, match="no query of the run has enough documents"):
        be.intra_list_diversity({"u": ["a"]}, 5, VECTORS)


def test_the_cutoff_is_checked():
    """It must be at least 1."""
    with pytest.raises(ArgumentError, match="k: expected"):
        be.catalogue_coverage(RUN, 0, ["a"])


def test_the_length_of_a_context_is_summed_over_the_first_k():
    """The sums are 120 + 80 tokens, 120 + 30, and 40."""
    lengths = {"a": 120, "b": 80, "c": 30, "d": 40}
    assert be.context_length(RUN, 2, lengths) == pytest.approx((200 + 150 + 40) / 3)
    assert be.context_length(RUN, 1, lengths) == pytest.approx((120 + 120 + 40) / 3)


def test_documents_have_lengths_in_tokens():
    """A document without a length is an error."""
    documents = [be.Document("a", "one two", length=2), be.Document("b", "three", length=1)]
    run = {"q": ["a", "b"]}
    assert be.context_length(run, 2, be.Documents.of(documents)) == 3.0
    without = be.Documents.of([*documents, be.Document("c", "four")])
    with pytest.raises(ArgumentError, match="got documents without a length"):
        be.context_length(run, 2, without)


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        (
            {"a": 1},
            "lengths: expected a number for every document in the first k, got none for 'b'",
        ),
        ({"a": 1, "b": -1}, r"lengths\['b'\]: expected a number of at least 0, got -1"),
        ({"a": 1, "b": math.nan}, r"lengths\['b'\]: expected a number of at least 0, got nan"),
        ({"a": 1, "b": "2"}, r"lengths\['b'\]: expected a number of at least 0, got str"),
        ({"a": 1, "b": True}, r"lengths\['b'\]: expected a number of at least 0, got bool"),
    ],
)
def test_every_document_needs_a_length(lengths, message):
    """The message names the document."""
    with pytest.raises(BerryEvalError, match=message):
        be.context_length({"q": ["a", "b"]}, 2, lengths)
