"""Queries of one's own, and what OpenSearch fuses itself."""

import pytest

from berryeval.errors import SystemUnderTestError
from berryeval.search.systems.opensearch import OpenSearch
from search.opensearch_cases import found, indexed
from search.opensearch_server import running_engine


class TestTemplates:
    """Queries of one's own, from other tools, too."""

    def test_a_vector_has_its_place(self, engine):
        """As a list of numbers, whichever dialect asks for it."""
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

    def test_documents_have_vectors_if_it_asks_for_one(self, engine):
        """Otherwise nothing is embedded, which could take long, or cost money."""

        def embed(_texts):
            raise AssertionError

        body = '{"query": {"match": {"text": "{{query}}"}}}'
        assert "auth.md#oauth" in found(indexed(engine, template=body, embedder=embed))

    def test_a_file_may_have_it(self, engine, tmp_path):
        """As the Search Relevance Workbench writes it."""
        path = tmp_path / "query.json"
        path.write_text('{"query": {"match": {"title": "%SearchText%"}}}')
        system = indexed(engine, template=str(path))
        assert found(system, "OAuth") == ["auth.md#oauth"]
        assert engine.requests[-1]["body"] == {"size": 5, "query": {"match": {"title": "OAuth"}}}

    def test_a_sort_of_its_own_is_an_order(self, engine):
        """Scores do not count then; nor where there are none."""
        by_id = {"sort": [{"berryeval_id": {"order": "asc"}}], "track_scores": True}
        body = {"query": {"match": {"text": "{{query}}"}}, **by_id}
        system = indexed(engine, template=body)
        assert system.search("token queries", 2) == [
            ("auth.md#api-keys", -1.0),
            ("auth.md#tokens", -2.0),
        ]
        without = OpenSearch(f"{engine.url}/docs", template=body | {"track_scores": False})
        assert without.search("token queries", 2) == system.search("token queries", 2)

    def test_more_than_k_are_cut(self, engine):
        """A template may have a size of its own."""
        body = {"query": {"match": {"text": "{{query}}"}}, "size": 50}
        assert len(found(indexed(engine, template=body), "token queries", 1)) == 1

    def test_an_unknown_query_is_told_in_the_words_of_the_engine(self, engine):
        """With its type."""
        system = indexed(engine, template={"query": {"mach": {"text": "{{query}}"}}})
        message = r"answered 400: parsing_exception: unknown query \[mach\]"
        with pytest.raises(SystemUnderTestError, match=message) as caught:
            system.search("x", 1)
        assert not caught.value.transient


def test_a_search_pipeline_fuses_inside_opensearch():
    """Where somebody has set one up."""
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
