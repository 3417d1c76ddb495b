"""Two workers behave like one service: each sees the changes of the other."""

import json
import os
import re
import signal
import sys
import threading
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from archive.databases import new_database
from berryeval.archive import Archive
from service.written import client_of
from service_data import upload
from waiting import SECONDS_TO_WAIT, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are forked")


class Service:
    """A service with two workers, and a connection to each of them."""

    def __init__(self, server, opened):
        self.server = server
        self._opened = opened
        self._n_sent = 0
        self.connect()

    def connect(self):
        """Open connections until both workers have one."""
        found = {}
        deadline = time.monotonic() + SECONDS_TO_WAIT
        while len(found) < 2 and time.monotonic() < deadline:
            client = self._opened.enter_context(client_of(self.server.address, stays_open=True))
            found.setdefault(self.pid_of(client, "/healthz"), client)
        one = next(iter(found.values()))
        first = self.pid_of(one, "/v1/jobs")
        one.get("/healthz")  # the connection goes back to its worker
        self.pids = sorted(found, key=lambda pid: pid != first)
        self.first, self.second = (found[pid] for pid in self.pids)

    def pid_of(self, client, path, method="GET", **options):
        """Send a request, and return the process that logged it."""
        self._n_sent += 1
        name = f"sent-{self._n_sent}"
        client.request(method, path, headers={"X-Request-ID": name}, **options)
        lines = wait_until(lambda: [one for one in self.log() if one.get("request_id") == name])
        return lines[0]["pid"]

    def log(self):
        """Return the complete lines of the log."""
        complete, _, _ = self.server.log.read_text().rpartition("\n")
        return [json.loads(one) for one in complete.splitlines()]


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def running(request, servers, tmp_path_factory):
    """A service over an empty archive, whose end is part of the test."""
    folder = tmp_path_factory.mktemp("workers")
    with ExitStack() as opened:
        archive = str(folder / "berryeval.db")
        if request.param == "postgresql":
            dsn = request.getfixturevalue("postgres_dsn")
            archive = opened.enter_context(new_database(dsn))
        server = servers.start(folder, "--archive", archive, "--workers", "2")
        found = Service(server, opened)
        found.archive = archive
        yield found
        assert server.stop() == 0, server.log.read_text()
        for pid in found.pids:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)


def judge(client, doc_id, grade):
    """Judge a document."""
    entries = [{"query_id": "q1", "doc_id": doc_id, "grade": grade}]
    client.post("/v1/judgments", json={"judgments": entries}).raise_for_status()


def test_judgment_through_one_worker_is_seen_by_the_other(running):
    """Routes, tables in memory and scores have it on the next request."""
    both = running.first, running.second
    for number, (one, other) in enumerate([both, both[::-1]]):
        for grade in (1, 2):
            judge(one, f"d{number}", grade)
            assert other.get(f"/v1/judgments/q1/d{number}").json()["grade"] == grade
            wait_until(lambda: f"/q1/d{number}" in other.get("/judgments").text)  # noqa: B023
    wanted = {"run": upload(running.first, 3), "measures": ["P@8"]}
    judge(running.first, "d1", 0)
    before = running.second.post("/v1/evaluations", json=wanted).json()
    judge(running.first, "d1", 1)
    after = running.second.post("/v1/evaluations", json=wanted).json()
    assert after["means"]["P@8"] > before["means"]["P@8"]


def test_job_is_found_through_both_workers(running):
    """This covers its state, events, result and end; ordinary requests stay with their worker."""
    judge(running.first, "d1", 1)
    a, b = (upload(running.second, seed, f"run-{seed}") for seed in (1, 4))
    wanted = {"baseline": a, "candidates": [b], "resamples": 100}
    started = running.second.post(
        "/v1/comparisons", json=wanted, headers={"Prefer": "respond-async"}
    )
    assert started.status_code == 202, started.text
    address = started.headers["Location"]
    for client in (running.first, running.second):
        wait_until(lambda client=client: client.get(address).json()["state"] == "done")
        assert "event: done" in client.get(f"{address}/events").text
        assert client.get(f"{address}/result").json()["baseline"] == "run-1"
        assert client.delete(address).status_code == 409
        assert address.endswith(client.get("/v1/jobs").json()["items"][0]["id"])
    first, second = running.pids
    assert running.pid_of(running.second, address) == first
    assert running.pid_of(running.second, "/v1/runs") == second
    assert running.pid_of(running.second, "/judge") == first
    assert running.pid_of(running.first, "/v1/runs") == first


def test_removed_run_is_unknown_to_the_other_worker(running):
    """It is unknown immediately, although runs in memory are otherwise trusted for a second."""
    run_id = upload(running.first, 2)
    address = f"/v1/runs/{run_id}/rankings/q1"
    assert running.second.get(address).status_code == 200
    assert running.first.delete(f"/v1/runs/{run_id}").status_code == 204
    assert running.second.get(address).status_code == 404


def test_removed_collection_is_unknown_to_the_other_worker(running):
    """This holds even while it serves requests to the collection, none of which fails."""
    statuses = set()
    is_over = threading.Event()

    def ask():
        with client_of(running.server.address) as client:
            while not is_over.is_set():
                statuses.update(
                    client.get(f"/c/shop{path}").status_code
                    for path in ("/", "/judgments", "/v1/runs", "/v1/judgments/q1/d1")
                )

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for one in threads:
        one.start()
    for _ in range(2):
        running.first.put("/v1/collections/shop", json={}).raise_for_status()
        judgments = "/c/shop/v1/judgments"
        assert running.second.get(judgments).json()["items"] == []
        entries = [{"query_id": "q1", "doc_id": "d1", "grade": 1}]
        running.second.post(judgments, json={"judgments": entries}).raise_for_status()
        assert running.first.delete("/v1/collections/shop").status_code == 204
        assert running.second.get(judgments).status_code == 404
    is_over.set()
    for one in threads:
        one.join()
    assert statuses <= {200, 404}
    assert [one for one in running.log() if one["event"] == "bug"] == []


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="lists the files of a process")
def test_removed_collection_is_closed_by_the_other_worker(running):
    """Otherwise its file would take space on the disk until the service ends."""
    if running.archive.startswith("postgresql"):
        pytest.skip("SQLite has one file per collection")
    running.first.put("/v1/collections/gone", json={}).raise_for_status()
    for client in (running.first, running.second):
        assert client.get("/c/gone/v1/judgments").status_code == 200

    def holders():
        return [pid for pid in running.pids if any("/gone_" in one for one in open_files(pid))]

    assert holders() == running.pids
    assert running.first.delete("/v1/collections/gone").status_code == 204
    assert running.second.get("/healthz").status_code == 200
    wait_until(lambda: holders() == [])


def open_files(pid):
    """Return the files that a process has open."""
    found = []
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            found.append(str(one.readlink()))
    return found


def test_revoked_token_is_rejected_by_the_other_worker(running):
    """It is rejected immediately, although valid tokens are otherwise cached for five seconds."""
    for one, other in ((running.first, running.second), (running.second, running.first)):
        page = one.post("/tokens", data={"name": "ci", "role": "read"}).text
        bearer = {"Authorization": f"Bearer {re.search('bev_[A-Za-z0-9_-]{40,}', page)[0]}"}
        assert other.get("/v1/runs", headers=bearer).status_code == 200
        assert one.post("/tokens/ci/revoke").status_code == 303
        for client in (other, one):
            assert client.get("/v1/runs", headers=bearer).status_code == 401


def test_judges_at_different_workers_get_different_pairs(running):
    """The project wants a single opinion, and both workers share reservations."""
    judge(running.first, "d1", 1)
    run_id = upload(running.first, 5)
    plan = {"name": "one-opinion", "pairs": {"kind": "holes", "runs": [run_id]}}
    assert running.second.post("/v1/projects", json=plan).status_code == 201
    seen = {}
    with Archive.open(running.archive) as archive:
        tokens = {name: archive.tokens.create(name, "judge") for name in ("ada", "ben")}
    for name, client in zip(tokens, (running.first, running.second), strict=True):
        answer = client.post(
            "/judge/next?project=one-opinion",
            json={"author": name, "session": name, "n": 20, "have": []},
            headers={"Authorization": f"Bearer {tokens[name]}"},
        )
        assert answer.status_code == 200, answer.text
        seen[name] = {(card["query_id"], card["doc_id"]) for card in answer.json()["cards"]}
    assert [len(pairs) for pairs in seen.values()] == [20, 20]
    assert seen["ada"].isdisjoint(seen["ben"])


def test_metrics_are_sums_over_all_workers(running):
    """Any connection returns the sums."""
    counted = []
    for client in (running.first, running.second):
        client.get("/v1/gates")
        text = client.get("/metrics").text
        line = next(
            one for one in text.splitlines() if 'total{method="GET",route="/v1/gates"' in one
        )
        counted.append(float(line.rpartition(" ")[2]))
    assert counted[1] == counted[0] + 1 >= 2


def test_killed_workers_are_replaced(running):
    """The other one keeps serving, and the log reports it."""
    for number in (1, 0):
        killed = running.pids[number]
        os.kill(killed, signal.SIGKILL)
        other = (running.first, running.second)[1 - number]
        assert other.get("/readyz").status_code == 200
        with suppress(httpx.HTTPError):
            (running.first, running.second)[number].get("/healthz")
        running.connect()
        assert killed not in running.pids
        assert other.get("/v1/jobs").status_code == 200
    ended = [one for one in running.log() if one["event"] == "worker ended"]
    assert [(one["worker"], one["code"]) for one in ended] == [(1, -9), (0, -9)]


def test_workers_end_with_their_supervisor(servers, tmp_path):
    """This holds even if it is killed, and the next start removes its files."""
    server = servers.start(tmp_path, "--workers", "2")
    with ExitStack() as opened:
        pids = Service(server, opened).pids
        server.process.send_signal(signal.SIGKILL)
        server.wait()
    for pid in pids:
        wait_until(lambda pid=pid: not is_running(pid))
    [left] = tmp_path.glob("berryeval-*/")
    servers.start(tmp_path, "--workers", "2")
    assert not left.exists()


def is_running(pid):
    """Whether a process exists and has not ended."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
