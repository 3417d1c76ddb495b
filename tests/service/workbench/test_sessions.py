"""Logging in with a token, and what a page of another site cannot do with it."""

import pytest

from service.workbench.html import HTML, get_page, parse

BASE = "http://quality.example"
OWN = {"Origin": BASE}


@pytest.fixture
def token(archive):
    """A token that may judge."""
    return archive.tokens.create("ada", "judge")


@pytest.fixture
def guarded(service):
    """A service that others can reach; it asks for a token."""
    return service(BASE, host="0.0.0.0")  # noqa: S104


def log_in(client, token, **form):
    return client.post("/login", data={"token": token, **form}, headers=OWN, follow_redirects=False)


def test_who_is_not_known_is_asked_for_a_token_and_comes_back(guarded, token):
    """To the page that was wanted."""
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


def test_the_cookie_is_for_this_service_alone(guarded, token):
    """No script reads it, no other site sends it; over https nothing else carries it."""
    cookie = log_in(guarded, token).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    origin = {"Origin": "https://quality.example"}
    secure = guarded.post("/login", data={"token": token}, headers=origin, follow_redirects=False)
    assert "secure" in secure.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("token", "said"), [("", "Paste a token."), ("bev_x", "Unknown or revoked token.")]
)
def test_a_wrong_token_is_told_so(guarded, token, said):
    """On the same page, and without a cookie."""
    answer = log_in(guarded, token)
    assert (answer.status_code, "set-cookie" in answer.headers) == (401, False)
    assert parse(answer.text).find(id="error").text == said


def test_the_api_takes_the_cookie_from_our_own_pages_alone(guarded, token):
    """CSRF: whatever changes something has to come from a page of this service."""
    log_in(guarded, token)
    body = {"judgments": [{"query_id": "q1", "doc_id": "d1", "grade": 1}]}
    assert guarded.get("/v1/judgments").status_code == 200
    assert guarded.post("/v1/judgments", json=body).status_code == 403
    for origin in ("https://evil.example", "null", "http://quality.example.evil"):
        refused = guarded.post("/v1/judgments", json=body, headers={"Origin": origin})
        assert refused.json()["type"].endswith("foreign-origin")
    assert guarded.post("/v1/judgments", json=body, headers=OWN).status_code == 200
    assert guarded.get("/v1/judgments").json()["items"][0]["author"] == "ada"


def test_nobody_can_be_logged_in_by_another_site(guarded, token):
    """Judgments would carry a stranger's name."""
    refused = guarded.post(
        "/login", data={"token": token}, headers={"Origin": "https://evil.example"}
    )
    assert (refused.status_code, "set-cookie" in refused.headers) == (403, False)


def test_a_revoked_token_ends_what_it_began(guarded, archive, token, monkeypatch):
    """A page leads to the login, a part takes its whole page there, a program gets 401."""
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


def test_logging_out_forgets_the_token(guarded, token):
    """The next page asks for one."""
    log_in(guarded, token)
    guarded.post("/logout", headers=OWN, follow_redirects=False)
    assert guarded.get("/search", headers=HTML, follow_redirects=False).status_code == 303


def test_on_this_machine_one_may_log_in_to_judge_under_a_name(client, archive):
    """Without a token one is local; an unknown cookie is as good as none."""
    assert get_page(client, "/search").find("span", class_="name").text == "local admin"
    token = archive.tokens.create("bob", "read")
    origin = {"Origin": str(client.base_url).rstrip("/")}
    client.post("/login", data={"token": token}, headers=origin, follow_redirects=False)
    assert get_page(client, "/search").find("span", class_="name").text == "bob read"
    client.cookies.set("berryeval_token", "bev_unknown", domain="localhost.local")
    client.cookies.clear()
    assert get_page(client, "/search").find("span", class_="name").text == "local admin"


@pytest.mark.parametrize(
    "wanted", ["https://evil.example", "//evil.example", "/\\evil", "", "/a\nb"]
)
def test_a_login_leads_nowhere_else(guarded, token, wanted):
    """A foreign address leads to the first page."""
    assert log_in(guarded, token, next=wanted).headers["location"] == "/"
