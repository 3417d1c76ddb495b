"""Access: tokens with roles, and protection against other sites."""

import pytest

from berryeval.service.middleware.rates import RateLimit
from berryeval.service.settings import ServiceSettings, is_loopback
from service_data import judgments
from waiting import wait_until

JUDGED = {"judgments": judgments(1, 1)}


@pytest.fixture
def tokens(archive):
    """A token of each role, as headers."""
    return {
        role: {"Authorization": f"Bearer {archive.tokens.create(role, role)}"}
        for role in ("read", "judge", "admin")
    }


@pytest.fixture
def guarded(service):
    """A service that is reachable from other hosts."""
    return service("http://quality.example", host="0.0.0.0")  # noqa: S104


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.3.2.1", True), ("::1", True), ("[::1]", True),
     ("localhost", True), ("192.0.2.1", False), ("192.168.0.7", False), ("::", False),
     ("quality.example", False)],
)  # fmt: skip
def test_a_token_is_required_if_others_can_reach_the_service(host, expected):
    """Only loopback needs none."""
    assert is_loopback(host) is expected
    assert ServiceSettings(host=host).needs_token is not expected


def test_without_a_token_nothing_is_returned(guarded):
    """401 explains how to get one; only health and the API description are open."""
    refused = guarded.get("/v1/judgments")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == 'Bearer realm="berryeval"'
    assert "berryeval token create" in refused.json()["way_out"]
    assert guarded.get("/metrics").status_code == 401
    for path in ("/healthz", "/readyz", "/openapi.json", "/docs"):
        assert guarded.get(path).status_code == 200
    for path in ("/docs/", "/docs%2Fx", "/healthz/../v1/runs", "/docs/%2E%2E/v1/runs", "/%64ocs"):
        assert guarded.get(path).status_code == 401


@pytest.mark.parametrize("value", ["Bearer", "Bearer ", "Basic YTpi", "Bearer bev_wrong", "é"])
def test_an_invalid_token_is_rejected(guarded, value):
    """Other schemes, empty and wrong tokens are rejected."""
    headers = {"Authorization": value.encode()}
    assert guarded.get("/v1/judgments", headers=headers).status_code == 401
    assert guarded.get("/healthz", headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "body", "needed"),
    [
        ("GET", "/v1/judgments", None, "read"),
        ("GET", "/metrics", None, "read"),
        ("POST", "/v1/judgments", JUDGED, "judge"),
        ("PUT", "/v1/judgments/q/d", {"grade": 1}, "judge"),
        ("PUT", "/v1/queries/q", {"text": "?"}, "judge"),
        ("PUT", "/v1/gates/g", {"guards": [{"measure": "RR", "at_least": 0}]}, "admin"),
        ("DELETE", f"/v1/runs/{'0' * 64}", None, "admin"),
    ],
)
def test_each_role_includes_the_lower_ones(guarded, tokens, method, path, body, needed):
    """A lower role is rejected, and the message names the required one."""
    roles = ["read", "judge", "admin"]
    for role in roles:
        answer = guarded.request(method, path, json=body, headers=tokens[role])
        if roles.index(role) < roles.index(needed):
            assert answer.status_code == 403
            assert (answer.json()["expected"], answer.json()["found"]) == (needed, role)
        else:
            assert answer.status_code not in (401, 403)


ADMIN = {
    "create_store", "remove_store", "index_documents", "remove_store_document", "set_baseline",
    "remove_baseline", "set_gate", "remove_gate", "remove_run", "set_judging", "put_collection",
    "remove_collection", "create_project", "remove_project", "set_project_state",
    "settle_in_project", "register_system", "remove_system", "store_admissions",
    "store_label_draw", "remove_label_draw",
}  # fmt: skip
COMPUTING = {
    "compare_runs", "list_holes", "evaluate_ranking", "evaluate_ranking_everywhere",
    "cancel_job",  # checks the owner
}  # fmt: skip


def test_every_route_that_changes_data_requires_more_than_a_reader(client):
    """Judges add data, admins manage baselines and gates, and readers may compute."""
    found = {
        operation["operationId"]: operation["x-role"]
        for methods in client.get("/openapi.json").json()["paths"].values()
        for method, operation in methods.items()
        if method != "get"
    }
    assert {name for name, role in found.items() if role == "admin"} == ADMIN
    assert {name for name, role in found.items() if role == "read"} == COMPUTING


def test_the_use_of_a_token_is_recorded(guarded, tokens, archive):
    """This happens in the background, so that no request waits for it."""
    assert guarded.get("/v1/queries", headers=tokens["read"]).status_code == 200
    wait_until(lambda: {token.name: token for token in archive.tokens.page().items}["read"].used_at)


def test_every_get_route_is_open_to_readers(client):
    """The exception is registered systems, which contain addresses of other servers."""
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        if path.startswith("/v1") and not path.startswith("/v1/systems"):
            assert methods.get("get", {}).get("x-role", "read") == "read", path


def test_a_judgment_has_the_name_of_its_token(guarded, tokens):
    """Only an admin can judge for another author."""
    judged = guarded.put("/v1/judgments/q/d", json={"grade": 1}, headers=tokens["judge"])
    assert judged.json()["author"] == "judge"
    for role, status in (("judge", 403), ("admin", 201)):
        body = {"grade": 1, "author": "ada"}
        answer = guarded.put("/v1/judgments/q/e", json=body, headers=tokens[role])
        assert answer.status_code == status
    assert guarded.get("/v1/judgments/q/e", headers=tokens["read"]).json()["author"] == "ada"
    own = {"grade": 1, "author": "judge"}
    assert guarded.put("/v1/judgments/q/f", json=own, headers=tokens["judge"]).status_code == 201


def test_a_revoked_token_expires_within_seconds(guarded, tokens, archive, monkeypatch):
    """A cached token is looked up again after a while."""
    assert guarded.get("/v1/jobs", headers=tokens["read"]).status_code == 200
    archive.tokens.revoke("read")
    monkeypatch.setattr("berryeval.service.lru_cache.time.monotonic", lambda: 1e12)
    assert guarded.get("/v1/jobs", headers=tokens["read"]).status_code == 401


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("LOCALHOST:1", 200), ("127.0.0.1:8765", 200), ("[::1]:8765", 200),
     ("quality.local", 200), ("evil.example", 403), ("localhost.evil.example", 403),
     ("evil.example:8765", 403), ("", 403), ("[", 403), ("127.0.0.1@evil.example", 403)],
)  # fmt: skip
def test_an_unknown_host_name_is_rejected_on_loopback(service, host, status):
    """This prevents DNS rebinding."""
    client = service(allowed_hosts=("quality.local",))
    assert client.get("/v1/judgments", headers={"Host": host}).status_code == status


def test_with_a_token_any_host_name_is_accepted(client, tokens):
    """A browser cannot be tricked into sending a token."""
    client.post("/v1/judgments", json={"judgments": judgments(1, 2)})
    for host in ("quality.example", "[", "a b"):
        headers = {"Host": host, **tokens["read"]}
        assert client.get("/v1/judgments?limit=1", headers=headers).status_code == 200


@pytest.mark.parametrize(
    ("origin", "status"),
    [(None, 200), ("http://localhost:8765", 200), ("https://evil.example", 403), ("null", 403),
     ("http://localhost:9999", 403), ("http://[", 403), ("http://evil-localhost:8765", 403),
     ("http://localhost:8765.evil.example", 403)],
)  # fmt: skip
def test_other_sites_cannot_change_data(client, origin, status):
    """A request that changes data has the Origin of this service, or none."""
    headers = {} if origin is None else {"Origin": origin}
    assert client.post("/v1/judgments", json=JUDGED, headers=headers).status_code == status
    assert client.get("/v1/judgments", headers=headers).status_code == 200


def test_tokens_can_be_required_on_loopback(service, tokens):
    """This is for services behind a proxy."""
    client = service(is_token_required=True)
    assert client.get("/v1/judgments").status_code == 401
    assert client.get("/v1/judgments", headers=tokens["read"]).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Basic wrong"},
        {"Cookie": "berryeval_session=wrong", "Origin": "http://localhost:8765"},
        {},
    ],
)
def test_attempts_without_access_are_limited_by_address(service, archive, monkeypatch, headers):
    """They get 429 without a look-up, and valid tokens that were used before are not affected."""
    ada = {"Authorization": f"Bearer {archive.tokens.create('ada', 'read')}"}
    client = service(is_token_required=True, max_rate=2)
    assert client.get("/v1/runs", headers=ada).status_code == 200
    # As time passes, more attempts are allowed.
    monkeypatch.setattr(RateLimit.__init__, "__defaults__", (lambda: 0.0,))
    looked_up = []
    for table in (archive.tokens, archive.sessions):
        verify = table.verify
        monkeypatch.setattr(
            table, "verify", lambda secret, verify=verify: looked_up.append(1) or verify(secret)
        )
    client = service(is_token_required=True, max_rate=2)
    assert client.get("/v1/runs", headers=ada).status_code == 200
    statuses = [client.get("/v1/runs", headers=headers).status_code for _ in range(60)]
    assert statuses[:20] == [401] * 20
    assert statuses.count(429) > 20
    assert len(looked_up) < 40
    answer = client.get("/v1/runs", headers=headers)
    assert int(answer.headers["Retry-After"]) >= 1
    assert client.get("/v1/runs", headers=ada).status_code == 200
