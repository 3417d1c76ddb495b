"""What was acknowledged is there after kill -9; `STORE_KILLS` says how often to kill."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

import berryeval as be
from berryeval.core.documents import Document
from berryeval.errors import ServiceError

N_ROUNDS = int(os.environ.get("STORE_KILLS", "2"))


def start(folder):
    """Start a server in a process of its own, and return it with its address."""
    command = [sys.executable, "-m", "berryeval", "serve", "--port", "0", "--archive", "a.db"]
    server = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    line = server.stdout.readline()
    return server, re.search(r"http://[\d.:]+", line)[0]


def fill(url, round_number, worker, acknowledged):
    """Index documents in pairs until the server is gone, and note what it has acknowledged."""
    with be.Client(url, timeout=10) as client, suppress(ServiceError):
        for number in range(10_000):
            pair = [f"{round_number}-{worker}-{number}-{half}" for half in "ab"]
            client.stores.index("docs", [Document(doc_id, f"text of {doc_id}") for doc_id in pair])
            acknowledged.append(pair)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs kill -9")
def test_indexed_documents_survive_kill_9(tmp_path):
    """None that was acknowledged is lost, and no request is there by half."""
    acknowledged = []
    for round_number in range(N_ROUNDS):
        server, url = start(tmp_path)
        with be.Client(url) as client:
            client.stores.create("docs", "bm25")
        workers = [
            threading.Thread(target=fill, args=(url, round_number, worker, acknowledged))
            for worker in range(3)
        ]
        before = len(acknowledged)
        for worker in workers:
            worker.start()
        deadline = time.monotonic() + 20
        while len(acknowledged) < before + 5 and time.monotonic() < deadline:
            time.sleep(0.01)
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.stdout.close()
        for worker in workers:
            worker.join()
        assert len(acknowledged) >= before + 5
    server, url = start(tmp_path)
    try:
        with be.Client(url) as client:
            kept = {one.doc_id for one in client.stores.documents("docs")}
            lost = [pair for pair in acknowledged if not set(pair) <= kept]
            halves = [
                doc_id for doc_id in kept if f"{doc_id[:-1]}{'ab'[doc_id[-1] == 'a']}" not in kept
            ]
            last = acknowledged[-1][0]
            found = client.stores.search("docs", f"text of {last}", k=1)["hits"]
    finally:
        server.terminate()
        server.wait()
        server.stdout.close()
    assert (lost, halves) == ([], [])
    assert found, json.dumps(last)
