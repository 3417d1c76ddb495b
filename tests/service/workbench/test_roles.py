"""Permissions: every workbench route that writes, with its required role."""

import pytest

from berryeval.archive.records import ROLES
from berryeval.service.middleware.access import COOKIE
from berryeval.service.workbench import pages
from service.workbench.html import HTML

BASE = "http://quality.example"
RUN = "0" * 64

WRITING = {
    "/compare/baseline": "admin",
    "/compare/gate": "judge",
    "/gates/+new": "admin",
    "/gates/{name}": "admin",
    "/gates/{name}/remove": "admin",
    "/gates/{name}/verdicts": "judge",
    "/import": "judge",
    "/import/samples": "admin",
    "/import/store": "judge",
    "/judge": "judge",
    "/judge/answers": "judge",
    "/judge/next": "judge",
    "/judgments/imports/{import_id}/undo": "judge",
    "/judges/draws": "admin",
    "/judges/proposals/{query_id:id}": "judge",
    "/judgments/policy": "admin",
    "/judgments/{query_id:id}/{doc_id:id}": "judge",
    "/projects": "admin",
    "/projects/{name}": "admin",
    "/projects/{name}/settle": "admin",
    "/runs/{run_id}": "admin",
    "/collections": "admin",
    "/collections/{name}/title": "admin",
    "/collections/{name}/remove": "admin",
    "/tokens": "admin",
    "/tokens/{name:id}/revoke": "admin",
    "/try/queries": "judge",
    "/try/save": "judge",
    "/try/score": "judge",
    "/try/store": "admin",
    "/try/systems": "admin",
    "/try/systems/remove": "admin",
}
LOWER = [
    (path, role)
    for path, needed in WRITING.items()
    for role in ROLES[: ROLES.index(needed)]
]  # fmt: skip


@pytest.fixture
def guarded(service):
    """A service that is reachable from other hosts and requires a token."""
    return service(BASE, host="0.0.0.0")  # noqa: S104


def address_of(path):
    known = {
        "{import_id}": "1",
        "{name}": "release",
        "{name:id}": "release",
        "{query_id:id}": "q1",
        "{doc_id:id}": "d1",
        "{run_id}": RUN,
    }
    for field, value in known.items():
        path = path.replace(field, value)
    return path


def test_every_route_that_writes_is_listed():
    """A new route must declare its role here; all others only read."""
    found = {
        route.path: route.methods
        for router in pages.ROUTERS
        for route in router.routes
        if not route.methods <= {"GET", "HEAD"}
    }
    assert found == {path: {"POST"} for path in WRITING}


@pytest.mark.parametrize(("path", "role"), LOWER)
def test_a_lower_role_is_rejected(guarded, archive, path, role):
    """The role is checked before the body."""
    headers = {**HTML, "Authorization": f"Bearer {archive.tokens.create('eve', role)}"}
    answer = guarded.post(address_of(path), headers=headers, follow_redirects=False)
    assert answer.status_code == 403
    assert f"this requires the role {WRITING[path]}" in answer.text


@pytest.mark.parametrize("path", WRITING)
def test_a_sufficient_role_works_only_from_the_service_itself(guarded, archive, path):
    """Requests from other sites, or without an origin, are rejected."""
    guarded.cookies.set(COOKIE, archive.sessions.start(archive.tokens.create("ada", WRITING[path])))

    def status(**headers):
        sent = {**HTML, **headers}
        return guarded.post(address_of(path), headers=sent, follow_redirects=False).status_code

    assert status(Origin=BASE) in (303, 404, 409, 412, 422)
    assert status(Origin="http://evil.example") == 403
    assert status() == 403
