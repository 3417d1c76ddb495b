"""Pages of other sites cannot make the service work."""

import pytest
from starlette.testclient import TestClient

from berryeval.service.middleware.access import COOKIE
from service_server import application

BASE = "http://quality.example"
IMAGE = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
LINK = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
FOREIGN = ["cross-site", "same-site"]


@pytest.fixture(scope="module", params=["local", "session"])
def browser(request, tmp_path_factory):
    """A browser on the machine of the service, or one that is logged in; no test stores data."""
    is_local = request.param == "local"
    host = "127.0.0.1" if is_local else "0.0.0.0"  # noqa: S104
    with (
        application(tmp_path_factory.mktemp("service"), host=host) as app,
        TestClient(app, base_url="http://localhost:8765" if is_local else BASE) as client,
    ):
        if not is_local:
            archive = app.state.archive
            token = archive.tokens.create("ada", "admin")
            client.cookies.set(COOKIE, archive.sessions.start(token))
        yield client


@pytest.mark.parametrize("site", FOREIGN)
@pytest.mark.parametrize(
    "fetched",
    [
        IMAGE,
        {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
        {**LINK, "Sec-Purpose": "prefetch;prerender"},
        {},
    ],
    ids=["image", "script", "frame", "prerendered", "unknown"],
)
@pytest.mark.parametrize("path", ["/power?margin=0.001", "/compare", "/v1/history", "/metrics"])
def test_a_page_of_another_site_loads_nothing(browser, path, site, fetched):
    """An image or a frame with an expensive address costs the service nothing."""
    answer = browser.get(path, headers={"Sec-Fetch-Site": site, **fetched})
    assert answer.status_code == 403
    assert answer.json()["type"].endswith(":foreign-origin")


@pytest.mark.parametrize("path", ["/assets/berry.svg", "/healthz", "/readyz", "/docs", "/login"])
def test_a_page_of_another_site_cannot_find_a_local_service(client, path):
    """Without a token, this also holds for paths that never need one."""
    assert client.get(path, headers={"Sec-Fetch-Site": "cross-site", **IMAGE}).status_code == 403


@pytest.mark.parametrize("site", FOREIGN)
def test_a_link_of_another_site_can_be_followed(browser, site):
    """Only with GET: a form of another site is rejected."""
    headers = {"Sec-Fetch-Site": site, **LINK}
    assert browser.get("/search", headers=headers).status_code == 200
    own = {**headers, "Origin": str(browser.base_url)}
    for method in ("POST", "HEAD"):
        assert browser.request(method, "/search", headers=own).status_code == 403


@pytest.mark.parametrize("site", ["same-origin", "none", None])
def test_our_own_pages_and_typed_addresses_are_served(browser, site):
    """So are programs, which do not send these headers."""
    headers = {} if site is None else {"Sec-Fetch-Site": site, **IMAGE}
    assert browser.get("/v1/judgments", headers=headers).status_code == 200


@pytest.mark.parametrize("site", FOREIGN)
def test_a_token_is_accepted_from_any_page(client, archive, site):
    """A page with a token is trusted."""
    bearer = {"Authorization": f"Bearer {archive.tokens.create('ada', 'read')}"}
    headers = {"Sec-Fetch-Site": site, **IMAGE, **bearer}
    assert client.get("/v1/judgments", headers=headers).status_code == 200


def test_open_paths_of_a_public_service_are_open_to_all_pages(service):
    """Anyone can call them there, with or without a browser."""
    client = service(BASE, host="0.0.0.0")  # noqa: S104
    for path in ("/healthz", "/readyz", "/login"):
        headers = {"Sec-Fetch-Site": "cross-site", **IMAGE}
        assert client.get(path, headers=headers).status_code == 200
