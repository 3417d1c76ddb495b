"""A full disk, a locked database, an archive of a newer version: clear errors.

Nothing is lost or half-written, and the service recovers when the problem is over.
"""

import subprocess
import sys
from contextlib import contextmanager

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from archive.databases import new_database
from berryeval.archive import Archive
from berryeval.cli import main
from service.written import KINDS, STORE, client_of, every
from service_server import new_app

N_ROWS = 1200
"""Rows of a large write; each has a kilobyte."""

HOLDER = """
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(path):
    """Let another process hold the write lock inside the block."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "held\n"
    try:
        yield
    finally:
        holder.communicate()


@pytest.fixture
def limited(servers, tmp_path):
    """A server, and a function that limits the size of its files."""
    resource = pytest.importorskip("resource")
    if not hasattr(resource, "prlimit"):
        pytest.skip("only Linux lets us limit another process")
    server = servers.start(tmp_path, "--archive", "a.db", "--log-level", "error")

    def limit(n_bytes):
        limits = (n_bytes, resource.RLIM_INFINITY)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limits)

    yield server, limit
    limit(-1)
    server.stop()


def large_writes():
    """Requests that each write more than a megabyte."""
    text = "x" * 1000
    entries = [{"query_id": f"q{i}", "doc_id": f"d{i}{text}", "grade": 1} for i in range(N_ROWS)]
    pairs = [{"query_id": f"p{i}", "doc_id": f"d{text}", "relevance": 1} for i in range(N_ROWS)]
    queries = [{"query_id": f"q{i}", "text": text} for i in range(N_ROWS)]
    known = [{"doc_id": f"d{i}{text}", "text": text} for i in range(N_ROWS)]
    lines = "".join(f"q{i} Q0 {'d' * 500}{j} 1 1 t\n" for i in range(30) for j in range(100))
    return {
        "/v1/judgments": {"json": {"judgments": entries}},
        "/v1/evaluation/judgments": {"json": pairs},
        "/v1/queries": {"json": {"queries": queries}},
        "/v1/documents": {"json": {"documents": known}},
        "/v1/runs?name=large": {"content": lines},
        f"/v1/stores/{STORE}/documents": {"json": {"documents": known}},
    }


def test_a_full_disk_stores_nothing_and_is_recoverable(limited, tmp_path):
    """Each write gets 503, and reads work; with free space, the same requests succeed."""
    server, limit = limited
    with client_of(server.address) as client:
        client.put(f"/v1/stores/{STORE}", json={"kind": "bm25"}).raise_for_status()
        for kind, write in KINDS.items():
            write(client, f"{kind}-0").raise_for_status()
        limit(1 << 20)
        for path, body in large_writes().items():
            answer = client.post(path, **body)
            assert answer.status_code == 503, (path, answer.text)
            assert answer.headers["content-type"] == "application/problem+json"
            assert "disk" in answer.json()["detail"], path
        assert len(client.get("/v1/judgments").json()["items"]) == 6
        assert len(client.get("/v1/queries").json()["items"]) == 1
        assert len(client.get("/v1/runs").json()["items"]) == 1
        assert len(client.get("/v1/documents").json()["items"]) == 2  # the documents of the store
        assert client.get(f"/v1/stores/{STORE}").json()["n_documents"] == 2
        assert not list(tmp_path.glob("berryeval-service-*"))
        limit(-1)
        for path, body in large_writes().items():
            answer = client.post(path, **body)
            assert answer.is_success, (path, answer.text)
        assert client.get(f"/v1/stores/{STORE}").json()["n_documents"] == 2 + N_ROWS
    with Archive.open(tmp_path / "a.db") as archive:
        assert archive.check(deep=True).problem is None
        assert archive.judgments.current().n_rows == 6 + 2 * N_ROWS
        assert len(every(archive.runs.page)) == 2
    assert '"bug"' not in server.log.read_text()


def test_a_locked_database_returns_503_with_retry_after(tmp_path):
    """Nothing is stored, and reads work."""
    with (
        Archive.open(tmp_path / "a.db", timeout=0.2) as archive,
        TestClient(new_app(archive), base_url="http://localhost") as client,
    ):
        assert client.put(f"/v1/stores/{STORE}", json={"kind": "bm25"}).status_code == 201
        with held(tmp_path / "a.db"):
            for kind, write in KINDS.items():
                answer = write(client, f"{kind}-0")
                assert (answer.status_code, answer.headers.get("retry-after")) == (503, "1"), kind
            assert client.get("/v1/judgments").json()["items"] == []
            assert client.get(f"/v1/stores/{STORE}").json()["n_documents"] == 0
        for kind, write in KINDS.items():
            assert write(client, f"{kind}-0").is_success, kind


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_an_archive_of_a_newer_version_is_not_served(tmp_path, backend, request):
    """One line says what to do, the exit code is 5, and the archive is unchanged."""
    if backend == "sqlite":
        refuse_newer(str(tmp_path / "a.db"))
        return
    with new_database(request.getfixturevalue("postgres_dsn")) as dsn:
        refuse_newer(dsn)


def refuse_newer(location):
    with Archive.open(location) as archive, archive._database.writing() as connection:
        connection.exec_driver_sql("UPDATE archive_version SET version_num = '9999'")
    done = CliRunner().invoke(main, ["serve", "--port", "0", "--archive", location])
    assert done.exit_code == 5
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "found 9999: a newer berryeval created it; upgrade berryeval" in line
