"""A few pages at a time, and everything else at once."""

import asyncio

import pytest

from berryeval.service.middleware.turns import AT_ONCE, Turns


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


def start(app, path, method="GET", send=None):
    async def ignore(_message):
        pass

    scope = {"type": "http", "method": method, "path": path}
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
    """A few are computed, and the others follow, also after one that fails."""
    for path in ("/", "/runs/a", "/broken"):
        assert asyncio.run(of_many(path)) == (AT_ONCE, 10)


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", "/judgments"), ("GET", "/v1/runs"), ("GET", "/healthz"), ("GET", "/assets/a.js")],
)
def test_judgments_and_programs_do_not_wait(method, path):
    """Neither for pages nor for one another."""
    assert asyncio.run(of_many(path, method)) == (10, 10)


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
