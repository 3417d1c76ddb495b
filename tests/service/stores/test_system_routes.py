"""Registered systems and changed settings over HTTP: roles, hosts, and credentials."""

import pytest

from search.json_server import serving

DOCUMENTS = [
    {"doc_id": "d1", "title": "OAuth", "text": "Renew tokens hourly."},
    {"doc_id": "d2", "title": "Fruit", "text": "OAuth, OAuth and bananas."},
]
KEY = "sk-very-secret"


@pytest.fixture
def search_api():
    """A search API that records requests and finds two documents."""
    asked = []

    def answer(request):
        asked.append(request)
        words = request["parameters"].get("q") or (request["body"] or {}).get("text", "")
        found = ["x2", "x1"] if words else []
        return 200, {"hits": [{"id": one, "score": 1 / n} for n, one in enumerate(found, 1)]}

    with serving(answer) as url:
        yield url, asked


def allowed(url):
    return (url.removeprefix("http://"),)


def register(client, url, name="shop", **given):
    body = {"place": f"{url}/?q={{query}}", "secrets": {"header X-Key": KEY}, **given}
    return client.put(f"/v1/systems/{name}", json=body)


def test_a_registered_system_is_a_store(service, search_api):
    """It is searched and evaluated by name; its credentials are sent to it and nowhere else."""
    url, asked = search_api
    client = service(search_hosts=allowed(url))
    made = register(client, url)
    assert made.status_code == 201
    assert made.json()["secrets"] == ["header X-Key"]
    assert not asked, "registering sends nothing"
    found = client.get("/v1/stores/shop/search", params={"q": "a", "k": 5}).json()
    assert [hit["doc_id"] for hit in found["hits"]] == ["x2", "x1"]
    assert asked[0]["headers"]["X-Key"] == KEY
    names = {one["name"]: one["kind"] for one in client.get("/v1/stores").json()["items"]}
    assert names["shop"] == "registered"
    asking = {"queries": [{"id": "q1", "query": "a"}], "store": "shop"}
    assert client.post("/v1/evaluation/evaluate", json=asking).status_code == 200
    for path in ("/v1/systems", "/v1/systems/shop", "/v1/stores/shop", "/v1/stores/shop/settings",
                 "/v1/runs", "/try/systems", "/try?a=shop&q=a"):  # fmt: skip
        shown = client.get(path)
        assert (shown.status_code, KEY in shown.text) == (200, False), path


def test_replacing_a_system_drops_its_credentials(service, search_api):
    """Credentials for one address are never sent to another; a removed system is gone at once."""
    url, asked = search_api
    client = service(search_hosts=allowed(url))
    register(client, url)
    client.get("/v1/stores/shop/search", params={"q": "a"})
    assert register(client, url, secrets={}).status_code == 200
    client.get("/v1/stores/shop/search", params={"q": "a"})
    assert "X-Key" not in asked[-1]["headers"]
    assert client.delete("/v1/systems/shop").status_code == 204
    assert client.delete("/v1/systems/shop").status_code == 404
    assert client.get("/v1/stores/shop/search", params={"q": "a"}).status_code == 404


@pytest.mark.parametrize(
    "place",
    [
        "http://169.254.169.254/latest/{query}",
        "http://localhost/{query}",
        "http://[::ffff:127.0.0.1]/{query}",
        "http://search.example@127.0.0.1/{query}",
        "http://search.example:22/{query}",
        "https://user:secret-word@search.example/{query}",
        "https://search.example/{query}?api_key=secret-word",
        "opensearch:http://127.0.0.1/i",
        "replay:/etc/passwd",
        "os:system",
        "hybrid",
        "postgresql://search.example/d",
        "file:///etc/passwd",
        "gopher://search.example/{query}",
    ],
)
def test_a_system_elsewhere_cannot_be_registered(service, place):
    """This covers hosts that are not allowed, files, functions and databases."""
    client = service(search_hosts=("search.example:443",))
    refused = client.put("/v1/systems/shop", json={"place": place})
    assert refused.status_code == 422
    assert "secret-word" not in refused.text


@pytest.mark.parametrize(
    "given",
    [
        {"settings": {"embedder": "onnx:/etc/passwd"}},
        {"settings": {"vector_cache": "cache.db"}},
        {"settings": {"template": "/etc/passwd"}},
        {"settings": {"depth": "-1"}},
        {"settings": {"password": "x"}},
        {"secrets": {"index": "x"}},
        {"secrets": {"header X": "a\nb"}},
    ],
)
def test_settings_of_a_registration_are_checked(service, given):
    """No setting names a file, and credentials are not among the settings."""
    client = service(search_hosts=("search.example",))
    body = {"place": "opensearch:https://search.example/i", **given}
    assert client.put("/v1/systems/shop", json=body).status_code == 422


def test_credentials_of_the_server_are_not_sent(service, monkeypatch, search_api):
    """Keys in its environment are for the systems of its configuration."""
    url, asked = search_api
    monkeypatch.setenv("OPENSEARCH_API_KEY", KEY)
    monkeypatch.setenv("OPENSEARCH_PASSWORD", KEY)
    client = service(search_hosts=allowed(url))
    place = f"opensearch:{url}/docs"
    register(client, url, place=place, settings={"mode": "bm25"}, secrets={})
    client.get("/v1/stores/shop/search", params={"q": "a"})
    register(client, url, place=place, settings={"mode": "bm25"}, secrets={"user": "ada"})
    client.get("/v1/stores/shop/search", params={"q": "a"})
    assert len(asked) == 2
    assert "Authorization" not in asked[0]["headers"]
    assert KEY not in str(asked)


def test_names_of_stores_and_systems_are_distinct(service):
    """Neither can hide the other."""
    client = service(
        search_hosts=("search.example",), systems={"own": {"system": "http://h/{query}"}}
    )
    place = {"place": "http://search.example/{query}"}
    client.put("/v1/stores/docs", json={"kind": "bm25"})
    for name in ("docs", "own", "default"):
        assert client.put(f"/v1/systems/{name}", json=place).status_code == 409
    assert client.put("/v1/systems/shop", json=place).status_code == 201
    assert client.put("/v1/stores/shop", json={"kind": "bm25"}).status_code == 409
    assert client.get("/v1/stores/shop/documents").status_code == 409


def test_a_search_with_other_settings_changes_nothing(client):
    """The store keeps its settings, and a run of changed settings leaves its summary."""
    client.put("/v1/stores/docs", json={"kind": "bm25"})
    client.post("/v1/stores/docs/documents", json={"documents": DOCUMENTS})
    [title] = client.get("/v1/stores/docs/settings").json()["items"]
    assert (title["name"], title["kind"], title["least"]) == ("title_weight", "number", 0.0)

    def first(**settings):
        body = {"query": "oauth", "settings": settings}
        found = client.post("/v1/stores/docs/search", json=body)
        return [hit["doc_id"] for hit in found.json()["hits"]][:1]

    assert first() == ["d2"]
    assert first(title_weight=100) == ["d1"]
    assert first() == ["d2"]
    asking = {"queries": [{"id": "q1", "query": "oauth"}], "store": "docs"}
    client.post("/v1/evaluation/evaluate", json={**asking, "settings": {"title_weight": 100}})
    [run] = client.get("/v1/runs").json()["items"]
    assert run["settings"]["title_weight"] == "100"
    assert client.get("/v1/evaluation/summary?store=docs").json()["query_count"] == 0


@pytest.mark.parametrize("settings", [{"path": "/etc"}, {"title_weight": -1}, {"depth": 5}])
def test_changed_settings_are_checked(client, settings):
    """The response names the setting."""
    client.put("/v1/stores/docs", json={"kind": "bm25"})
    refused = client.post("/v1/stores/docs/search", json={"query": "a", "settings": settings})
    assert refused.status_code == 422
    assert "setting" in refused.json()["detail"]


def test_a_body_can_be_tried_on_a_registered_system(service, search_api):
    """It is sent to the registered address; an invalid body is rejected."""
    url, asked = search_api
    client = service(search_hosts=allowed(url))
    register(client, url)
    asking = {"query": "tokens", "settings": {"body": '{"text": "{query}", "n": "{k}"}'}}
    assert client.post("/v1/stores/shop/search", json=asking).json()["hits"]
    assert asked[-1]["body"] == {"text": "tokens", "n": 10}
    for body in ("{", "[" * 150):
        asking = {"query": "tokens", "settings": {"body": body}}
        assert client.post("/v1/stores/shop/search", json=asking).status_code == 422


def test_a_system_that_fails_is_reported(service, search_api):
    """A search answers 502 with the reason, not the address of the server's network."""
    url, _ = search_api
    client = service(search_hosts=allowed(url))
    register(client, url, settings={"ids": "nowhere[*]"})
    failed = client.post("/v1/stores/shop/search", json={"query": "a"})
    assert failed.status_code == 502
