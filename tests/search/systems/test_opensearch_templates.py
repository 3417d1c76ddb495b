"""Custom queries, and fusion inside OpenSearch."""

import pytest

from berryeval.errors import SystemUnderTestError
from berryeval.search.systems.opensearch import OpenSearch
from search.opensearch_cases import found, indexed
from search.opensearch_server import running_engine


class TestTemplates:
    """Custom queries, including those written by other tools."""

    def test_a_vector_can_be_a_placeholder(self, engine):
        """It is a list of numbers in both dialects."""
        bodies = {
            "opensearch": '{"query": {"knn": {"vector": {"vector": {{vector}}, "k": {{k}}}}}}',
            "elasticsearch": '{"knn": {"field": "vector", "query_vector": "{{vector}}", '
            '"k": {{k}}, "num_candidates": 100}}',
        }
        system = indexed(engine, template=bodies[engine.dialect])
        plain = OpenSearch(f"{engine.url}/docs", mode="vector")
        assert system.search("renew a token", 3) == plain.search("renew a token", 3)
        assert system.search("", 3) == []
        assert system.fingerprint()["embedder"].startswith("wordllama")

    def test_documents_get_vectors_only_if_the_template_uses_one(self, engine):
        """Embedding could take long, or cost money."""

        def embed(_texts):
            raise AssertionError

        body = '{"query": {"match": {"text": "{{query}}"}}}'
        assert "auth.md#oauth" in found(indexed(engine, template=body, embedder=embed))

    def test_a_template_can_be_a_file(self, engine, tmp_path):
        """The format of the Search Relevance Workbench is supported."""
        path = tmp_path / "query.json"
        path.write_text('{"query": {"match": {"title": "%SearchText%"}}}')
        system = indexed(engine, template=str(path))
        assert found(system, "OAuth") == ["auth.md#oauth"]
        assert engine.requests[-1]["body"] == {"size": 5, "query": {"match": {"title": "OAuth"}}}

    def test_hits_with_their_own_sort_keep_their_order(self, engine):
        """Scores are then ignored; the same holds without scores."""
        by_id = {"sort": [{"berryeval_id": {"order": "asc"}}], "track_scores": True}
        body = {"query": {"match": {"text": "{{query}}"}}, **by_id}
        system = indexed(engine, template=body)
        assert system.search("token queries", 2) == [
            ("auth.md#api-keys", -1.0),
            ("auth.md#tokens", -2.0),
        ]
        without = OpenSearch(f"{engine.url}/docs", template=body | {"track_scores": False})
        assert without.search("token queries", 2) == system.search("token queries", 2)

    def test_hits_beyond_k_are_dropped(self, engine):
        """A template may have its own size."""
        body = {"query": {"match": {"text": "{{query}}"}}, "size": 50}
        assert len(found(indexed(engine, template=body), "token queries", 1)) == 1

    def test_an_invalid_query_is_reported_with_the_engines_reason(self, engine):
        """The message includes the type of the error."""
        system = indexed(engine, template={"query": {"mach": {"text": "{{query}}"}}})
        message = r"answered 400: parsing_exception: unknown query \[mach\]"
        with pytest.raises(SystemUnderTestError, match=message) as caught:
            system.search("x", 1)
        assert not caught.value.transient


def test_a_search_pipeline_fuses_inside_opensearch():
    """It is used if the engine has one."""
    body = {
        "query": {
            "hybrid": {
                "queries": [
                    {"match": {"text": "{{query}}"}},
                    {"knn": {"vector": {"vector": "{{vector}}", "k": "{{k}}"}}},
                ]
            }
        }
    }
    with running_engine("opensearch") as (url, engine):
        engine.url = url
        engine.pipelines["fuse it"] = {}
        system = indexed(engine, template=body, search_pipeline="fuse it")
        assert found(system)[0] == "auth.md#oauth"
        assert system.fingerprint()["search_pipeline"] == "fuse it"
        missing = OpenSearch(f"{url}/docs", template=body, search_pipeline="none")
        with pytest.raises(SystemUnderTestError, match="Pipeline none is not defined"):
            missing.search("x", 1)
