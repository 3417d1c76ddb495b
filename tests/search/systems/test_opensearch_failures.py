"""Credentials, and engines that reject requests, fail or hang."""

import json

import pytest

from berryeval.core import Query
from berryeval.errors import AnswerError, ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.search.collect import collect
from berryeval.search.limits import Limits
from berryeval.search.systems.opensearch import OpenSearch
from search.json_server import asleep, serving
from search.opensearch_cases import QUICK, found, indexed
from search.opensearch_server import running_engine


class TestCredentials:
    """Credentials are sent, but never shown."""

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
    def test_credentials_come_from_settings_or_the_environment(
        self, monkeypatch, settings, variables, sent
    ):
        """Settings take precedence, and a key over a user name."""
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        with running_engine("opensearch", authorization=sent) as (url, engine):
            engine.url = url
            system = indexed(engine, "bm25", **settings)
            assert "auth.md#oauth" in found(system)
            for secret in ("p@ssword", "c2VjcmV0", "jwt.jwt", "me:"):
                assert secret not in json.dumps(system.fingerprint())

    def test_an_address_may_contain_credentials(self, monkeypatch):
        """They are removed from it, and those of the environment are not sent."""
        monkeypatch.setenv("OPENSEARCH_API_KEY", "another")
        with running_engine("opensearch", authorization=self.BASIC) as (url, engine):
            engine.url = url.replace("//", "//me:p%40ssword@")
            system = indexed(engine, "bm25")
            assert system.url == url

    def test_a_password_without_a_user_name_is_rejected(self):
        """A password alone cannot be sent."""
        with pytest.raises(ArgumentError, match="user: expected a name with the password"):
            OpenSearch("http://h/docs", password="p")  # noqa: S106

    def test_wrong_credentials_are_reported_without_showing_them(self):
        """This holds even if the server repeats them."""
        body = {"error": {"type": "security_exception", "reason": "no: ApiKey c2VjcmV0 c2VjcmV0"}}
        with serving(lambda _request: (401, body)) as url:
            system = OpenSearch(url, "docs", "bm25", api_key="c2VjcmV0")
            with pytest.raises(SystemUnderTestError, match="rejected the credentials") as caught:
                system.search("x", 1)
        assert "c2VjcmV0" not in str(caught.value)
        assert not caught.value.transient

    def test_missing_credentials_are_reported(self):
        """The message names the environment variables."""
        with running_engine("opensearch", authorization="Basic x") as (url, _engine):
            system = OpenSearch(url, "docs", "bm25")
            with pytest.raises(
                SystemUnderTestError, match=r"requires credentials: .*; set OPENSEARCH_USER"
            ):
                system.search("x", 1)


def refused(status, error, *headers):
    """Return a response that rejects a search."""
    with serving(lambda _request: (status, {"error": error, "status": status}, *headers)) as url:
        system = OpenSearch(url, "docs", "bm25")
        with pytest.raises(SystemUnderTestError) as caught:
            system.search("x", 1)
    return caught.value


class TestFailures:
    """Failures are reported in a clear sentence; only temporary ones are retried."""

    def test_a_busy_engine_sets_the_delay(self):
        """Retries wait as long as the engine requests."""
        error = {"type": "circuit_breaking_exception", "reason": "Data too large"}
        caught = refused(429, error, ("Retry-After", "7"))
        assert str(caught) == "opensearch: is busy: circuit_breaking_exception: Data too large"
        assert (caught.transient, caught.retry_after) == (True, 7.0)

    def test_a_full_queue_is_a_temporary_error(self):
        """X8: it is retried like every temporary error."""
        with running_engine("opensearch") as (url, engine):
            engine.url = url
            system = indexed(engine, "bm25")
            engine.faults["_search"] = [(429, b"", ("Retry-After", "0"))] * 2
            collected = collect(system, [Query("q1", "oauth")], limits=QUICK)
            assert not collected.failures
            assert sum("_search" in request["path"] for request in engine.requests) == 3

    def test_an_engine_may_go_down_during_a_retrieval(self):
        """X8: answers are kept, the rest is reported, and nothing waits forever."""
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
        assert str(collected.failures["q5"]).startswith("opensearch: connection lost")

    def test_an_empty_error_of_a_gateway_is_reported_by_its_status(self):
        """The error is temporary."""
        with serving(lambda _request: (503, b"")) as url:
            system = OpenSearch(url, "docs", "bm25")
            with pytest.raises(
                SystemUnderTestError, match="answered 503 Service Unavailable"
            ) as caught:
                system.search("x", 1)
        assert caught.value.transient

    def test_an_error_in_plain_text_is_reported(self):
        """OpenSearch responds in this way to a wrong method."""
        assert str(refused(405, "Incorrect HTTP method")).endswith(
            "answered 405: Incorrect HTTP method"
        )

    def test_a_redirect_is_reported_and_not_followed(self):
        """Credentials are not sent to another server."""
        with serving(lambda _request: (308, b"", ("Location", "https://other.example/"))) as url:
            system = OpenSearch(url, "docs", "bm25", api_key="c2VjcmV0")
            with pytest.raises(SystemUnderTestError, match=r"answered 308 .*; ask https://other"):
                system.search("x", 1)

    @pytest.mark.parametrize(
        ("answer", "kind", "message", "transient"),
        [
            ({"timed_out": True}, SystemTimeoutError, "timed out before the search", False),
            (
                {"_shards": {"failed": 2, "total": 5, "failures": [
                    {"reason": {"type": "query_shard_exception", "reason": "No mapping"}}]}},
                SystemUnderTestError,
                "2 of 5 shards failed: query_shard_exception: No mapping",
                False,
            ),
            (
                {"_shards": {"failed": 1, "total": 5, "failures": [
                    {"reason": {"type": "es_rejected_execution_exception", "reason": "full"}}]}},
                SystemUnderTestError,
                "1 of 5 shards failed: es_rejected_execution_exception: full",
                True,
            ),
            ({"_shards": {"failed": 1, "total": 1}}, SystemUnderTestError, "1 of 1 shards", False),
            ([], AnswerError, "expected an object, got list", False),
            ({"hits": {}}, AnswerError, "expected a list, got NoneType", False),
            ({"hits": {"hits": [{"_score": 1}]}}, AnswerError, "hit 1: expected text", False),
            ({"hits": {"hits": [{"_id": "a", "_score": 1}] * 2}}, AnswerError, "'a' twice", False),
        ],
    )  # fmt: skip
    def test_a_partial_result_is_an_error(self, answer, kind, message, transient):
        """X8: failed shards, timeouts and malformed responses are rejected."""
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
    def test_a_hybrid_search_fails_if_a_part_fails(self, responses, message, transient):
        """Half of a hybrid search is not a result."""
        with serving(lambda _request: (200, {"responses": responses})) as url:
            system = OpenSearch(url, "docs", dialect="opensearch")
            with pytest.raises(SystemUnderTestError, match=message) as caught:
                system.search("oauth", 5)
        assert caught.value.transient is transient

    def test_an_unreadable_mapping_stops_indexing(self):
        """The index might belong to another program."""
        with (
            serving(lambda _request: (403, {"error": {"reason": "no", "type": "s"}})) as url,
            pytest.raises(SystemUnderTestError, match="denied access to this user: s: no"),
        ):
            OpenSearch(url, "docs", "bm25").index([])

    def test_a_late_engine_is_a_timeout(self):
        """The error is raised after the given number of seconds."""
        with serving(asleep(0.5)) as url:
            system = OpenSearch(url, "docs", "bm25", timeout=0.05)
            with pytest.raises(SystemTimeoutError, match=r"opensearch: no answer within 0\.05 s"):
                system.search("x", 1)
