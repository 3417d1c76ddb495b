"""A few pages at a time, and everything else at once."""

import asyncio

import pytest

from berryeval.service.dependencies import Caller
from berryeval.service.middleware import turns
from berryeval.service.middleware.turns import PAGES, SEARCHES, TRIES, Turns

AT_ONCE = PAGES.at_once


class Application:
    """Responds on demand, and counts the requests that it is working on."""

    def __init__(self):
        self.n_working = 0
        self.go_on = asyncio.Event()

    async def __call__(self, scope, _receive, send):
        self.n_working += 1
        await self.go_on.wait()
        if scope["path"] == "/broken":
            raise OSError
        await send({"type": "http.response.start"})
        await send({"type": "http.response.body"})


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


def start(app, path, method="GET", send=None, caller="ada"):
    async def ignore(_message):
        pass

    state = {"caller": Caller(caller, "judge")}
    scope = {"type": "http", "method": method, "path": path, "state": state}
    return asyncio.ensure_future(app(scope, None, send or ignore))


async def of_many(path, method="GET"):
    """Return how many of ten requests are worked on at the same time, and after those end."""
    application = Application()
    app = Turns(application)
    requests = [start(app, path, method) for _ in range(10)]
    await settle()
    first = application.n_working
    application.go_on.set()
    await asyncio.gather(*requests, return_exceptions=True)
    return first, application.n_working


def test_pages_wait_for_their_turn():
    """A few are computed, and the others follow, even after one that fails."""
    for path in ("/", "/runs/a", "/broken"):
        assert asyncio.run(of_many(path)) == (AT_ONCE, 10)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/judgments"), ("GET", "/v1/runs"), ("GET", "/healthz"), ("GET", "/assets/a.js")],
)
def test_judgments_and_programs_do_not_wait(method, path):
    """They wait neither for pages nor for one another."""
    assert asyncio.run(of_many(path, method)) == (10, 10)


@pytest.mark.parametrize(
    ("line", "method", "path"),
    [
        (TRIES, "GET", "/try"),
        (TRIES, "GET", "/try/scores"),
        (SEARCHES, "GET", "/v1/stores/shop/search"),
        (SEARCHES, "POST", "/v1/stores/shop/search"),
        (SEARCHES, "POST", "/v1/evaluation/evaluate"),
        (SEARCHES, "POST", "/a/b/_rank_eval"),
        (SEARCHES, "GET", "/_rank_eval"),
    ],
)
def test_searches_that_hang_leave_room_for_everything_else(line, method, path):
    """Pages, other callers and threads, of which routes share 40, are not blocked."""

    async def hang():
        application = Application()
        app = Turns(application)
        counts = []
        requests = []
        for caller in ("ada", "bob", "eve"):
            requests += [start(app, path, method, caller=caller) for _ in range(50)]
            await settle()
            counts.append(application.n_working)
        requests += [start(app, "/runs", caller="bob")]
        await settle()
        n_with_page = application.n_working
        application.go_on.set()
        await asyncio.gather(*requests)
        return counts, n_with_page, application.n_working

    counts, n_with_page, n_all = asyncio.run(hang())
    assert counts == [line.per_caller, line.at_once, line.at_once]
    assert n_with_page == line.at_once + 1
    assert n_all == 151
    assert PAGES.at_once + TRIES.at_once + SEARCHES.at_once < 40


def test_callers_who_are_gone_take_no_memory():
    """Requests that were cancelled while they waited take none, either."""

    async def come_and_go():
        application = Application()
        app = Turns(application)
        requests = [start(app, "/try", caller=f"caller {n}") for n in range(100)]
        await settle()
        for request in requests[50:]:
            request.cancel()
        application.go_on.set()
        await asyncio.gather(*requests, return_exceptions=True)
        lines = turns._of_this_loop()
        return lines._turns, lines._n_users

    assert asyncio.run(come_and_go()) == ({}, {})


def test_a_slow_reader_does_not_hold_its_turn():
    """The next page is computed while the client reads the first one."""

    async def read_slowly():
        application = Application()
        app = Turns(application)
        application.go_on.set()
        forever = asyncio.Event()
        slow = [start(app, "/", send=lambda _message: forever.wait()) for _ in range(AT_ONCE)]
        await asyncio.wait_for(start(app, "/runs"), 10)
        for request in slow:
            request.cancel()

    asyncio.run(read_slowly())
