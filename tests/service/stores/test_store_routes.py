"""Stores over HTTP."""

import json

import pytest

DOCUMENTS = [
    {"doc_id": "d1", "title": "OAuth", "text": "Renew tokens hourly."},
    {"doc_id": "d2", "text": "Ripe bananas."},
    {"doc_id": "docs/ä.md#1", "text": "Tokens are renewed by the server."},
]


def answer(query, k):
    """A system that the tests configure."""
    if query == "broken":
        raise ConnectionError("no line")
    if query == "endless":
        return [("x1", float("inf"))]
    return [("x2", 0.9), ("x1", 0.5)][:k]


HERE = f"{__name__}:answer"


@pytest.fixture
def filled(client):
    client.put("/v1/stores/docs", json={"kind": "bm25"})
    client.post("/v1/stores/docs/documents", json={"documents": DOCUMENTS})
    return client


def test_a_store_is_created_filled_and_searched(client):
    """Each step uses HTTP; hits have score and title, best first."""
    made = client.put("/v1/stores/docs", json={"kind": "bm25", "settings": {"title_weight": 2}})
    assert made.status_code == 201
    assert made.headers["location"] == "/v1/stores/docs"
    assert made.json() == {
        "name": "docs", "kind": "bm25", "settings": {"title_weight": 2.0}, "n_documents": 0,
        "is_read_only": False,
    }  # fmt: skip
    indexed = client.post("/v1/stores/docs/documents", json={"documents": DOCUMENTS})
    assert (indexed.status_code, indexed.json()) == (200, {"received": 3})
    found = client.get("/v1/stores/docs/search", params={"q": "oauth", "k": 2}).json()
    assert [(hit["doc_id"], hit["title"]) for hit in found["hits"]] == [("d1", "OAuth")]
    assert found["hits"][0]["score"] > 0
    assert (found["store"], found["query"]) == ("docs", "oauth")
    assert client.get("/v1/stores/docs").json()["n_documents"] == 3


def test_repeating_a_put_returns_200(filled):
    """A PUT with other settings for the same name returns 409."""
    assert filled.put("/v1/stores/docs", json={"kind": "bm25"}).status_code == 200
    other = filled.put("/v1/stores/docs", json={"kind": "hybrid"})
    assert other.status_code == 409
    assert other.json()["type"].endswith(":conflict")


def test_the_default_kind_is_hybrid(client):
    """This is the default everywhere in the library."""
    assert client.put("/v1/stores/docs", json={}).json()["kind"] == "hybrid"


def test_documents_are_listed_in_pages(filled):
    """They are sorted by id, and a page links to the next one."""
    first = filled.get("/v1/stores/docs/documents", params={"limit": 2}).json()
    assert [one["doc_id"] for one in first["items"]] == ["d1", "d2"]
    second = filled.get(first["next"]).json()
    assert [one["doc_id"] for one in second["items"]] == ["docs/ä.md#1"]
    assert second["next"] is None


def test_pages_continue_after_any_id_and_name(client):
    """The last id of a page may contain slashes, umlauts and dots."""
    ids = ["a/b.md", "a/ä.md#1", "b c", "b%d"]
    client.put("/v1/stores/docs.v1", json={"kind": "bm25"})
    client.put("/v1/stores/docs.v2", json={"kind": "bm25"})
    documents = [{"doc_id": doc_id, "text": "x"} for doc_id in ids]
    client.post("/v1/stores/docs.v1/documents", json={"documents": documents})
    found = []
    for start in ("/v1/stores/docs.v1/documents?limit=1", "/v1/stores?limit=1"):
        address = start
        while address is not None:
            page = client.get(address).json()
            found += [one.get("doc_id") or one["name"] for one in page["items"]]
            address = page["next"]
    assert found == [*sorted(ids, key=str.encode), "default", "docs.v1", "docs.v2"]
    wrong = client.get("/v1/stores?after=a")
    assert (wrong.status_code, wrong.json()["where"]) == (422, "after")


def test_stores_are_listed_in_pages(client):
    """They are sorted by name."""
    for name in "cab":
        client.put(f"/v1/stores/{name}", json={})
    first = client.get("/v1/stores", params={"limit": 2}).json()
    assert [one["name"] for one in first["items"]] == ["a", "b"]
    second = client.get(first["next"]).json()
    assert [one["name"] for one in second["items"]] == ["c", "default"]
    assert second["next"] is None


def test_the_default_store_exists_from_the_start(client, tmp_path):
    """E5: it is empty and hybrid; reading it writes nothing."""
    expected = {
        "name": "default", "kind": "hybrid", "settings": {}, "n_documents": 0,
        "is_read_only": False,
    }  # fmt: skip
    assert client.get("/v1/stores").json()["items"] == [expected]
    assert client.get("/v1/stores/default").json() == expected
    assert client.get("/v1/stores/default/search", params={"q": "x"}).json()["hits"] == []
    assert client.get("/v1/stores/default/documents").json()["items"] == []
    assert client.delete("/v1/stores/default/documents/d1").status_code == 404
    assert not list(tmp_path.glob("*.stores"))


def test_the_default_store_can_be_filled_at_once(client):
    """E5: it need not be created first, and is then like any other."""
    indexed = client.post("/v1/stores/default/documents", json={"documents": DOCUMENTS})
    assert indexed.json() == {"received": 3}
    found = client.get("/v1/stores/default").json()
    assert (found["kind"], found["n_documents"]) == ("hybrid", 3)
    assert client.put("/v1/stores/default").status_code == 200
    assert client.put("/v1/stores/default", json={"kind": "bm25"}).status_code == 409
    assert client.get("/v1/stores/default/search", params={"q": "oauth"}).json()["hits"]


def test_an_unused_default_store_can_be_reconfigured(client):
    """It can also be removed, which resets it. It existed before, so no request returns 201."""
    changed = client.put("/v1/stores/default", json={"kind": "bm25"})
    assert (changed.status_code, changed.json()["kind"]) == (200, "bm25")
    client.post("/v1/stores/default/documents", json={"documents": DOCUMENTS})
    for _ in range(2):
        assert client.delete("/v1/stores/default").status_code == 204
        again = client.get("/v1/stores/default").json()
        assert (again["kind"], again["n_documents"]) == ("hybrid", 0)
        assert client.get("/v1/stores/default/search", params={"q": "oauth"}).json()["hits"] == []


def test_the_server_may_configure_its_own_default_store(service):
    """A configured system can have that name."""
    client = service(systems={"default": {"system": HERE}})
    assert client.get("/v1/stores/default").json()["kind"] == "configured"
    assert [one["name"] for one in client.get("/v1/stores").json()["items"]] == ["default"]
    assert client.delete("/v1/stores/default").status_code == 409


def test_a_store_can_be_created_without_a_body(client):
    """The defaults are those of an empty object."""
    made = client.put("/v1/stores/docs")
    assert (made.status_code, made.json()["kind"], made.json()["settings"]) == (201, "hybrid", {})
    assert client.put("/v1/stores/docs", json={}).status_code == 200
    assert client.put("/v1/stores/docs").status_code == 200
    assert client.put("/v1/stores/default").status_code == 200


def test_removed_resources_are_gone(filled):
    """A document and then its store are removed; removing either again is 404."""
    document = "/v1/stores/docs/documents/docs%2F%C3%A4.md%231"
    assert filled.delete(document).status_code == 204
    assert filled.delete(document).status_code == 404
    assert filled.get("/v1/stores/docs").json()["n_documents"] == 2
    assert filled.delete("/v1/stores/docs").status_code == 204
    assert filled.delete("/v1/stores/docs").status_code == 404
    for path in ("", "/search?q=x", "/documents"):
        assert filled.get(f"/v1/stores/docs{path}").status_code == 404


def test_a_changed_document_makes_its_judgments_stale(filled):
    """The judged version of the document is no longer the one that is searched."""
    judged = [{"query_id": "q1", "doc_id": "d1", "relevance": 3}]
    filled.post("/v1/evaluation/judgments", json=judged)
    path = "/v1/judgments/q1/d1"
    assert filled.get(path).json()["is_stale"] is False
    filled.post("/v1/stores/docs/documents", json={"documents": DOCUMENTS[:1]})
    assert filled.get(path).json()["is_stale"] is False
    changed = [{**DOCUMENTS[0], "text": "Tokens live for a day."}]
    filled.post("/v1/stores/docs/documents", json={"documents": changed})
    assert filled.get(path).json()["is_stale"] is True


def test_configured_systems_are_stores(service):
    """They can be listed and searched but not changed, and a failure is a 502."""
    client = service(systems={"own": {"system": HERE}})
    assert client.get("/v1/stores").json()["items"][1:] == [
        {"name": "own", "kind": "configured", "settings": {}, "n_documents": None,
         "is_read_only": True}
    ]  # fmt: skip
    hits = client.get("/v1/stores/own/search", params={"q": "anything"}).json()["hits"]
    assert hits == [
        {"doc_id": "x2", "score": 0.9, "title": None},
        {"doc_id": "x1", "score": 0.5, "title": None},
    ]
    endless = client.get("/v1/stores/own/search", params={"q": "endless"}).json()["hits"]
    assert endless[0]["score"] is None
    assert client.get("/v1/stores/own/search", params={"q": "broken"}).status_code == 502
    for refused in (
        client.put("/v1/stores/own", json={}),
        client.delete("/v1/stores/own"),
        client.post("/v1/stores/own/documents", json={"documents": DOCUMENTS}),
        client.get("/v1/stores/own/documents"),
    ):
        assert refused.status_code == 409


OUTSIDE = [
    "%2E%2E",
    "..%2F..%2Fetc%2Fpasswd",
    "%2Fetc%2Fpasswd",
    "os:system",
    "subprocess:run",
    "http:%2F%2F127.0.0.1:9%2F%3Fq={query}",
    "postgresql:%2F%2Fdb",
    "replay:%2Fetc%2Fpasswd",
    "file:%2F%2F%2Fetc%2Fpasswd",
    "a%00b",
    "a%0A",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_client_cannot_make_the_server_open_anything(client, name, tmp_path, monkeypatch):
    """Paths, addresses and functions as names are rejected or not found, and never opened."""
    monkeypatch.setattr(
        "berryeval.search.opening.open_system", lambda *_, **__: pytest.fail("it was opened")
    )
    before = sorted(tmp_path.rglob("*"))
    answers = [
        client.put(f"/v1/stores/{name}", json={"kind": "bm25"}),
        client.get(f"/v1/stores/{name}"),
        client.get(f"/v1/stores/{name}/search?q=x"),
        client.post(f"/v1/stores/{name}/documents", json={"documents": DOCUMENTS[:1]}),
        client.get(f"/v1/evaluation/summary?store={name}"),
        client.post(
            "/v1/evaluation/evaluate",
            json={"queries": [{"id": "q", "query": "x"}], "store": name.replace("%2F", "/")},
        ),
    ]
    assert {answer.status_code for answer in answers} <= {404, 405, 422}
    ranked = client.post(f"/{name}/_rank_eval", json=RANKED)
    assert ranked.status_code in (200, 404)
    if ranked.status_code == 200:
        cause = ranked.json()["failures"]["q"]["error"]
        assert cause["type"] == "index_not_found_exception"
    assert sorted(tmp_path.rglob("*")) == before


RANKED = {
    "requests": [{"id": "q", "request": {"query": {"match": {"t": "x"}}}, "ratings": []}],
    "metric": {"precision": {}},
}


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "os:system"},
        {"kind": "http://example.org"},
        {"kind": "bm25", "settings": {"path": "/etc"}},
        {"kind": "bm25", "path": "/etc"},
        {"kind": "hybrid", "settings": {"embedder": "os:system"}},
        {"kind": "hybrid", "settings": {"weights": [1]}},
        {"kind": "hybrid", "settings": {"depth": 0}},
        {"kind": "bm25", "settings": {"weights": [1, 1]}},
        [],
    ],
)
def test_settings_are_plain_values(client, body):
    """Neither kind nor settings can name anything to open."""
    answer = client.put("/v1/stores/docs", json=body)
    assert answer.status_code == 422
    assert client.get("/v1/stores/docs").status_code == 404


@pytest.mark.parametrize(
    "documents",
    [
        [],
        [{"doc_id": "", "text": "x"}],
        [{"doc_id": "é" * 1000, "text": "2,000 bytes"}],
        [{"doc_id": "d"}],
        [{"doc_id": 1.5, "text": "x"}],
        [{"doc_id": "d", "text": "x"}, {"doc_id": "d", "text": "y"}],
        [{"doc_id": "d", "text": "half a \ud800 character"}],
        [{"doc_id": "d", "text": "x", "vector": [1]}],
    ],
)
def test_documents_are_checked_before_any_is_stored(filled, documents):
    """If one is invalid, none is stored."""
    body = json.dumps({"documents": documents})
    headers = {"Content-Type": "application/json"}
    answer = filled.post("/v1/stores/docs/documents", content=body, headers=headers)
    assert answer.status_code == 422
    assert filled.get("/v1/stores/docs").json()["n_documents"] == 3


@pytest.mark.parametrize("parameters", [{}, {"q": "x", "k": 0}, {"q": "x", "k": 10_001}])
def test_a_search_requires_a_text_and_a_k(filled, parameters):
    """k is from 1 to 10,000."""
    assert filled.get("/v1/stores/docs/search", params=parameters).status_code == 422
