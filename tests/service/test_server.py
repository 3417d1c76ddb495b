"""A real server: streams, broken connections, concurrent judges, and a graceful stop."""

import json
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.written import client_of
from service_data import fill, run_lines
from waiting import SECONDS_TO_WAIT, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no signal says to stop there")


@pytest.fixture
def server(servers, tmp_path):
    """Start servers in one folder, and stop them at the end."""
    started = []

    def start(*options, **settings):
        started.append(servers.start(tmp_path, *options, **settings))
        return started[-1]

    yield start
    for one in started:
        one.stop()


def read(server, path):
    """Return the response to a request of its own connection."""
    with client_of(server.address) as client:
        return client.get(path)


def head(path, n_bytes, content_type="application/octet-stream"):
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\n"
        f"Content-Length: {n_bytes}\r\n\r\n"
    ).encode()


def status_of(connection):
    return int(connection.recv(4096).split()[1])


def is_closed(server):
    """Return whether new connections are refused."""
    try:
        server.connect().close()
    except ConnectionRefusedError:
        return True
    return False


def test_events_are_streamed_while_a_job_runs(server):
    """They arrive one by one over a real connection."""
    with client_of(server().address) as client:
        first, second = fill(client)
        body = {"baseline": first, "candidates": [second], "bounds": True}
        headers = {"Prefer": "respond-async"}
        job = client.post("/v1/comparisons", json=body, headers=headers).json()["id"]
        with client.stream("GET", f"/v1/jobs/{job}/events") as events:
            lines = [line for line in events.iter_lines() if line]
    assert lines[-2] == "event: done"
    assert json.loads(lines[-1].removeprefix("data: "))["state"] == "done"


def test_an_interrupted_upload_leaves_nothing(server, tmp_path):
    """Neither a run nor a temporary file is left."""
    running = server()
    content = run_lines().encode()
    for n_sent in (0, 10, len(content) - 1):
        with running.connect() as connection:
            connection.sendall(head("/v1/runs?name=cut", len(content)) + content[:n_sent])
    wait_until(lambda: running.log.read_text().count('"path": "/v1/runs"') == 3)
    assert read(running, "/v1/runs").json()["items"] == []
    assert not list(Path(tmp_path).glob("berryeval-service-*"))
    assert '"level": "error"' not in running.log.read_text()


def test_a_stalled_body_times_out(server, tmp_path):
    """The status is 408, and the connection is closed."""
    running = server("--timeout", "1")
    with running.connect() as connection:
        connection.sendall(head("/v1/runs?name=slow", 1000) + b"q1")
        answer = b"".join(iter(lambda: connection.recv(4096), b""))  # until the server closes it
    assert answer.startswith(b"HTTP/1.1 408 ")
    wait_until(lambda: not list(tmp_path.glob("berryeval-service-*")))


def test_a_body_that_is_too_large_is_rejected_before_it_is_complete(server):
    """413 depends on its length, or on the bytes received if there is none."""
    running = server("--max-body", "1")
    with running.connect() as connection:
        connection.sendall(head("/v1/judgments", 10 << 20, "application/json"))
        assert status_of(connection) == 413
    with running.connect() as connection:
        connection.sendall(
            b"POST /v1/judgments HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for _ in range(18):
            connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
        assert status_of(connection) == 413


def test_a_hundred_judges_at_once_lose_nothing(server):
    """Everything acknowledged with 2xx is stored."""
    running = server("--log-level", "error")

    def judge(number):
        with client_of(running.address) as client:
            statuses = []
            for n in range(4):
                entry = {"query_id": f"q{n}", "doc_id": f"judge{number}", "grade": 1}
                answer = client.post("/v1/judgments", json={"judgments": [entry]})
                statuses.append(answer.status_code)
            return statuses

    with ThreadPoolExecutor(100) as judges:
        statuses = [status for found in judges.map(judge, range(100)) for status in found]
    assert set(statuses) == {200}
    stored = read(running, "/v1/judgments?limit=1000").json()["items"]
    assert len(stored) == 400


def test_a_stop_lets_requests_finish(server, tmp_path):
    """A running upload is stored, new requests are rejected, and the exit code is 0."""
    running = server(grace=SECONDS_TO_WAIT)
    content = run_lines().encode()
    with running.connect() as upload:
        upload.sendall(head("/v1/runs?name=late", len(content)) + content[:100])
        wait_until(lambda: list(tmp_path.glob("berryeval-service-*")))
        running.process.send_signal(signal.SIGTERM)
        wait_until(lambda: is_closed(running))
        upload.sendall(content[100:])
        assert status_of(upload) == 201
    assert running.wait() == 0
    assert running.process.stdout.read() == "Stopped.\n"
    stored = read(server(), "/v1/runs").json()["items"]
    assert [one["name"] for one in stored] == ["late"]


def test_the_log_has_one_object_per_line(server):
    """It has the id of the response."""
    running = server()
    answer = read(running, "/v1/jobs")
    assert running.stop() == 0
    lines = [json.loads(line) for line in running.log.read_text().splitlines()]
    (request,) = [line for line in lines if line["event"] == "request"]
    assert request["request_id"] == answer.headers["x-request-id"]
    assert (request["route"], request["status"], request["level"]) == ("/v1/jobs", 200, "info")
    assert "server" not in answer.headers


def test_the_service_may_open_more_files_than_connections(server):
    """Clients could use up the usual 1,024, and its database could not be opened."""
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("limits of another process can only be read on Linux")
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))
    try:
        found, _ = resource.prlimit(server().process.pid, resource.RLIMIT_NOFILE)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (now, most))
    assert found == most or found > 2000
