"""Elasticsearch's ranking evaluation over HTTP: limits, and requests that are rejected."""

import copy
import math
import time
from types import SimpleNamespace

import pytest

from berryeval.service.rank_eval.evaluating import _search_store, rank_eval
from berryeval.service.rank_eval.models import RankEvalRequest
from berryeval.service.rank_eval.search_text import SearchTarget
from service.rank_eval.rated_requests import AMSTERDAM, BERLIN, BODY, ask, rated


def changed(path, value):
    """Return the body above with one value changed."""
    body = copy.deepcopy(BODY)
    *parents, last = path
    place = body
    for key in parents:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return body


TEMPLATED = {"id": "q", "template_id": "t", "params": {"x": 1}, "ratings": []}

RULES = [
    (["requests"], [], "no search requests with rated results are provided"),
    (["metric"], {}, "no evaluation metric is provided"),
    (["requests", 0, "template_id"], "t", "Ambiguous rated request: Set both"),
    (["requests", 0, "params"], {"x": 1}, "Ambiguous rated request: Set both"),
    (
        ["requests", 0, "request"],
        None,
        "Need to set at least test request or test request template",
    ),
    (
        ["requests", 0],
        {"id": "q", "params": {"x": 1}, "ratings": []},
        "If template parameters are supplied need to set id of template",
    ),
    (["requests", 0], TEMPLATED, "neither template nor evaluation request is provided"),
    (
        ["requests", 0, "ratings"],
        rated({"doc1": 1}) * 2,
        'Found duplicate rated document key [{"_index":"foo","_id":"doc1"}] in evaluation request',
    ),
    (
        ["requests", 1, "id"],
        "amsterdam_query",
        "Found duplicate rated request id [amsterdam_query]",
    ),
    (["requests", 0, "request", "aggs"], {}, "should not contain aggregations."),
    (["requests", 0, "request", "suggest"], {}, "should not contain a suggest section."),
    (["requests", 0, "request", "highlight"], {}, "should not contain a highlighter section."),
    (["requests", 0, "request", "explain"], True, "should not use explain."),
    (["requests", 0, "request", "profile"], True, "should not use profile."),
]


def test_requests_for_too_many_hits_are_rejected(foo):
    """Many queries, or many hits per query, would exceed memory."""
    one = {"request": {"query": {"match_all": {}}}, "ratings": []}
    body = {
        "requests": [{"id": str(n), **one} for n in range(501)],
        "metric": {"recall": {"k": 10_000}},
    }
    answered = ask(foo, body)
    assert answered.status_code == 400
    assert "at most 5,000,000 hits in total" in answered.json()["error"]["reason"]


def test_too_many_requests_per_call_are_rejected(foo):
    """A body of 32 MB could contain 600,000 requests."""
    one = {"request": {"query": {"match_all": {}}}, "ratings": []}
    requests = [{"id": str(n), **one} for n in range(10_001)]
    answered = ask(foo, {"requests": requests, "metric": {"recall": {"k": 1}}})
    assert answered.status_code == 400
    assert "body.requests: expected at most 10000 items" in answered.json()["error"]["reason"]


LONG = "x" * 10_001


@pytest.mark.parametrize(
    "query",
    [
        {"match": {"text": LONG}},
        {"bool": {"must": [{"match": {"text": LONG[:6000]}}, {"match": {"text": LONG[:6000]}}]}},
    ],
)
def test_a_query_that_is_too_long_fails_alone(foo, query):
    """Its cost grows with its length; the other queries are answered."""
    long = {"id": "long", "request": {"query": query}, "ratings": []}
    found = ask(foo, {**BODY, "requests": [long, BERLIN]}).json()
    reason = found["failures"]["long"]["error"]["reason"]
    assert reason.startswith("[query] expected at most 10,000 characters to search for, found 1")
    assert found["details"].keys() == {"berlin_query"}


@pytest.mark.parametrize("source", ["{{q}}" + " " * 500_000, "{{^q}}" + " " * 500_000 + "{{/q}}"])
def test_templates_are_limited_over_all_requests(foo, source):
    """60 requests that share a template count it 60 times, even if the result is empty."""
    requests = [{**TEMPLATED, "id": str(n), "params": {"q": "{}"}} for n in range(60)]
    templates = [{"id": "t", "template": {"source": source}}]
    answered = ask(foo, {"templates": templates, "requests": requests, "metric": {"recall": {}}})
    assert answered.status_code == 400
    error = answered.json()["error"]
    assert error["type"] == "illegal_argument_exception"
    assert "at most 20,000,000 characters over all requests" in error["reason"]
    assert error["reason"].endswith("send fewer requests per call")


@pytest.mark.parametrize(
    "request_",
    [
        {"request": {"query": {"match_all": {}}}},
        {"request": {"query": {"match": {"text": "berlin"}}}},
        {"template_id": "t", "params": {"q": "berlin"}},
    ],
)
def test_requests_are_not_read_after_the_time_limit(foo, request_):
    """They fail with a timeout, for texts, templates and lists of documents."""
    request = RankEvalRequest.model_validate(
        {
            "templates": [{"id": "t", "template": {"source": "{}"}}],
            "requests": [{"id": "late", "ratings": [], **request_}],
            "metric": {"recall": {}},
        }
    )
    store = foo.app.state.stores.find("foo")
    found = rank_eval(request, [store], deadline=time.monotonic() - 1)
    assert found["failures"]["late"]["error"]["type"] == "timeout_exception"
    assert "fewer requests per call" in found["failures"]["late"]["error"]["reason"]


def test_documents_are_not_listed_after_the_time_limit():
    """Each list is a pass over all ids of the store; here, the first one takes all the time."""
    limit = SimpleNamespace(deadline=math.inf)

    def list_ids(_wanted, _k):
        limit.deadline = time.monotonic()
        return ["d1"]

    wanted = {str(n): SearchTarget() for n in range(3)}
    store = SimpleNamespace(name="slow", list_ids=list_ids)
    answers, failures = _search_store(store, wanted, 1, limit, 1)
    assert (answers.keys(), failures.keys()) == ({"0"}, {"1", "2"})


@pytest.mark.parametrize(("path", "value", "expected"), RULES)
def test_elasticsearchs_validation_rules_apply(foo, path, value, expected):
    """The status is 400, in Elasticsearch's format and with its message."""
    answered = ask(foo, changed(path, value))
    assert answered.status_code == 400
    error = answered.json()
    assert error["status"] == 400
    assert error["error"]["type"] == "illegal_argument_exception"
    assert expected in error["error"]["reason"]
    assert error["error"]["root_cause"][0]["reason"] == error["error"]["reason"]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["requests", 0, "ratings", 0, "rating"], 1.5),
        (["requests", 0, "ratings", 0, "rating"], "high"),
        (["requests", 0, "ratings", 0, "_id"], None),
        (["requests", 0, "ratings", 0, "_type"], "doc"),
        (["requests", 0, "id"], None),
        (["metric", "precision", "k"], 0),
        (["metric", "precision", "relevant_rating_threshold"], -1),
        (["metric", "precision", "ignore_unlabelled"], True),
        (["metric"], {"map": {}}),
        (["metric"], {"expected_reciprocal_rank": {}}),
        (["metric"], None),
        (["max_concurrent_searches"], 0),
        (["templates"], [{"id": "t", "template": {"source": "{}", "lang": "painless"}}]),
        (["templates"], [{"id": "t", "template": {"id": "stored"}}]),
        (["requests", 0, "summary_fields"], ["*"] * 101),
        (["requests", 0, "summary_fields"], ["*" * 201]),
    ],
)
def test_requests_of_another_structure_are_rejected(foo, path, value):
    """The status is 400, and the message names the field."""
    answered = ask(foo, changed(path, value))
    assert answered.status_code == 400
    assert answered.json()["error"]["type"] == "x_content_parse_exception"
    assert path[0] in answered.json()["error"]["reason"]


def test_forbidden_parts_of_templates_fail_the_request(foo):
    """As in Elasticsearch, only a template that is not JSON fails just its own query."""
    body = {
        "templates": [{"id": "t", "template": {"source": '{"aggs": {"a": {}}}'}}],
        "requests": [TEMPLATED],
        "metric": {"precision": {}},
    }
    answered = ask(foo, body)
    assert answered.status_code == 400
    reason = "Query in rated requests should not contain aggregations."
    assert answered.json()["error"]["reason"] == reason


def test_ratings_beyond_the_scale_fail_their_query(foo):
    """The score would not be a number."""
    ratings = rated({"doc2": 1000, "doc3": 1000})
    body = {
        "requests": [{**AMSTERDAM, "ratings": ratings}, BERLIN],
        "metric": {"expected_reciprocal_rank": {"maximum_relevance": 0}},
    }
    found = ask(foo, body).json()
    assert "not finite" in found["failures"]["amsterdam_query"]["error"]["reason"]
    assert found["details"].keys() == {"berlin_query"}


def test_invalid_json_is_reported_in_elasticsearchs_format(foo):
    """A missing body is reported as well."""
    headers = {"Content-Type": "application/json"}
    broken = foo.post("/foo/_rank_eval", content=b'{"requests":', headers=headers)
    assert (broken.status_code, broken.json()["status"]) == (400, 400)
    assert foo.post("/foo/_rank_eval").json()["error"]["reason"] == (
        "request body or source parameter is required"
    )


def test_a_body_that_is_too_large_is_reported_in_elasticsearchs_format(service):
    """The status is 413, although a generic layer detects it."""
    answered = ask(service(max_body=100), BODY)
    assert answered.status_code == 413
    assert answered.json()["error"]["type"] == "content_too_long_exception"


def test_another_search_type_is_rejected(foo):
    """There are two valid types."""
    assert ask(foo, BODY, "/foo/_rank_eval?search_type=x").status_code == 400
