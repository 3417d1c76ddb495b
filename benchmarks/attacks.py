"""Hostile clients of the service, for `mixed_clients.py --attackers`: each of them is one attack.

They call only a service on this machine, hold at most `MAX_CONNECTIONS` connections each, and end
every attempt within `SECONDS`. An attack returns the status of the answer, or 0 if the service
closed the connection without one. Refusals are what the service is expected to answer with; what
counts is how long the other clients wait in the meantime.
"""

import asyncio
import gzip
import io
import ipaddress
import json
from collections import deque
from contextlib import suppress
from functools import cache

__all__ = ["ATTACKS", "SECONDS", "attack", "prepare"]

SECONDS = 20.0
"""Longest time of an attempt."""
MAX_CONNECTIONS = 800
"""Held at a time: fewer than the service accepts, since what is measured is what they cost."""
N_HEADERS = 1200
N_KEYS = 1_000_000
N_VALUES = 10_000_000
BOMB_BYTES = 512 << 20
BOMB_ROWS = 50_000_001
"""One more than the service accepts."""
LONG_ID = 1 << 20
PIECE = 64 << 10
_STATUS_LINE = 64


async def attack(one, address, rng):
    """Make one attempt; return the status, or 0 without an answer.

    Raises ValueError for an address of another machine.
    """
    host, _ = address
    if not ipaddress.ip_address(host).is_loopback:
        raise ValueError(f"{host}: expected an address of this machine; attack no other")
    try:
        return await asyncio.wait_for(one(address, rng), SECONDS)
    except (OSError, EOFError, asyncio.TimeoutError):
        return 0


def prepare():
    """Make the large bodies, which takes seconds."""
    _many_keys()
    _bomb()
    for kind in ("objects", "numbers", "wide"):
        _many_values(kind)
    for kind in ("arrow", "parquet"):
        for has_long_ids in (False, True):
            _columns(kind, has_long_ids=has_long_ids)


async def half_sent_headers(address, rng):
    """Open many connections, never finish their headers, and replace the oldest by new ones."""
    streams = deque()
    try:
        for _ in range(N_HEADERS):
            reader, writer = await asyncio.open_connection(*address)
            streams.append((reader, writer))
            if len(streams) > MAX_CONNECTIONS:
                streams.popleft()[1].close()
            writer.write(
                b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: " + b"x" * rng.randrange(99)
            )
        return await _status(streams[-1][0])
    finally:
        for _, writer in streams:
            writer.close()


async def slow_body(address, rng):
    """Announce a body, and send a byte of it now and then."""
    _, writer = await asyncio.open_connection(*address)
    try:
        writer.write(_head("POST", "/v1/judgments", 1000))
        for _ in range(10):
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(rng.uniform(0.5, 1.5))
        return 0
    finally:
        writer.close()


async def many_unknown_keys(address, rng):
    """Send an object with a million keys that no model has."""
    path = rng.choice(("/v1/judgments", "/v1/comparisons", "/v1/evaluations", "/v1/queries"))
    return await _send(address, "POST", path, _many_keys())


async def many_values(address, rng):
    """Send thirty megabytes of empty objects, of numbers, or of wide objects."""
    path = rng.choice(("/v1/judgments", "/v1/documents", "/v1/evaluation/evaluate"))
    kind = rng.choice(("objects", "numbers", "wide"))
    return await _send(address, "POST", path, _many_values(kind))


async def arrow_bomb(address, rng):
    """Upload a small Arrow file of very many rows, or of rows that repeat a very long id."""
    return await _upload(address, _columns("arrow", has_long_ids=rng.random() < 0.5))


async def parquet_bomb(address, rng):
    """Upload such a file in Parquet."""
    return await _upload(address, _columns("parquet", has_long_ids=rng.random() < 0.5))


async def gzip_bomb(address, _rng):
    """Upload half a megabyte that is half a gigabyte: a run of a single line."""
    return await _upload(address, _bomb())


async def costly_comparison(address, _rng):
    """Compare many runs by many measures with as many resamples as a request may name."""
    status, answer = await _fetch(address, "/v1/runs?limit=20")
    if status != 200:
        return status
    baseline, *candidates = [run["run_id"] for run in json.loads(answer)["items"]]
    families = ("nDCG", "P", "R", "AP", "RR", "Success", "Judged")
    measures = [f"{family}@{k}" for family in families for k in range(1, 28)]
    given = {
        "baseline": baseline,
        "candidates": candidates,
        "measures": measures,
        "resamples": 100_000,
        "tests": ["randomisation"],
    }
    return await _send(address, "POST", "/v1/comparisons", json.dumps(given).encode())


async def slow_reader(address, rng):
    """Request a large answer many times over one connection, and read a few bytes of it."""
    reader, writer = await asyncio.open_connection(*address)
    try:
        writer.write(_head("GET", "/v1/judgments?limit=1000", 0) * 20)
        for _ in range(10):
            await reader.read(10)
            await asyncio.sleep(rng.uniform(0.5, 1.5))
        return 0
    finally:
        writer.close()


async def hostile_template(address, rng):
    """Send a template whose tags never end, or one that would grow to gigabytes."""
    endless = "{{" + " " * 300 + "#" + " " * 300 + "x"
    growing = "{{q}}" * 20_000
    given = {
        "templates": [{"id": "t", "template": {"source": rng.choice((endless, growing))}}],
        "requests": [
            {"id": "r", "template_id": "t", "params": {"q": "y" * 100_000}, "ratings": []}
        ],
        "metric": {"precision": {}},
    }
    return await _send(address, "POST", "/main/_rank_eval", json.dumps(given).encode())


async def endless_power(address, rng):
    """Request the number of queries needed to detect next to nothing."""
    margin = rng.choice(("0.00000001", "1e-200", "1e308"))
    status, _ = await _fetch(address, f"/power?margin={margin}&sd=1e308&alpha=1e-17")
    return status


ATTACKS = (
    half_sent_headers,
    slow_body,
    many_unknown_keys,
    many_values,
    arrow_bomb,
    parquet_bomb,
    gzip_bomb,
    costly_comparison,
    slow_reader,
    hostile_template,
    endless_power,
)


@cache
def _many_keys():
    return json.dumps({f"key{number}": 0 for number in range(N_KEYS)}).encode()


@cache
def _many_values(kind):
    """Return thirty megabytes of JSON: objects, numbers, or objects of nearly 10,000 keys."""
    wide = json.dumps({f"k{number:04}": 0 for number in range(9_990)}, separators=(",", ":"))
    one, n_values = {
        "objects": ("{}", N_VALUES),
        "numbers": ("1", 3 * N_VALUES // 2),
        "wide": (wide, 3 * N_VALUES // len(wide)),
    }[kind]
    return f'{{"judgments":[{",".join([one] * n_values)}]}}'.encode()


@cache
def _bomb():
    return gzip.compress(b"q" * BOMB_BYTES)


@cache
def _columns(kind, *, has_long_ids):
    """Return a small file of columns: very many rows, or fewer that all have the same long id."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import ipc, parquet

    n_rows = BOMB_ROWS // 20 if has_long_ids else BOMB_ROWS
    codes = pa.array(np.zeros(n_rows, np.int8))
    ids = pa.DictionaryArray.from_arrays(codes, ["q" * LONG_ID if has_long_ids else "q"])
    table = pa.table(
        {"query_id": ids, "doc_id": ids, "score": pa.array(np.zeros(n_rows, np.float32))}
    )
    file = io.BytesIO()
    if kind == "parquet":
        parquet.write_table(table, file, compression="zstd")
    else:
        options = ipc.IpcWriteOptions(compression="zstd")
        with ipc.new_file(file, table.schema, options=options) as writer:
            writer.write_table(table)
    return file.getvalue()


def _head(method, path, length, content_type="application/json"):
    lines = (
        f"{method} {path} HTTP/1.1",
        "Host: localhost",
        f"Content-Type: {content_type}",
        f"Content-Length: {length}",
    )
    return "\r\n".join((*lines, "", "")).encode()


async def _upload(address, content):
    kind = "application/octet-stream"
    return await _send(address, "POST", "/v1/runs?name=bomb", content, content_type=kind)


async def _send(address, method, path, body, content_type="application/json"):
    """Send a request piece by piece, and return the status, which may come before the end."""
    reader, writer = await asyncio.open_connection(*address)
    try:
        writer.write(_head(method, path, len(body), content_type))
        with suppress(ConnectionError):  # the server may reject the body before all of it is sent
            for start in range(0, len(body), PIECE):
                writer.write(body[start : start + PIECE])
                await writer.drain()
        return await _status(reader)
    finally:
        writer.close()


async def _fetch(address, path):
    reader, writer = await asyncio.open_connection(*address)
    try:
        writer.write(_head("GET", path, 0).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        return int(head.split(maxsplit=2)[1]), body
    finally:
        writer.close()


async def _status(reader):
    line = await reader.readuntil(b"\r\n")
    return int(line[:_STATUS_LINE].split(maxsplit=2)[1])
