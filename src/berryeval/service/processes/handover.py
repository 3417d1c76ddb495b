"""Passes a connection on to the worker that has the state its request needs.

Jobs, previews of imports, runs that were only tried, reserved documents and replays of gates are in
the memory of one process. Requests for them all go to the first worker: another one that receives
such a request sends it the connection, with the bytes that it has read, and has nothing more to do
with it. The next request on the connection that any worker can answer goes back, so that the first
worker does not collect all clients.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import TypeAlias
from urllib.parse import unquote_to_bytes

__all__ = ["ONE_PROCESS", "Accept", "Handover", "needs_first_worker", "new_inboxes"]

ONE_PROCESS = (
    *("/v1/jobs", "/v1/collections", "/collections", "/import", "/judge", "/gates", "/login"),
    *("/metrics", "/try/jobs", "/try/save", "/try/score", "/try/store"),
)
"""Paths, with all below them, whose state is in the memory of one process: within a collection,
too, and collections themselves, since removing one cancels its jobs."""

_COLLECTION = re.compile(r"/c/[^/]+(?=/)")

Accept: TypeAlias = "Callable[[socket.socket, int, bytes], None]"
"""Takes over a connection, given its socket, the worker that accepted it, and the bytes read so
far.
"""

_MAX_INLINE = 32 << 10
"""Longer beginnings of requests are sent as a file."""
_MESSAGE_BYTES = 1 << 16
_BUFFER_BYTES = 1 << 20

_Inbox: TypeAlias = "tuple[socket.socket, socket.socket]"


def needs_first_worker(head: bytes) -> bool:
    """Return whether only the first worker can answer a request, by its line and headers.

    Examples
    --------
    >>> needs_first_worker(b"GET /v1/jobs/5f0c2a9be1d34c77 HTTP/1.1\\r\\n\\r\\n")
    True
    >>> needs_first_worker(b"GET /judgments HTTP/1.1\\r\\n\\r\\n")
    False
    >>> needs_first_worker(b"POST /v1/runs HTTP/1.1\\r\\nPrefer: respond-async\\r\\n\\r\\n")
    True
    """
    line, _, headers = head.partition(b"\r\n")
    target = line.partition(b" ")[2].partition(b" ")[0]
    if not target.startswith(b"/"):  # a proxy may send the whole address
        target = b"/" + target.partition(b"://")[2].partition(b"/")[2]
    path = unquote_to_bytes(target.partition(b"?")[0]).decode("latin-1")
    path = _COLLECTION.sub("", path, count=1) if path.startswith("/c/") else path
    if any(path == one or path.startswith(f"{one}/") for one in ONE_PROCESS):
        return True
    lower = headers.lower()
    return b"prefer:" in lower and b"respond-async" in lower


def new_inboxes(n_workers: int) -> list[_Inbox]:
    """Return each worker's receiving socket, and the socket that others send to."""
    # Both kinds keep the boundaries of messages. Datagrams have short queues, but sequenced packets
    # are not available on all systems.
    kind = getattr(socket, "SOCK_SEQPACKET", None) if os.uname().sysname == "Linux" else None
    inboxes = [
        socket.socketpair(socket.AF_UNIX, kind or socket.SOCK_DGRAM) for _ in range(n_workers)
    ]
    for receiving, sending in inboxes:
        for end, option in ((receiving, socket.SO_RCVBUF), (sending, socket.SO_SNDBUF)):
            end.setblocking(False)  # noqa: FBT003 - its only parameter
            end.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
    return inboxes


class Handover:
    """Connections that a worker sends to others, and receives from them.

    Parameters
    ----------
    number : int
        Number of this worker.
    inboxes : sequence
        The inboxes of all workers, as returned by `new_inboxes`.
    """

    def __init__(self, number: int, inboxes: Sequence[_Inbox]) -> None:
        self.number = number
        self._inboxes = inboxes
        self._accept: Accept = lambda _connection, _home, _content: None

    def target_of(self, head: bytes, home: int) -> int:
        """Return the worker that should answer a request on a connection that `home` accepted."""
        return 0 if needs_first_worker(head) else home

    def send(self, target: int, connection: int, home: int, content: bytes) -> bool:
        """Send a connection to a worker; return whether it had room for it.

        Parameters
        ----------
        target : int
            The worker.
        connection : int
            The descriptor of the connection; the caller closes its own.
        home : int
            The worker that accepted the connection.
        content : bytes
            The bytes that were read from it.
        """
        try:
            with tempfile.TemporaryFile() if len(content) > _MAX_INLINE else nullcontext() as file:
                descriptors = [connection]
                if file is not None:
                    file.write(content)
                    file.flush()
                    descriptors.append(file.fileno())
                    content = b""
                message = bytes([home]) + content
                socket.send_fds(self._inboxes[target][1], [message], descriptors)
        except OSError:  # the inbox or the disk is full, or too many descriptors are on their way
            return False
        return True

    def open(self, accept: Accept) -> None:
        """Start receiving, in the running event loop."""
        self._accept = accept
        asyncio.get_running_loop().add_reader(self._inboxes[self.number][0], self._receive)

    def close(self) -> None:
        """Stop receiving."""
        asyncio.get_running_loop().remove_reader(self._inboxes[self.number][0])

    def _receive(self) -> None:
        try:
            message, descriptors, _, _ = socket.recv_fds(
                self._inboxes[self.number][0], _MESSAGE_BYTES, 2
            )
        except BlockingIOError:
            return
        home, content = message[0], message[1:]
        connection, *files = descriptors
        for one in files:
            with os.fdopen(one, "rb") as file:
                file.seek(0)
                content = file.read()
        self._accept(socket.socket(fileno=connection), home, content)
