"""Logging in with a token, and protection against requests from other sites."""

import shlex
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.testclient import TestClient

from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.projects.records import PairSelection, ProjectPlan
from berryeval.service import ServiceSettings
from berryeval.service.middleware.access import COOKIE
from service.workbench.html import HTML, get_page, parse
from service_server import new_app

BASE = "http://quality.example"
OWN = {"Origin": BASE}


@pytest.fixture
def token(archive):
    """A token with the role judge."""
    return archive.tokens.create("ada", "judge")


@pytest.fixture
def guarded(service):
    """A service that is reachable from other hosts and requires a token."""
    return service(BASE, host="0.0.0.0")  # noqa: S104


def log_in(client, token, **form):
    return client.post("/login", data={"token": token, **form}, headers=OWN, follow_redirects=False)


def status_of_page(client, session_id=None):
    cookie = {} if session_id is None else {"Cookie": f"{COOKIE}={session_id}"}
    return client.get("/search", headers={**HTML, **cookie}, follow_redirects=False).status_code


def test_an_unknown_user_logs_in_and_returns(guarded, token):
    """The login redirects to the requested page."""
    asked = guarded.get("/search?q=a%20b", headers=HTML, follow_redirects=False)
    assert (asked.status_code, asked.headers["location"]) == (
        303,
        "/login?next=/search%3Fq%3Da%2520b",
    )
    page = get_page(guarded, asked.headers["location"])
    wanted = page.find("input", name="next")["value"]
    answer = log_in(guarded, token, next=wanted)
    assert (answer.status_code, answer.headers["location"]) == (303, "/search?q=a%20b")
    page = get_page(guarded, "/search")
    assert page.find("span", class_="name").text == "ada judge"


def test_a_judge_starts_where_documents_wait(guarded, archive, token):
    """A project in another collection is found, unless the address names a page."""
    archive.collections.create("pets", "Pets")
    with archive.open_collection(archive.collections.get("pets")) as pets:
        pets.judgments.put([JudgmentEntry("q1", "d1", 1)], author="eve")
        plan = ProjectPlan(PairSelection("sample", (), limit=1), 2, ("ada", "bob"))
        pets.projects.create("team", plan, author="eve")
    answer = log_in(guarded, token)
    assert answer.headers["location"] == "/c/pets/"
    found = "Project team waits for you: judge 1 document ."
    for address in ("/c/pets/", "/c/pets/projects", "/c/pets/judge"):
        assert found in get_page(guarded, address).find("main").text
    page = get_page(guarded, "/c/pets/projects/team")
    link = page.find("button", data_copy=f"{BASE}/c/pets/judge?project=team")
    assert link.text == "Copy the link for judges"
    assert log_in(guarded, token, next="/runs").headers["location"] == "/runs"


def test_the_cookie_is_restricted_to_this_service(guarded, token):
    """Scripts cannot read it, other sites cannot send it, and with https it is secure."""
    cookie = log_in(guarded, token).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    origin = {"Origin": "https://quality.example"}
    secure = guarded.post("/login", data={"token": token}, headers=origin, follow_redirects=False)
    assert "secure" in secure.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("token", "message"), [("", "Paste a token."), ("bev_x", "Unknown or revoked token.")]
)
def test_a_wrong_token_is_rejected(guarded, token, message):
    """The login page is shown again, without a cookie."""
    answer = log_in(guarded, token)
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert parse(answer.text).find(id="error").text == message


def test_the_command_for_a_token_names_the_archive_that_is_served(guarded, client, archive):
    """The page needs no login: it shows no folder, and no name if tokens are required."""
    command = "berryeval token create NAME --role judge --archive"
    assert get_page(client, "/login").find("details").find("code").text == (
        f"{command} {shlex.quote(Path(archive.name).name)}"
    )
    assert get_page(guarded, "/login").find("details").find("code").text == f"{command} ARCHIVE"


def test_the_api_accepts_the_cookie_only_from_our_own_pages(guarded, token):
    """CSRF: requests that change data must come from a page of this service."""
    log_in(guarded, token)
    body = {"judgments": [{"query_id": "q1", "doc_id": "d1", "grade": 1}]}
    assert guarded.get("/v1/judgments").status_code == 200
    assert guarded.post("/v1/judgments", json=body).status_code == 403
    for origin in ("https://evil.example", "null", "http://quality.example.evil"):
        refused = guarded.post("/v1/judgments", json=body, headers={"Origin": origin})
        assert refused.json()["type"].endswith("foreign-origin")
    assert guarded.post("/v1/judgments", json=body, headers=OWN).status_code == 200
    assert guarded.get("/v1/judgments").json()["items"][0]["author"] == "ada"


def test_another_site_cannot_log_a_user_in(guarded, token):
    """Otherwise judgments would have a stranger's name."""
    refused = guarded.post(
        "/login", data={"token": token}, headers={"Origin": "https://evil.example"}
    )
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


def test_a_revoked_token_ends_its_sessions(guarded, archive, token, monkeypatch):
    """A page redirects to the login, a part redirects its whole page, and a program gets 401."""
    log_in(guarded, token)
    assert guarded.get("/search", headers=HTML).status_code == 200
    archive.tokens.revoke("ada")
    monkeypatch.setattr("berryeval.service.lru_cache.time.monotonic", lambda: 1e12)
    assert guarded.get("/search", headers=HTML, follow_redirects=False).status_code == 303
    current = {"HX-Request": "true", "HX-Current-URL": f"{BASE}/judge?a=main"}
    part = guarded.get("/palette", headers=current)
    assert (part.status_code, part.headers["hx-redirect"]) == (401, "/login?next=/judge%3Fa%3Dmain")
    assert guarded.get("/v1/judgments").status_code == 401
    assert guarded.post("/search", headers=HTML | OWN, follow_redirects=False).status_code == 303


def test_the_cookie_does_not_contain_the_token(guarded, token):
    """Each login starts a session with an id of its own."""
    ids = set()
    for _ in range(2):
        answer = log_in(guarded, token)
        assert token not in str(answer.headers)
        ids.add(guarded.cookies[COOKIE])
    assert len(ids) == 2


def test_a_session_survives_a_restart(guarded, service, token):
    """Another process over the same archive accepts the cookie."""
    log_in(guarded, token)
    restarted = service(BASE, host="0.0.0.0")  # noqa: S104
    restarted.cookies.set(COOKIE, guarded.cookies[COOKIE])
    assert status_of_page(restarted) == 200


def test_logging_out_ends_a_copied_cookie_at_once(guarded, token):
    """The browser forgets the cookie, and the service rejects copies of it."""
    log_in(guarded, token)
    copied = guarded.cookies[COOKIE]
    assert status_of_page(guarded) == 200
    guarded.post("/logout", headers=OWN, follow_redirects=False)
    assert COOKIE not in guarded.cookies
    guarded.cookies.set(COOKIE, copied)
    assert status_of_page(guarded) == 303


def test_a_request_during_the_logout_does_not_extend_the_session(service, archive, token):
    """An answer of the archive from before the logout is not cached after it."""
    verify, started = archive.sessions.verify, []

    def verify_slowly(session_id):
        found = verify(session_id)
        if not started:
            started.append(session_id)
            guarded.post("/logout", headers=OWN, follow_redirects=False)
        return found

    archive.sessions.verify = verify_slowly
    guarded = service(BASE, host="0.0.0.0")  # noqa: S104
    log_in(guarded, token)
    copied = guarded.cookies[COOKIE]
    assert status_of_page(guarded) == 200
    guarded.cookies.set(COOKIE, copied)
    assert status_of_page(guarded) == 303


def test_other_instances_notice_within_five_seconds(guarded, archive, token, tmp_path, monkeypatch):
    """This holds if the session was ended, or if its token was revoked."""
    log_in(guarded, token)
    ended = guarded.cookies[COOKIE]
    log_in(guarded, token)
    revoked = guarded.cookies[COOKIE]
    began = time.monotonic()
    monkeypatch.setattr("berryeval.service.lru_cache.time", SimpleNamespace(monotonic=lambda: now))
    now = began
    with Archive.open(tmp_path / "berryeval.db") as same:
        app = new_app(same, ServiceSettings(host="0.0.0.0"))  # noqa: S104
        with TestClient(app, BASE) as other:
            for session_id in (ended, revoked):
                assert status_of_page(other, session_id) == 200
            guarded.post("/logout", headers={**OWN, "Cookie": f"{COOKIE}={ended}"})
            archive.tokens.revoke("ada")
            now = began + 5.0
            for session_id in (ended, revoked):
                assert status_of_page(other, session_id) == 303


def test_a_token_in_the_cookie_is_not_a_session(guarded, token):
    """Browsers of earlier versions, whose cookies contain the token, have to log in again."""
    bearer = {"Authorization": f"Bearer {token}"}
    assert guarded.get("/v1/judgments", headers=bearer).status_code == 200
    for name in (COOKIE, "berryeval_token"):
        assert (
            guarded.get("/v1/judgments", headers={"Cookie": f"{name}={token}"}).status_code == 401
        )


def test_a_session_id_is_not_a_token(guarded, token):
    """It is not accepted in the header of programs, which pages of other sites cannot forge."""
    log_in(guarded, token)
    session_id = guarded.cookies[COOKIE]
    assert guarded.get("/v1/judgments").status_code == 200
    bearer = {"Authorization": f"Bearer {session_id}"}
    assert guarded.get("/v1/judgments", headers=bearer).status_code == 401


def test_unknown_secrets_do_not_wait_for_writers(guarded, archive):
    """Strangers can neither delay writes nor fill threads with logins that wait for them."""
    with archive._database.writing():
        assert log_in(guarded, "bev_x").status_code == 401
        headers = {**OWN, "Cookie": f"{COOKIE}=unknown"}
        assert guarded.post("/logout", headers=headers, follow_redirects=False).status_code == 303


def test_a_local_user_may_log_in_to_judge_under_a_name(client, archive):
    """Without a token the user is named local; an unknown cookie is ignored."""
    assert get_page(client, "/search").find("span", class_="name").text == "local admin"
    token = archive.tokens.create("bob", "read")
    origin = {"Origin": str(client.base_url).rstrip("/")}
    client.post("/login", data={"token": token}, headers=origin, follow_redirects=False)
    assert get_page(client, "/search").find("span", class_="name").text == "bob read"
    client.cookies.clear()
    client.cookies.set(COOKIE, "unknown")
    assert get_page(client, "/search").find("span", class_="name").text == "local admin"


@pytest.mark.parametrize(
    "wanted", ["https://evil.example", "//evil.example", "/\\evil", "", "/a\nb"]
)
def test_a_login_redirects_only_to_this_service(guarded, token, wanted):
    """Another address redirects to the overview."""
    assert log_in(guarded, token, next=wanted).headers["location"] == "/"
