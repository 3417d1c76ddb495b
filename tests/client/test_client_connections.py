"""Addresses, tokens, and broken connections."""

import http.server
import socket
import threading

import pytest

import berryeval as be
from berryeval.archive import Archive
from berryeval.errors import (
    ArgumentError,
    ServiceError,
)
from client.contents import JUDGMENTS
from service_server import application, listening


def test_a_token_is_sent(tmp_path):
    """Without one, the service explains how to get it."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        token = archive.tokens.create("ci", "read")
    with application(tmp_path, is_token_required=True) as app, listening(app) as url:
        with be.Client(url) as client, pytest.raises(ServiceError, match="token") as error:
            list(client.queries)
        assert error.value.status == 401
        with be.Client(url, token) as client:
            assert [*client.queries] == []
            with pytest.raises(ServiceError, match="requires the role judge"):
                client.judgments.put(JUDGMENTS)


def test_a_token_from_a_file_may_end_with_a_newline(tmp_path):
    """A token that is invalid in a header is rejected before it is sent, and not shown."""
    with Archive.open(tmp_path / "berryeval.db") as archive:
        token = archive.tokens.create("ci", "read")
    with application(tmp_path, is_token_required=True) as app, listening(app) as url:
        with be.Client(url, f"{token}\n") as client:
            assert list(client.queries) == []
        for wrong in ("", "secret\nHost: x", "secret two", "sécret"):
            with pytest.raises(ArgumentError, match=r"^token: expected") as error:
                be.Client(url, wrong)
            assert "secret" not in str(error.value)


def test_an_address_with_a_password_is_rejected_without_showing_it():
    """The service uses tokens, and addresses appear in messages."""
    with pytest.raises(ArgumentError, match="give a token instead") as error:
        be.Client("http://ada:secret@localhost:8765")
    assert "secret" not in str(error.value)


def test_a_program_with_many_open_files_can_use_a_client(client):
    """Socket numbers above 1024 are polled, too."""
    import os

    resource = pytest.importorskip("resource")
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if most < 1200:
        pytest.skip("too few files may be open")
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(1100)]
    try:
        for _ in range(2):
            assert client.health()["status"] == "ok"
    finally:
        for number in opened:
            os.close(number)


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8765", "ftp://x", "http://", "http://x:99999", "http://x:y", "http://[::1"],
)
def test_an_address_must_be_valid(url):
    """It requires http or https, and a host."""
    with pytest.raises(ArgumentError, match="http://"):
        be.Client(url)


class _Scripted(http.server.BaseHTTPRequestHandler):
    """A server that gives odd responses and closes connections at any time."""

    protocol_version = "HTTP/1.1"
    seen: list = []  # noqa: RUF012

    def do_GET(self):
        self.seen.append(id(self.connection))
        status, body = {
            "/healthz": (200, b'{"status": "ok"}'),
            "/readyz": (500, b"<html>no JSON</html>"),
            "/openapi.json": (500, b"[]"),
            "/metrics": (200, b""),
        }[self.path]
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = self.path == "/metrics"

    def do_POST(self):
        self.seen.append("POST")
        self.rfile.read(int(self.headers["Content-Length"]))
        self.close_connection = True  # without a response

    def log_message(self, *_arguments):
        """Log nothing."""


@pytest.fixture
def scripted():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Scripted)
    _Scripted.seen.clear()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with be.Client(f"http://127.0.0.1:{server.server_port}", timeout=5) as client:
        yield client
    server.shutdown()
    server.server_close()


def test_a_connection_is_kept_open(scripted):
    """It serves many requests, even after an error, and is replaced if the server closed it."""
    for _ in range(3):
        scripted.health()
    with pytest.raises(ServiceError, match="answered 500"):
        scripted.readiness()
    with pytest.raises(ServiceError, match="answered 500"):
        scripted.description()
    assert len(set(_Scripted.seen)) == 1
    scripted.metrics()
    assert scripted.health() == {"status": "ok"}


def test_a_connection_lost_during_a_request_is_reopened(scripted, monkeypatch):
    """Idempotent requests are sent again; others raise."""
    monkeypatch.setattr("berryeval.client.connection._is_closed", lambda _connection: False)
    scripted.metrics()
    assert scripted.health() == {"status": "ok"}
    with pytest.raises(ServiceError, match="cannot be reached"):
        scripted.judge([])
    assert _Scripted.seen.count("POST") == 1


def test_an_unreachable_service_is_reported():
    """There is no socket traceback."""
    client = be.Client("http://127.0.0.1:1")
    with pytest.raises(ServiceError, match="cannot be reached") as error:
        client.health()
    assert (error.value.status, error.value.kind) == (None, "unreachable")
    with pytest.raises(ServiceError, match="cannot be reached"):
        be.Client("https://127.0.0.1:1").health()


def test_a_service_that_does_not_respond_times_out():
    """The error is raised after the timeout."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = be.Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1)
        with pytest.raises(ServiceError, match=r"no response within 0\.1 s") as error:
            client.health()
    assert error.value.kind == "timeout"
