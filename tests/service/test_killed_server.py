"""A server is killed under load and restarted, `KILLS` times.

Nothing that was acknowledged with 2xx may be lost, and nothing may be half-written (E5).
"""

import os
import random
import sys
import time

import pytest

from archive.databases import new_database
from service.soak_figures import note
from service.written import KINDS, STORE, Written, client_of, losses, start_writers
from waiting import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")

N_KILLS = int(os.environ.get("KILLS", "3"))
N_KILLS_ON_POSTGRES = max(1, N_KILLS // 10)
LONGEST_BURST = 0.3  # seconds, from the first acknowledged write


@pytest.fixture
def start(servers, tmp_path):
    """Start a server over an archive."""
    options = ("--log-level", "error", "--workers", os.environ.get("SOAK_WORKERS", "1"))
    return lambda location: servers.start(tmp_path, "--archive", location, *options)


def kill_repeatedly(start, location, n_kills):
    """Kill servers under load; return the acknowledged writes, and another server."""
    chance = random.Random(n_kills)  # noqa: S311 - no secret
    written = Written()
    server = start(location)
    with client_of(server.address) as client:
        client.put(f"/v1/stores/{STORE}", json={"kind": "bm25"}).raise_for_status()
    for number in range(n_kills):
        before = written.n_acknowledged
        writers = start_writers(server.address, number, written)
        wait_until(lambda before=before: written.n_acknowledged > before)
        if number == 0:
            wait_until(lambda: written.kinds == set(KINDS))
        time.sleep(chance.uniform(0, LONGEST_BURST))
        server.kill()
        for writer in writers:
            writer.join()
        server = start(location)
        check_last_grade(server.address, written)
    return written, server


def check_last_grade(address, written):
    """Compare the grade of the repeatedly judged pair with the acknowledged ones."""
    with client_of(address) as client:
        answer = client.get("/v1/judgments/again/d")
    if written.last_acknowledged < 0 and answer.status_code == 404:
        return
    assert written.last_acknowledged <= answer.json()["grade"] <= written.last_sent


def check(start, location, n_kills, backend, capsys):
    """Kill, count, and record the counts."""
    began = time.monotonic()
    written, server = kill_repeatedly(start, location, n_kills)
    lost, halves = losses(location, server.address, written)
    server.stop()
    counts = {
        "kills": n_kills,
        "acknowledged": written.n_acknowledged,
        "lost": len(lost),
        "half_written": len(halves),
        "by_kind": {kind: len(keys) for kind, keys in written.acknowledged.items()},
        "seconds": round(time.monotonic() - began),
    }
    note(f"kills-{backend}", counts)
    with capsys.disabled():
        print(f"\n{backend}: {counts}")  # noqa: T201 - what a soak is for
    assert (lost, halves) == ([], [])
    assert written.refused == []


def test_acknowledged_writes_survive_kill_9(start, tmp_path, capsys):
    """E5: judgments by both routes, runs, queries and documents, in an SQLite file."""
    check(start, str(tmp_path / "a.db"), N_KILLS, "sqlite", capsys)


def test_acknowledged_writes_survive_kill_9_on_postgres(start, postgres_dsn, capsys):
    """E5: the same holds in a real PostgreSQL database."""
    with new_database(postgres_dsn) as dsn:
        check(start, dsn, N_KILLS_ON_POSTGRES, "postgresql", capsys)
