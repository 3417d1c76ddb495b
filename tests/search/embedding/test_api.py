"""Vectors by an API as OpenAI's, against a server of ours that checks what it is asked."""

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
    """The variables of whoever runs the tests are none of ours."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def unit(vectors):
    rows = np.asarray(vectors, dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize("encoding", ["float", "base64"])
@pytest.mark.parametrize("batch_size", [1, 2, 128])
def test_each_text_has_its_vector(encoding, batch_size):
    """In the order of the texts, however they are sent and answered."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base, encoding=encoding, batch_size=batch_size)
        vectors = api.embed(TEXTS)
    np.testing.assert_allclose(vectors, unit([vector_of(text) for text in TEXTS]), rtol=1e-6)
    assert vectors.dtype == np.float32
    sizes = [len(request["body"]["input"]) for request in model.requests]
    assert sizes == {1: [1] * 5, 2: [2, 2, 1], 128: [5]}[batch_size]
    assert {request["body"]["encoding_format"] for request in model.requests} == {encoding}


def test_a_text_without_words_is_not_sent():
    """It has no direction; the API would refuse it."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base)
        assert api.embed(["", " \n"]).tolist() == [[0.0] * 4] * 2
        vectors = api.embed(["", "a", "\ud800"])
        assert not vectors[0].any()
        assert vectors[1].any()
        assert len(api.embed([])) == 0
    assert [request["body"]["input"] for request in model.requests] == [["space"], ["a", "?"]]


def test_dimensions_are_asked_for_and_checked():
    """A server that does not know them is told from one that does."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base, dimensions=2)
        assert api.embed(TEXTS).shape == (5, 2)
        assert model.requests[0]["body"]["dimensions"] == 2
        data = [{"index": 0, "embedding": [1.0, 2.0, 3.0]}]
        model.faults = [(200, {"data": data})]
        with pytest.raises(AnswerError, match="expected vectors of 2 numbers, got 3"):
            api.embed(["a"])


def test_vectors_keep_their_length():
    """From one request to the next."""
    with running_model() as (base, model):
        api = EmbeddingApi("tiny", base)
        api.embed(["a"])
        model.faults = [(200, {"data": [{"index": 0, "embedding": [1.0]}]})]
        with pytest.raises(AnswerError, match="expected vectors of 4 numbers, got 1"):
            api.embed(["b"])


def test_the_key_comes_from_the_environment(monkeypatch):
    """From the variable that is named; it is in no message."""
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


def test_the_name_tells_models_and_servers_apart():
    """Vectors are cached under it."""
    assert EmbeddingApi("tiny").name == "tiny@api.openai.com"
    assert EmbeddingApi("tiny", "http://h:1/v1/", dimensions=2).name == "tiny:2@h:1"


def test_vectors_are_asked_for_once(tmp_path):
    """By content and model, across processes."""
    with running_model() as (base, model):
        for _ in range(2):
            cached = CachedEmbedder(EmbeddingApi("tiny", base), tmp_path / "vectors.db")
            vectors = cached.embed(["a", "b", "a"])
            cached.close()
    np.testing.assert_allclose(vectors, unit([vector_of(text) for text in "aba"]), rtol=1e-6)
    assert [request["body"]["input"] for request in model.requests] == [["a", "b"]]


BUSY = (429, {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}})


@pytest.mark.parametrize("fault", [BUSY, (500, b""), (503, b"<html>"), None])
def test_what_may_pass_is_tried_again(fault):
    """Twice more: a server that is busy, that fails, that hangs up."""
    with running_model() as (base, model):
        model.faults = [fault] * 2
        assert EmbeddingApi("tiny", base, limits=QUICK).embed(["a"]).any()
        assert len(model.requests) == 3
        model.faults = [fault] * 3
        with pytest.raises(SystemUnderTestError) as caught:
            EmbeddingApi("tiny", base, limits=QUICK).embed(["a"])
        assert caught.value.transient


def test_a_server_that_asks_to_wait_too_long_is_not_waited_for():
    """Its own seconds count, up to the time limit."""
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
def test_what_stays_is_told_at_once(answer, message):
    """In the server's words, whichever shape they have."""
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
def test_an_answer_that_is_none_is_told(answer, message):
    """A vector of finite numbers for each text, by its number."""
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
def test_settings_that_cannot_be_used_are_refused(settings, message):
    """When the embedder is made."""
    with pytest.raises(ArgumentError, match=message):
        EmbeddingApi(**{"model": "tiny", **settings})


class TestByName:
    """Embedders by what people type."""

    def test_the_default_goes_by_its_name(self):
        """Also with dimensions."""
        assert isinstance(open_embedder("wordllama"), WordLlama)
        assert open_embedder("wordllama-64").embed(["a"]).shape == (1, 64)

    def test_an_api_goes_by_model_and_address(self, monkeypatch):
        """The address may be in the environment, as for OpenAI's own libraries."""
        assert open_embedder("openai:tiny").name == "tiny@api.openai.com"
        assert open_embedder("openai:org/m:v2@https://h/v1").name == "org/m:v2@h"
        monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:11434/v1")
        assert open_embedder("openai:tiny").name == "tiny@localhost:11434"

    def test_any_function_goes_by_its_place(self, tmp_path, monkeypatch):
        """So does a class, or an object."""
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
    def test_what_nobody_knows_is_refused(self, text):
        """With what there is."""
        with pytest.raises(ArgumentError, match="embedder: expected wordllama, onnx:FOLDER, op"):
            open_embedder(text)

    def test_it_is_a_setting_of_systems(self, tmp_path):
        """With a cache, if wanted."""
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
