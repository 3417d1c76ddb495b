"""Embedding texts as vectors, and the cache of vectors."""

import sys
from pathlib import Path

import numpy as np
import pytest

from berryeval.errors import AnswerError, ArgumentError, FormatError, MissingExtraError
from berryeval.search.embedding import embedder
from berryeval.search.embedding.embedder import CallableEmbedder, WordLlama, as_embedder
from berryeval.search.embedding.vector_cache import CachedEmbedder

TEXTS = ["How do I sign in?", "Log in to your account.", "Bananas are ripe.", ""]


def test_vectors_are_those_of_wordllama():
    """The library itself, pointed to its files, returns the same vectors."""
    wordllama = pytest.importorskip("wordllama")
    folder = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    expected = model.embed(TEXTS[:3], norm=True)
    np.testing.assert_allclose(WordLlama().embed(TEXTS[:3]), expected, atol=1e-5)


def test_similar_meanings_have_similar_vectors():
    """Vectors have unit length, except for blank text."""
    vectors = WordLlama().embed(TEXTS)
    assert vectors.shape == (4, 256)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 1, 1, 0], atol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_a_vector_does_not_depend_on_its_batch():
    """Vectors are equal to the bit in every batch."""
    many = [f"text number {i}" for i in range(600)]
    model = WordLlama()
    assert (model.embed(many)[[0, 300, 599]] == model.embed([many[i] for i in (0, 300, 599)])).all()


def test_dimensions_can_be_reduced():
    """The sizes that the model was trained for are accepted."""
    assert WordLlama(64).embed(["a text"]).shape == (1, 64)
    assert WordLlama(64).name == "wordllama-l2-supercat-64"
    with pytest.raises(ArgumentError, match="dimensions: expected 64, 128 or 256, got 100"):
        WordLlama(100)


def test_missing_weights_are_named_by_their_extra(monkeypatch):
    """The message names the extra, whichever of the three libraries is missing."""
    embedder.wordllama_model.cache_clear()
    for library in ("tokenizers", "safetensors"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, library, None)
            with pytest.raises(MissingExtraError, match=r"berryeval\[search\]"):
                WordLlama().embed(["a"])
    monkeypatch.setattr(embedder.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"berryeval\[search\]"):
        WordLlama().embed(["a"])


def lengths(texts):
    return [[len(text), 1.0] for text in texts]


def test_any_function_can_be_an_embedder():
    """Vectors are normalised, and the embedder is named after the function."""
    model = as_embedder(lengths)
    assert model.name.endswith(":lengths")
    np.testing.assert_allclose(model.embed(["ab", ""]), [[2 / 5**0.5, 1 / 5**0.5], [0, 1]])
    assert len(model.embed([])) == 0
    assert as_embedder(model) is model


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([[1.0]], r"mine: expected 2 vectors of the same length, got an array of shape \(1, 1\)"),
        ([1.0, 2.0], r"expected 2 vectors of the same length, got an array of shape \(2,\)"),
        ([[1.0], [1.0, 2.0]], "expected vectors of numbers"),
        (["a", "b"], "expected vectors of numbers"),
        ([[1.0], [float("nan")]], "expected vectors of finite numbers"),
    ],
)
def test_invalid_vectors_are_rejected(answer, message):
    """A function must return one vector of finite numbers per text."""
    with pytest.raises(AnswerError, match=message):
        CallableEmbedder(lambda _texts: answer, "mine").embed(["a", "b"])


def test_nothing_is_embedded_twice(tmp_path):
    """Content and model are the key, and the cache outlives its process."""
    asked = []

    def model(texts):
        asked.extend(texts)
        return lengths(texts)

    path = tmp_path / "vectors.db"
    for _ in range(2):
        cached = CachedEmbedder(CallableEmbedder(model, "m1"), path)
        assert cached.name == "m1"
        np.testing.assert_array_equal(
            cached.embed(["a", "bb", "a"]), CallableEmbedder(lengths, "").embed(["a", "bb", "a"])
        )
        cached.close()
    assert asked == ["a", "bb"]
    other = CachedEmbedder(CallableEmbedder(model, "m2"), path)
    other.embed(["a", "ccc"])
    other.close()
    assert asked == ["a", "bb", "a", "ccc"]
    assert len(cached._embedder.embed([])) == 0


def test_a_cache_handles_many_texts_and_none(tmp_path):
    """The number of texts may exceed SQLite's limit of parameters."""
    cached = CachedEmbedder(CallableEmbedder(lengths, "m"), tmp_path / "v.db")
    many = [f"{i}" for i in range(1700)]
    assert (cached.embed(many) == cached.embed(many)).all()
    assert len(cached.embed([])) == 0
    cached.close()


def test_a_file_that_is_not_a_cache_is_not_changed(tmp_path):
    """The error names the file."""
    path = tmp_path / "notes.txt"
    path.write_text("not a database" * 100)
    with pytest.raises(FormatError, match=r"notes\.txt: cannot be used as a cache"):
        CachedEmbedder(WordLlama(), path)
    assert path.read_text().startswith("not a database")


def test_queries_are_cached_separately_only_if_the_model_distinguishes_them(tmp_path):
    """Otherwise a text embedded as a document is a hit as a query."""
    cached = CachedEmbedder(as_embedder(lengths), tmp_path / "vectors.db")
    documents = cached.embed(["ab"])
    cached._embedder._function = None  # the model now fails on every call
    assert (cached.embed_queries(["ab"]) == documents).all()
    cached.close()
