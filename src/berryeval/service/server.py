"""Serving: bind, listen, and stop without cutting anybody off."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from berryeval.archive import Archive
from berryeval.errors import ArgumentError, InputError
from berryeval.service.app import create_app
from berryeval.service.settings import ServiceSettings

__all__ = ["check_tokens", "serve"]

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 30


def serve(
    archive: Archive,
    settings: ServiceSettings,
    on_start: Callable[[str], None] | None = None,
) -> None:
    """Serve until a signal says to stop, and then let requests finish.

    Parameters
    ----------
    archive : Archive
        Stays open.
    settings : ServiceSettings
        Where to listen, and the limits.
    on_start : callable, optional
        Told the address, once there is somebody at it.

    Raises
    ------
    InputError
        If others could reach the service, and there is no token.
    ArgumentError
        If the address cannot be had.
    """
    check_tokens(archive, settings)
    with _bound(settings.host, settings.port) as listener:
        app = create_app(archive, settings)
        config = uvicorn.Config(
            app,
            log_config=None,  # our own log has a line a request
            access_log=False,
            server_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="on",
            backlog=_BACKLOG,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=max(1, round(settings.grace)),
        )

        def tell() -> None:
            if on_start is not None:
                on_start(_address(listener))

        _Server(config, app, tell).run(sockets=[listener])


def check_tokens(archive: Archive, settings: ServiceSettings) -> None:
    """Refuse to be reached by others as long as nobody has a token.

    Raises
    ------
    InputError
        If a token is needed, and there is none.
    """
    if settings.needs_token and not _has_token(archive):
        raise InputError(
            f"host {settings.host}: expected a token, since others can reach the service, found "
            f"none; make one: berryeval token create NAME --role admin --archive {archive.name}"
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
        # Who follows a job would otherwise hold us up until the grace is over.
        self._app.state.is_stopping = True
        self._app.state.jobs.close()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002 - uvicorn's
        """Stop; uvicorn would raise the signal again, and end the process before we are done."""
        if self.should_exit and sig == signal.SIGINT:
            self.force_exit = True
        self.should_exit = True


def _bound(host: str, port: int) -> socket.socket:
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
        way_out = "is another service there? Give another --port"
        got = f"{error.strerror or error}; {way_out}"
        raise ArgumentError("host and port", f"{host}:{port} to be free", got) from None
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
