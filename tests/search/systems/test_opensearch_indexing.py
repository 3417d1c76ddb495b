"""Indexing documents in OpenSearch and Elasticsearch."""

import pytest

from berryeval.core import Document
from berryeval.errors import AnswerError, ArgumentError, SystemUnderTestError
from berryeval.search.systems.opensearch import OpenSearch, opensearch
from search.contract import DOCUMENTS
from search.json_server import serving
from search.opensearch_cases import found, indexed
from search.opensearch_server import RefusedError


def test_documents_are_replaced_atomically(engine):
    """X11: searches use the old documents until the end; a failure keeps them."""
    system = indexed(engine, "bm25")
    before = set(engine.indexes)

    def some():
        yield Document("new", "Configure OAuth anew.")
        assert "auth.md#oauth" in found(system)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        system.index(some())
    assert set(engine.indexes) == before
    assert "auth.md#oauth" in found(system)
    system.index([Document("new", "Configure OAuth anew.")])
    assert len(engine.indexes) == 1
    assert found(system) == ["new"]
    system.drop()
    assert not engine.indexes
    with pytest.raises(
        SystemUnderTestError, match=r"there is no index 'docs'; call index\(documents\)"
    ):
        system.search("x", 1)


def test_an_index_that_became_active_is_not_removed(engine, monkeypatch):
    """This holds even if the engine's response was lost: the old index is gone."""
    system = indexed(engine, "bm25", [Document("old", "oauth")])
    change = engine._change_aliases

    def lost(body):
        change(body)
        raise RefusedError(504, "", "too late")

    monkeypatch.setattr(engine, "_change_aliases", lost)
    with pytest.raises(SystemUnderTestError, match="answered 504"):
        system.index([Document("new", "oauth")])
    assert found(system, "oauth") == ["new"]


def test_many_documents_are_sent_in_pieces(engine, monkeypatch):
    """Requests are limited by number and by size."""
    monkeypatch.setattr(opensearch, "_AT_ONCE", 3)
    monkeypatch.setattr(opensearch, "_LONGEST_BULK", 250)
    indexed(engine, "bm25")
    sent = [request for request in engine.requests if request["path"].endswith("/_bulk")]
    assert len(sent) == 8  # each document takes more than half of the size limit of a request
    monkeypatch.setattr(opensearch, "_LONGEST_BULK", 1 << 20)
    engine.requests.clear()
    indexed(engine, "bm25")
    assert sum(request["path"].endswith("/_bulk") for request in engine.requests) == 3


def test_documents_that_the_engine_was_too_busy_for_are_sent_again(engine):
    """Only these documents are sent again."""
    engine.busy = [3, 1]
    system = indexed(engine, "bm25")
    sent = [request["content"] for request in engine.requests if "_bulk" in request["path"]]
    assert [content.count(b"\n") // 2 for content in sent] == [8, 3, 1]
    assert len(system.search("token queries oauth docker memory tables", 10)) >= 6


def test_a_rejected_bulk_request_is_sent_again(engine):
    """The delay is the one that the server requests."""
    engine.faults["_bulk"] = [(429, b"", ("Retry-After", "0")), (503, b"")]
    assert "auth.md#oauth" in found(indexed(engine, "bm25"))


def test_searched_fields_must_contain_the_indexed_text(engine):
    """Fields of another index would be empty."""
    system = OpenSearch(f"{engine.url}/docs", mode="bm25", fields=["body"])
    with pytest.raises(ArgumentError, match=r"fields: expected title or text, .*, got 'body'"):
        system.index(DOCUMENTS)


def test_an_index_name_may_contain_any_letters():
    """Names are quoted in addresses."""
    paths = []

    def answer(request):
        paths.append(request["path"])
        return 200, {"hits": {"hits": []}}

    with serving(answer) as url:
        assert OpenSearch(url, "größe%,a-*", "bm25").search("x", 1) == []
    assert paths == ["/gr%C3%B6%C3%9Fe%25,a-*/_search"]


def test_an_engine_that_stays_busy_is_an_error(engine):
    """There are as many tries as for a query."""
    engine.busy = [2] * 9
    message = "was too busy for 2 documents: es_rejected_execution_exception: queue is full"
    with pytest.raises(SystemUnderTestError, match=message) as caught:
        indexed(engine, "bm25")
    assert caught.value.transient
    assert sum("_bulk" in request["path"] for request in engine.requests) == 3
    assert not engine.indexes


def test_a_rejected_document_is_named(engine):
    """The first one is reported with the engine's reason, and nothing is left behind."""
    error = {"type": "mapper_parsing_exception", "reason": "failed to parse"}
    items = [{"index": {"_id": "d1", "status": 201}}]
    items += [{"index": {"_id": f"d{n}", "status": 400, "error": error}} for n in (2, 3)]
    engine.faults["_bulk"] = [(200, {"errors": True, "items": items})]
    message = r"rejected 2 documents of 3; the first is 'd2': mapper_parsing_exception: failed"
    with pytest.raises(SystemUnderTestError, match=message):
        indexed(engine, "bm25", [Document(f"d{n}", "text") for n in (1, 2, 3)])
    assert not engine.indexes


def test_a_bulk_response_has_one_item_per_document(engine):
    """Any other response is an error."""
    engine.faults["_bulk"] = [(200, {"errors": False, "items": []})]
    with pytest.raises(AnswerError, match="expected 8 items, as documents, got 0"):
        indexed(engine, "bm25")


@pytest.mark.parametrize("doc_id", ["x" * 513, "", "\udcff"])
def test_ids_that_the_engine_cannot_store_are_rejected(engine, doc_id):
    """The message states the limit."""
    with pytest.raises(ArgumentError, match="documents: expected ids of UTF-8 with 1 to 512 bytes"):
        indexed(engine, "bm25", [Document(doc_id, "text")])


def test_texts_without_a_vector_are_found_by_words(engine):
    """Engines reject zero vectors of documents and of queries."""
    system = indexed(
        engine,
        "hybrid",
        [Document("none", "nothing"), Document("some", "something")],
        embedder=lambda texts: [[0.0, 0.0] if "nothing" in text else [1, 0] for text in texts],
    )
    assert found(system, "nothing") == ["none"]
    assert set(found(system, "something")) == {"some"}


def test_special_characters_are_sent_as_text(engine):
    """Invalid UTF-8, NUL, and line ends within JSON lines are handled."""
    system = indexed(engine, "bm25", [Document("d1", "a\nb\u2028c\udcff\0 oauth")])
    assert found(system, "oauth \udcff\n\0") == ["d1"]
