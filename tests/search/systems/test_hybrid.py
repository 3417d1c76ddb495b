"""Hybrid search in two rounds, over an index with fixed answers."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.errors import ArgumentError
from berryeval.search.embedding.embedder import unit_vectors
from berryeval.search.hits import Hit
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.hybrid import HybridSettings, search_hybrid, search_hybrid_each
from berryeval.search.systems.late_interaction import QueryTokens, tokens_of
from berryeval.search.systems.rank_fusion import fuse_hits
from depth import examples

TEXTS = {1: "renew token", 2: "renew licence", 3: "ripe bananas"}
PLAIN = HybridSettings(weights=(1, 1), late=0, feedback=0)


class Written:
    """An index with fixed answers by words and vectors, which records its calls."""

    def __init__(self, by_words, by_vector):
        self.by_words, self.by_vector = by_words, by_vector
        self.asked_words, self.asked_vectors = [], []

    def query_words(self, query):
        return dict.fromkeys(query.split(), 1.0)

    def best_by_words(self, words, k):
        self.asked_words.append(dict(words))
        return dict(list(self.by_words.items())[:k])

    def nearest(self, vector, k):
        self.asked_vectors.append(vector.tolist())
        return dict(list(self.by_vector.items())[:k])

    def words_of(self, numbers):
        return [dict.fromkeys(TEXTS[number].split(), 1.0) for number in numbers]

    def vectors_of(self, numbers):
        return np.eye(4, dtype=np.float32)[list(numbers)]

    def tokens_of(self, numbers):
        return tokens_of([TEXTS[number] for number in numbers])


QUERY = np.eye(4, dtype=np.float32)[0]


def test_scores_are_scaled_and_added():
    """Word scores are scaled from 0, cosines from the lowest; a missing score adds 0."""
    index = Written({1: 4.0, 2: 1.0}, {2: 0.9, 1: 0.5, 3: 0.1})
    assert search_hybrid(index, "renew token", QUERY, PLAIN) == pytest.approx(
        {1: 1 + 0.5, 2: 0.25 + 1, 3: 0}
    )
    weighted = HybridSettings(weights=(2, 0.5), late=0, feedback=0, depth=1)
    assert search_hybrid(index, "renew token", QUERY, weighted) == {1: 2, 2: 0.5}


@examples(300)
@given(
    words=st.dictionaries(st.integers(0, 9), st.floats(0.125, 50), min_size=1),
    vectors=st.dictionaries(st.integers(0, 9), st.floats(-1, 1), min_size=1),
    weights=st.tuples(st.floats(0.125, 4), st.floats(0.125, 4)),
)
def test_scores_are_those_of_the_fusion_of_runs(words, vectors, weights):
    """Word scores are divided by the highest, cosines scaled from 0 to 1; all bits are equal."""
    settings = HybridSettings(weights=weights, late=0, feedback=0)
    found = search_hybrid(Written(words, vectors), "renew", QUERY, settings)
    runs = [{"q": scores} for scores in (words, vectors)]
    scaled = [be.fuse([run, {"q": {}}], "sum", norm=norm)
              for run, norm in zip(runs, ("max", "min-max"), strict=True)]  # fmt: skip
    fused = be.fuse(scaled, "wsum", norm=None, weights=weights).to_dict()["q"]
    assert {str(number): score for number, score in found.items()} == fused


@examples(300)
@given(
    rankings=st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1),
                      min_size=2, max_size=3),
    data=st.data(),
)  # fmt: skip
def test_fused_ranks_are_those_of_the_fusion_of_runs(rankings, data):
    """Reciprocal ranks with weights have equal bits; PostgreSQL is compared with them, too."""
    numbers = st.floats(0.125, 8)
    weights = [data.draw(numbers) for _ in rankings]
    constant = data.draw(numbers)
    hits = [[Hit(doc_id, 0.0) for doc_id in ranking] for ranking in rankings]
    found = fuse_hits(hits, 8, weights=weights, constant=constant)
    fused = be.fuse([{"q": ranking} for ranking in rankings], weights=weights, k=constant)
    assert dict(found) == fused.to_dict()["q"]
    assert [hit.doc_id for hit in found] == fused.ranking("q")


def test_the_only_match_counts_fully():
    """A single score is scaled to 1."""
    index = Written({1: 4.0}, {2: 0.3})
    assert search_hybrid(index, "renew", QUERY, PLAIN) == {1: 1, 2: 1}
    assert search_hybrid(Written({}, {}), "renew", QUERY, HybridSettings()) == {}


def test_tokens_are_a_third_score():
    """It is scaled like the others, over all documents that were found."""
    index = Written({1: 4.0}, {3: 0.3})
    late = QueryTokens("renew token").scores(index.tokens_of([1, 3]))
    assert late[0] > late[1]
    found = search_hybrid(index, "renew token", QUERY, replace(PLAIN, late=3))
    assert found == {1: 1 + 3, 3: 1 + 0}


def test_the_second_round_uses_the_results_of_the_first():
    """The query keeps its share; the best documents have the rest, by score."""
    index = Written({1: 4.0, 2: 2.0}, {})
    settings = replace(PLAIN, feedback=2, share=0.75)
    assert search_hybrid(index, "renew", QUERY, settings) == {1: 1, 2: 0.5}
    first, second = index.asked_words
    assert first == {"renew": 1}
    assert second == pytest.approx({
        "renew": 0.75 + 0.25 * (2 / 3 / 2 + 1 / 3 / 2),
        "token": 0.25 * 2 / 3 / 2,
        "licence": 0.25 * 1 / 3 / 2,
    })  # fmt: skip
    middle = unit_vectors(np.array([[0, 2, 1, 0]], np.float32))[0]
    expected = unit_vectors((0.75 * QUERY + 0.25 * middle)[np.newaxis])[0]
    np.testing.assert_allclose(index.asked_vectors, [QUERY, expected], atol=1e-6)


def test_words_outweigh_what_only_vectors_find():
    """By default, the best document by words beats the best by vectors and tokens together."""
    index = Written({1: 4.0}, {3: 0.9})
    found = search_hybrid(index, "bananas", QUERY, HybridSettings(feedback=0))
    assert found == {1: 4, 3: 1 + 1}


def test_the_share_of_the_query_is_from_0_to_1():
    """Values outside of this range are an error."""
    for share in (-0.1, 1.1, float("nan")):
        with pytest.raises(ArgumentError, match="share: expected a number from 0 to 1"):
            HybridSettings(share=share)


@pytest.mark.parametrize(("fusion", "weights"), [("scores", "4 1"), ("ranks", "1 1")])
def test_ranks_count_equally_by_default(fusion, weights):
    """Weights that suit scores do not suit reciprocal ranks."""
    assert Embedded(fusion=fusion).fingerprint()["weights"] == weights


def test_documents_without_a_score_give_no_feedback():
    """With weights of 0 the first round is the result."""
    index = Written({}, {1: 0.5, 2: 0.2})
    settings = HybridSettings(weights=(1, 0), late=0)
    assert search_hybrid(index, "renew", QUERY, settings) == {1: 0, 2: 0}
    assert len(index.asked_words) == 1


def test_several_settings_share_what_they_have_in_common():
    """Results are those of single searches, and nothing is looked up twice."""
    several = [
        HybridSettings(weights, late, feedback)
        for weights in ((1, 1), (3, 1), (0, 1))
        for late in (0, 1)
        for feedback in (0, 2)
    ]
    index = Written({1: 4.0, 2: 1.0}, {2: 0.9, 1: 0.5, 3: 0.1})
    found = search_hybrid_each(index, "renew token", QUERY, several)
    asked = [tuple(words.items()) for words in index.asked_words]
    assert len({*asked}) == len(asked)
    assert len({*map(tuple, index.asked_vectors)}) == len(index.asked_vectors)
    assert found == [search_hybrid(index, "renew token", QUERY, one) for one in several]
