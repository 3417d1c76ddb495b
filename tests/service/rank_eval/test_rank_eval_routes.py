"""Elasticsearch's ranking evaluation over HTTP: answers, and other programs that ask."""

import json
import math
import time

import httpx
import pytest
from elasticsearch import AuthenticationException, BadRequestError, Elasticsearch

from berryeval.archive import Archive
from service.rank_eval.rated_requests import AMSTERDAM, BERLIN, BODY, ask, fill, rated
from service_server import application, listening


def answer(query, k):
    """A system that the tests configure."""
    if query == "broken":
        raise ConnectionError("no line")
    if query == "slow":
        raise TimeoutError("too late")
    if query == "half a second":
        time.sleep(0.5)
    return [("doc9", math.inf), ("doc2", 0.5)][:k]


HERE = f"{__name__}:answer"


def test_the_response_matches_elasticsearchs_own_test(foo):
    """The first case of its suite: every key, rated hits, and unrated documents."""
    answered = ask(foo, BODY)
    assert answered.status_code == 200
    assert answered.headers["x-elastic-product"] == "Elasticsearch"
    assert answered.headers["content-type"] == "application/json"
    found = answered.json()
    assert (found["metric_score"], found["failures"]) == (1.0, {})
    amsterdam = found["details"]["amsterdam_query"]
    assert amsterdam["metric_score"] == 1.0
    assert amsterdam["unrated_docs"] == [{"_index": "foo", "_id": "doc4"}]
    assert amsterdam["metric_details"] == {
        "precision": {"relevant_docs_retrieved": 2, "docs_retrieved": 2}
    }
    assert [(hit["hit"]["_id"], hit["rating"]) for hit in amsterdam["hits"]] == [
        ("doc3", 1), ("doc2", 1), ("doc4", None),
    ]  # fmt: skip
    assert amsterdam["hits"][0]["hit"].keys() == {"_index", "_id", "_score"}
    assert isinstance(amsterdam["took"], int)
    assert found["details"]["berlin_query"]["metric_details"]["precision"] == {
        "relevant_docs_retrieved": 1, "docs_retrieved": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "score", "details"),
    [
        ({"precision": {}}, 2 / 3, {"relevant_docs_retrieved": 2, "docs_retrieved": 3}),
        ({"precision": {"k": 1}}, 1.0, {"relevant_docs_retrieved": 1, "docs_retrieved": 1}),
        ({"recall": {"k": 1}}, 0.5, {"relevant_docs_retrieved": 1, "relevant_docs": 2}),
        ({"mean_reciprocal_rank": {}}, 1.0, {"first_relevant": 1}),
        ({"dcg": {}}, 1 + 1 / math.log2(3), {"dcg": 1 + 1 / math.log2(3), "unrated_docs": 1}),
        (
            {"dcg": {"normalize": True, "k": 1}},
            1.0,
            {"dcg": 1.0, "ideal_dcg": 1.0, "normalized_dcg": 1.0, "unrated_docs": 0},
        ),
        (
            {"expected_reciprocal_rank": {"maximum_relevance": 1}},
            0.5 + 0.25 / 2,
            {"unrated_docs": 1},
        ),
    ],
)
def test_all_five_metrics_have_their_details(foo, metric, score, details):
    """The hits of "amsterdam" are rated 1, 1 and unrated; k limits the hits."""
    body = {"requests": [AMSTERDAM], "metric": metric}
    found = ask(foo, body).json()
    (name,) = metric
    assert found["metric_score"] == pytest.approx(score)
    assert found["metrics"] == {name: found["metric_score"]}
    (quality,) = found["details"].values()
    assert quality["metric_details"] == {name: pytest.approx(details)}
    assert len(quality["hits"]) == min(3, metric[name].get("k", 10))


def test_several_metrics_can_be_requested(foo):
    """Each uses its own first k hits; metric_score exists for a single metric only."""
    metric = {"precision": {"k": 1}, "recall": {"k": 3}}
    found = ask(foo, {"requests": [AMSTERDAM], "metric": metric}).json()
    assert found["metrics"] == {"precision": 1.0, "recall": 1.0}
    assert "metric_score" not in found
    (quality,) = found["details"].values()
    assert quality["metrics"] == {"precision": 1.0, "recall": 1.0}
    assert quality["metric_details"].keys() == {"precision", "recall"}
    assert quality["metric_details"]["precision"]["docs_retrieved"] == 1
    assert len(quality["hits"]) == 3


def test_templates_are_filled_in(foo):
    """They are referenced by id with parameters; the source is text or an object."""
    source = '{"query":{"match":{"text":"{{query_string}}"}}}'
    body = {
        "templates": [
            {"id": "text", "template": {"source": source}},
            {"id": "object", "template": {"source": json.loads(source), "lang": "mustache"}},
        ],
        "requests": [
            {"id": name, "template_id": name, "params": {"query_string": "berlin"},
             "ratings": rated({"doc1": 1})}
            for name in ("text", "object")
        ],
        "metric": {"mean_reciprocal_rank": {}},
    }  # fmt: skip
    found = ask(foo, body).json()
    assert found["metrics"] == {"mean_reciprocal_rank": 1.0}
    assert found["failures"] == {}


def test_summary_fields_show_documents(foo):
    """Title and text are selected by pattern, and omitted by default."""
    for fields, shown in (
        (["title"], {"title": "DOC1"}),
        (["t*"], {"title": "DOC1", "text": "berlin"}),
        (["body"], {}),
    ):
        body = {"requests": [{**BERLIN, "summary_fields": fields}], "metric": {"precision": {}}}
        hits = ask(foo, body).json()["details"]["berlin_query"]["hits"]
        assert hits[0]["hit"]["_source"] == shown


def test_match_all_and_ids_use_the_order_of_indexing(foo):
    """Each document scores 1."""
    requests = [
        {"id": "all", "request": {"query": {"match_all": {}}}, "ratings": rated({"doc1": 1})},
        {"id": "ids", "request": {"query": {"ids": {"values": ["doc4", "doc2", "no"]}}},
         "ratings": []},
    ]  # fmt: skip
    found = ask(foo, {"requests": requests, "metric": {"precision": {"k": 3}}}).json()["details"]
    hits = {name: [hit["hit"]["_id"] for hit in one["hits"]] for name, one in found.items()}
    assert hits == {"all": ["doc1", "doc2", "doc3"], "ids": ["doc2", "doc4"]}
    assert found["all"]["hits"][0]["hit"]["_score"] == 1.0


def failing(query_id, **query):
    return {"id": query_id, "request": {"query": query}, "ratings": []}


def test_a_failing_query_does_not_affect_the_others(foo):
    """As in Elasticsearch, it is listed under failures by its id, and excluded from means."""
    bad = failing("bad", range={"bar": {"gte": "Basel"}})
    template = {"id": "t", "template": {"source": '{"query": {{broken}}'}}
    no_json = {"id": "no_json", "template_id": "t", "params": {"x": 1}, "ratings": []}
    body = {**BODY, "requests": [AMSTERDAM, bad, no_json], "templates": [template]}
    found = ask(foo, body).json()
    assert found["metric_score"] == 1.0
    assert found["details"].keys() == {"amsterdam_query"}
    assert found["failures"].keys() == {"bad", "no_json"}
    cause = found["failures"]["bad"]["error"]
    assert cause["type"] == "parsing_exception"
    assert "query [range] is not supported" in cause["reason"]
    assert cause["root_cause"] == [{"type": cause["type"], "reason": cause["reason"]}]
    assert "not JSON" in found["failures"]["no_json"]["error"]["reason"]


@pytest.mark.parametrize("source", ["[]", "{{#open}}"])
def test_a_template_that_is_not_a_search_fails_its_query(foo, source):
    """Other queries are answered."""
    body = {
        "templates": [{"id": "t", "template": {"source": source}}],
        "requests": [{"id": "q", "template_id": "t", "params": {"x": 1}, "ratings": []}, BERLIN],
        "metric": {"precision": {}},
    }
    found = ask(foo, body).json()
    assert (found["failures"].keys(), found["details"].keys()) == ({"q"}, {"berlin_query"})


def test_without_answered_queries_the_mean_is_null(foo):
    """Elasticsearch returns NaN."""
    found = ask(foo, {**BODY, "requests": [failing("bad", term={"a": "b"})]}).json()
    assert found["metric_score"] is None
    assert found["metrics"] == {"precision": None}


def test_a_missing_store_fails_every_query(foo):
    """Like a missing index: status 200, and index_not_found_exception for each query."""
    found = ask(foo, BODY, "/nowhere/_rank_eval").json()
    assert found["details"] == {}
    cause = found["failures"]["berlin_query"]["error"]
    assert cause["type"] == "index_not_found_exception"
    assert (cause["reason"], cause["index"]) == ("no such index [nowhere]", "nowhere")


@pytest.mark.parametrize(
    ("path", "n_hits"),
    [
        ("/foo,bar/_rank_eval", 4),
        ("/foo%2Cbar/_rank_eval", 4),
        ("/_rank_eval", 4),
        ("/_all/_rank_eval", 4),
        ("/*/_rank_eval", 4),
        ("/b*/_rank_eval", 1),
        ("/foo,foo/_rank_eval", 3),
        ("/foo,nowhere/_rank_eval?ignore_unavailable=true", 3),
        ("/nowhere*/_rank_eval", 0),
        ("/nowhere*/_rank_eval?allow_no_indices=false", None),
        ("/f*/_rank_eval?expand_wildcards=none", None),
        ("/foo/_rank_eval?search_type=dfs_query_then_fetch&expand_wildcards=open", 3),
    ],
)
def test_stores_are_selected_like_indexes(foo, path, n_hits):
    """Lists, patterns and all stores are supported; hits are merged by score."""
    found = ask(foo, {**BODY, "requests": [AMSTERDAM]}, path).json()
    if n_hits is None:
        assert found["failures"].keys() == {"amsterdam_query"}
        return
    hits = found["details"]["amsterdam_query"]["hits"]
    assert len(hits) == n_hits
    scores = [hit["hit"]["_score"] for hit in hits]
    assert scores == sorted(scores, reverse=True)


def test_configured_systems_can_be_ranked(service):
    """Failures are reported per query, infinite scores are null, and documents cannot be listed."""
    client = service(systems={"own": {"system": HERE}})
    requests = [
        {**BERLIN, "ratings": rated({"doc2": 1}, "own"), "summary_fields": ["title"]},
        failing("broken", match={"t": "broken"}),
        failing("slow", match={"t": "slow"}),
        failing("all", match_all={}),
    ]
    found = ask(client, {**BODY, "requests": requests}, "/own/_rank_eval").json()
    hits = found["details"]["berlin_query"]["hits"]
    assert [hit["hit"] for hit in hits] == [
        {"_index": "own", "_id": "doc9", "_score": None},
        {"_index": "own", "_id": "doc2", "_score": 0.5},
    ]
    kinds = {name: one["error"]["type"] for name, one in found["failures"].items()}
    assert kinds == {
        "broken": "search_phase_execution_exception",
        "slow": "timeout_exception",
        "all": "parsing_exception",
    }


def test_a_batch_that_times_out_returns_finished_queries(service):
    """E5: the time limit of a request fails only the remaining queries."""
    client = service(systems={"own": {"system": HERE}}, timeout=1.0)
    requests = [
        {"id": f"q{n}", "request": {"query": {"match": {"text": text}}}, "ratings": []}
        for n, text in enumerate(["quick", *["half a second"] * 8])
    ]
    body = {"requests": requests, "metric": {"precision": {}}, "max_concurrent_searches": 1}
    answered = ask(client, body, "/own/_rank_eval")
    assert answered.status_code == 200
    found = answered.json()
    assert "q0" in found["details"]
    assert found["failures"]
    assert len(found["details"]) + len(found["failures"]) == 9
    assert "timeout: no answer within 0." in found["failures"]["q8"]["error"]["reason"]


def test_get_works_like_post(foo):
    """It has a body, as in Elasticsearch's own documentation."""
    by_get = foo.request("GET", "/foo/_rank_eval", json=BODY)
    assert by_get.json()["metric_score"] == 1.0
    assert foo.request("GET", "/_rank_eval", json=BODY).json()["metric_score"] == 1.0


@pytest.mark.parametrize(
    ("accept", "given"),
    [
        ("application/vnd.elasticsearch+json; compatible-with=8", "compatible-with=8"),
        ("text/html, application/vnd.elasticsearch+json;compatible-with=9", "compatible-with=9"),
        ("application/vnd.elasticsearch+json", "compatible-with=9"),
    ],
)
def test_the_vendor_media_type_is_returned(foo, accept, given):
    """It has the requested version."""
    headers = {
        "Accept": accept,
        "Content-Type": "application/vnd.elasticsearch+json; compatible-with=9",
    }
    answered = foo.post("/foo/_rank_eval", content=json.dumps(BODY), headers=headers)
    assert answered.headers["content-type"] == f"application/vnd.elasticsearch+json;{given}"
    assert answered.json()["metric_score"] == 1.0


def test_the_official_client_works(tmp_path):
    """Over a real connection, it accepts answers, failures and errors."""
    with application(tmp_path) as app, listening(app) as url, Elasticsearch(url) as client:
        with httpx.Client(base_url=url, timeout=60) as http:
            fill(http)
        found = client.rank_eval(
            index="foo",
            requests=BODY["requests"],
            metric=BODY["metric"],
            search_type="query_then_fetch",
            ignore_unavailable=True,
            allow_no_indices=True,
            expand_wildcards=["open"],
        )
        assert found["metric_score"] == 1.0
        assert found["details"]["amsterdam_query"]["hits"][0]["hit"]["_id"] == "doc3"
        everywhere = client.rank_eval(requests=[BERLIN], metric={"recall": {"k": 5}})
        assert everywhere["metric_score"] == 1.0
        both = client.rank_eval(index=["foo", "bar*"], requests=[BERLIN], metric={"dcg": {}})
        assert both["details"].keys() == {"berlin_query"}
        with pytest.raises(BadRequestError) as error:
            client.rank_eval(index="foo", requests=[], metric={"precision": {}})
        assert error.value.error == "illegal_argument_exception"


def test_the_official_client_understands_a_missing_token(tmp_path):
    """Errors of the authentication layer are in Elasticsearch's format, too."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        token = archive.tokens.create("ci", "read")
    with application(tmp_path, is_token_required=True) as app, listening(app) as url:
        with Elasticsearch(url) as client, pytest.raises(AuthenticationException) as error:
            client.rank_eval(requests=[BERLIN], metric={"precision": {}})
        assert error.value.error == "security_exception"
        with Elasticsearch(url, bearer_auth=token) as client:
            found = client.rank_eval(requests=[BERLIN], metric={"precision": {}})
        assert found["metric_score"] == 0.0


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/documents/_rank_eval", 404),
        ("GET", "/v1/judgments/q1/_rank_eval", 404),
        ("POST", "/v1/documents/_rank_eval", 405),
        ("GET", "/v1/nothing/at/all/_rank_eval", 404),
        ("GET", "/v1/judgments", 200),
    ],
)
def test_other_routes_keep_their_error_format(client, method, path, status):
    """A document may have the id _rank_eval: its errors are not in Elasticsearch's format."""
    answer = client.request(method, path)
    assert answer.status_code == status
    assert "x-elastic-product" not in answer.headers
    if status != 200:
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["status"] == status


def test_a_store_name_with_a_slash_gets_elasticsearchs_error(client):
    """An escaped slash is part of the name, not of the path."""
    answer = client.post("/a%2Fb/_rank_eval")
    assert (answer.status_code, answer.headers["x-elastic-product"]) == (400, "Elasticsearch")
