"""System calls of a server: a write is on disk before it is acknowledged (E5)."""

import re
import shutil
import subprocess

import pytest

from service.written import KINDS, STORE, client_of
from service_process import Server
from waiting import wait_until

CALLS = "fsync,fdatasync,pwrite64,sendto,sendmsg,write,writev,recvfrom,recvmsg,read"
LINE = re.compile(r"(?P<thread>\d+) +(?:<\.\.\. )?(?P<call>\w+)(?P<rest>.*)")
FILE = re.compile(r"\(\d+<(?P<path>[^>]+)>")


def can_trace():
    """Return whether strace is installed and may trace processes."""
    if shutil.which("strace") is None:
        return False
    tried = ["strace", "-f", "-o", "/dev/null", "true"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not can_trace(), reason="needs strace, and the right to trace")


def events_of(trace, archive):
    """Return the events in order: ``request``, ``written``, ``synced`` and ``answered``."""
    events, open_calls = [], {}
    for line in trace.read_text(encoding="utf-8", errors="replace").splitlines():
        found = LINE.match(line)
        if found is None:
            continue
        thread, call, rest = found.group("thread", "call", "rest")
        path = FILE.match(rest)
        path = path["path"] if path else open_calls.pop(thread, "")
        if "<unfinished" in line:  # a call is done when it is resumed; an answer is visible at once
            open_calls[thread] = path
        elif call in ("fsync", "fdatasync") and path.startswith(archive):
            events.append("synced")
        elif call == "pwrite64" and path.startswith(archive):
            events.append("written")
        if re.search(r'"(POST|PUT) /', line):
            events.append("request")
        elif '"HTTP/1.1 2' in line:
            events.append("answered")
    return events


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """One write of each kind, with the system calls it caused."""
    folder = tmp_path_factory.mktemp("traced")
    trace = folder / "trace"
    # With -D the server is the process started here, and receives its signals.
    before = ["strace", "-D", "-f", "-y", "-s", "40", "-e", f"trace={CALLS}", "-o", str(trace)]
    server = Server(folder, "--archive", str(folder / "a.db"), before=before)
    try:
        with client_of(server.address) as client:
            client.put(f"/v1/stores/{STORE}", json={"kind": "bm25"}).raise_for_status()
            for kind, write in KINDS.items():
                write(client, f"{kind}-0").raise_for_status()
    finally:
        server.stop()
    # strace may write after the server has ended, and with -D nothing can wait for it.
    wait_until(lambda: events_of(trace, str(folder / "a.db")).count("answered") > len(KINDS))
    return events_of(trace, str(folder / "a.db"))


def test_every_write_is_synced_before_its_response(traced):
    """E5: the last write to the archive's files is followed by an fsync, and only then a 2xx."""
    requests = "".join(event[0] for event in traced if event != "written").split("r")[1:]
    assert len(requests) == 1 + len(KINDS)
    for events in requests:
        assert "s" in events.partition("a")[0], traced
    last = None
    for event in traced:
        assert (event, last) != ("answered", "written"), "acknowledged before it is on the disk"
        last = event
