"""Several collections in one service, which are separate and restricted to permitted callers."""

import pytest
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient

from berryeval.archive import Archive, JudgmentEntry
from berryeval.errors import NotFoundError
from berryeval.service import collections as opened_collections
from berryeval.service.collections import Collections
from berryeval.service.jobs import CollectionJobs
from berryeval.service.middleware.collections import is_of_service
from berryeval.service.workbench.pages import ROUTERS
from service.conftest import BASE
from service.described_routes import PATHS
from service_server import new_app

HTML = {"Accept": "text/html"}
IDS = {"run_id": "0" * 64, "evaluation_id": "0" * 64, "job_id": "0" * 16, "verdict_id": "1"}
OPERATIONS = [
    (method.upper(), path)
    for path, methods in PATHS.items()
    for method in methods
    if not is_of_service(path)
]
PAGES = sorted(
    (method, route.path)
    for router in ROUTERS
    for route in router.routes
    if isinstance(route, Route)
    for method in route.methods
    if method != "HEAD"
)


def filled(path):
    """Return the path of a route with some ids."""
    parts = (part.partition(":")[0] for part in path.split("/"))
    return "/".join(
        IDS.get(part.strip("{}"), "x") if part.startswith("{") else part for part in parts
    )


@pytest.fixture
def two(archive):
    """A service with two collections besides the first, each with a judgment."""
    for name in ("shop", "legal"):
        with archive.open_collection(archive.collections.create(name)) as one:
            one.judgments.put([JudgmentEntry("q1", f"in-{name}", 1)], author="ada")
    archive.judgments.put([JudgmentEntry("q1", "in-first", 1)], author="ada")


@pytest.fixture
def bearer(archive):
    """Return the headers of a new token."""

    def create(name, role="admin", collections=None):
        return {"Authorization": f"Bearer {archive.tokens.create(name, role, collections)}"}

    return create


def judged(client, address="/v1/judgments", **more):
    """Return the judged documents that a list shows."""
    answer = client.get(address, **more)
    assert answer.status_code == 200, answer.text
    return [item["doc_id"] for item in answer.json()["items"]]


@pytest.mark.usefixtures("two")
def test_clients_that_name_no_collection_use_the_first(client):
    """Clients that predate collections keep working."""
    assert judged(client) == ["in-first"]
    assert judged(client, "/v1/judgments?collection=default") == ["in-first"]
    assert judged(client, "/c/default/v1/judgments") == ["in-first"]


@pytest.mark.usefixtures("two")
def test_a_parameter_or_a_prefix_chooses_a_collection(client):
    """Both forms work for every route."""
    assert judged(client, "/v1/judgments?collection=shop") == ["in-shop"]
    assert judged(client, "/c/legal/v1/judgments") == ["in-legal"]
    assert judged(client, "/c/legal/v1/judgments?collection=legal") == ["in-legal"]


@pytest.mark.usefixtures("two")
def test_two_different_collections_are_refused(client):
    """Neither is silently preferred."""
    one, other = "/c/legal/v1/judgments?collection=shop", "?collection=shop&collection=x"
    for address in (one, f"/v1/judgments{other}"):
        answer = client.get(address)
        assert answer.status_code == 422
        assert "expected one" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["nope", "../x", "x" * 300, "größe", "", "a\0b", "Shop"])
@pytest.mark.usefixtures("two")
def test_an_unknown_or_hostile_name_is_not_found(client, name):
    """This holds for any name, as a parameter or a prefix."""
    answer = client.get("/v1/judgments", params={"collection": name})
    assert (answer.status_code, answer.json()["where"]) == (404, "collection")
    if name and "\0" not in name:
        assert client.get(f"/c/{name}/v1/judgments").status_code == 404


@pytest.mark.usefixtures("two")
def test_writes_stay_in_their_collection(client):
    """Writes to one are invisible in all others, and addresses in responses lead back to it."""
    query = {"text": "how?"}
    answer = client.put("/v1/queries/q9?collection=shop", json=query)
    assert answer.status_code == 201
    assert answer.headers["location"] == "/c/shop/v1/queries/q9"
    assert client.get(answer.headers["location"]).status_code == 200
    for prefix in ("", "/c/legal"):
        assert client.get(f"{prefix}/v1/queries/q9").status_code == 404


@pytest.mark.usefixtures("two")
def test_the_next_page_is_of_the_same_collection(client, archive):
    """This holds for both forms of requests."""
    with archive.open_collection(archive.collections.get("shop")) as shop:
        shop.judgments.put([JudgmentEntry("q2", "more", 1)], author="ada")
    for address in ("/c/shop/v1/judgments?limit=1", "/v1/judgments?limit=1&collection=shop"):
        answer = client.get(address)
        assert judged(client, answer.json()["next"]) == ["more"]
        assert answer.links["next"]["url"] == answer.json()["next"]


@pytest.mark.usefixtures("two")
def test_stores_and_judgments_belong_to_a_collection(client):
    """E5's judgments are shared by the stores of a collection, and by no others."""
    document = {"documents": [{"doc_id": "d1", "title": "", "text": "reset a password"}]}
    assert client.post("/c/shop/v1/stores/default/documents", json=document).status_code == 200
    judgment = [{"query_id": "q1", "doc_id": "d1", "relevance": 2}]
    client.post("/v1/evaluation/judgments?collection=shop", json=judgment)
    body = {"queries": [{"id": "q1", "query": "password"}], "store": "default", "ks": [1]}
    scored = {
        name: client.post(f"/v1/evaluation/evaluate?collection={name}", json=body).json()
        for name in ("shop", "legal")
    }
    assert scored["shop"]["summary"]["mean_mrr"] == 1.0
    assert scored["legal"]["summary"]["mean_mrr"] == 0.0
    rated = {
        "requests": [{"id": "a", "request": {"query": {"match": {"text": "password"}}},
                      "ratings": [{"_index": "default", "_id": "d1", "rating": 1}]}],
        "metric": {"precision": {"k": 1}},
    }  # fmt: skip
    found = [client.post(f"{prefix}/_rank_eval", json=rated) for prefix in ("/c/shop", "/c/legal")]
    assert [answer.json()["metric_score"] for answer in found] == [1.0, 0.0]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_a_limited_token_reaches_no_other_collection(limited, method, path):
    """No route of the API allows it, in either form or by default."""
    client, headers = limited
    for address in (f"/c/legal{filled(path)}", f"{filled(path)}?collection=legal", filled(path)):
        answer = client.request(method, address, headers=headers)
        assert answer.status_code == 403, (address, answer.text)
        assert "may not use the collection" in answer.text


@pytest.mark.parametrize(("method", "path"), PAGES)
def test_a_limited_token_sees_no_page_of_another_collection(limited, method, path):
    """A page without a collection leads to one that the token may use."""
    client, headers = limited
    answer = client.request(method, f"/c/legal{filled(path)}", headers=headers | HTML)
    assert answer.status_code == 403
    answer = client.request(method, filled(path), headers=headers | HTML, follow_redirects=False)
    assert answer.status_code == (303 if method == "GET" else 403)
    if method == "GET":
        assert answer.headers["location"] == f"/c/shop{filled(path)}"


@pytest.fixture(scope="module")
def limited(tmp_path_factory):
    """A service with two further collections, and an admin of one of them."""
    path = tmp_path_factory.mktemp("limited") / "berryeval.db"
    with Archive.open(path) as archive:
        for name in ("shop", "legal"):
            archive.collections.create(name)
        token = archive.tokens.create("shop-admin", "admin", ["shop"])
        with TestClient(new_app(archive), base_url=BASE) as client:
            yield client, {"Authorization": f"Bearer {token}"}


def test_a_limited_token_may_use_its_collection(limited):
    """It may read and write, within its role."""
    client, headers = limited
    answer = client.put("/c/shop/v1/queries/q1", json={"text": "how?"}, headers=headers)
    assert answer.status_code == 201
    assert client.get("/v1/queries/q1?collection=shop", headers=headers).status_code == 200
    assert client.get("/c/shop/", headers=headers | HTML).status_code == 200


def test_a_limited_admin_manages_no_collections(limited):
    """It lists only what it may use, and creates and removes nothing."""
    client, headers = limited
    listed = client.get("/v1/collections", headers=headers).json()["items"]
    assert [item["name"] for item in listed] == ["shop"]
    assert client.get("/v1/collections/shop", headers=headers).status_code == 200
    assert client.get("/v1/collections/legal", headers=headers).status_code == 403
    for name in ("new", "shop"):
        changed = client.put(f"/v1/collections/{name}", json={"title": "x"}, headers=headers)
        assert changed.status_code == 403
        assert client.delete(f"/v1/collections/{name}", headers=headers).status_code == 403
    assert client.get("/metrics", headers=headers).status_code == 200


@pytest.mark.usefixtures("two")
def test_a_token_that_is_left_with_no_collection_may_use_nothing(client, archive, bearer):
    """Removing its only collection does not open the others to it."""
    headers = bearer("ci", "read", ["shop"])
    archive.collections.remove("shop")
    answer = client.get("/v1/judgments", headers=headers)
    assert answer.status_code == 403
    assert "ask an administrator" in answer.json()["detail"]
    assert client.get("/", headers=headers | HTML, follow_redirects=False).status_code == 403


@pytest.mark.usefixtures("two")
def test_collections_are_managed_over_http(client):
    """They can be created, retitled, listed and removed."""
    made = client.put("/v1/collections/new", json={"title": "Größen"})
    assert (made.status_code, made.headers["location"]) == (201, "/v1/collections/new")
    assert client.put("/v1/collections/new", json={}).json()["title"] == "Größen"
    assert client.put("/v1/collections/new", json={"title": "Sizes"}).status_code == 200
    listed = client.get("/v1/collections").json()["items"]
    assert [item["title"] for item in listed] == ["default", "shop", "legal", "Sizes"]
    assert client.delete("/v1/collections/new").status_code == 204
    assert client.get("/v1/collections/new").status_code == 404
    assert client.delete("/v1/collections/new").status_code == 404
    assert client.delete("/v1/collections/default").status_code == 422
    for name in ("Shop", "..", "x" * 41):
        assert client.put(f"/v1/collections/{name}", json={}).status_code in (404, 422)


@pytest.mark.usefixtures("two")
def test_readers_do_not_manage_collections(client, bearer):
    """This requires the role admin."""
    headers = bearer("ada", "judge")
    assert client.put("/v1/collections/new", json={}, headers=headers).status_code == 403
    assert client.delete("/v1/collections/shop", headers=headers).status_code == 403


@pytest.mark.usefixtures("two")
def test_another_instance_sees_changes_with_its_next_request(client, tmp_path):
    """Two processes may serve the same archive."""
    with (
        Archive.open(tmp_path / "berryeval.db") as archive,
        TestClient(new_app(archive), base_url=BASE) as other,
    ):
        assert judged(other, "/c/shop/v1/judgments") == ["in-shop"]
        client.put("/v1/collections/new", json={})
        assert judged(other, "/c/new/v1/judgments") == []
        client.delete("/v1/collections/shop")
        assert other.get("/c/shop/v1/judgments").status_code == 404
        client.put("/v1/collections/shop", json={})
        assert judged(other, "/c/shop/v1/judgments") == []


@pytest.mark.usefixtures("two")
def test_links_and_forms_of_a_page_stay_in_its_collection(client):
    """Assets and the login are shared; all other addresses keep the prefix."""
    page = client.get("/c/shop/judgments", headers=HTML).text
    assert 'href="/c/shop/runs"' in page
    assert 'action="/c/shop/search"' in page
    assert 'hx-get="/c/shop/palette"' in page
    assert 'href="/runs"' not in page
    assert "/c/shop/assets" not in page
    assert "/login?next=/c/shop/judgments" in page
    assert "in-shop" in page
    assert "in-first" not in page
    by_parameter = client.get("/judgments?collection=shop", headers=HTML).text
    assert 'href="/c/shop/runs"' in by_parameter
    first = client.get("/judgments", headers=HTML).text
    assert 'href="/runs"' in first
    assert 'href="/c/shop/"' in first  # the switcher
    assert "/c/shop/runs" not in first


@pytest.mark.usefixtures("two")
def test_redirects_stay_in_their_collection(client):
    """This includes redirects after a form was sent."""
    sent = client.post(
        "/c/shop/judgments/policy", data={"field": "rule", "rule": "mean"}, headers=HTML,
        follow_redirects=False,
    )  # fmt: skip
    assert sent.status_code == 303
    assert sent.headers["location"].startswith("/c/shop/judgments/policy?")
    rules = [client.get(f"{prefix}/v1/judging").json()["rule"] for prefix in ("/c/shop", "")]
    assert rules == ["mean", "first"]


@pytest.mark.usefixtures("two")
def test_a_browser_logs_in_and_returns_to_its_collection(service, archive):
    """The login is the same for all collections."""
    token = archive.tokens.create("ada", "read", ["shop"])
    client = service(is_token_required=True)
    away = client.get("/c/shop/judgments", headers=HTML, follow_redirects=False)
    assert away.headers["location"] == "/login?next=/c/shop/judgments"
    form = {"token": token, "next": "/c/shop/judgments"}
    page = client.post("/c/shop/login", data=form, headers=HTML)
    assert page.url.path == "/c/shop/judgments"
    assert "in-shop" in page.text


@pytest.mark.usefixtures("two")
def test_jobs_belong_to_a_collection(client):
    """They are listed, followed and cancelled only there; their addresses work."""
    prefer = {"Prefer": "respond-async"}
    started = client.get("/c/shop/v1/history?measure=RR", headers=prefer)
    assert started.status_code == 202
    address = started.headers["location"]
    assert address.startswith("/c/shop/v1/jobs/")
    assert "event: done" in client.get(f"{address}/events").text
    state = client.get(address).json()
    assert client.get(state["result"]).status_code == 200
    assert [job["id"] for job in client.get("/c/shop/v1/jobs").json()["items"]] == [state["id"]]
    for prefix in ("", "/c/legal"):
        assert client.get(f"{prefix}/v1/jobs").json()["items"] == []
        assert client.get(f"{prefix}/v1/jobs/{state['id']}").status_code == 404


def test_only_a_few_collections_stay_open(client, archive, monkeypatch):
    """The least recently used is closed, and opened again when needed."""
    monkeypatch.setattr(opened_collections, "MAX_OPEN", 2)
    for name in ("a", "b", "c"):
        archive.collections.create(name)
    opened = client.app.state.collections._opened
    for name in ("a", "b", "a", "c", "b"):
        assert judged(client, f"/c/{name}/v1/judgments") == []
        assert len(opened) <= 2
    assert [one.name for one in opened.values()] == ["c", "b"]


def test_a_collection_in_use_is_neither_closed_nor_removed(client, archive, monkeypatch):
    """This holds even if there are too many; it is closed when the last request ends."""
    monkeypatch.setattr(opened_collections, "MAX_OPEN", 0)
    monkeypatch.setattr(opened_collections, "_PATIENCE_SECONDS", 0.05)
    archive.collections.create("a")
    archive.collections.create("b")
    collections: Collections = client.app.state.collections
    used = collections.take("a")
    assert collections.take("a") is used
    used.release()
    assert judged(client, "/c/b/v1/judgments") == []
    assert used.is_open
    answer = client.delete("/v1/collections/a")
    assert (answer.status_code, answer.json()["where"]) == (409, "collection")
    assert judged(client, "/c/a/v1/judgments") == []
    used.release()
    assert client.delete("/v1/collections/a").status_code == 204
    assert not used.is_open


def until_cancelled(progress) -> Response:
    """Work that never ends by itself."""
    while True:
        progress.check()


@pytest.mark.usefixtures("two")
def test_a_waiting_job_keeps_its_collection_open(client, monkeypatch):
    """Otherwise it would find a closed archive when its turn comes."""
    monkeypatch.setattr(opened_collections, "MAX_OPEN", 0)
    jobs, collections = client.app.state.jobs, client.app.state.collections
    others = [jobs.start("slow", until_cancelled, owner="ada") for _ in range(2)]
    prefer = {"Prefer": "respond-async"}
    address = client.get("/c/shop/v1/history?measure=RR", headers=prefer).headers["location"]
    [shop] = collections._opened.values()
    assert judged(client, "/c/legal/v1/judgments") == ["in-legal"]
    assert shop.is_open
    for job in others:
        jobs.cancel(job)
    assert "event: done" in client.get(f"{address}/events").text
    assert judged(client, "/c/legal/v1/judgments") == ["in-legal"]
    assert not shop.is_open


@pytest.mark.usefixtures("two")
def test_jobs_of_a_removed_collection_are_cancelled(client):
    """Waiting jobs end immediately, and running ones before their next step."""
    jobs, collections = client.app.state.jobs, client.app.state.collections
    used = collections.take("shop")
    used.release()
    started = [
        CollectionJobs(jobs, used.place, used.prefix, used.take, used.release).start(
            "slow", until_cancelled, owner="ada"
        )
        for _ in range(3)
    ]
    collections.remove("shop")
    for job in started:
        assert jobs.wait(job, 10)
        assert job.state == "cancelled"
    assert not used.is_open


@pytest.mark.usefixtures("two")
def test_a_job_that_is_refused_keeps_no_collection_open(client):
    """A job is rejected if there are too many."""
    jobs, collections = client.app.state.jobs, client.app.state.collections
    started = [jobs.start("slow", until_cancelled, owner="ada") for _ in range(jobs._most)]
    prefer = {"Prefer": "respond-async"}
    assert client.get("/c/shop/v1/history?measure=RR", headers=prefer).status_code == 503
    assert client.delete("/v1/collections/shop").status_code == 204
    for job in started:
        jobs.cancel(job)
    assert collections.open_states() == [collections.home.state]


def test_a_collection_that_is_being_removed_is_not_found(client, archive, monkeypatch):
    """A request that arrives in the meantime does not open it again."""
    archive.collections.create("a")
    collections: Collections = client.app.state.collections
    removed = type(archive.collections).remove
    seen = []

    def remove(self, name):
        with pytest.raises(NotFoundError):
            collections.take(name)
        seen.append(name)
        removed(self, name)

    monkeypatch.setattr(type(archive.collections), "remove", remove)
    collections.remove("a")
    assert seen == ["a"]


def test_a_collection_that_cannot_be_opened_is_reported(client, archive, tmp_path):
    """Its file may be gone; the others are not affected, and it is tried again."""
    place = archive.collections.create("a").place
    file = tmp_path / "berryeval.db.collections" / f"{place}.db"
    content = file.read_bytes()
    file.unlink()
    answer = client.get("/c/a/v1/judgments")
    assert (answer.status_code, answer.json()["type"][-7:]) == (503, "archive")
    assert judged(client) == []
    file.write_bytes(content)
    assert judged(client, "/c/a/v1/judgments") == []


def test_collections_are_closed_with_the_service(archive):
    """They are opened again when it restarts."""
    archive.collections.create("a")
    app = new_app(archive)
    for _ in range(2):
        with TestClient(app, base_url=BASE) as client:
            assert judged(client, "/c/a/v1/judgments") == []
            [opened] = app.state.collections._opened.values()
        assert not opened.is_open
        assert not app.state.collections._opened
