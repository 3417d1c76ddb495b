"""Too many or too slow connections."""

import asyncio
import contextlib
import logging
import socket
import threading
import time

import pytest
import uvicorn

from berryeval.service import connections
from berryeval.service.connections import connection_class
from waiting import wait_until

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
LARGE = 32 << 20


async def application(scope, _receive, send):
    """Respond with nothing, with very many bytes, or with a refusal before the body is received."""
    size = LARGE if scope["path"] == "/large" else 0
    headers = [(b"content-length", str(size).encode())]
    is_refused = scope["path"] == "/refused"
    headers += [(b"connection", b"close")] * is_refused
    status = 413 if is_refused else 200
    await send({"type": "http.response.start", "status": status, "headers": headers})
    with contextlib.suppress(OSError):
        for start in range(0, size, 1 << 20):
            body = bytes(min(1 << 20, size - start))
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body"})


class Served:
    """The application behind connections with low limits, in a thread."""

    def __init__(self, **limits):
        limits = {"most": 10, "header_seconds": 0.3, "reading_seconds": 0.3} | limits
        config = uvicorn.Config(application, http=connection_class(**limits), log_config=None,
                                lifespan="off", ws="none", timeout_keep_alive=30)  # fmt: skip
        self.server = uvicorn.Server(config)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(
            target=lambda: asyncio.run(self.server.serve(sockets=[self.listener]))
        )

    def __enter__(self):
        self.thread.start()
        wait_until(lambda: self.server.started)
        return self

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join()
        self.listener.close()

    def connect(self):
        return socket.create_connection(self.listener.getsockname(), timeout=10)

    def ask(self, connection):
        connection.sendall(REQUEST)
        return connection.recv(4096).split(b"\r\n")[0]


def rest_of(connection):
    """Return everything received until the other side closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while piece := connection.recv(1 << 20):
            found += piece
    return found


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: loc"])
def test_an_incomplete_request_times_out(sent):
    """A client that sends nothing, or half a header, gets 408."""
    with Served() as served, served.connect() as connection:
        connection.sendall(sent)
        assert rest_of(connection).startswith(b"HTTP/1.1 408 ")


def test_an_incomplete_second_request_times_out():
    """It has as much time as the first request of a connection."""
    with Served() as served, served.connect() as connection:
        assert served.ask(connection) == b"HTTP/1.1 200 OK"
        connection.sendall(b"GET / HTTP/1.1\r\n")
        assert b"HTTP/1.1 408 " in rest_of(connection)


def test_a_connection_may_be_idle_between_requests():
    """The limit counts from the first byte of a header, not from the last response."""
    with Served() as served, served.connect() as connection:
        assert served.ask(connection) == b"HTTP/1.1 200 OK"
        time.sleep(0.6)
        assert served.ask(connection) == b"HTTP/1.1 200 OK"


def test_headers_sent_slowly_time_out():
    """A byte now and then does not extend the time limit."""
    with Served() as served, served.connect() as connection:
        with contextlib.suppress(ConnectionError):
            for byte in REQUEST[:-2] * 3:
                connection.sendall(bytes([byte]))
                time.sleep(0.02)
        assert rest_of(connection)[:13] in (b"HTTP/1.1 408 ", b"")


def test_a_response_that_is_not_read_is_dropped():
    """The rest does not stay in memory."""
    with Served() as served, served.connect() as connection:
        connection.sendall(REQUEST.replace(b"/ ", b"/large "))
        time.sleep(0.6)
        assert len(rest_of(connection)) < LARGE
        assert not served.server.server_state.connections


def test_a_slow_reader_gets_the_whole_response():
    """The time limit counts from the last part that was read."""
    with Served(reading_seconds=0.8) as served, served.connect() as connection:
        connection.sendall(REQUEST.replace(b"/ ", b"/large "))
        n_bytes = 0
        while n_bytes < LARGE:
            n_bytes += len(connection.recv(8 << 20, socket.MSG_WAITALL))
            time.sleep(0.05)
        assert n_bytes >= LARGE


def test_a_connection_beyond_the_limit_replaces_the_slowest():
    """Any number of half-sent headers locks out no other client: the oldest get 503."""
    with Served(most=4, header_seconds=30) as served, contextlib.ExitStack() as opened:
        slow = [opened.enter_context(served.connect()) for _ in range(20)]
        for connection in slow[-4:]:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: loc")
        with served.connect() as another:
            assert served.ask(another) == b"HTTP/1.1 200 OK"
            assert rest_of(slow[0]).startswith(b"HTTP/1.1 503 ")
            slow += [opened.enter_context(served.connect()) for _ in range(20)]
            assert served.ask(another) == b"HTTP/1.1 200 OK"
            wait_until(lambda: len(served.server.server_state.connections) <= 4)
            assert served.ask(another) == b"HTTP/1.1 200 OK"


def test_a_connection_beyond_the_limit_replaces_an_idle_one():
    """The one that has been idle for longest is closed without a response."""
    with Served(most=2) as served, contextlib.ExitStack() as opened:
        first, second = (opened.enter_context(served.connect()) for _ in range(2))
        for connection in (first, second, first):
            assert served.ask(connection) == b"HTTP/1.1 200 OK"
        with served.connect() as another:
            assert served.ask(another) == b"HTTP/1.1 200 OK"
            assert rest_of(second) == b""
            assert served.ask(first) == b"HTTP/1.1 200 OK"


def test_connections_beyond_the_limit_are_rejected_if_all_are_in_use():
    """They get 503 until another one is idle or closed."""
    with Served(most=2, reading_seconds=30) as served, contextlib.ExitStack() as opened:
        first, second = (opened.enter_context(served.connect()) for _ in range(2))
        for connection in (first, second):
            connection.sendall(REQUEST.replace(b"/ ", b"/large "))
            assert connection.recv(8, socket.MSG_WAITALL) == b"HTTP/1.1"
        with served.connect() as third:
            assert rest_of(third).startswith(b"HTTP/1.1 503 ")
        second.close()
        wait_until(lambda: len(served.server.server_state.connections) == 1)
        with served.connect() as another:
            assert served.ask(another) == b"HTTP/1.1 200 OK"


def test_bad_requests_are_logged_once_per_minute(caplog):
    """The log line has their number."""
    with Served() as served, caplog.at_level(logging.WARNING):
        for _ in range(20):
            with served.connect() as connection:
                connection.sendall(b"nonsense\r\n\r\n")
                assert rest_of(connection).startswith(b"HTTP/1.1 400 ")
    assert len(caplog.records) == 1
    assert "Invalid HTTP request" in caplog.text


def test_the_rest_of_a_minute_is_logged_when_it_ends(monkeypatch, caplog):
    """All events are counted, even if no other follows."""
    monkeypatch.setattr(connections, "_EVENTS_EVERY_SECONDS", 0.05)

    async def events():
        counted = connections._Counted()
        for _ in range(60):
            counted.warning("slow headers")
        await asyncio.sleep(0.3)
        counted.warning("slow headers")

    with caplog.at_level("WARNING", logger="berryeval.service"):
        asyncio.run(events())
    assert [record.count for record in caplog.records] == [1, 59, 1]


UPLOAD = b"POST /refused HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % LARGE


def test_a_client_that_is_still_sending_gets_its_refusal():
    """The connection is not reset, which would discard the response."""
    with Served() as served, served.connect() as connection:
        connection.sendall(UPLOAD + bytes(LARGE))
        found = b""
        while piece := connection.recv(4096):
            found += piece
    assert found.startswith(b"HTTP/1.1 413 ")


def test_the_rest_of_a_refused_body_is_not_awaited_for_long(monkeypatch):
    """The response comes at once, and the connection is closed soon after."""
    monkeypatch.setattr(connections, "_REST_SECONDS", 0.2)
    with Served() as served, served.connect() as connection:
        connection.sendall(UPLOAD)
        assert rest_of(connection).startswith(b"HTTP/1.1 413 ")
        wait_until(lambda: not served.server.server_state.connections)
