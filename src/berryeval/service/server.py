"""Runs the server: bind, listen, and shut down gracefully."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import sys
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from berryeval.archive import Archive
from berryeval.errors import InputError
from berryeval.service.app import create_app
from berryeval.service.connections import connection_class
from berryeval.service.settings import ServiceSettings

__all__ = ["check_tokens", "listen", "serve"]

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 30
_HEADER_SECONDS = 20.0

_SWITCH_SECONDS = 0.001
"""How long a thread computes while others wait. A judgment takes milliseconds, but switches many
times between its thread and the event loop; a page computes for longer than Python's 5 ms."""

_ARENA_MAX = -8
"""The option M_ARENA_MAX of glibc's `mallopt`."""
_MOST_ARENAS = 2


def serve(
    archive: Archive,
    settings: ServiceSettings,
    listener: socket.socket,
    on_start: Callable[[str], None] | None = None,
) -> None:
    """Serve until a signal, and then let requests finish.

    Parameters
    ----------
    archive : Archive
        Stays open.
    settings : ServiceSettings
        Limits.
    listener : socket
        As `listen` returns it; stays open.
    on_start : callable, optional
        Called with the address, once the server listens.

    Raises
    ------
    InputError
        If other machines could reach the service and there is no token.
    """
    check_tokens(archive, settings)
    _share_arenas()
    sys.setswitchinterval(_SWITCH_SECONDS)
    app = create_app(archive, settings)
    config = uvicorn.Config(
        app,
        http=connection_class(
            most=settings.max_connections,
            header_seconds=_HEADER_SECONDS,
            reading_seconds=settings.timeout,
        ),
        log_config=None,  # our own log has one line per request
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        backlog=_BACKLOG,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=max(1, round(settings.grace)),
    )

    def report_address() -> None:
        if on_start is not None:
            on_start(_address(listener))

    _Server(config, app, report_address).run(sockets=[listener])


def _share_arenas() -> None:
    """Let all threads allocate from a few arenas: with one each, freed memory stays in all."""
    if sys.platform == "linux":
        allocator = ctypes.CDLL(None)
        if hasattr(allocator, "mallopt"):  # not with musl, which has one
            allocator.mallopt(_ARENA_MAX, _MOST_ARENAS)


def check_tokens(archive: Archive, settings: ServiceSettings) -> None:
    """Reject other interfaces than loopback while there is no token.

    Raises
    ------
    InputError
        If a token is required and there is none.
    """
    if settings.needs_token and not _has_token(archive):
        raise InputError(
            f"host {settings.host}: other machines can reach the service, and there is no token; "
            f"create one: berryeval token create NAME --role admin --archive {archive.name}"
        )


def _has_token(archive: Archive) -> bool:
    after = None
    while True:
        page = archive.tokens.page(after=after, limit=1000)
        if any(token.revoked_at is None for token in page.items):
            return True
        if page.next is None:
            return False
        after = page.next


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, app: FastAPI, on_start: Callable[[], None]) -> None:
        super().__init__(config)
        self._app = app
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Clients that follow a job would otherwise delay the end for the whole grace period.
        self._app.state.is_stopping = True
        self._app.state.jobs.close()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        """Stop; uvicorn would raise the signal again, and end the process too early."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


def listen(settings: ServiceSettings) -> socket.socket:
    """Return a socket that is bound to the address of the settings.

    Raises
    ------
    InputError
        If the address cannot be bound.
    """
    host, port = settings.host, settings.port
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        try:
            if os.name != "nt":
                listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            detail = f"port {port} is already in use; choose another with --port"
        else:
            detail = f"cannot listen on {host}:{port}: {error.strerror or error}"
        raise InputError(detail) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
