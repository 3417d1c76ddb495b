"""Any JSON search API, against a real server on this machine."""

import socket

import pytest

from berryeval.core import Query
from berryeval.errors import AnswerError, ArgumentError, SystemTimeoutError, SystemUnderTestError
from berryeval.search import exchange
from berryeval.search.collect import Limits, collect
from berryeval.search.systems.embedded import Embedded
from berryeval.search.systems.http import Http
from berryeval.search.systems.json_path import find_values, parse_path
from search.contract import DOCUMENTS, Contract
from search.json_server import asleep, serving

POST = {"q": "{query}", "size": "{k}"}
PATHS = {"ids": "hits[*].id", "scores": "hits[*].score"}


class TestHttp(Contract):
    """A server that calls the embedded engine."""

    can_index = False

    @pytest.fixture
    def system(self):
        engine = Embedded("bm25")
        engine.index(DOCUMENTS)

        def answer(request):
            hits = engine.search(request["body"]["q"], request["body"]["size"])
            return 200, {"hits": [{"id": hit.doc_id, "score": hit.score} for hit in hits]}

        with serving(answer) as url:
            yield Http(url, body=POST, **PATHS)


def asked(url_end="", query="sign in", **settings):
    """Return the request that a server receives, and the hits."""
    requests = []

    def answer(request):
        requests.append(request)
        return 200, {"hits": [{"id": 7, "score": 2.5}, {"id": "b", "score": 1}]}

    with serving(answer) as url:
        found = Http(url + url_end, **settings).search(query, 2)
    return requests[0], found


def test_a_get_carries_the_query_in_its_address():
    """The query is escaped as one parameter, whatever it contains."""
    request, found = asked("/find?q={query}&n={k}", "a&b=c {k}/ü", **PATHS)
    assert (request["method"], request["path"]) == ("GET", "/find")
    assert request["parameters"] == {"q": "a&b=c {k}/ü", "n": "2"}
    assert found == [("7", 2.5), ("b", 1.0)]


def test_a_post_carries_the_query_in_its_body():
    """The query stays text and cannot change the body; {k} alone is a number."""
    body = '{"all": [{"text": "~{query}~ {k}"}], "size": "{k}", "exact": false}'
    request, _ = asked(query='"} {k}', body=body, headers={"Authorization": "Bearer x"}, **PATHS)
    assert request["method"] == "POST"
    assert request["body"] == {"all": [{"text": '~"} {k}~ 2'}], "size": 2, "exact": False}
    assert request["headers"]["Authorization"] == "Bearer x"
    assert request["headers"]["Content-Type"] == "application/json"


def test_user_and_password_become_a_header():
    """They are removed from the address."""
    requests = []

    def answer(request):
        requests.append(request)
        return 200, {"hits": []}

    with serving(answer) as url:
        place = url.replace("//", "//me:p%40ss@")
        Http(place, body=POST).search("x", 1)
    assert requests[0]["headers"]["Authorization"] == "Basic bWU6cEBzcw=="


def test_a_redirect_is_reported_and_not_followed():
    """Headers and bodies are not sent to another server."""
    elsewhere = ("Location", "https://other.example/")
    with serving(lambda _request: (302, b"", elsewhere)) as url:
        system = Http(url, body=POST)
        with pytest.raises(
            SystemUnderTestError, match=r"answered 302 Found; ask https://other\.example/"
        ):
            system.search("x", 1)


def test_without_scores_the_order_is_used():
    """Ranks become scores."""
    _, found = asked("/{query}?{k}")
    assert found == [("7", -1.0), ("b", -2.0)]


def test_hits_beyond_k_are_dropped_only_if_k_was_not_sent():
    """A server that received k must not return more."""
    with serving(lambda _request: (200, {"hits": [{"id": "a"}, {"id": "b"}]})) as url:
        assert Http(url + "/{query}").search("x", 1) == [("a", -1.0)]
        with pytest.raises(AnswerError, match="expected at most 1 hits, got 2"):
            Http(url + "/{query}?n={k}").search("x", 1)


@pytest.mark.parametrize(
    ("status", "transient"), [(400, False), (404, False), (500, False), (429, True), (503, True)]
)
def test_an_error_of_the_server_is_reported(status, transient):
    """The message is the server's, and only temporary errors are transient."""
    with serving(lambda _request: (status, {"error": "no\nsuch index"})) as url:
        system = Http(url, body=POST, **PATHS)
        with pytest.raises(
            SystemUnderTestError, match=rf"127\.0\.0\.1: answered {status} .*no"
        ) as caught:
            system.search("x", 1)
    assert caught.value.transient is transient


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<html>", "expected JSON, got '<html>'"),
        ({"results": []}, "expected an item 'hits', found an object with 'results'"),
        ({"hits": {}}, "expected a list, found an object with no keys"),
        ({"hits": [1]}, "expected an item 'id', found int"),
        ({"hits": [{"id": None, "score": 1}]}, "hit 1: expected text or a whole number"),
        (b'{"hits": [{"id": "a", "score": NaN}]}', "hit 1: expected a number as score"),
        ({"hits": [{"id": "a", "score": 1}] * 2}, "expected each document once, got 'a' twice"),
    ],
)
def test_an_invalid_response_is_reported(content, message):
    """Other content than JSON, missing ids, NaN and duplicates are errors."""
    with serving(lambda _request: (200, content)) as url:
        system = Http(url, body=POST, **PATHS)
        with pytest.raises(AnswerError, match=message):
            system.search("x", 3)


def test_the_number_of_scores_must_equal_the_number_of_ids():
    """Paths with different numbers of values are an error."""
    with serving(lambda _request: (200, {"ids": ["a", "b"], "scores": [1]})) as url:
        system = Http(url, body=POST, ids="ids[*]", scores="$.scores[*]")
        with pytest.raises(AnswerError, match="expected 2 scores, as ids, got 1"):
            system.search("x", 3)


def test_a_late_server_is_a_timeout():
    """The error is raised after the given number of seconds."""
    with serving(asleep(0.5)) as url:
        system = Http(url, body=POST, timeout=0.05)
        with pytest.raises(SystemTimeoutError, match=r"127\.0\.0\.1: no answer within 0\.05 s"):
            system.search("x", 1)


def test_a_request_ends_when_its_query_times_out():
    """X8: the worker is free for the next query, so every query is sent."""
    queries = [Query(f"q{number}", "x") for number in range(6)]
    with serving(asleep(1.5)) as url:
        limits = Limits(timeout=0.3, concurrency=2)
        collected = collect(Http(url, body=POST), queries, limits=limits)
    assert len(collected.failures) == 6
    assert {str(error) for error in collected.failures.values()} == {
        "127.0.0.1: no answer within 0.3 s"
    }


def test_an_endless_response_is_not_read_to_its_end(monkeypatch):
    """Reading stops at a limit, and nothing is kept."""
    monkeypatch.setattr(exchange, "_LONGEST_ANSWER", 1 << 20)
    with (
        serving(lambda _request: (200, b" " * (2 << 20))) as url,
        pytest.raises(AnswerError, match="expected at most 1 MB, got more"),
    ):
        Http(url, body=POST).search("x", 1)


def test_a_lost_connection_is_a_temporary_error():
    """So is a server that cannot be reached."""
    with serving(lambda _request: None) as url:
        with pytest.raises(SystemUnderTestError, match="connection lost") as caught:
            Http(url, body=POST).search("x", 1)
        assert caught.value.transient
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(SystemUnderTestError, match=r"cannot be reached: .*refused") as caught:
        Http(url, body=POST).search("x", 1)
    assert caught.value.transient


def test_an_unknown_host_is_a_permanent_error():
    """Trying again would not help."""
    with pytest.raises(
        SystemUnderTestError, match=r"berryeval\.invalid: cannot be reached"
    ) as caught:
        Http("http://berryeval.invalid/{query}").search("x", 1)
    assert not caught.value.transient


@pytest.mark.parametrize(
    ("url", "settings", "message"),
    [
        ("file:///etc/passwd?{query}", {}, "url: expected an address with http"),
        ("localhost/{query}", {}, "url: expected an address with http"),
        ("http://h/", {}, "expected a placeholder {query}"),
        ("http://h/{query}", {"body": "{oops"}, "body: expected JSON"),
        ("http://h/{query}", {"ids": "hits[*"}, "ids: expected a path such as"),
        ("http://h/{query}", {"scores": ".hits"}, "scores: expected a path such as"),
    ],
)
def test_invalid_settings_are_rejected(url, settings, message):
    """The error is raised when the system is created."""
    with pytest.raises(ArgumentError, match=message):
        Http(url, **settings)


def test_the_fingerprint_has_no_secrets():
    """It contains neither credentials of the address nor headers."""
    system = Http("http://u:pw@h:1/{query}", headers={"Authorization": "secret"})
    assert system.fingerprint() == {
        "system": "http",
        "url": "http://h:1/{query}",
        "body": "null",
        "ids": "hits[*].id",
        "scores": "",
    }


def test_paths_lead_through_names_and_lists():
    """Dots, brackets, positions, quoted names and the root are supported."""
    data = {"a": {"b.c": [{"x": 1}, {"x": 2}]}}
    assert find_values(data, parse_path('$.a["b.c"][*].x', "ids")) == [1, 2]
    assert find_values(data, parse_path('a["b.c"][1]["x"]', "ids")) == [2]
    assert find_values([1, 2], parse_path("[*]", "ids")) == [1, 2]
    assert find_values(7, parse_path("$", "ids")) == [7]
    with pytest.raises(LookupError, match="expected an item 5, found list"):
        find_values([1], parse_path("[5]", "ids"))


def test_a_key_in_the_address_is_sent_but_never_shown():
    """Fingerprints appear in reports; only the value of the key is hidden."""
    url = "http://h/find?keyword={query}&api_key=sk-12345&n={k}"
    system = Http(url, ids="[*]")
    assert system.url == url
    assert system.fingerprint()["url"] == "http://h/find?keyword={query}&api_key=***&n={k}"
    with pytest.raises(
        ArgumentError, match=r"a placeholder \{query\}, got 'http://h/\?token=\*\*\*'"
    ):
        Http("http://h/?token=sk-12345", ids="[*]")
