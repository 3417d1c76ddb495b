"""Requests that would cost the service too much, and clients that do not wait for their results."""

import contextlib
import gzip
import io
import json
import os
import socket
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from berryeval.service import ServiceSettings, verdicts
from berryeval.service.clients import ClientWait
from berryeval.service.middleware import limits
from berryeval.service.problems import Problem
from berryeval.service.routes import comparisons, holes, runs
from berryeval.service.routes.comparisons import ComparisonRequest
from berryeval.service.settings import service_settings
from service.workers import worker_tasks
from service_data import fill, run_lines, upload
from service_server import application, listening
from waiting import wait_until

JSON = {"Content-Type": "application/json"}


def refused(answer, status, kind):
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (status, kind)
    assert "\n" not in answer.json()["detail"]
    return answer.json()


# Bodies


def test_many_invalid_records_are_not_all_reported(client):
    """Only the first one is."""
    entries = [{"query_id": "q1", "doc_id": f"d{n}", "grade": 1, "odd": 1} for n in range(50_000)]
    answer = client.post("/v1/judgments", json={"judgments": entries})
    problem = refused(answer, 422, "shape")
    assert problem["where"] == "body.judgments[0].odd"


def test_a_body_that_arrives_in_drops_is_given_up(service, monkeypatch):
    """Every drop is in time, but together they are too slow."""
    monkeypatch.setattr(limits, "_SLOWEST", 1 << 40)
    client = service(timeout=0.05)

    def drops():
        for _ in range(20):
            time.sleep(0.01)  # a slow client
            yield b" "

    answer = client.post("/v1/judgments", content=drops(), headers=JSON)
    problem = refused(answer, 408, "stalled")
    assert "the body arrived too slowly" in problem["detail"]


# Uploads


def bomb(kind):
    """Return a small file with very many rows."""
    n_rows = 3_000_000
    columns = {"query_id": ["q"] * n_rows, "doc_id": ["d"] * n_rows, "score": [1.0] * n_rows}
    file = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(pa.table(columns), file, compression="zstd")
    elif kind == "arrow":
        table = pa.table({name: pa.array(column).dictionary_encode() for name, column in
                          columns.items()})  # fmt: skip
        options = ipc.IpcWriteOptions(compression="zstd")
        with ipc.new_file(file, table.schema, options=options) as writer:
            writer.write_table(table)
    else:
        file.write(gzip.compress(b"q Q0 d 1 1.0 t\n" * n_rows))
    return file.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "arrow", "gzip"])
def test_a_small_file_with_very_many_rows_is_rejected(service, kind):
    """It is counted while it is decoded."""
    content = bomb(kind)
    assert len(content) < 200_000
    client = service(max_rows=1_000_000)
    problem = refused(client.post("/v1/runs?name=a", content=content), 413, "too-large")
    assert "at most 1,000,000 rows" in problem["detail"]
    assert client.get("/v1/runs").json()["items"] == []


def repeated(kind, text):
    """Return a small file in which very many rows have the same long id."""
    n_rows = 300_000
    column = pa.DictionaryArray.from_arrays(pa.array([0] * n_rows, pa.int32()), pa.array([text]))
    file = io.BytesIO()
    if kind == "parquet":
        table = pa.table({"query_id": column, "doc_id": column, "score": [1.0] * n_rows})
        parquet.write_table(table, file, compression="zstd")
        return file.getvalue()
    runs = pa.RunEndEncodedArray.from_arrays([n_rows], pa.array([text]))
    if kind == "views":
        lengths = np.zeros((n_rows, 4), np.int32)  # length, prefix, buffer, offset
        lengths[:, 0], lengths[:, 1] = len(text), int.from_bytes(text[:4].encode(), "little")
        buffers = [None, pa.py_buffer(lengths.tobytes()), pa.py_buffer(text.encode())]
        ids = pa.Array.from_buffers(pa.string_view(), n_rows, buffers)
    else:
        ids = {"dictionary": column, "runs": runs}[kind]
    table = pa.table({"query_id": ids, "doc_id": ids, "score": pa.array([1.0] * n_rows)})
    with ipc.new_file(file, table.schema,
                      options=ipc.IpcWriteOptions(compression="zstd")) as writer:  # fmt: skip
        writer.write_table(table)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["dictionary", "runs", "views", "parquet"])
@pytest.mark.parametrize("path", ["/v1/runs?name=a", "/v1/judgments/file"])
def test_a_long_id_is_not_expanded_to_every_row(service, kind, path):
    """A few kilobytes would become 300 GB."""
    content = repeated(kind, "x" * 1_000_000)
    assert len(content) < 200_000
    client = service(task_memory=1027 << 20)
    problem = refused(client.post(path, content=content), 422, "format")
    assert "ids of at most 1,024 bytes, found one of 1,000,000" in problem["detail"]


@pytest.mark.parametrize("column", [0, 2])
def test_a_very_long_id_is_rejected(client, column):
    """A page that shows it would be just as large."""
    fields = ["q1", "Q0", "d1", "1", "0.5", "t"]
    fields[column] = "x" * 100_000
    answer = client.post("/v1/runs?name=a", content=" ".join(fields) + "\n")
    problem = refused(answer, 422, "input")
    assert (problem["expected"], problem["found"]) == ("ids of 1 to 1,024 bytes", "one of 100,000")


def test_an_upload_that_needs_too_much_memory_is_rejected(service):
    """Its process ends, and the service continues."""
    client = service(task_memory=500 << 20)
    content = gzip.compress(b"q1 Q0 ") + 250 * gzip.compress(b"d" * (1 << 20))
    refused(client.post("/v1/runs?name=a", content=content), 413, "too-large")
    assert client.post("/v1/runs?name=a", content=run_lines()).status_code == 201


# Comparisons


def test_a_comparison_that_is_too_expensive_is_rejected(service):
    """The message names both numbers and the way out."""
    client = service(max_comparison=1e6)
    first, second = fill(client)
    body = {"baseline": first, "candidates": [second], "measures": ["nDCG@10"], "resamples": 50_000}
    problem = refused(client.post("/v1/comparisons", json=body), 422, "too-expensive")
    assert (problem["expected"], problem["found"]) == ("a price of at most 1e+06", "1.5e+06")
    assert "lower resamples" in problem["way_out"]
    assert client.post("/v1/comparisons", json=body | {"resamples": 10_000}).status_code == 200


def test_an_expensive_comparison_runs_in_another_process(client, monkeypatch):
    """Its report is the same to the byte."""
    first, second = fill(client)
    body = {"baseline": first, "candidates": [second], "per_query": True}
    near = client.post("/v1/comparisons", json=body)
    assert near.status_code == 200
    monkeypatch.setattr(comparisons, "CHEAP", 0.0)
    used = used_workers(client, monkeypatch)
    assert client.post("/v1/comparisons", json=body).content == near.content
    assert used == [1]


def used_workers(client, monkeypatch):
    """Return a list that gets an item for each task of a worker."""
    workers, used = client.app.state.workers, []
    run = workers.run
    monkeypatch.setattr(workers, "run", lambda *one, **more: used.append(1) or run(*one, **more))
    return used


@pytest.mark.parametrize("against", [False, True])
def test_an_expensive_list_of_holes_is_made_in_another_process(client, monkeypatch, against):
    """Its report is the same to the byte."""
    first, second = fill(client)
    body = {"runs": [first], "measures": ["nDCG@2", "AP"], "limit": 5}
    body |= {"against": second} if against else {}
    near = client.post("/v1/holes", json=body)
    assert near.json()["holes"]
    monkeypatch.setattr(holes, "CHEAP", 0.0)
    used = used_workers(client, monkeypatch)
    assert client.post("/v1/holes", json=body).content == near.content
    assert used == [1]


def test_a_list_of_holes_that_is_too_expensive_is_rejected(service):
    """Its price rises with the square of the cutoff."""
    client = service(max_comparison=10_000)
    run = client.post("/v1/runs?name=a", content=run_lines()).json()["run_id"]
    body = {"runs": [run], "measures": ["AP"]}
    problem = refused(client.post("/v1/holes", json=body), 422, "too-expensive")
    assert "measures with a lower cutoff" in problem["way_out"]
    fill(client)
    assert client.post("/v1/holes", json=body | {"measures": ["P@2"]}).status_code == 200


def test_an_expensive_verdict_is_reached_in_another_process(client, monkeypatch):
    """The stored report is the same."""
    first, second = fill(client)
    guards = [{"measure": "nDCG@10", "margin": 0.1}, {"measure": "RR", "at_least": 0.1}]
    client.put("/v1/gates/main", json={"guards": guards, "baseline": first})
    used = used_workers(client, monkeypatch)
    near = client.post("/v1/gates/main/verdicts", json={"run": second}).json()
    assert (near["verdict"], used) == ("inconclusive", [])
    monkeypatch.setattr(verdicts, "CHEAP", 0.0)
    far = client.post("/v1/gates/main/verdicts", json={"run": second}).json()
    assert used == [1]
    assert far["report"]["guards"] == near["report"]["guards"]
    assert far["verdict"] == near["verdict"]


def test_a_history_ends_with_its_request(client, monkeypatch):
    """Runs that were scored by then are not scored again."""
    for number in range(5):
        client.post(f"/v1/runs?name=a&commit={number}", content=run_lines())
    fill(client)
    checks = []

    def check(self):  # noqa: ARG001 - a method
        checks.append(1)
        if len(checks) > 3:
            raise Problem(504, "the request has timed out", kind="timeout")

    monkeypatch.setattr(ClientWait, "check", check)
    refused(client.get("/v1/history?name=a"), 504, "timeout")
    assert len(client.app.state.archive.evaluations.page().items) == 2


def test_normal_requests_meet_no_limit():
    """Examples are a comparison of 50 runs with 7,000 queries, and an upload of 7 million rows."""
    settings = ServiceSettings()
    request = ComparisonRequest(baseline="main", candidates=[f"run{n}" for n in range(50)])
    assert comparisons._price(request, 7_000) <= settings.max_comparison
    assert settings.max_rows >= 7_000_000
    assert settings.max_upload >= 7_000_000 * len(
        "query-1234567 Q0 document-1234567890 1000 1.2345"
    )
    assert settings.rate is None, "callers on this machine are not limited"
    assert ServiceSettings(host="0.0.0.0").rate == 100  # noqa: S104 - not bound


def test_a_comparison_of_50_runs_and_a_large_upload_are_answered(client):
    """The limits of a new service leave room for real work."""
    baseline, _ = fill(client)
    candidates = [upload(client, seed, f"run{seed}") for seed in range(3, 53)]
    body = {"baseline": baseline, "candidates": candidates}
    answer = client.post("/v1/comparisons", json=body)
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["candidates"]) == 50
    content = run_lines(n_queries=200, n_documents=1_000)
    answer = client.post("/v1/runs?name=large", content=content)
    assert answer.status_code == 201, answer.text


def test_a_client_that_is_gone_ends_its_work(tmp_path, monkeypatch):
    """The process of its comparison is killed, rather than running to the end."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    monkeypatch.setattr(comparisons, "CHEAP", 0.0)
    monkeypatch.setattr(comparisons.tasks, "compare_runs", worker_tasks.wait_forever)
    started = tmp_path / "started"
    monkeypatch.setenv("TASK_STARTED", str(started))
    with application(tmp_path, task_memory=1026 << 20) as app, listening(app) as address:
        with httpx.Client(base_url=address, timeout=60) as client:
            first, second = fill(client)
        body = json.dumps({"baseline": first, "candidates": [second]}).encode()
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(
                b"POST /v1/comparisons HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                % (len(body), body)
            )
            wait_until(lambda: started.exists() and started.read_text())
        wait_until(lambda: app.state.workers.n_callers == 0)
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


def test_an_upload_of_a_client_that_is_gone_is_not_read_on(tmp_path, monkeypatch):
    """Its file is removed, and no process reads it."""
    folders = tmp_path / "uploads"
    folders.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folders))
    monkeypatch.setattr(runs, "read_packed_run", None)
    with application(tmp_path) as app, listening(app) as address:
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(
                b"POST /v1/runs?name=a HTTP/1.1\r\nHost: localhost\r\n"
                b"Content-Length: 1000000\r\n\r\nq1 Q0 d1 1 1.0 a\n"
            )
            wait_until(lambda: [*folders.glob("*/upload")])
        wait_until(lambda: not [*folders.iterdir()])
        assert app.state.workers.n_callers == 0
        assert app.state.archive.runs.page().items == ()


def test_work_ends_with_its_request():
    """Both a client that is gone and a timeout end it."""
    wait = ClientWait(time.monotonic() + 60)
    wait(0, 2, "reading")
    wait.is_gone = True
    with pytest.raises(Problem) as caught:
        wait(1, 2, "comparing")
    assert caught.value.kind == "cut-off"
    with pytest.raises(Problem) as caught:
        ClientWait(time.monotonic() - 1).check()
    assert caught.value.kind == "timeout"


# Connections and settings


def test_the_server_limits_connections(servers, tmp_path):
    """A connection beyond the limit takes the place of the one that has waited longest."""
    (tmp_path / "berryeval.toml").write_text("[service]\nmax_connections = 5\n")
    server = servers.start(tmp_path)
    try:
        with contextlib.ExitStack() as opened:
            held = [opened.enter_context(server.connect()) for _ in range(6)]
            assert held[0].recv(100).startswith(b"HTTP/1.1 503 ")
            for connection in held[1:]:
                connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert connection.recv(100).startswith(b"HTTP/1.1 200 ")
    finally:
        server.stop()


def test_every_limit_is_a_setting_of_the_server():
    """Sizes are in megabytes in berryeval.toml."""
    table = {"max_rows": 5, "max_comparison": 1e6, "max_connections": 7, "max_rate": 2.5,
             "task_processes": 3, "task_memory_mb": 512}  # fmt: skip
    settings = service_settings(table, {}, {})
    assert (settings.max_rows, settings.max_connections, settings.rate) == (5, 7, 2.5)
    assert (settings.task_processes, settings.task_memory) == (3, 512 << 20)


def test_too_many_requests_get_429(service):
    """The response has the seconds to wait."""
    client = service(max_rate=0.1)
    assert client.get("/v1/runs").status_code == 200
    answer = client.get("/v1/runs")
    refused(answer, 429, "too-many-requests")
    assert 1 <= int(answer.headers["Retry-After"]) <= 10
    assert client.get("/healthz").status_code == 200
