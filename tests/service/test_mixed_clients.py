"""The clients of the soak: goals, and attacks on this machine only."""

import asyncio
import importlib
import io
import json
from contextlib import suppress
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest
from pyarrow import feather, parquet

CHANCE = Random(0)  # noqa: S311 - not for secrets


@pytest.fixture(scope="module")
def mixed_clients():
    """The program, whose modules import one another by their plain names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[2] / "benchmarks")
        yield importlib.import_module("mixed_clients")


@pytest.fixture(scope="module")
def attacks(mixed_clients):
    """The attacks that it uses."""
    return importlib.import_module(mixed_clients.attack.__module__)


def test_no_other_machine_is_attacked(attacks):
    """An address of another machine is rejected before anything is sent."""

    async def send(_address, _rng):
        raise AssertionError("sent")

    with pytest.raises(ValueError, match="this machine"):
        asyncio.run(attacks.attack(send, ("192.0.2.1", 80), CHANCE))


def test_an_attack_ends_in_time(attacks, monkeypatch):
    """One that gets no answer is given up, and counted as such."""
    monkeypatch.setattr(attacks, "SECONDS", 0.01)

    async def wait(_address, _rng):
        await asyncio.Event().wait()

    assert asyncio.run(attacks.attack(wait, ("127.0.0.1", 80), CHANCE)) == 0


def test_half_sent_headers_are_bounded(attacks, monkeypatch):
    """Few are held at a time, and every connection is closed again."""
    monkeypatch.setattr(attacks, "MAX_CONNECTIONS", 3)
    monkeypatch.setattr(attacks, "N_HEADERS", 5)

    async def attacked():
        ended = asyncio.Queue()

        async def answer(reader, writer):
            head = await reader.read(1000)
            writer.write(b"HTTP/1.1 408 Request Timeout\r\n\r\n")
            with suppress(ConnectionError):  # it may be closed before it is read
                await reader.read()
                writer.close()
                await writer.wait_closed()
            ended.put_nowait(head)

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            address = server.sockets[0].getsockname()
            status = await attacks.attack(attacks.half_sent_headers, address, CHANCE)
            heads = [await ended.get() for _ in range(5)]
        return status, heads, ended.qsize()

    status, heads, n_more = asyncio.run(asyncio.wait_for(attacked(), 20))
    assert (status, n_more) == (408, 0)
    assert not any(b"\r\n\r\n" in head for head in heads)


@pytest.mark.parametrize("kind", ["arrow", "parquet"])
@pytest.mark.parametrize("has_long_ids", [False, True])
def test_bombs_are_small_files_that_become_large(attacks, monkeypatch, kind, has_long_ids):
    """The service would decode them to many times their size."""
    monkeypatch.setattr(attacks, "BOMB_ROWS", 200_000)
    monkeypatch.setattr(attacks, "LONG_ID", 100_000)
    content = attacks._columns.__wrapped__(kind, has_long_ids=has_long_ids)
    read = parquet.read_table if kind == "parquet" else feather.read_table
    table = read(io.BytesIO(content))
    n_bytes = sum(len(table["query_id"][0].as_py()) * table.num_rows for _ in "qd")
    assert len(content) * 5 < n_bytes


def test_bodies_of_many_values_are_valid_json(attacks, monkeypatch):
    """They are rejected because of their content, not their syntax."""
    monkeypatch.setattr(attacks, "N_VALUES", 100_000)
    for kind in ("objects", "numbers", "wide"):
        assert len(json.loads(attacks._many_values.__wrapped__(kind))["judgments"]) > 1


@pytest.fixture
def crowd(mixed_clients):
    """Clients that were all answered quickly."""
    found = mixed_clients.Crowd(("127.0.0.1", 0), pause=0)
    for kind in ("page", "judgment"):
        for _ in range(200):
            found.note(kind, "/", 200, 10.0, b"")
    return found


FLAT = [100.0] * 20
"""Memory of the service in megabytes; its workers may come and go."""


@pytest.mark.parametrize(
    ("answers", "memory", "goal"),
    [
        ([("page", 200, 10.0)], FLAT, None),
        ([("api", 404, 10.0)], FLAT, None),
        ([("upload", 503, 10.0)], FLAT, "upload: expected no failed request, found 1"),
        ([("judgment", 0, 10.0)], FLAT, "judgment: expected no failed request, found 1"),
        ([("page", 200, 1001.0)] * 5, FLAT, "page: expected a p99 below 1000 ms, found 1,001 ms"),
        ([("judgment", 200, 301.0)] * 5, FLAT, "judgment: expected a p99 below 300 ms"),
        ([], [*FLAT, 151.0, 151.0], "memory: expected at most 50 MB more, found 51 MB"),
    ],
)
def test_a_missed_goal_is_named(mixed_clients, crowd, answers, memory, goal):
    """`make soak` then fails."""
    for kind, status, milliseconds in answers:
        crowd.note(kind, "/", status, milliseconds, b"")
    seen = [mixed_clients.Memory(one, 50.0 * (at % 3)) for at, one in enumerate(memory)]
    misses = [*mixed_clients.missed(crowd, seen, attackers=False)]
    assert [one.startswith(goal or "") for one in misses] == ([] if goal is None else [True])


def test_the_table_has_a_row_for_each_kind_and_attack(mixed_clients, crowd):
    """Rows have the share of pages that polled, and the responses to attacks."""
    crowd.note("page", "/compare", 202, 5.0, b"")
    crowd.attacks["gzip_bomb", 413] += 2
    wanted = SimpleNamespace(archive="SQLite:x", minutes=1, attackers=True, workers=2)
    seen = [mixed_clients.Memory(one, 70.0, (one / 2, one / 2)) for one in FLAT]
    text = "\n".join(mixed_clients.lines_of(crowd, seen, wanted))
    assert "| page | 201 | 10 ms | 10 ms | 10 ms | 10 ms | 0 |" in text
    assert "1 pages were still being computed" in text
    assert "100 MB at most, in the end by process 50, 50 MB" in text
    assert "processes for tasks: 70 MB at most" in text
    assert "| gzip bomb | 2 | 2 x 413 |" in text


def test_what_is_not_there_is_a_failure(mixed_clients):
    """The clients remove nothing, so a page of a run that is 404 is a fault of the service."""
    crowd = mixed_clients.Crowd(("127.0.0.1", 80), 1.0)
    for status in (200, 202, 303, 404, 429, 500, 0):
        crowd.note("page", "/runs/a", status, 1.0, b"")
    assert crowd.n_failed("page") == 3
