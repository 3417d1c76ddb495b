"""Measure the service with wrk, and write the figures into docs/reference/service.md.

Reading an evaluation over 16 connections, and 100 judges who post judgments at once; the
judgments are counted afterwards. ``make bench-service`` runs it.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.request import Request, urlopen

from service_page import machine, replace_block

SECONDS = 20

# Each request has a pair of its own, so that none replaces another.
JUDGE = """
local thread_number = 0
function setup(thread)
  thread:set("number", thread_number)
  thread_number = thread_number + 1
end
function init() posted = 0 end
function request()
  posted = posted + 1
  local body = string.format(
    '{"judgments":[{"query_id":"q%d","doc_id":"t%d-%d","grade":1}]}',
    posted % 50, number, posted)
  return wrk.format("POST", "/v1/judgments", {["Content-Type"] = "application/json"}, body)
end
"""


def main() -> None:
    """Measure, and write."""
    wrk = shutil.which("wrk")
    if wrk is None:
        raise SystemExit("wrk is not installed: apt install wrk")
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "berryeval", "serve", "--port", "0", "--log-level", "error"],
            cwd=folder,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            address = re.search(r"http://\S+:\d+", server.stdout.readline())[0]
            evaluation = prepare(address)
            reading = measure(wrk, "-t1", "-c16", f"{address}/v1/evaluations/{evaluation}")
            script = Path(folder) / "judge.lua"
            script.write_text(JUDGE)
            judging = measure(wrk, "-t2", "-c100", "-s", str(script), f"{address}/v1/judgments")
            stored = count_judgments(address) - 400
        finally:
            server.terminate()
            server.wait()
            server.stdout.close()
    write(reading, judging, stored)


def call(address, path, body=None, content=None):
    """Call the service, and return its JSON."""
    data = json.dumps(body).encode() if body is not None else content
    kind = "application/json" if body is not None else "application/octet-stream"
    request = Request(f"{address}{path}", data, {"Content-Type": kind})  # noqa: S310
    with urlopen(request) as answer:  # noqa: S310
        return json.load(answer)


def prepare(address):
    """Store judgments and a run of 50 queries, and return the id of an evaluation."""
    judged = [
        {"query_id": f"q{i}", "doc_id": f"d{j}", "grade": j % 3}
        for i in range(50)
        for j in range(8)
    ]
    call(address, "/v1/judgments", {"judgments": judged})
    lines = "".join(f"q{i} Q0 d{j} 1 {-j} run\n" for i in range(50) for j in range(100))
    run = call(address, "/v1/runs?name=bm25", content=lines.encode())["run_id"]
    measures = ["nDCG@10", "AP", "RR", "P@5", "R@100"]
    return call(address, "/v1/evaluations", {"run": run, "measures": measures})["evaluation_id"]


def measure(wrk, *arguments):
    """Run wrk, and return requests, failures, requests a second, and latencies."""
    command = [wrk, f"-d{SECONDS}s", "--latency", *arguments]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    errors = re.search(r"Socket errors: (.*)", text)
    return {
        "requests": int(re.search(r"(\d+) requests in", text)[1]),
        "failed": int(failed[1]) if failed else 0,
        "errors": errors[1] if errors else "none",
        "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]),
        "p50": re.search(r"^\s+50%\s+(\S+)", text, re.MULTILINE)[1],
        "p99": re.search(r"^\s+99%\s+(\S+)", text, re.MULTILINE)[1],
    }


def count_judgments(address):
    """Return how many judgments are stored."""
    n, path = 0, "/v1/judgments?limit=1000"
    while path:
        page = call(address, path)
        n, path = n + len(page["items"]), page["next"]
    return n


def write(reading, judging, stored):
    """Write the figures into the page."""
    acknowledged = judging["requests"] - judging["failed"]
    # wrk stops with requests in flight: these are stored, but it did not count them.
    lost = max(0, acknowledged - stored)
    lines = [
        f"{machine()}, SQLite, {SECONDS} seconds each.",
        "",
        "| what | connections | requests/s | median | p99 | not 2xx | lost |",
        "|---|---|---|---|---|---|---|",
        f"| reading an evaluation | 16 | {reading['rate']:,.0f} | {reading['p50']} "
        f"| {reading['p99']} | {reading['failed']} | |",
        f"| judges posting one judgment each | 100 | {judging['rate']:,.0f} | {judging['p50']} "
        f"| {judging['p99']} | {judging['failed']} | {lost} of {acknowledged:,} |",
    ]
    replace_block("figures", lines)


if __name__ == "__main__":
    main()
