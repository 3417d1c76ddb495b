"""OpenSearch and Elasticsearch, against an engine of ours that checks what it is asked."""

import json

import numpy as np
import pytest

from berryeval.core import Document, Query
from berryeval.errors import AnswerError, ArgumentError, BackendError, BackendTimeout
from berryeval.search import opensearch
from berryeval.search.collect import collect
from berryeval.search.limits import Limits
from berryeval.search.opening import open_system
from berryeval.search.opensearch import OpenSearch
from berryeval.search.rank_fusion import fuse_hits
from search.contract import DOCUMENTS, Contract
from search.json_server import asleep, serving
from search.opensearch_server import RefusedError, running_engine

DIALECTS = ["opensearch", "elasticsearch"]
QUICK = Limits(backoff=0)


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch):
    """Those of whoever runs the tests are none of ours."""
    for name in ("USER", "PASSWORD", "API_KEY"):
        monkeypatch.delenv(f"OPENSEARCH_{name}", raising=False)


@pytest.fixture(params=DIALECTS)
def engine(request):
    """An engine of each dialect, with its address as ``url``."""
    with running_engine(request.param) as (url, running):
        running.url = url
        yield running


def indexed(engine, mode="hybrid", documents=DOCUMENTS, **settings):
    system = OpenSearch(f"{engine.url}/docs", mode=mode, limits=QUICK, **settings)
    assert system.index(documents) == len(documents)
    return system


class TestWords(Contract):
    """BM25."""

    @pytest.fixture
    def system(self, engine):
        return indexed(engine, "bm25")


class TestVectors(Contract):
    """Vectors; knn is another word for them."""

    finds_by_words = False

    @pytest.fixture
    def system(self, engine):
        return indexed(engine, "knn")


class TestHybrid(Contract):
    """Both, fused here."""

    finds_by_words = False

    @pytest.fixture
    def system(self, engine):
        return indexed(engine)


class TestTemplate(Contract):
    """A query of one's own."""

    @pytest.fixture
    def system(self, engine):
        body = {"query": {"match": {"text": "{{query}}"}}, "size": "{{k}}"}
        return indexed(engine, template=body)


def found(system, query="configure OAuth", k=5):
    return [hit.doc_id for hit in system.search(query, k)]


def test_hybrid_is_the_fusion_of_words_and_vectors(engine):
    """X4: by reciprocal ranks, with weights, in one request."""
    settings = {"weights": (1.0, 0.5), "constant": 10.0}
    system = indexed(engine, **settings)
    parts = [OpenSearch(f"{engine.url}/docs", mode=mode) for mode in ("bm25", "vector")]
    rankings = [part.search("renew a token", 100) for part in parts]
    engine.requests.clear()
    hits = system.search("renew a token", 4)
    assert hits == fuse_hits(rankings, 4, weights=(1.0, 0.5), constant=10.0)
    assert [request["path"] for request in engine.requests] == ["/docs/_msearch"]


def test_as_many_hits_are_fused_as_are_asked_for(engine):
    """A depth below k would lose some."""
    assert len(found(indexed(engine, depth=1), "renew a token", 4)) == 4


def test_no_more_candidates_are_looked_at_than_an_engine_allows(engine):
    """Twice the depth would be too many for Elasticsearch."""
    assert found(indexed(engine, "vector", depth=8000), "renew a token", 1)


def test_scores_of_vectors_are_cosines_from_0_to_1(engine):
    """X4: as both engines write them."""
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
    """As the engine writes them."""
    documents = [Document("title", "other words", "oauth"), Document("text", "oauth", "other")]
    heavy = indexed(engine, "bm25", documents, fields=("title^9", "text"))
    assert found(heavy, "oauth") == ["title", "text"]
    light = OpenSearch(f"{engine.url}/docs", mode="bm25", fields=("title^0.1", "text"))
    assert found(light, "oauth") == ["text", "title"]


def test_ties_are_broken_by_id_before_the_cut(engine):
    """The same k whichever way the engine keeps them."""
    documents = [Document(doc_id, "the same words") for doc_id in "bdac"]
    system = indexed(engine, "bm25", documents)
    assert found(system, "same words", 2) == ["d", "c"]


def test_an_index_of_somebody_else_is_searched_as_it_is(engine):
    """Without a field of ours to break ties by."""
    body = {
        "settings": {"index": {"number_of_shards": 1}},
        "mappings": {"properties": {"text": {"type": "text"}}},
    }
    engine._create("theirs", body)
    engine.indexes["theirs"].take("d1", {"text": "Configure OAuth"})
    engine._refresh("theirs")
    system = OpenSearch(engine.url, "theirs", "bm25", fields=["text"])
    assert found(system) == ["d1"]
    with pytest.raises(BackendError, match="'theirs' was not made by berryeval, and is not repl"):
        system.index(DOCUMENTS)
    with pytest.raises(BackendError, match="was not made by berryeval"):
        system.drop()
    assert found(system) == ["d1"]


def test_documents_are_replaced_at_once(engine):
    """X11: who searches meanwhile finds the old ones; a failure leaves them, and nothing else."""
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
    with pytest.raises(BackendError, match=r"there is no index 'docs'; call index\(documents\)"):
        system.search("x", 1)


def test_an_index_that_took_its_place_is_not_removed(engine, monkeypatch):
    """Even if the engine's word for it was lost on the way: the old one is gone."""
    system = indexed(engine, "bm25", [Document("old", "oauth")])
    change = engine._change_aliases

    def lost(body):
        change(body)
        raise RefusedError(504, "", "too late")

    monkeypatch.setattr(engine, "_change_aliases", lost)
    with pytest.raises(BackendError, match="answered 504"):
        system.index([Document("new", "oauth")])
    assert found(system, "oauth") == ["new"]


def test_many_documents_go_in_pieces(engine, monkeypatch):
    """By number and by length."""
    monkeypatch.setattr(opensearch, "_AT_ONCE", 3)
    monkeypatch.setattr(opensearch, "_LONGEST_BULK", 250)
    indexed(engine, "bm25")
    sent = [request for request in engine.requests if request["path"].endswith("/_bulk")]
    assert len(sent) == 8  # each document has more than half of what a request may have
    monkeypatch.setattr(opensearch, "_LONGEST_BULK", 1 << 20)
    engine.requests.clear()
    indexed(engine, "bm25")
    assert sum(request["path"].endswith("/_bulk") for request in engine.requests) == 3


def test_documents_that_the_engine_was_too_busy_for_are_sent_again(engine):
    """And no others."""
    engine.busy = [3, 1]
    system = indexed(engine, "bm25")
    sent = [request["content"] for request in engine.requests if "_bulk" in request["path"]]
    assert [content.count(b"\n") // 2 for content in sent] == [8, 3, 1]
    assert len(system.search("token queries oauth docker memory tables", 10)) >= 6


def test_a_bulk_request_that_is_refused_is_sent_again(engine):
    """As the server asks for it."""
    engine.faults["_bulk"] = [(429, b"", ("Retry-After", "0")), (503, b"")]
    assert "auth.md#oauth" in found(indexed(engine, "bm25"))


def test_words_are_looked_for_where_they_are_put(engine):
    """Fields of another index would be empty here."""
    system = OpenSearch(f"{engine.url}/docs", mode="bm25", fields=["body"])
    with pytest.raises(ArgumentError, match=r"fields: expected title or text, .*, got 'body'"):
        system.index(DOCUMENTS)


def test_an_index_may_have_any_letters():
    """They are quoted in addresses."""
    paths = []

    def answer(request):
        paths.append(request["path"])
        return 200, {"hits": {"hits": []}}

    with serving(answer) as url:
        assert OpenSearch(url, "größe%,a-*", "bm25").search("x", 1) == []
    assert paths == ["/gr%C3%B6%C3%9Fe%25,a-*/_search"]


def test_an_engine_that_stays_busy_is_told(engine):
    """After as many tries as for a query."""
    engine.busy = [2] * 9
    message = "was too busy for 2 documents: es_rejected_execution_exception: queue is full"
    with pytest.raises(BackendError, match=message) as caught:
        indexed(engine, "bm25")
    assert caught.value.transient
    assert sum("_bulk" in request["path"] for request in engine.requests) == 3
    assert not engine.indexes


def test_a_document_that_is_refused_is_named(engine):
    """The first of them, with the engine's reason; nothing is left behind."""
    error = {"type": "mapper_parsing_exception", "reason": "failed to parse"}
    items = [{"index": {"_id": "d1", "status": 201}}]
    items += [{"index": {"_id": f"d{n}", "status": 400, "error": error}} for n in (2, 3)]
    engine.faults["_bulk"] = [(200, {"errors": True, "items": items})]
    message = r"refused 2 documents of 3; the first is 'd2': mapper_parsing_exception: failed"
    with pytest.raises(BackendError, match=message):
        indexed(engine, "bm25", [Document(f"d{n}", "text") for n in (1, 2, 3)])
    assert not engine.indexes


def test_a_bulk_answer_has_an_item_for_each_document(engine):
    """Anything else is no answer."""
    engine.faults["_bulk"] = [(200, {"errors": False, "items": []})]
    with pytest.raises(AnswerError, match="expected 8 items, as documents, got 0"):
        indexed(engine, "bm25")


@pytest.mark.parametrize("doc_id", ["x" * 513, "", "\udcff"])
def test_ids_that_the_engine_cannot_hold_are_refused(engine, doc_id):
    """Here, with what can be held."""
    with pytest.raises(ArgumentError, match="documents: expected ids of UTF-8 with 1 to 512 bytes"):
        indexed(engine, "bm25", [Document(doc_id, "text")])


def test_texts_without_a_vector_are_found_by_words(engine):
    """Cosine has no place for a vector of zeros, neither of documents nor of queries."""
    system = indexed(
        engine,
        "hybrid",
        [Document("none", "nothing"), Document("some", "something")],
        embedder=lambda texts: [[0.0, 0.0] if "nothing" in text else [1, 0] for text in texts],
    )
    assert found(system, "nothing") == ["none"]
    assert set(found(system, "something")) == {"some"}


def test_odd_text_is_sent_as_text(engine):
    """Bytes that are no text, NUL, and line ends within lines of JSON."""
    system = indexed(engine, "bm25", [Document("d1", "a\nb\u2028c\udcff\0 oauth")])
    assert found(system, "oauth \udcff\n\0") == ["d1"]


def test_which_engine_it_is_is_asked_once(engine):
    """And only where it matters: vectors."""
    indexed(engine, "bm25").search("x", 1)
    assert not any(request["path"] == "/" for request in engine.requests)
    system = indexed(engine, "vector")
    system.search("x", 1)
    assert sum(request["path"] == "/" for request in engine.requests) == 1
    engine.requests.clear()
    told = OpenSearch(f"{engine.url}/docs", mode="vector", dialect=engine.dialect)
    assert found(told) == found(system)
    assert [request["path"] for request in engine.requests] == ["/docs/_search"] * 2


def test_an_engine_that_may_not_be_asked_can_be_told():
    """The message says how."""
    with serving(lambda _request: (403, {"error": {"type": "s", "reason": "no"}})) as url:
        system = OpenSearch(url, "docs", "vector")
        with pytest.raises(BackendError, match="forbids it to this user: s: no; set dialect, so"):
            system.search("x", 1)
    with running_engine("opensearch", authorization="Basic x") as (url, _engine):
        system = OpenSearch(url, "docs", "vector")
        with pytest.raises(BackendError, match="wants credentials"):
            system.search("x", 1)


def test_something_else_is_no_engine():
    """A server that answers with JSON of its own."""
    for answer in ({"version": {"number": "7"}}, {"hello": "world"}):
        with serving(lambda _request, answer=answer: (200, answer)) as url:
            system = OpenSearch(url, "docs", "vector")
            with pytest.raises(AnswerError, match="expected OpenSearch or Elasticsearch, got some"):
                system.search("x", 1)


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
        with pytest.raises(BackendError, match=message) as caught:
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
        with pytest.raises(BackendError, match="Pipeline none is not defined"):
            missing.search("x", 1)


def test_a_licence_that_is_missing_is_told():
    """Elasticsearch's own fusion is not for everybody."""
    rrf = {"retriever": {"rrf": {"retrievers": []}}, "_source": "{{query}}"}
    with running_engine("elasticsearch") as (url, engine):
        engine.url = url
        system = indexed(engine, template=rrf)
        with pytest.raises(BackendError, match=r"forbids it to this user: .*license is non-compl"):
            system.search("x", 1)


class TestCredentials:
    """Sent, and nowhere to be seen."""

    BASIC = "Basic bWU6cEBzc3dvcmQ="  # me:p@ssword

    @pytest.mark.parametrize(
        ("settings", "variables", "sent"),
        [
            ({"user": "me", "password": "p@ssword"}, {}, BASIC),
            ({}, {"OPENSEARCH_USER": "me", "OPENSEARCH_PASSWORD": "p@ssword"}, BASIC),
            ({"user": "me"}, {"OPENSEARCH_PASSWORD": "p@ssword"}, BASIC),
            ({"api_key": "c2VjcmV0"}, {"OPENSEARCH_USER": "me"}, "ApiKey c2VjcmV0"),
            ({}, {"OPENSEARCH_API_KEY": "c2VjcmV0"}, "ApiKey c2VjcmV0"),
            ({}, {"OPENSEARCH_API_KEY": "c2VjcmV0", "OPENSEARCH_USER": "me"}, "ApiKey c2VjcmV0"),
            ({"headers": {"Authorization": "Bearer jwt.jwt"}}, {}, "Bearer jwt.jwt"),
        ],
    )
    def test_they_come_from_settings_or_the_environment(
        self, monkeypatch, settings, variables, sent
    ):
        """What is given counts; a key goes before a name."""
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with running_engine("opensearch", authorization=sent) as (url, engine):
            engine.url = url
            system = indexed(engine, "bm25", **settings)
            assert "auth.md#oauth" in found(system)
            for secret in ("p@ssword", "c2VjcmV0", "jwt.jwt", "me:"):
                assert secret not in json.dumps(system.fingerprint())

    def test_an_address_may_have_them(self, monkeypatch):
        """They are not part of it any more; those of the environment stay at home."""
        monkeypatch.setenv("OPENSEARCH_API_KEY", "another")
        with running_engine("opensearch", authorization=self.BASIC) as (url, engine):
            engine.url = url.replace("//", "//me:p%40ssword@")
            system = indexed(engine, "bm25")
            assert system.url == url

    def test_a_password_without_a_name_is_refused(self):
        """Rather than sent to nobody."""
        with pytest.raises(ArgumentError, match="user: expected a name beside the password"):
            OpenSearch("http://h/docs", password="p")  # noqa: S106

    def test_wrong_ones_are_told_without_showing_them(self):
        """Also when the server repeats them."""
        said = {"error": {"type": "security_exception", "reason": "no: ApiKey c2VjcmV0 c2VjcmV0"}}
        with serving(lambda _request: (401, said)) as url:
            system = OpenSearch(url, "docs", "bm25", api_key="c2VjcmV0")
            with pytest.raises(BackendError, match="refuses the credentials") as caught:
                system.search("x", 1)
        assert "c2VjcmV0" not in str(caught.value)
        assert not caught.value.transient

    def test_missing_ones_are_asked_for(self):
        """With the variables that have them."""
        with running_engine("opensearch", authorization="Basic x") as (url, _engine):
            system = OpenSearch(url, "docs", "bm25")
            with pytest.raises(BackendError, match=r"wants credentials: .*; set OPENSEARCH_USER"):
                system.search("x", 1)


def refused(status, error, *headers):
    """An answer that refuses a search."""
    with serving(lambda _request: (status, {"error": error, "status": status}, *headers)) as url:
        system = OpenSearch(url, "docs", "bm25")
        with pytest.raises(BackendError) as caught:
            system.search("x", 1)
    return caught.value


class TestFailures:
    """Each a clear sentence; only what may pass is tried again."""

    def test_an_engine_that_is_busy_says_for_how_long(self):
        """Whoever asks again waits."""
        error = {"type": "circuit_breaking_exception", "reason": "Data too large"}
        caught = refused(429, error, ("Retry-After", "7"))
        assert str(caught) == "opensearch: is busy: circuit_breaking_exception: Data too large"
        assert (caught.transient, caught.retry_after) == (True, 7.0)

    def test_a_queue_that_is_full_is_waited_for(self):
        """X8: by the same rule as every error that may pass."""
        with running_engine("opensearch") as (url, engine):
            engine.url = url
            system = indexed(engine, "bm25")
            engine.faults["_search"] = [(429, b"", ("Retry-After", "0"))] * 2
            collected = collect(system, [Query("q1", "oauth")], limits=QUICK)
            assert not collected.failures
            assert sum("_search" in request["path"] for request in engine.requests) == 3

    def test_an_engine_may_go_down_in_the_middle(self):
        """X8: what was answered stays, the rest is told, and nothing waits for ever."""
        with running_engine("opensearch") as (url, engine):
            engine.url = url
            indexed(engine, "bm25")
            queries = [Query(f"q{i}", "configure OAuth") for i in range(6)]
            n_asked = 0

            def dying(request):
                nonlocal n_asked
                n_asked += 1
                return engine.answer(request) if n_asked <= 2 else None

            with serving(dying) as place:
                system = OpenSearch(place, "docs", "bm25")
                limits = Limits(concurrency=1, backoff=0)
                collected = collect(system, queries, limits=limits)
        assert list(collected.durations) == ["q0", "q1"]
        assert all(error.transient for error in collected.failures.values())
        assert str(collected.failures["q5"]).startswith("opensearch: broke off")

    def test_a_gateway_that_says_nothing_is_told_by_its_status(self):
        """And may pass."""
        with serving(lambda _request: (503, b"")) as url:
            system = OpenSearch(url, "docs", "bm25")
            with pytest.raises(BackendError, match="answered 503 Service Unavailable") as caught:
                system.search("x", 1)
        assert caught.value.transient

    def test_an_error_of_plain_text_is_told(self):
        """As OpenSearch answers to wrong methods."""
        assert str(refused(405, "Incorrect HTTP method")).endswith(
            "answered 405: Incorrect HTTP method"
        )

    def test_a_redirection_is_told_and_not_followed(self):
        """Credentials stay with whom they were meant for."""
        with serving(lambda _request: (308, b"", ("Location", "https://other.example/"))) as url:
            system = OpenSearch(url, "docs", "bm25", api_key="c2VjcmV0")
            with pytest.raises(BackendError, match=r"answered 308 .*; ask https://other"):
                system.search("x", 1)

    @pytest.mark.parametrize(
        ("answer", "kind", "message", "transient"),
        [
            ({"timed_out": True}, BackendTimeout, "gave up before all was searched", False),
            (
                {"_shards": {"failed": 2, "total": 5, "failures": [
                    {"reason": {"type": "query_shard_exception", "reason": "No mapping"}}]}},
                BackendError,
                "2 of 5 shards failed: query_shard_exception: No mapping",
                False,
            ),
            (
                {"_shards": {"failed": 1, "total": 5, "failures": [
                    {"reason": {"type": "es_rejected_execution_exception", "reason": "full"}}]}},
                BackendError,
                "1 of 5 shards failed: es_rejected_execution_exception: full",
                True,
            ),
            ({"_shards": {"failed": 1, "total": 1}}, BackendError, "1 of 1 shards failed", False),
            ([], AnswerError, "expected an object, got list", False),
            ({"hits": {}}, AnswerError, "expected a list, got NoneType", False),
            ({"hits": {"hits": [{"_score": 1}]}}, AnswerError, "hit 1: expected a str", False),
            ({"hits": {"hits": [{"_id": "a", "_score": 1}] * 2}}, AnswerError, "'a' twice", False),
        ],
    )  # fmt: skip
    def test_a_part_of_the_answer_is_none(self, answer, kind, message, transient):
        """X8: shards that failed, an engine that gave up, and what is no answer at all."""
        with serving(lambda _request: (200, answer)) as url:
            system = OpenSearch(url, "docs", "bm25")
            with pytest.raises(kind, match=message) as caught:
                system.search("x", 5)
        assert caught.value.transient is transient

    @pytest.mark.parametrize(
        ("responses", "message", "transient"),
        [
            ([], "expected 2 answers to 2 searches", False),
            (
                [{"error": {"type": "index_not_found_exception"}, "status": 404}] * 2,
                "there is no index 'docs'",
                False,
            ),
            (
                [{"error": {"type": "es_rejected_execution_exception", "reason": "full"},
                  "status": 429}] * 2,
                "answered 429: es_rejected_execution_exception: full",
                True,
            ),
        ],
    )  # fmt: skip
    def test_one_of_several_searches_may_fail(self, responses, message, transient):
        """Half of a hybrid search is none."""
        with serving(lambda _request: (200, {"responses": responses})) as url:
            system = OpenSearch(url, "docs", dialect="opensearch")
            with pytest.raises(BackendError, match=message) as caught:
                system.search("oauth", 5)
        assert caught.value.transient is transient

    def test_a_mapping_that_cannot_be_read_stops_indexing(self):
        """Nobody knows whose index it is."""
        with (
            serving(lambda _request: (403, {"error": {"reason": "no", "type": "s"}})) as url,
            pytest.raises(BackendError, match="forbids it to this user: s: no"),
        ):
            OpenSearch(url, "docs", "bm25").index([])

    def test_an_engine_that_is_late_is_a_timeout(self):
        """After the seconds that were given."""
        with serving(asleep(0.5)) as url:
            system = OpenSearch(url, "docs", "bm25", timeout=0.05)
            with pytest.raises(BackendTimeout, match=r"opensearch: no answer within 0\.05 s"):
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
        ("http://h/docs", {"search_pipeline": "x"}, "search_pipeline: expected a template beside"),
        ("http://h/docs", {"fields": ()}, "fields: expected at least one name"),
        ("http://h/docs", {"weights": (0, 0)}, "weights: expected two numbers"),
        ("http://h/docs", {"template": "{}"}, "template: expected a place for {{query}}"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(url, settings, message):
    """When the system is made; passwords are not shown."""
    with pytest.raises(ArgumentError, match=message):
        OpenSearch(url, **settings)


@pytest.mark.parametrize("index", ["Docs", "a,b", "logs-*", "_all", "a b"])
def test_several_indexes_are_searched_and_not_replaced(index):
    """Nor one that could have no such name."""
    with pytest.raises(ArgumentError, match="index: expected the name of one index"):
        OpenSearch("http://h", index, "bm25").index(DOCUMENTS)


def test_places_may_be_behind_a_gateway():
    """What stands before the index stays."""
    system = OpenSearch("https://gateway.example/search/v1/docs/")
    assert (system.url, system.index_name) == ("https://gateway.example/search/v1", "docs")
    system = OpenSearch("https://gateway.example/search/", "logs-*,docs")
    assert (system.url, system.index_name) == ("https://gateway.example/search", "logs-*,docs")


def test_it_is_opened_by_its_name(engine):
    """With settings as text; either name will do."""
    indexed(engine)
    settings = {"mode": "bm25", "fields": "title^2,text"}
    for name in DIALECTS:
        system = open_system(f"{name}:{engine.url}/docs", settings, headers={"X-Trace": "1"})
        assert isinstance(system, OpenSearch)
        assert system.name == name
        assert "auth.md#oauth" in found(system)
        assert engine.requests[-1]["headers"]["X-Trace"] == "1"
        assert system.fields == ("title^2", "text")


def test_the_fingerprint_has_what_decides(engine):
    """Settings of the mode, and no others."""
    facts = OpenSearch(f"{engine.url}/docs").fingerprint()
    assert set(facts) == {
        "system", "url", "index", "mode", "fields", "vector_field", "embedder", "depth", "weights",
        "constant",
    }  # fmt: skip
    assert facts["index"] == "docs"
    words = OpenSearch(f"{engine.url}/docs", mode="bm25").fingerprint()
    assert set(words) == {"system", "url", "index", "mode", "fields"}


def test_an_empty_index_has_vectors_of_the_right_length(engine):
    """So that it can be searched."""
    system = indexed(engine, "vector", [], embedder=lambda texts: np.ones((len(texts), 7)))
    assert system.search("x", 3) == []
