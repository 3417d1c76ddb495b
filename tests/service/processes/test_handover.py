"""Requests for state in the memory of one process reach that process."""

import asyncio
import resource
import socket
import sys
from types import CodeType, FunctionType

import pytest
from fastapi.routing import APIRoute

from berryeval.service.app import create_app
from berryeval.service.dependencies import _jobs, _long_work
from berryeval.service.processes.handover import Handover, needs_first_worker, new_inboxes
from berryeval.service.processes.write_counts import SLOT_BYTES, WriteCounts
from berryeval.service.routes import ROUTERS, operations
from berryeval.service.workbench import pages

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="descriptors are sent")

ONLY_IN_MEMORY = {
    *("collections", "figures", "jobs", "queues", "replays", "staged_imports", "tried_runs")
}
"""State that requests share but no archive contains: only the first worker has it. Removing a
collection cancels its jobs."""

MADE_AGAIN = {
    *("agreement", "comparisons", "directory", "evaluations", "judgment_table", "keeper"),
    *("many_comparisons", "measuring", "run_figures", "runs", "scoring", "stores", "tries"),
}
"""State that any worker computes from the archive, and checks before using it again."""

OF_PROCESS = {"archive", "callers", "is_stopping", "settings", "workers"}
"""State that each process has for itself."""


@pytest.mark.parametrize(
    ("head", "is_needed"),
    [
        ("GET /v1/jobs HTTP/1.1", True),
        ("GET /v1/jobs/1/events?x=1 HTTP/1.1", True),
        ("GET /v1/%6Aobs/1 HTTP/1.1", True),
        ("GET http://host:8765/judge?mode=holes HTTP/1.1", True),
        ("GET /judge?mode=holes HTTP/1.1", True),
        ("GET /c/products/judge HTTP/1.1", True),
        ("GET /c/judge/judgments HTTP/1.1", False),
        ("GET /judgments HTTP/1.1", False),
        ("GET /runs/import HTTP/1.1", False),
        ("POST /try/score HTTP/1.1", True),
        ("GET /try/scores HTTP/1.1", False),
        ("POST /v1/runs HTTP/1.1\r\nHost: a\r\nPREFER: Respond-Async", True),
        ("POST /v1/runs HTTP/1.1\r\nX-Note: respond-async", False),
        ("", False),
        ("GET", False),
    ],
)
def test_path_and_preference_decide(head, is_needed):
    """This holds for every way to write the address."""
    assert needs_first_worker(head.encode()) is is_needed


def state_names(dependant):
    """Yield the parts of the application's state that a route requests."""
    for one in dependant.dependencies:
        cells = getattr(one.call, "__closure__", None) or ()
        yield from (cell.cell_contents for cell in cells if isinstance(cell.cell_contents, str))
        yield from state_names(one)


def names_in(function):
    """Return the names that a function uses, with those in functions of its module."""
    found, unread = set(), [function]
    while unread:
        codes = [unread.pop().__code__]
        while codes:
            code = codes.pop()
            codes += [one for one in code.co_consts if isinstance(one, CodeType)]
            helpers = (function.__globals__.get(name) for name in {*code.co_names} - found)
            unread += [
                one
                for one in helpers
                if isinstance(one, FunctionType) and one.__module__ == function.__module__
            ]
            found |= {*code.co_names}
    return found


def calls(dependant):
    """Yield the functions that a route depends on."""
    for one in dependant.dependencies:
        yield one.call
        yield from calls(one)


def test_all_state_says_whether_workers_can_share_it():
    """A new part of the state has to be added to one of the lists above."""
    listed = ONLY_IN_MEMORY | MADE_AGAIN | OF_PROCESS
    assert {*create_app(None).state._state} == listed
    assert len(listed) == len(ONLY_IN_MEMORY) + len(MADE_AGAIN) + len(OF_PROCESS)


def test_every_route_with_state_in_memory_reaches_the_first_worker():
    """A new page that shares such state has to be added to `ONE_PROCESS`."""
    routers = (operations.router, *ROUTERS, *pages.OPEN_ROUTERS, *pages.ROUTERS)
    routes = [one for router in routers for one in router.routes if isinstance(one, APIRoute)]
    using = {
        route.path
        for route in routes
        if ONLY_IN_MEMORY & {*state_names(route.dependant), *names_in(route.endpoint)}
        or (
            _jobs in calls(route.dependant)
            and _long_work not in calls(route.dependant)  # jobs by request, as its headers say
        )
    }
    expected = {"/v1/jobs/{job_id}", "/judge", "/gates/{name}", "/import/store", "/metrics"}
    assert expected <= using
    assert [path for path in using if not needs_first_worker(f"GET {path} ".encode())] == []


@pytest.mark.parametrize("n_bytes", [10, 300_000])
def test_connection_arrives_with_what_was_read(n_bytes):
    """This holds for any length of the beginning of the request."""
    inboxes = new_inboxes(2)
    first, second = (Handover(number, inboxes) for number in range(2))
    arrived = []

    async def receive():
        has_arrived = asyncio.Event()
        first.open(lambda *found: (arrived.append(found), has_arrived.set()))
        await has_arrived.wait()
        first.close()

    client, server = socket.socketpair()
    assert second.send(0, server.fileno(), 1, b"x" * n_bytes)
    server.close()
    asyncio.run(receive())
    [(connection, home, content)] = arrived
    assert (home, content) == (1, b"x" * n_bytes)
    connection.sendall(b"hello")
    assert client.recv(5) == b"hello"
    for one in (client, connection, *inboxes[0], *inboxes[1]):
        one.close()


def test_full_inbox_refuses():
    """The sender tries again later."""
    inboxes = new_inboxes(1)
    handover = Handover(0, inboxes)
    one, other = socket.socketpair()
    sent = [handover.send(0, one.fileno(), 0, b"x" * 30_000) for _ in range(1000)]
    assert sent[0]
    assert not sent[-1]
    for end in (one, other, *inboxes[0]):
        end.close()


def test_connection_that_cannot_be_sent_is_refused_too():
    """Linux limits the descriptors in transit, and a disk may be full."""
    inboxes = new_inboxes(1)
    handover = Handover(0, inboxes)
    one, other = socket.socketpair()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        assert not handover.send(0, one.fileno(), 0, b"x" * 300_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    for end in (one, other, *inboxes[0]):
        end.close()


def test_workers_see_the_writes_of_others_once():
    """Their own writes are not reported."""
    shared = bytearray(2 * SLOT_BYTES)
    first, second = (WriteCounts(shared, number) for number in range(2))
    first.note()
    assert not first.has_news()
    assert second.has_news()
    assert not second.has_news()
