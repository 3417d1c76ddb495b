"""Measure how long every page of the workbench takes, and write the figures into the docs.

The archive has 1,000 runs of 7,000 queries and a million judgments, see `large_archive`. Each
page is opened cold, as the first request to a server that has just been started; warm, many times
in a row; and right after a judgment, which changes all scores. ``make bench-workbench`` runs it.
"""

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "benchmarks-workbench.md"
ARCHIVE = ROOT / "build" / "large.db"

WANTED_MS = 200
N_WARM, N_JUDGED = 30, 10

ADDRESSES = {
    "/": ["/", "/?series=bm25&measure=AP"],
    "/palette": ["/palette?q=", "/palette?q=rotate"],
    "/search": ["/search?q=backup"],
    "/runs": ["/runs", "/runs?q=release"],
    "/runs/{reference}": ["/runs/{run}", "/runs/main", "/runs/{run}?part=queries&q=backup"],
    "/compare": ["/compare?a=main&b={run}", "/compare?a={other}&b={run}"],
    "/compare/holes": ["/compare/holes?a=main&b={run}"],
    "/queries": ["/queries", "/queries?q=backup&a=main&b={run}"],
    "/queries/{query_id:id}": ["/queries/{query}?a=main&b={run}"],
    "/queries/{query_id:id}/scores": ["/queries/{query}/scores?a=main&b={run}"],
    "/queries/{query_id:id}/ranks": ["/queries/{query}/ranks?a=main&b={run}"],
    "/queries/{query_id:id}/neighbours": ["/queries/{query}/neighbours?a=main&b={run}"],
    "/queries/{query_id:id}/documents/{doc_id:id}": ["/queries/{query}/documents/{document}"],
    "/judge": ["/judge"],
    "/judge/text/{doc_id:id}": ["/judge/text/{document}"],
    "/judgments": ["/judgments", "/judgments?q=q000500", "/judgments?stale=1"],
    "/gates": ["/gates"],
    "/gates/+new": ["/gates/+new"],
    "/gates/{name}": ["/gates/release"],
    "/gates/{name}/replay": ["/gates/release/replay"],
    "/gates/{name}/verdicts/{verdict_id}": ["/gates/release/verdicts/{verdict}"],
    "/gates/{name}/replay/{run_id}": ["/gates/release/replay/{run}"],
    "/power": ["/power"],
    "/login": ["/login"],
}
"""By route, what is opened of it."""

NOT_MEASURED = {"/assets/{name:path}": "a file, which browsers keep for good"}


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

    def call(self, address, body=None):
        """Return the JSON of the API."""
        content = None if body is None else json.dumps(body)
        headers = {"Content-Type": "application/json"}
        self.connection.request("GET" if body is None else "POST", address, content, headers)
        return json.loads(self.connection.getresponse().read())

    def settle(self, longest=180.0):
        """Wait until nothing happens in the background any more."""
        self.connection.close()  # the server would close it meanwhile; it is opened again
        until = time.monotonic() + longest
        before = self._seconds()
        while time.monotonic() < until:
            time.sleep(0.6)
            now = self._seconds()
            if now - before < 0.05:
                return
            before = now

    def _seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        """Stop it."""
        self.connection.close()
        self.process.terminate()
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


def examples(server):
    """Return what stands in the addresses: the newest runs, a query, a document, a verdict."""
    runs = [run["run_id"] for run in server.call("/v1/runs?limit=40")["items"]]
    judged = server.call("/v1/judgments?query_id=q000500&limit=5")["items"][0]
    verdict = server.call("/v1/gates/release/verdicts?limit=1")["items"][0]
    return {
        "run": runs[0],
        "other": runs[8],  # of the same series
        "query": quote(judged["query_id"]),
        "document": quote(judged["doc_id"]),
        "verdict": verdict["verdict_id"],
    }


def measure(archive, only=""):
    """Iterate over addresses and figures."""
    with serving(archive) as server:
        known = examples(server)
        wanted = [
            (address, address.format(**known))
            for several in ADDRESSES.values()
            for address in several
            if only in address
        ]
        found = {}
        for name, address in wanted:
            _, status, n_bytes = server.get(address)
            found[name] = {"status": status, "bytes": n_bytes}
        server.settle()
        for name, address in wanted:
            server.get(address)
            server.settle()
            found[name]["warm"] = [server.get(address)[0] for _ in range(N_WARM)]
        for name, address in wanted:
            found[name]["judged"] = [judged(server, address, n) for n in range(N_JUDGED)]
    for name, address in wanted:
        with serving(archive) as server:
            found[name]["cold"] = server.get(address)[0]
        print(name, found[name]["status"], *map(round, summary(found[name])), file=sys.stderr)
    return found


def judged(server, address, number):
    """Judge a document, and return how long a page takes then."""
    pair = {"query_id": f"q{number:06d}", "doc_id": f"benchmark-{time.time_ns()}", "grade": 1}
    server.call("/v1/judgments", {"judgments": [pair]})
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


def page(found, backend):
    """Return the page of the docs."""
    rows = []
    n_slow = 0
    for name, figures in found.items():
        numbers = summary(figures)
        n_slow += numbers[2] > WANTED_MS
        shown = " | ".join(f"**{ms:,.0f}**" if ms > WANTED_MS else f"{ms:,.0f}" for ms in numbers)
        rows.append(f"| `{name}` | {shown} | {figures['bytes'] / 1024:,.0f} |")
    told = (
        "Every page is answered within 200 ms, 95 times of 100."
        if not n_slow
        else f"Of {len(rows)} addresses {n_slow} take longer than 200 ms, 95 times of 100; they are bold."
    )
    return "\n".join([
        "# How quick the workbench is",
        "",
        "<!-- Written by `make bench-workbench`. -->",
        "",
        "Measured on an archive with 1,000 runs of 7,000 queries with 10 results each and a million judgments, which `python benchmarks/large_archive.py large.db` makes within a few minutes.",
        f"{told}",
        "",
        "| page | cold | median | p95 | longest | judged, median | judged, longest | KiB |",
        "|---|---|---|---|---|---|---|---|",
        *rows,
        "",
        "All are milliseconds from the request to the last byte of the answer, over one connection on the same machine.",
        "",
        f"- **cold**: the first request to a server that has just been started, while it reads the judgments in the background. The file is in the memory of the operating system.",
        f"- **median**, **p95**, **longest**: of {N_WARM} requests in a row, after one that is not counted.",
        f"- **judged**: of {N_JUDGED} requests, each right after a new judgment, which changes the scores of every run.",
        "- Parts of pages that come later by themselves (`/palette`, `…/ranks` and others) have lines of their own; those that are being computed say so and come again.",
        "",
        f"{backend}.",
        "",
    ])  # fmt: skip


def machine():
    """Return what the figures were measured with."""
    import platform
    from importlib.metadata import version

    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    name = model[1].strip() if model else platform.machine()
    packages = ", ".join(f"{one} {version(one)}" for one in ("fastapi", "sqlalchemy"))
    return f"{name}, {os.cpu_count()} processors, Python {platform.python_version()}, {packages}, SQLite"


def main():
    """Measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archive", default=str(ARCHIVE), help="made if it is not there")
    parser.add_argument("--only", default="", help="addresses with this text; nothing is written")
    wanted = parser.parse_args()
    if not wanted.archive.startswith("postgres") and not Path(wanted.archive).exists():
        Path(wanted.archive).parent.mkdir(parents=True, exist_ok=True)
        program = str(ROOT / "benchmarks" / "large_archive.py")
        subprocess.run([sys.executable, program, wanted.archive], check=True)
    found = measure(wanted.archive, wanted.only)
    text = page(found, machine())
    if wanted.only:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
