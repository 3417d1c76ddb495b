"""The contract of every system under test. `Contract` is a base class of tests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise, product

import pytest

from berryeval.core import Document
from berryeval.core.id_column import encode_id
from berryeval.errors import BerryEvalError

DOCUMENTS = [
    Document("auth.md#oauth", "Register a client and configure OAuth with a secret.", "OAuth"),
    Document("auth.md#tokens", "Access tokens expire after an hour. Renew the token.", "Tokens"),
    Document("auth.md#api-keys", "An API key is a token that never expires.", "API keys"),
    Document("deploy.md#docker", "Run the container with Docker and a volume.", "Docker"),
    Document("deploy.md#kubernetes", "Deploy to a cluster; each pod needs memory.", "Kubernetes"),
    Document("schema.md#tables", "The database has tables for users and for chunks.", "Tables"),
    Document("tuning.md#cache", "A larger cache makes queries faster.", "Cache"),
    Document("tuning.md#index", "Build the index again when queries become slow.", "Index"),
]
QUERIES = ["renew an expired token", "configure OAuth", "slow queries", "deploy to a cluster"]
UNUSUAL = ["zzyzx qwrtp", "", " ", "!!!", "'; DROP TABLE", 'AND OR "', "a:b (c", "\u0000"]


class Contract:
    """Tests for a class with a fixture ``system`` over DOCUMENTS.

    ``finds_by_words`` is whether a query of unknown words finds nothing, and ``can_index``
    whether documents can be replaced.
    """

    finds_by_words = True
    can_index = True

    def test_at_most_k_documents_are_returned_best_first(self, system):
        """Hits are sorted by score, ties by id, highest first; each document occurs once."""
        for query, k in product(QUERIES, (1, 3, 100)):
            hits = system.search(query, k)
            assert 1 <= len(hits) <= k, (query, k)
            keys = [(hit.score, encode_id(hit.doc_id)) for hit in hits]
            assert all(before > after for before, after in pairwise(keys)), (query, k)
            assert len({hit.doc_id for hit in hits}) == len(hits), (query, k)
            assert {hit.doc_id for hit in hits} <= {document.doc_id for document in DOCUMENTS}
            assert all(type(hit.doc_id) is str and type(hit.score) is float for hit in hits)

    def test_fewer_hits_are_the_first_of_more(self, system):
        """A smaller k truncates the ranking without changing it."""
        for query in QUERIES:
            longer = [hit.doc_id for hit in system.search(query, 5)]
            assert [hit.doc_id for hit in system.search(query, 2)] == longer[:2]

    def test_the_right_document_is_among_the_first(self, system):
        """A query finds the document that answers it."""
        found = [hit.doc_id for hit in system.search("configure OAuth", 3)]
        assert "auth.md#oauth" in found

    def test_unusual_queries_are_answered(self, system):
        """Unknown words find nothing by word search, and queries cannot contain operators."""
        if self.finds_by_words:
            assert system.search(UNUSUAL[0], 10) == []
        for query in UNUSUAL:
            assert len(system.search(query, 10)) <= 10, query
            assert system.search("configure OAuth", 1), f"after {query!r}"

    def test_an_invalid_k_is_an_error(self, system):
        """It is rejected before the system is called."""
        for k in (0, -1):
            with pytest.raises(BerryEvalError, match="k: expected an integer, at least 1"):
                system.search("oauth", k)

    def test_the_same_query_has_the_same_hits(self, system):
        """Repeated and concurrent searches return the same hits."""
        expected = [system.search(query, 5) for query in QUERIES]
        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(lambda query: system.search(query, 5), QUERIES * 8))
        assert answers == expected * 8

    def test_the_fingerprint_is_stable_text(self, system):
        """A search does not change the fingerprint, and all its values are text."""
        before = system.fingerprint()
        system.search("oauth", 1)
        assert system.fingerprint() == before
        assert before["system"]
        assert all(type(value) is str for pair in before.items() for value in pair)

    def test_documents_can_be_replaced(self, system):
        """Old documents are no longer found, and a repeated document is rejected."""
        if not self.can_index:
            with pytest.raises(BerryEvalError, match="documents: expected none"):
                system.index(DOCUMENTS)
            return
        assert system.index([Document("only", "Configure OAuth here.")]) == 1
        assert [hit.doc_id for hit in system.search("configure OAuth", 10)] == ["only"]
        with pytest.raises(BerryEvalError, match="documents: expected each document once"):
            system.index([DOCUMENTS[0], DOCUMENTS[0]])
        assert system.index([]) == 0
        assert system.search("configure OAuth", 10) == []

    def test_closing_twice_is_safe(self, system):
        """Closing explicitly after leaving the context has no effect."""
        with system:
            pass
        system.close()
