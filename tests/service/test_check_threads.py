"""Checks that answer while everything else is busy, and reveal nothing."""

import logging
import re
import threading

import pytest
from anyio import to_thread

from berryeval.archive.archive import Archive
from berryeval.archive.database import Database
from berryeval.archive.location import Location
from berryeval.errors import ArchiveError
from berryeval.service.middleware.access import COOKIE

REASON = "postgresql://ada@10.1.2.3:9/quality", "connection to server at 10.1.2.3 failed"


@pytest.fixture
def busy(service):
    """A service that requires a token, with a blocked request in each thread for routes."""
    client = service("http://quality.example", host="0.0.0.0", timeout=5.0)  # noqa: S104
    started, release = threading.Semaphore(0), threading.Event()

    async def n_threads() -> int:
        return int(to_thread.current_default_thread_limiter().total_tokens)

    def block() -> bool:
        started.release()
        return release.wait(30)

    portal = client.portal
    blocked = [
        portal.start_task_soon(to_thread.run_sync, block) for _ in range(portal.call(n_threads))
    ]
    for _ in blocked:
        started.acquire()
    yield client
    release.set()
    assert all(one.result() for one in blocked), "the threads were free before the end"


def test_a_busy_service_is_alive_and_ready(busy):
    """Load balancers get an answer while all threads for routes are blocked."""
    assert busy.get("/healthz").status_code == 200
    assert busy.get("/readyz").status_code == 200


def test_a_busy_service_recognises_callers(busy, archive):
    """Tokens and sessions are checked although all threads for routes are blocked."""
    token = archive.tokens.create("ada", "read")
    bearer = {"Authorization": f"Bearer {token}"}
    cookie = {"Cookie": f"{COOKIE}={archive.sessions.start(token)}"}
    for headers in (bearer, cookie):
        assert busy.get("/metrics", headers=headers).status_code == 200
    assert busy.get("/metrics", headers={"Authorization": "Bearer unknown"}).status_code == 401


@pytest.mark.parametrize("is_transient", [True, False])
def test_anonymous_callers_do_not_see_why_the_archive_fails(
    service, archive, monkeypatch, caplog, is_transient
):
    """The user, host, path and the driver's message are only in the log."""

    def fail(*_arguments):
        raise ArchiveError(*REASON, transient=is_transient)

    for part, name in (
        (archive, "check"),
        (archive.tokens, "verify"),
        (archive.sessions, "verify"),
    ):
        monkeypatch.setattr(part, name, fail)
    client = service("http://quality.example", host="0.0.0.0")  # noqa: S104
    origin = {"Origin": "http://quality.example"}
    answers = [
        client.get("/readyz"),
        client.get("/v1/runs", headers={"Authorization": "Bearer unknown"}),
        client.get("/v1/runs", headers={"Cookie": f"{COOKIE}=unknown"}),
        client.post("/login", data={"token": "unknown"}, headers=origin),
        client.post("/logout", headers={**origin, "Cookie": f"{COOKIE}=unknown"}),
    ]
    for answer in answers:
        problem = answer.json()
        del problem["request_id"]
        assert problem == {
            "type": "urn:berryeval:problem:archive",
            "title": "The archive is unavailable",
            "status": 503,
            "detail": "the archive does not respond; the log of the service has the reason",
            "transient": is_transient,
        }
        assert answer.headers.get("retry-after") == ("1" if is_transient else None)
    logged = [record for record in caplog.records if record.levelno == logging.WARNING]
    assert [record.reason for record in logged] == [": ".join(REASON)] * len(answers)


def test_readiness_does_not_name_the_server(service):
    """The archive is a server that does not respond."""
    client = service()
    location = Location.of("postgresql://ada:hunter2@127.0.0.1:9/quality")
    client.app.state.archive = Archive(Database(location, timeout=2.0))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert not re.search("ada|hunter2|127|postgres|quality|connect|refused", answer.text)
