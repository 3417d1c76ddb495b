"""Measure how long every page of the workbench takes, and write the figures into the docs.

The archive has 1,000 runs of 7,000 queries and a million judgments, see `large_archive`. Each
page is opened cold, as the first request to a server that has just been started; warm, many times
in a row; and right after a judgment, which changes all scores. ``make bench-workbench`` runs it.
"""

import argparse
import http.client
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "benchmarks-workbench.md"
ARCHIVE = ROOT / "build" / "large.db"

WANTED_MS = 200
N_WARM, N_JUDGED = 20, 5
MEMORY = ("VmRSS", "VmHWM")
"""What Linux calls the resident memory of a process, and its peak."""

ADDRESSES = {
    "/": ["/", "/?series=bm25&measure=RR"],
    "/alarm": ["/alarm?series=bm25"],
    "/palette": ["/palette?q=", "/palette?q=rotate"],
    "/search": ["/search?q=backup"],
    "/runs": ["/runs", "/runs?q=release"],
    "/runs/{reference}": ["/runs/{run}", "/runs/main", "/runs/{run}?part=queries&q=backup"],
    "/compare": ["/compare?a=main&b={run}", "/compare?a={other}&b={run}"],
    "/compare/holes": ["/compare/holes?a=main&b={run}"],
    "/compare/report": ["/compare/report?a=main&b={run}"],
    "/queries": ["/queries", "/queries?q=backup&a=main&b={run}"],
    "/queries/{query_id:id}": ["/queries/{query}?a=main&b={run}"],
    "/queries/{query_id:id}/scores": ["/queries/{query}/scores?a=main&b={run}"],
    "/queries/{query_id:id}/ranks": ["/queries/{query}/ranks?a=main&b={run}"],
    "/queries/{query_id:id}/neighbours": ["/queries/{query}/neighbours?a=main&b={run}"],
    "/queries/{query_id:id}/documents/{doc_id:id}": ["/queries/{query}/documents/{document}"],
    "/documents": ["/documents", "/documents?q=backup"],
    "/documents/{doc_id:id}": ["/documents/{document}"],
    "/try": ["/try?id={query}&b.fusion=ranks"],
    "/try/scores": ["/try/scores?id={query}"],
    "/try/ranks": ["/try/ranks?id={query}"],
    "/try/suggestions": ["/try/suggestions?q=backup"],
    "/try/systems": ["/try/systems"],
    "/judge": ["/judge"],
    "/judge/text/{doc_id:id}": ["/judge/text/{document}"],
    "/judgments": ["/judgments", "/judgments?q={query}", "/judgments?show=stale"],
    "/judgments/agreement": ["/judgments/agreement"],
    "/judgments/policy": ["/judgments/policy"],
    "/judgments/{query_id:id}/{doc_id:id}": ["/judgments/{query}/{document}"],
    "/projects": ["/projects"],
    "/projects/+new": ["/projects/+new"],
    "/projects/{name}": ["/projects/two-judges"],
    "/projects/{name}/settle": ["/projects/two-judges/settle"],
    "/import": ["/import"],
    "/gates": ["/gates"],
    "/gates/+new": ["/gates/+new"],
    "/gates/{name}": ["/gates/release"],
    "/gates/{name}/replay": ["/gates/release/replay?of={replay}"],
    "/gates/{name}/replay/{run_id}": ["/gates/release/replay/{run}?of={replay}"],
    "/gates/{name}/verdicts/{verdict_id}": ["/gates/release/verdicts/{verdict}"],
    "/gates/{name}/verdicts/{verdict_id}/markdown": ["/gates/release/verdicts/{verdict}/markdown"],
    "/power": ["/power"],
    "/collections": ["/collections"],
    "/login": ["/login"],
}
"""Addresses to open, by route; a test compares them with the router."""

NOT_MEASURED = {
    "/assets/{name:path}": "a file, which browsers keep for good",
    "/judgments/export": "a file of all judgments, as long as they are many",
    "/judgments/imports": "a short list, of which the demonstration has none",
    "/judgments/imports/{import_id}/undo": "what the undo of an import would keep",
    "/gates/{name}/deciding/{job_id}": "progress of a requested verdict",
    "/try/jobs/{job_id}": "progress of scoring all queries",
    "/import/jobs/{job_id}": "how far something is that is being read in",
    "/tokens": "a short list, of which the demonstration has none",
    "/compare/model": "the demonstration has no judges that are not people",
    "/judges": "the demonstration has no judges that are not people",
    "/judges/{identity}": "the demonstration has no judges that are not people",
    "/judges/draws": "the demonstration has no draws",
    "/judges/draws/preview": "a part of the form of a draw",
    "/judges/proposals": "the demonstration has no proposed queries",
}


class Server:
    """``berryeval serve`` in a process of its own."""

    def __init__(self, archive):
        command = ["-m", "berryeval", "serve", "--port", "0", "--log-level", "error"]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--archive", archive], stdout=subprocess.PIPE, text=True
        )
        line = self.process.stdout.readline()
        found = re.search(r"http://([\d.]+):(\d+)", line)
        if found is None:
            raise SystemExit(f"the service does not start: {line}")
        self.connection = http.client.HTTPConnection(found[1], int(found[2]), timeout=120)

    def get(self, address):
        """Open a page, and return milliseconds, status and how many bytes came."""
        start = time.perf_counter()
        self.connection.request("GET", address, headers={"Accept": "text/html"})
        answer = self.connection.getresponse()
        body = answer.read()
        return (time.perf_counter() - start) * 1000, answer.status, len(body)

    def read(self, address):
        """Return the text of an address."""
        self.connection.request("GET", address)
        return self.connection.getresponse().read().decode()

    def judge(self, query_id, doc_id):
        """Store a judgment."""
        body = {"judgments": [{"query_id": query_id, "doc_id": doc_id, "grade": 1}]}
        headers = {"Content-Type": "application/json"}
        self.connection.request("POST", "/v1/judgments", json.dumps(body), headers)
        answer = self.connection.getresponse()
        if answer.status >= 400:
            raise SystemExit(f"cannot judge: {answer.read().decode()}")
        answer.read()

    def wait_until_read(self):
        """Wait until no page says any more that the archive is being read."""
        while self.get("/queries")[1] != 200:
            time.sleep(0.1)

    def settle(self, longest=180.0):
        """Wait until nothing happens in the background any more."""
        self.connection.close()  # the server would time it out; the next request reopens it
        until = time.monotonic() + longest
        before = self.processor_seconds()
        while time.monotonic() < until:
            time.sleep(0.6)
            now = self.processor_seconds()
            if now - before < 0.05:
                return
            before = now

    def processor_seconds(self):
        """Return how long processors have worked for it."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Return its memory in MB: what is resident now, and the most that was."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return [
            int(re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)[1]) / 1024 for name in MEMORY
        ]

    def close(self):
        """End it at once; its archive is a copy."""
        self.connection.close()
        self.process.kill()
        self.process.wait(60)
        self.process.stdout.close()


@contextmanager
def serving(archive):
    """Give a server that has just been started."""
    server = Server(archive)
    try:
        yield server
    finally:
        server.close()


def examples(get):
    """Return what stands in the addresses; `get` returns the text of an address.

    The newest run and an older one of its series, a query with a judged document, the newest
    verdict, and the replay of the gate that its page shows.
    """
    runs = json.loads(get("/v1/runs?limit=100"))["items"]
    judged = json.loads(get("/v1/judgments?limit=1"))["items"][0]
    verdicts = json.loads(get("/v1/gates/release/verdicts?limit=1"))["items"]
    return {
        "run": runs[0]["run_id"],
        "other": [run["run_id"] for run in runs if run["name"] == runs[0]["name"]][1],
        "query": quote(judged["query_id"], safe=""),
        "document": quote(judged["doc_id"], safe=""),
        "verdict": verdicts[0]["verdict_id"],
        "replay": re.search(r"/replay[^\"]*\?of=(\w+)", get("/gates/release"))[1],
    }


def measure(archive, only=""):
    """Return figures by address, and memory by phase.

    Cold first, as long as nothing was judged.
    """
    with serving(archive) as server:
        known = examples(server.read)
    wanted = {
        address: address.format(**known)
        for several in ADDRESSES.values()
        for address in several
        if only in address
    }
    found = {name: {} for name in wanted}
    for name, address in wanted.items():
        with serving(archive) as server:
            milliseconds, _, _ = server.get(address)
        found[name]["cold"] = milliseconds
        show(name, "cold", [milliseconds])
    memory = {}
    with serving(archive) as server:
        server.wait_until_read()
        server.settle()
        memory["the archive was read"] = server.memory()
        for name, address in wanted.items():
            _, status, found[name]["bytes"] = server.get(address)
            if status >= 400:
                raise SystemExit(f"{address}: answered with {status}")
            server.settle()
            before = server.processor_seconds()
            found[name]["warm"] = [server.get(address)[0] for _ in range(N_WARM)]
            spent = server.processor_seconds() - before
            found[name]["processor"] = 1000 * spent / N_WARM
            show(name, "warm", found[name]["warm"])
        memory["every page was opened"] = server.memory()
        for name, address in wanted.items():
            found[name]["judged"] = [judged(server, address, n) for n in range(N_JUDGED)]
            show(name, "judged", found[name]["judged"])
        memory["every page was opened after judgments"] = server.memory()
        server.settle()
        memory["the scores were updated"] = server.memory()
    return found, memory


def seconds_of_reading(archive):
    """Return how long a server needs after its start until every page opens."""
    with serving(archive) as server:
        start = time.perf_counter()
        server.wait_until_read()
        return time.perf_counter() - start


def show(name, kind, milliseconds):
    """Print the progress."""
    print(f"{statistics.median(milliseconds):8.0f} ms  {kind:6}  {name}", file=sys.stderr)


def judged(server, address, number):
    """Judge a document, and return how long a page takes then."""
    server.judge(f"q{number:06d}", f"benchmark-{time.time_ns()}")
    return server.get(address)[0]


def summary(figures):
    """Return cold, warm median, p95 and maximum, and median and maximum after a judgment."""
    warm = sorted(figures["warm"])
    p95 = warm[round(0.95 * (len(warm) - 1))]
    after = figures["judged"]
    return (
        figures["cold"],
        statistics.median(warm),
        p95,
        warm[-1],
        statistics.median(after),
        max(after),
    )


TEXT = """# Benchmarks of the workbench

<!-- Written by `make bench-workbench`. -->

Measured on an archive with 1,000 runs of 7,000 queries with 10 results each, a million judgments and 100,003 documents.
`python benchmarks/large_archive.py large.db` creates one within a few minutes.
{message}

| page | cold | median | p95 | longest | judged, median | judged, longest | processor | KiB |
|---|---|---|---|---|---|---|---|---|
{rows}

All times are in milliseconds from the request to the last byte of the answer, over one connection on the same machine.

- **cold**: the first request to a server that has just been started, while it reads the judgments in the background.
  That takes {reading:.0f} s; until then, a page that needs all of them says so, and opens by itself.
  The file is in the operating system's cache.
- **median**, **p95**, **longest**: of {n_warm} requests in a row.
- **judged**: of {n_judged} requests, each right after a new judgment, which changes the scores of every run.
  The trend of many runs is updated in the background.
- **processor**: processor time of a warm request, including background work; it does not depend on other work on the machine.
- Parts of pages that load separately (`/palette`, `…/ranks` and others) have their own lines.
  A part that is still being computed says so, and reloads when it is ready.

## Memory

Memory of the process, in MB: resident at that time, and the highest until then.

| after | resident | highest |
|---|---|---|
{memory}

{machine}.
"""  # noqa: E501 - one sentence per line


def page(found, memory, reading):
    """Return the page of the docs."""
    rows = []
    n_slow = 0
    for name, figures in found.items():
        numbers = summary(figures)
        n_slow += numbers[2] > WANTED_MS
        shown = " | ".join(f"**{ms:,.0f}**" if ms > WANTED_MS else f"{ms:,.0f}" for ms in numbers)
        size = f"{figures['bytes'] / 1024:,.0f}"
        rows.append(f"| `{name}` | {shown} | {figures['processor']:,.0f} | {size} |")
    message = (
        f"Addresses that exceed {WANTED_MS} ms at the 95th percentile: {n_slow} of {len(rows)}."
        if n_slow
        else f"Every page is answered within {WANTED_MS} ms, 95 times out of 100."
    )
    return TEXT.format(
        message=f"{message} Longer times are bold.",
        rows="\n".join(rows),
        n_warm=N_WARM,
        n_judged=N_JUDGED,
        reading=reading,
        memory="\n".join(
            f"| {phase} | {now:,.0f} | {peak:,.0f} |" for phase, (now, peak) in memory.items()
        ),
        machine=machine(),
    )


def machine():
    """Return what the figures were measured with."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    packages = (f"{name} {version(name)}" for name in ("fastapi", "sqlalchemy"))
    facts = (
        model[1].strip() if model else platform.machine(),
        f"{os.cpu_count()} processors",
        f"Python {platform.python_version()}",
        *packages,
        "SQLite",
    )
    return ", ".join(facts)


def main():
    """Measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archive", type=Path, default=ARCHIVE, help="made if it is not there")
    parser.add_argument("--only", default="", help="addresses with this text; nothing is written")
    wanted = parser.parse_args()
    if not wanted.archive.exists():
        wanted.archive.parent.mkdir(parents=True, exist_ok=True)
        program = ROOT / "benchmarks" / "large_archive.py"
        subprocess.run([sys.executable, program, wanted.archive], check=True)
    with tempfile.TemporaryDirectory(dir=wanted.archive.parent) as folder:
        copied = shutil.copy(wanted.archive, folder)  # a copy, since it is judged
        reading = seconds_of_reading(copied)
        text = page(*measure(copied, wanted.only), reading)
    if wanted.only:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
