"""Matching the tokens of queries with those of documents."""

import numpy as np
import pytest

from berryeval.search.embedding.embedder import wordllama_model
from berryeval.search.systems.late_interaction import QueryTokens, TokenSets, tokens_of

TEXTS = ["Renew the access token.", "Ripe bananas, ripe and yellow.", "", "token"]


def test_each_token_of_a_query_matches_the_nearest_of_a_document():
    """Cosines are weighted by the lengths of the query's vectors."""
    tokenizer, vectors = wordllama_model()
    ids = tokenizer.encode("expired token", add_special_tokens=False).ids
    expected = []
    for text in TEXTS:
        total = weight = 0.0
        for wanted in vectors[ids]:
            length = float(np.linalg.norm(wanted))
            others = vectors[tokenizer.encode(text, add_special_tokens=False).ids]
            cosines = [float(one @ wanted) / length / float(np.linalg.norm(one)) for one in others]
            total += length * max(cosines, default=0.0)
            weight += length
        expected.append(total / weight)
    found = QueryTokens("expired token").scores(tokens_of(TEXTS))
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert found[0] > found[1]
    assert QueryTokens("token").scores(tokens_of(["token"])) == pytest.approx([1.0])


def test_without_tokens_scores_are_0():
    """This holds for an empty query, no documents, and documents without tokens."""
    assert QueryTokens("").scores(tokens_of(TEXTS)).tolist() == [0, 0, 0, 0]
    assert QueryTokens("token").scores([]).tolist() == []
    assert QueryTokens("token").scores(tokens_of(["", ""])).tolist() == [0, 0]


def test_tokens_are_returned_by_document(tmp_path):
    """Tokens of any documents are returned in any order, including from a file."""
    sets = TokenSets.build(TEXTS)
    sets.save(tmp_path / "tokens.npz")
    for kept in (sets, TokenSets.open(tmp_path / "tokens.npz")):
        for number, tokens in zip((3, 0, 2), kept.of([3, 0, 2]), strict=True):
            assert tokens.tolist() == tokens_of([TEXTS[number]])[0].tolist()
    assert TokenSets.build([]).of([]) == []
