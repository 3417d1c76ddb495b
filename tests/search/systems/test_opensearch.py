"""OpenSearch and Elasticsearch, against a simulated engine that validates every request."""

import numpy as np
import pytest

from berryeval.core import Document
from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search.opening import open_system
from berryeval.search.systems.opensearch import OpenSearch
from berryeval.search.systems.rank_fusion import fuse_hits
from search.contract import DOCUMENTS, Contract
from search.json_server import serving
from search.opensearch_cases import DIALECTS, found, indexed
from search.opensearch_server import running_engine


class TestWords(Contract):
    """BM25."""

    @pytest.fixture
    def system(self, engine):
        return indexed(engine, "bm25")


class TestVectors(Contract):
    """Vectors; knn is an alias."""

    finds_by_words = False

    @pytest.fixture
    def system(self, engine):
        return indexed(engine, "knn")


class TestHybrid(Contract):
    """Both, fused in BerryEval."""

    finds_by_words = False

    @pytest.fixture
    def system(self, engine):
        return indexed(engine)


class TestTemplate(Contract):
    """A custom query."""

    @pytest.fixture
    def system(self, engine):
        body = {"query": {"match": {"text": "{{query}}"}}, "size": "{{k}}"}
        return indexed(engine, template=body)


def test_hybrid_is_the_fusion_of_words_and_vectors(engine):
    """X4: ranks are fused with weights, in one request."""
    settings = {"weights": (1.0, 0.5), "constant": 10.0}
    system = indexed(engine, **settings)
    parts = [OpenSearch(f"{engine.url}/docs", mode=mode) for mode in ("bm25", "vector")]
    rankings = [part.search("renew a token", 100) for part in parts]
    engine.requests.clear()
    hits = system.search("renew a token", 4)
    assert hits == fuse_hits(rankings, 4, weights=(1.0, 0.5), constant=10.0)
    assert [request["path"] for request in engine.requests] == ["/docs/_msearch"]


def test_at_least_k_hits_are_fused(engine):
    """A depth below k would lose hits."""
    assert len(found(indexed(engine, depth=1), "renew a token", 4)) == 4


def test_the_number_of_candidates_respects_the_engines_limit(engine):
    """Twice the depth would be too many for Elasticsearch."""
    assert found(indexed(engine, "vector", depth=8000), "renew a token", 1)


def test_scores_of_vectors_are_cosines_from_0_to_1(engine):
    """X4: the scores are those of both engines."""
    vectors = {"east": [1, 0], "north": [0, 2], "west": [-3, 0], "go": [1, 0]}
    system = indexed(
        engine,
        "vector",
        [Document(name, name) for name in ("east", "north", "west")],
        embedder=lambda texts: [vectors.get(text, [1, 1]) for text in texts],
    )
    hits = system.search("go", 3)
    assert [hit.doc_id for hit in hits] == ["east", "north", "west"]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5, 0.0], abs=1e-6)


def test_fields_have_weights(engine):
    """Weights use the engine's syntax."""
    documents = [Document("title", "other words", "oauth"), Document("text", "oauth", "other")]
    heavy = indexed(engine, "bm25", documents, fields=("title^9", "text"))
    assert found(heavy, "oauth") == ["title", "text"]
    light = OpenSearch(f"{engine.url}/docs", mode="bm25", fields=("title^0.1", "text"))
    assert found(light, "oauth") == ["text", "title"]


def test_ties_are_broken_by_id_before_the_cutoff(engine):
    """The same k documents are returned in any order of storage."""
    documents = [Document(doc_id, "the same words") for doc_id in "bdac"]
    system = indexed(engine, "bm25", documents)
    assert found(system, "same words", 2) == ["d", "c"]


def test_a_foreign_index_is_searched_unchanged(engine):
    """It has no field to break ties with."""
    body = {
        "settings": {"index": {"number_of_shards": 1}},
        "mappings": {"properties": {"text": {"type": "text"}}},
    }
    engine._create("theirs", body)
    engine.indexes["theirs"].take("d1", {"text": "Configure OAuth"})
    engine._refresh("theirs")
    system = OpenSearch(engine.url, "theirs", "bm25", fields=["text"])
    assert found(system) == ["d1"]
    with pytest.raises(
        SystemUnderTestError, match="'theirs' was not created by berryeval and is not repl"
    ):
        system.index(DOCUMENTS)
    with pytest.raises(SystemUnderTestError, match="was not created by berryeval"):
        system.drop()
    assert found(system) == ["d1"]


def test_the_engine_is_detected_once(engine):
    """Detection happens only if it matters, for vectors."""
    indexed(engine, "bm25").search("x", 1)
    assert not any(request["path"] == "/" for request in engine.requests)
    system = indexed(engine, "vector")
    system.search("x", 1)
    assert sum(request["path"] == "/" for request in engine.requests) == 1
    engine.requests.clear()
    shown = OpenSearch(f"{engine.url}/docs", mode="vector", dialect=engine.dialect)
    assert found(shown) == found(system)
    assert [request["path"] for request in engine.requests] == ["/docs/_search"] * 2


def test_a_dialect_can_be_set_if_detection_is_forbidden():
    """The message explains the setting."""
    with serving(lambda _request: (403, {"error": {"type": "s", "reason": "no"}})) as url:
        system = OpenSearch(url, "docs", "vector")
        with pytest.raises(
            SystemUnderTestError, match="denied access to this user: s: no; set dialect, so"
        ):
            system.search("x", 1)
    with running_engine("opensearch", authorization="Basic x") as (url, _engine):
        system = OpenSearch(url, "docs", "vector")
        with pytest.raises(SystemUnderTestError, match="requires credentials"):
            system.search("x", 1)


def test_a_server_that_is_neither_engine_is_an_error():
    """It returns JSON, but of another kind."""
    for answer in ({"version": {"number": "7"}}, {"hello": "world"}):
        with serving(lambda _request, answer=answer: (200, answer)) as url:
            system = OpenSearch(url, "docs", "vector")
            with pytest.raises(AnswerError, match="expected OpenSearch or Elasticsearch, got some"):
                system.search("x", 1)


def test_a_missing_licence_is_reported():
    """Elasticsearch's own fusion requires one."""
    rrf = {"retriever": {"rrf": {"retrievers": []}}, "_source": "{{query}}"}
    with running_engine("elasticsearch") as (url, engine):
        engine.url = url
        system = indexed(engine, template=rrf)
        with pytest.raises(
            SystemUnderTestError, match=r"denied access to this user: .*license is non-compl"
        ):
            system.search("x", 1)


@pytest.mark.parametrize(
    ("url", "settings", "message"),
    [
        ("localhost:9200/docs", {}, "url: expected an address with http:// or https://"),
        ("ftp://me:secret@h/docs", {}, r"url: .*, got 'ftp://h/docs'"),
        ("http://h:x/docs", {}, "url: expected an address"),
        ("http://h", {}, "index: expected the index as the last part of the address"),
        ("http://h/docs?x=1", {}, "index: .*, got an address with more"),
        ("http://h/docs", {"mode": "words"}, "mode: expected 'bm25', 'vector' or 'hybrid'"),
        ("http://h/docs", {"dialect": "solr"}, "dialect: expected 'opensearch' or 'elasticsear"),
        ("http://h/docs", {"search_pipeline": "x"}, "search_pipeline: expected a template with"),
        ("http://h/docs", {"fields": ()}, "fields: expected at least one name"),
        ("http://h/docs", {"weights": (0, 0)}, "weights: expected two numbers"),
        ("http://h/docs", {"template": "{}"}, "template: expected a placeholder {{query}}"),
    ],
)
def test_invalid_settings_are_rejected(url, settings, message):
    """The error is raised when the system is created, without passwords."""
    with pytest.raises(ArgumentError, match=message):
        OpenSearch(url, **settings)


@pytest.mark.parametrize("index", ["Docs", "a,b", "logs-*", "_all", "a b"])
def test_several_indexes_are_searched_but_never_replaced(index):
    """The same holds for an invalid index name."""
    with pytest.raises(ArgumentError, match="index: expected the name of one index"):
        OpenSearch("http://h", index, "bm25").index(DOCUMENTS)


def test_addresses_may_have_a_path_before_the_index():
    """A path of a gateway is kept."""
    system = OpenSearch("https://gateway.example/search/v1/docs/")
    assert (system.url, system.index_name) == ("https://gateway.example/search/v1", "docs")
    system = OpenSearch("https://gateway.example/search/", "logs-*,docs")
    assert (system.url, system.index_name) == ("https://gateway.example/search", "logs-*,docs")


def test_the_system_is_opened_by_either_name(engine):
    """Settings are passed as text."""
    indexed(engine)
    settings = {"mode": "bm25", "fields": "title^2,text"}
    for name in DIALECTS:
        system = open_system(f"{name}:{engine.url}/docs", settings, headers={"X-Trace": "1"})
        assert isinstance(system, OpenSearch)
        assert system.name == name
        assert "auth.md#oauth" in found(system)
        assert engine.requests[-1]["headers"]["X-Trace"] == "1"
        assert system.fields == ("title^2", "text")


def test_the_fingerprint_has_the_settings_of_the_mode(engine):
    """Settings of other modes are left out."""
    facts = OpenSearch(f"{engine.url}/docs").fingerprint()
    assert set(facts) == {
        "system", "url", "index", "mode", "fields", "vector_field", "embedder", "depth", "weights",
        "constant",
    }  # fmt: skip
    assert facts["index"] == "docs"
    words = OpenSearch(f"{engine.url}/docs", mode="bm25").fingerprint()
    assert set(words) == {"system", "url", "index", "mode", "fields"}


def test_an_empty_index_has_vectors_of_the_right_length(engine):
    """An index without documents can be searched."""
    system = indexed(engine, "vector", [], embedder=lambda texts: np.ones((len(texts), 7)))
    assert system.search("x", 3) == []
