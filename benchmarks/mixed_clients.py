"""Let 64 people and programs use the service at once, and report how long each of them waits.

Judges grade documents in the workbench and over the API, readers open its pages, programs upload
runs, score and compare them. With ``--attackers``, hostile clients join them: half-sent headers,
bodies of a million keys, bombs, comparisons that cost too much. ``make soak`` runs it for ten
minutes and writes the figures into docs/reference/service.md. It exits with 1 if a goal is missed.

Every client pauses between two requests, as people do (``--pause``). With 0, the service is
saturated, and the times show only how many requests it serves.
"""

import argparse
import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from attacks import ATTACKS, attack, prepare
from large_archive import Size, fill
from service_page import machine, replace_block

from berryeval.archive import Archive

SIZE = Size(runs=20, queries=225, depth=40, judgments=9000, documents=1409, verdicts=8)
"""A golden set that people really have: 225 queries, 1,400 documents, a few runs."""

CLIENTS = {"judge": 16, "judging program": 8, "reader": 28, "uploader": 4, "comparing program": 8}
PAUSES = {"judge": 2.5, "judging program": 1.0, "reader": 2.5, "uploader": 5.0,
          "comparing program": 2.0}  # fmt: skip
"""Seconds between two requests, on average.

People who read quickly; programs that let a model judge five documents per second, or search for
225 queries before they upload a run.
"""

GOALS = {"page": 1000, "judgment": 300}
"""Milliseconds that 99 of 100 requests of a kind may take."""
GOALS_UNDER_ATTACK = {"page": 10_000, "judgment": 2000}
"""The same while attackers use as much of the processors as they can get."""
MAX_GROWTH = 50
"""Megabytes by which the memory of each process of the service may grow. Processes for tasks, two
at most, are started when there is work for them, and end after five minutes without any."""

BEING_COMPUTED = 202
"""Status of a page that polls until it can be shown."""
NOT_FOUND = 404
MAX_POLLS = 10
N_VARIANTS = 8

PAGES = (
    "/", "/runs", "/runs/{run}", "/runs/{run}?part=queries", "/compare?a=main&b={run}",
    "/compare?a={other}&b={run}", "/queries", "/queries?q=backup&a=main&b={run}",
    "/queries/{query}?a=main&b={run}", "/judgments", "/judgments?q={query}",
    "/judgments/agreement", "/gates", "/gates/release", "/power", "/judge", "/import",
)  # fmt: skip

_ID = re.compile(r"^(/runs/|/queries/).+")
"""Pages whose ids do not matter for their time."""


class Client:
    """One connection that is kept open, as a browser does."""

    def __init__(self, crowd, rng):
        self._crowd = crowd
        self._streams = None
        self.rng = rng

    async def call(self, kind, method, path, body=b"", content_type="application/json", **headers):
        """Send a request, note how long it took, and return status and body."""
        start = time.perf_counter()
        try:
            status, answer = await self._exchange(method, path, body, content_type, headers)
        except (OSError, asyncio.IncompleteReadError) as error:
            self._streams = None
            status, answer = 0, repr(error).encode()
        self._crowd.note(kind, path, status, (time.perf_counter() - start) * 1000, answer)
        return status, answer

    async def post(self, kind, path, given, **headers):
        """Send JSON."""
        return await self.call(kind, "POST", path, json.dumps(given).encode(), **headers)

    async def _exchange(self, method, path, body, content_type, headers):
        if self._streams is None:
            self._streams = await asyncio.open_connection(*self._crowd.address)
        reader, writer = self._streams
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}",
                 f"Content-Type: {content_type}"]  # fmt: skip
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        writer.write("\r\n".join((*lines, "", "")).encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        status = int(head.split(maxsplit=2)[1])
        length = re.search(r"content-length: (\d+)", head)
        if length is not None:
            answer = await reader.readexactly(int(length[1]))
        else:
            answer = b""
            while (size := int(await reader.readline(), 16)) > 0:
                answer += await reader.readexactly(size)
                await reader.readexactly(2)
            await reader.readexactly(2)
        if "connection: close" in head:
            writer.close()
            self._streams = None
        return status, answer


class Crowd:
    """All clients, and what they waited for."""

    def __init__(self, address, pause, seed=0):
        self.address = address
        self._pause = pause
        self._rng = random.Random(seed)
        self.milliseconds = defaultdict(list)
        self.pages = defaultdict(list)
        self.statuses = Counter()
        self.attacks = Counter()
        self.unexpected = Counter()
        self.facts = {}
        # Prepared in advance: a client that computes would delay the others.
        self._rankings = [
            [self._ranking(number) for _ in range(N_VARIANTS)] for number in range(SIZE.queries)
        ]

    def _ranking(self, number):
        places = self._rng.sample(range(200), SIZE.depth)
        documents = ((number * 97 + place * 1009) % SIZE.documents for place in places)
        return "".join(
            f"q{number:06d} Q0 doc-{document:08d} {rank} {-rank} crowd\n"
            for rank, document in enumerate(documents, 1)
        ).encode()

    def note(self, kind, path, status, milliseconds, answer):
        """Count an answer."""
        self.statuses[kind, status] += 1
        if status == 429 or 200 <= status < 400:
            self.milliseconds[kind].append(milliseconds)
            if kind == "page":
                self.pages[_ID.sub(r"\1…", path.partition("?")[0])].append(milliseconds)
        else:
            self.unexpected[f"{status} {path[:60]} {answer[:200]!r}"] += 1

    def n_failed(self, kind):
        """Return how many requests of a kind failed: 5xx, no answer, or a page that is 404.

        Readers open only pages of what is there, and no client removes any of it.
        """
        return sum(
            n
            for (one, status), n in self.statuses.items()
            if one == kind
            and (status == 0 or status >= 500 or (kind == "page" and status == NOT_FOUND))
        )

    async def run(self, seconds, *, attackers):
        """Let everybody work for a while."""
        self.facts = await self._look_around()
        end = time.monotonic() + seconds
        work = [
            self._repeat(role, getattr(self, role.replace(" ", "_")), end)
            for role, number in CLIENTS.items()
            for _ in range(number)
        ]
        if attackers:
            work += [self._attack(one, end) for one in ATTACKS]
        await asyncio.gather(*work)

    async def _look_around(self):
        client = Client(self, self._rng)
        _, answer = await client.call("api", "GET", "/v1/runs?limit=50")
        return {"runs": [run["run_id"] for run in json.loads(answer)["items"]]}

    async def _repeat(self, role, act, end):
        client = Client(self, random.Random(self._rng.random()))
        pause = PAUSES[role] * self._pause
        await asyncio.sleep(client.rng.uniform(0, pause))
        while time.monotonic() < end:
            await act(client)
            await asyncio.sleep(client.rng.uniform(0.5, 1.5) * pause)

    async def _attack(self, one, end):
        rng = random.Random(self._rng.random())
        while time.monotonic() < end:
            self.attacks[one.__name__, await attack(one, self.address, rng)] += 1
            await asyncio.sleep(rng.uniform(0.5, 1.5))

    def _pair(self, rng):
        number = rng.randrange(SIZE.queries)
        place = rng.randrange(60)
        document = (number * 97 + place * 1009) % SIZE.documents
        return f"q{number:06d}", f"doc-{document:08d}"

    async def judge(self, client):
        """Open a page of the queue, and grade what it shows."""
        await client.call("page", "GET", "/judge", Accept="text/html")
        await self._post_judgments(client, 1)

    async def judging_program(self, client):
        """Post a few judgments at once."""
        await self._post_judgments(client, 5)

    async def _post_judgments(self, client, n):
        pairs = {self._pair(client.rng) for _ in range(n)}
        given = [
            {"query_id": query_id, "doc_id": doc_id, "grade": client.rng.randrange(4)}
            for query_id, doc_id in pairs
        ]
        await client.post("judgment", "/v1/judgments", {"judgments": given})

    async def reader(self, client):
        """Open any page."""
        runs = self.facts["runs"]
        run, other = client.rng.sample(runs, 2)
        query_id, _ = self._pair(client.rng)
        path = client.rng.choice(PAGES).format(run=run, other=other, query=query_id)
        for _ in range(MAX_POLLS):
            status, _ = await client.call("page", "GET", path, Accept="text/html")
            if status != BEING_COMPUTED:
                break
            await asyncio.sleep(1)

    async def uploader(self, client):
        """Upload a run of 225 queries, 40 documents each, and score it."""
        content = b"".join(client.rng.choice(several) for several in self._rankings)
        path = "/v1/runs?name=crowd"
        status, answer = await client.call(
            "upload", "POST", path, content, "application/octet-stream"
        )
        if status in (200, 201):
            run_id = json.loads(answer)["run_id"]
            given = {"run": run_id, "measures": ["nDCG@10", "AP"]}
            await client.post("scoring", "/v1/evaluations", given)

    async def comparing_program(self, client):
        """Compare two runs, or look at a run."""
        run, other = client.rng.sample(self.facts["runs"], 2)
        if client.rng.random() < 0.5:
            await client.post("comparison", "/v1/comparisons",
                              {"baseline": other, "candidates": [run]})  # fmt: skip
        else:
            await client.call("api", "GET", f"/v1/runs/{run}/rankings/q{0:06d}")


class Memory(NamedTuple):
    """Megabytes of the service, of its processes for tasks, and of each of its own processes."""

    service: float
    tasks: float
    processes: tuple[float, ...] = ()


def resident_memory(pid, n_workers=1):
    """Return the memory of the service: a process, or one that has forked workers.

    Memory that processes share counts in parts.
    """
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, IndexError):  # it may have ended
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    own = {pid}
    if n_workers > 1:
        own |= {child for child, parent in parents.items() if parent == pid}
    tasks = {child for child, parent in parents.items() if parent in own} - own
    processes = tuple(megabytes_of(one) for one in sorted(own))
    return Memory(sum(processes), sum(map(megabytes_of, tasks)), processes)


def megabytes_of(pid):
    """Return the memory of a process, with its part of shared memory; 0 if it has ended."""
    with suppress(OSError):
        found = re.search(
            r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE
        )
        return int(found[1]) / 1024 if found else 0.0
    return 0.0


def percentile(values, share):
    """Return the smallest value that so many do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


async def watch_memory(pid, seen, n_workers, every=5.0):
    """Note the memory of the service while the clients work."""
    while True:
        seen.append(resident_memory(pid, n_workers))
        await asyncio.sleep(every)


async def measure(address, pid, wanted):
    """Let the clients work, and return them with the memory over time."""
    crowd, memory = Crowd(address, wanted.pause), []
    if wanted.attackers:
        prepare()
    watching = asyncio.ensure_future(watch_memory(pid, memory, wanted.workers))
    await crowd.run(60 * wanted.minutes, attackers=wanted.attackers)
    watching.cancel()
    return crowd, memory


def lines_of(crowd, memory, wanted):
    """Return the table of the page."""
    yield (
        f"{machine()}, {wanted.archive.partition(':')[0]}"
        f"{f', {wanted.workers} workers' if wanted.workers > 1 else ''}; "
        f"{sum(CLIENTS.values())} clients for "
        f"{wanted.minutes:g} minutes{', with attackers' if wanted.attackers else ''}."
    )
    yield ""
    yield "| requests | number | median | p95 | p99 | longest | failed |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for kind, found in sorted(crowd.milliseconds.items()):
        figures = " | ".join(
            f"{percentile(found, share):,.0f} ms" for share in (0.5, 0.95, 0.99, 1)
        )
        yield f"| {kind} | {len(found):,} | {figures} | {crowd.n_failed(kind)} |"
    n_waiting = crowd.statuses["page", BEING_COMPUTED]
    early, late = growth(memory)
    most, of_tasks = (max(one.service for one in memory), max(one.tasks for one in memory))
    each = ", ".join(f"{one:,.0f}" for one in memory[-1].processes)
    by_process = f", in the end by process {each} MB" if wanted.workers > 1 else ""
    yield ""
    yield (
        f"{n_waiting:,} pages were still being computed and had to be polled. Memory of the "
        f"service: {early:,.0f} MB in the second tenth of the time, {late:,.0f} MB in the last, "
        f"{most:,.0f} MB at most{by_process}; processes for tasks: {of_tasks:,.0f} MB at most."
    )
    if wanted.attackers:
        yield ""
        yield "| attack | attempts | answers |"
        yield "|---|---:|---|"
        for one in ATTACKS:
            name = one.__name__
            found = {status: n for (of, status), n in crowd.attacks.items() if of == name}
            answers = ", ".join(
                f"{n} x {status or 'no answer'}" for status, n in sorted(found.items())
            )
            yield f"| {name.replace('_', ' ')} | {sum(found.values())} | {answers} |"


def growth(memory):
    """Return the memory of the service in the second tenth of the time, and in the last."""
    own = [one.service for one in memory]
    tenth = max(1, len(own) // 10)
    return statistics.median(own[tenth:][:tenth] or own), statistics.median(own[-tenth:])


def missed(crowd, memory, *, attackers, n_workers=1):
    """Iterate over the goals that were missed, in words."""
    for kind in sorted({kind for kind, _ in crowd.statuses}):
        if n_failed := crowd.n_failed(kind):
            yield f"{kind}: expected no failed request, found {n_failed}"
    for kind, most in (GOALS_UNDER_ATTACK if attackers else GOALS).items():
        found = percentile(crowd.milliseconds[kind] or [0.0], 0.99)
        if found > most:
            yield f"{kind}: expected a p99 below {most} ms, found {found:,.0f} ms"
    early, late = growth(memory)
    most = MAX_GROWTH * n_workers
    if late - early > most and not attackers:
        yield f"memory: expected at most {most} MB more, found {late - early:,.0f} MB"


def serve(archive, folder, n_workers):
    """Start the service, and return its process and address."""
    log = (Path(folder) / "log").open("w")
    command = ["-m", "berryeval", "serve", "--port", "0", "--log-level", "warning"]
    command += ["--workers", str(n_workers)]
    process = subprocess.Popen([sys.executable, *command, "--archive", archive],
                               stdout=subprocess.PIPE, stderr=log, text=True)  # fmt: skip
    host, port = re.search(r"http://([\d.]+):(\d+)", process.stdout.readline()).groups()
    return process, (host, int(port))


def main():
    """Fill an archive, let the clients work, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--pause", type=float, default=1.0, help="factor of the usual pauses")
    parser.add_argument("--attackers", action="store_true", help="let hostile clients join")
    parser.add_argument("--archive", default="", help="empty database; default: an SQLite file")
    parser.add_argument(
        "--workers",
        type=int,
        default=1,
        help="processes that serve requests; with several, nothing is written",
    )
    parser.add_argument(
        "--write", action="store_true", help="write the figures into the docs if no goal is missed"
    )
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wanted.archive = wanted.archive or f"SQLite:{folder}/crowd.db"
        place = wanted.archive.removeprefix("SQLite:")
        with Archive.open(place) as archive:
            fill(archive, SIZE)
        process, address = serve(place, folder, wanted.workers)
        try:
            crowd, memory = asyncio.run(measure(address, process.pid, wanted))
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()
        logged = (Path(folder) / "log").read_text()
    lines = [*lines_of(crowd, memory, wanted)]
    goals = {"attackers": wanted.attackers, "n_workers": wanted.workers}
    misses = [*missed(crowd, memory, **goals)]
    if wanted.write and not misses and wanted.workers == 1:
        replace_block("attacked" if wanted.attackers else "crowd", lines)
    else:
        print(*lines, sep="\n")
    slowest = sorted(crowd.pages.items(), key=lambda one: -percentile(one[1], 0.99))
    for path, found in slowest:
        median, longest = percentile(found, 0.5), percentile(found, 0.99)
        print(f"{median:8.0f} {longest:8.0f} ms  {len(found):5} {path}")
    print(f"log: {len(logged):,} characters; {dict(crowd.statuses)}")
    for line in logged.splitlines():
        if '"level": "error"' in line or not line.startswith("{"):
            print(line)
    for text, n in crowd.unexpected.most_common(10):
        print(f"{n:6} {text}")
    for goal in misses:
        print(goal, file=sys.stderr)
    sys.exit(1 if misses else 0)


if __name__ == "__main__":
    main()
