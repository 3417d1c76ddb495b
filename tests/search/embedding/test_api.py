"""Vectors from an OpenAI-compatible API, against a server that validates every request."""

import numpy as np
import pytest

from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search.embedding.api import EmbeddingApi
from berryeval.search.embedding.embedder import WordLlama
from berryeval.search.embedding.opening import open_embedder
from berryeval.search.embedding.vector_cache import CachedEmbedder
from berryeval.search.limits import Limits
from berryeval.search.opening import open_system
from berryeval.search.systems.embedded import Embedded
from search.contract import DOCUMENTS
from search.embedding_server import running_model, vector_of

TEXTS = ["configure OAuth", "renew a token", "ripe bananas", "one more", "and another one"]
QUICK = Limits(backoff=0)


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """Remove the environment variables of the person who runs the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def unit(vectors):
    rows = np.asarray(vectors, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("encoding", ["float", "base64"])
@pytest.mark.parametrize("batch_size", [1, 2, 128])
def test_each_text_has_its_vector(encoding, batch_size):
    """Vectors are in the order of the texts, for every batch size and response order."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base, encoding=encoding, batch_size=batch_size)
        vectors = api.embed(TEXTS)
    np.testing.assert_allclose(vectors, unit([vector_of(text) for text in TEXTS]), rtol=1e-6)
    assert vectors.dtype == np.float32
    sizes = [len(request["body"]["input"]) for request in model.requests]
    assert sizes == {1: [1] * 5, 2: [2, 2, 1], 128: [5]}[batch_size]
    assert {request["body"]["encoding_format"] for request in model.requests} == {encoding}


def test_a_blank_text_is_not_sent():
    """Its vector is zeros, and the API would reject it."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base)
        assert api.embed(["", " \n"]).tolist() == [[0.0] * 4] * 2
        vectors = api.embed(["", "a", "\ud800"])
        assert not vectors[0].any()
        assert vectors[1].any()
        assert len(api.embed([])) == 0
    assert [request["body"]["input"] for request in model.requests] == [["space"], ["a", "?"]]


def test_dimensions_are_requested_and_checked():
    """A server that ignores the parameter is detected."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base, dimensions=2)
        assert api.embed(TEXTS).shape == (5, 2)
        assert model.requests[0]["body"]["dimensions"] == 2
        data = [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]
        model.faults = [(200, {"data": data})]
        with pytest.raises(AnswerError, match="expected vectors of 2 numbers, got 3"):
            api.embed(["a"])


def test_vectors_keep_their_length():
    """A vector of a different length than in an earlier request is rejected."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base)
        api.embed(["a"])
        model.faults = [(200, {"data": [{"index": 0, "embedding": [1.0]}]})]
        with pytest.raises(AnswerError, match="expected vectors of 4 numbers, got 1"):
            api.embed(["b"])


def test_the_key_comes_from_the_environment(monkeypatch):
    """The key is read from the named variable and never appears in a message."""
    monkeypatch.setenv("MY_KEY", "sk-secret")
    with running_model(key="sk-secret") as (base, _model):
        assert EmbeddingApi("tiny", base, key_variable="MY_KEY").embed(["a"]).any()
        with pytest.raises(
            SystemUnderTestError, match=r"requires a key: .*; set OPENAI_API_KEY"
        ) as caught:
            EmbeddingApi("tiny", base, limits=QUICK).embed(["a"])
        assert not caught.value.transient
    with running_model(key="sk-another") as (base, _model):
        with pytest.raises(
            SystemUnderTestError, match="rejected the key in MY_KEY: Incorrect"
        ) as caught:
            EmbeddingApi("tiny", base, key_variable="MY_KEY").embed(["a"])
        assert "sk-secret" not in str(caught.value)


def test_the_name_identifies_model_and_server():
    """Vectors are cached under this name."""
    assert EmbeddingApi("tiny").name == "tiny@api.openai.com"
    assert EmbeddingApi("tiny", "http://h:1/v1/", dimensions=2).name == "tiny:2@h:1"


def test_vectors_are_requested_once(tmp_path):
    """The cache is keyed by content and model, and shared between processes."""
    with running_model() as (base, model):
        for _ in range(2):
            cached = CachedEmbedder(EmbeddingApi("tiny", base), tmp_path / "vectors.db")
            vectors = cached.embed(["a", "b", "a"])
            cached.close()
    np.testing.assert_allclose(vectors, unit([vector_of(text) for text in "aba"]), rtol=1e-6)
    assert [request["body"]["input"] for request in model.requests] == [["a", "b"]]


BUSY = (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}})


@pytest.mark.parametrize("fault", [BUSY, (500, b""), (503, b"<html>"), None])
def test_temporary_errors_are_retried(fault):
    """Busy, failing and disconnecting servers are retried twice."""
    with running_model() as (base, model):
        model.faults = [fault] * 2
        assert EmbeddingApi("tiny", base, limits=QUICK).embed(["a"]).any()
        assert len(model.requests) == 3
        model.faults = [fault] * 3
        with pytest.raises(SystemUnderTestError) as caught:
            EmbeddingApi("tiny", base, limits=QUICK).embed(["a"])
        assert caught.value.transient


def test_a_requested_delay_beyond_the_time_limit_is_not_waited_for():
    """A shorter delay that the server requests is respected."""
    with running_model() as (base, model):
        model.faults = [(*BUSY, ("Retry-After", "3600"))]
        with pytest.raises(
            SystemUnderTestError, match="answered 429: Rate limit reached"
        ) as caught:
            EmbeddingApi("tiny", base, limits=QUICK).embed(["a"])
        assert caught.value.retry_after == 3600
        assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((429, {"error": {"message": "pay first", "code": "insufficient_quota"}}), "pay first"),
        ((404, {"error": "model 'tiny' not found"}), "answered 404: model 'tiny' not found"),
        ((422, {"detail": "too long"}), "answered 422: too long"),
        ((400, b"no JSON"), "answered 400 Bad Request: no JSON"),
        ((400, [1]), "answered 400 Bad Request"),
        ((400, {"error": None}), "answered 400 Bad Request"),
    ],
)
def test_permanent_errors_are_reported_at_once(answer, message):
    """The message contains the server's reason, in each of its formats."""
    with running_model() as (base, model):
        model.faults = [answer]
        with pytest.raises(SystemUnderTestError, match=message) as caught:
            EmbeddingApi("tiny", base, limits=QUICK).embed(["a"])
        assert not caught.value.transient
        assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([], "expected an object with a list of 'data'"),
        ({"data": {}}, "expected an object with a list of 'data'"),
        ({"data": [[1.0]]}, "expected items with an 'index' and an 'embedding'"),
        ({"data": [{"embedding": [1.0]}]}, "expected items with an 'index'"),
        ({"data": []}, "expected 1 vectors, one per text, got 0"),
        ({"data": [{"index": 1, "embedding": [1.0]}]}, "expected 1 vectors, one per text, got 1"),
        (
            {"data": [{"index": 0, "embedding": [1.0]}] * 2},
            "expected 1 vectors, one per text, got 2",
        ),
        ({"data": [{"index": 0, "embedding": "abc"}]}, "expected a vector of numbers, got"),
        ({"data": [{"index": 0, "embedding": ["a"]}]}, "expected a vector of numbers, got"),
        ({"data": [{"index": 0, "embedding": 7}]}, r"expected a vector, got one of shape \(\)"),
        ({"data": [{"index": 0, "embedding": []}]}, r"expected a vector, got one of shape \(0,\)"),
        (b'{"data": [{"index": 0, "embedding": [NaN]}]}', "expected vectors of finite numbers"),
    ],
)
def test_an_invalid_response_is_reported(answer, message):
    """A response must contain one vector of finite numbers per text."""
    with running_model() as (base, model):
        model.faults = [(200, answer)]
        with pytest.raises(AnswerError, match=message):
            EmbeddingApi("tiny", base).embed(["a"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": ""}, "model: expected a name"),
        ({"base_url": "localhost"}, "url: expected an address with http://"),
        ({"base_url": "http://k:s@h/v1"}, "base_url: expected no credentials in it"),
        ({"encoding": "int8"}, "encoding: expected 'float' or 'base64'"),
        ({"batch_size": 0}, "batch_size: expected at least 1"),
        ({"dimensions": 0}, "dimensions: expected at least 1"),
    ],
)
def test_invalid_settings_are_rejected(settings, message):
    """The error is raised when the embedder is created."""
    with pytest.raises(ArgumentError, match=message):
        EmbeddingApi(**{"model": "tiny", **settings})


class TestByName:
    """Embedders opened by name."""

    def test_the_default_embedder_is_opened_by_name(self):
        """The name can include the dimensions."""
        assert isinstance(open_embedder("wordllama"), WordLlama)
        assert open_embedder("wordllama-64").embed(["a"]).shape == (1, 64)

    def test_an_api_is_named_by_model_and_address(self, monkeypatch):
        """The address can come from the variable that OpenAI's own libraries use."""
        assert open_embedder("openai:tiny").name == "tiny@api.openai.com"
        assert open_embedder("openai:org/m:v2@https://h/v1").name == "org/m:v2@h"
        monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
        assert open_embedder("openai:tiny").name == "tiny@localhost:11434"

    def test_a_function_class_or_object_is_named_by_module(self, tmp_path, monkeypatch):
        """Each of them can be an embedder."""
        (tmp_path / "my_model_of_test.py").write_text(
            "def lengths(texts):\n    return [[len(text), 1.0] for text in texts]\n"
            "class Model:\n    name = 'm'\n    def embed(self, texts):\n        return 7\n"
            "model = Model()\n"
            "other = 7\n"
        )
        monkeypatch.chdir(tmp_path)
        found = open_embedder("my_model_of_test:lengths")
        assert found.name == "my_model_of_test:lengths"
        assert found.embed(["", "a"]).shape == (2, 2)
        assert open_embedder("my_model_of_test:Model").embed([]) == 7
        assert open_embedder("my_model_of_test:model").name == "m"
        with pytest.raises(ArgumentError, match="embedder: expected a function, got 'my_model"):
            open_embedder("my_model_of_test:other")

    @pytest.mark.parametrize("text", ["word2vec", "wordllama-x", ""])
    def test_an_unknown_embedder_is_rejected(self, text):
        """The message lists the known embedders."""
        with pytest.raises(ArgumentError, match="embedder: expected wordllama, onnx:FOLDER, op"):
            open_embedder(text)

    def test_an_embedder_is_a_setting_of_systems(self, tmp_path):
        """It can be combined with a cache."""
        with running_model() as (base, model):
            settings = {"embedder": f"openai:tiny@{base}", "vector_cache": str(tmp_path / "v.db")}
            system = open_system("vector", settings)
            assert isinstance(system, Embedded)
            system.index(DOCUMENTS)
            assert system.search("configure OAuth", 3)
            n_requests = len(model.requests)
            system.index(DOCUMENTS)
            assert len(model.requests) == n_requests == 2
            assert system.fingerprint()["embedder"].startswith("tiny@127.0.0.1")
            system.embedder.close()
        cached = open_system("hybrid", {"vector_cache": str(tmp_path / "w.db")}).embedder
        assert cached.name == WordLlama().name
        cached.close()
        with pytest.raises(ArgumentError, match="embedder: expected wordllama"):
            open_system("vector", {"embedder": "word2vec"})
