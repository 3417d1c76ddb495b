"""Runs the server: bind, listen, and shut down gracefully."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from berryeval.archive import Archive
from berryeval.errors import InputError
from berryeval.service.allocation import collect_garbage_often, configure_allocation
from berryeval.service.app import create_app
from berryeval.service.connections import Connection, connection_class
from berryeval.service.processes.supervisor import Worker, supervise
from berryeval.service.settings import ServiceSettings

__all__ = ["check_tokens", "listen", "serve", "serve_with_workers"]

_BACKLOG = 2048
_KEEP_ALIVE_SECONDS = 30
_HEADER_SECONDS = 20.0

_SWITCH_SECONDS = 0.001
"""How long a thread computes while others wait. A judgment takes milliseconds, but switches many
times between its thread and the event loop; a page computes for longer than Python's 5 ms."""


def serve(
    archive: Archive,
    settings: ServiceSettings,
    listener: socket.socket,
    on_start: Callable[[str], None] | None = None,
    *,
    worker: Worker | None = None,
) -> None:
    """Serve until a signal, and then let requests finish.

    Parameters
    ----------
    archive : Archive
        Stays open.
    settings : ServiceSettings
        Limits.
    listener : socket
        As returned by `listen`; stays open.
    on_start : callable, optional
        Called with the address, once the server listens.
    worker : Worker, optional
        This process, if it is one of several; see `serve_with_workers`.

    Raises
    ------
    InputError
        If other machines could reach the service and there is no token.
    """
    check_tokens(archive, settings)
    configure_allocation()
    _allow_open_files(settings.max_connections + 2 * _BACKLOG)
    sys.setswitchinterval(_SWITCH_SECONDS)
    app = create_app(archive, settings, worker)
    collect_garbage_often()
    config = uvicorn.Config(
        app,
        http=connection_class(
            most=settings.max_connections,
            header_seconds=_HEADER_SECONDS,
            reading_seconds=settings.timeout,
            handover=None if worker is None else worker.handover,
        ),
        log_config=None,  # our own log has one line per request
        access_log=False,
        server_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="on",
        # An event loop accepts this many connections at once: all that wait, unless other workers
        # want some.
        backlog=_BACKLOG if worker is None else 1,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=max(1, round(settings.grace)),
    )

    def report_address() -> None:
        listener.listen(_BACKLOG)  # this many may wait in any case
        if on_start is not None:
            on_start(_address_of(listener))

    _Server(config, app, report_address, worker).run(sockets=[listener])


def serve_with_workers(
    settings: ServiceSettings,
    listener: socket.socket,
    open_archive: Callable[[], AbstractContextManager[Archive]],
    on_start: Callable[[str], None],
) -> None:
    """Serve with several processes until a signal, and then let requests finish.

    Parameters
    ----------
    settings : ServiceSettings
        Limits, and the number of workers.
    listener : socket
        As returned by `listen`; it is closed at the end.
    open_archive : callable
        Opens the archive, in each worker: connections to a database cannot be shared.
    on_start : callable
        Called with the address, once all workers listen.

    Raises
    ------
    BerryEvalError
        If a worker cannot start.
    """
    address = _address_of(listener)

    def work(worker: Worker) -> None:
        with open_archive() as archive:
            serve(archive, settings, listener, lambda _address: worker.report_ready(),
                  worker=worker)  # fmt: skip

    supervise(settings.workers, listener, work, lambda: on_start(address))


def _allow_open_files(n: int) -> None:
    """Let the process open this many files and connections, or as many as the machine allows.

    The usual default is 1,024: clients' connections could use all of them, and no database could be
    opened any more.
    """
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = n if most == resource.RLIM_INFINITY else min(n, most)
        if resource.RLIM_INFINITY != now < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def check_tokens(archive: Archive, settings: ServiceSettings) -> None:
    """Reject interfaces other than loopback while there is no token.

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
    return any(token.revoked_at is None for token in archive.tokens.all())


class _Server(uvicorn.Server):
    def __init__(
        self,
        config: uvicorn.Config,
        app: FastAPI,
        on_start: Callable[[], None],
        worker: Worker | None,
    ) -> None:
        super().__init__(config)
        self._app = app
        self._on_start = on_start
        self._worker = worker
        self._accepting: set[asyncio.Future[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self._worker is not None:
            self._worker.handover.open(self._accept)
            loop = asyncio.get_running_loop()
            loop.add_reader(self._worker.parent, self._on_orphaned, self._worker.parent)
        if self.started:
            self._on_start()

    def _accept(self, connection: socket.socket, home: int, content: bytes) -> None:
        """Continue a connection that another worker has accepted."""

        def take_over() -> Connection:
            protocol: Any = self.config.http_protocol_class
            found: Connection = protocol(
                config=self.config,
                server_state=self.server_state,
                app_state=self.lifespan.state,
            )
            found.home, found.received = home, content
            return found

        loop = asyncio.get_running_loop()
        task = loop.create_task(loop.connect_accepted_socket(take_over, connection))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)

    def _on_orphaned(self, parent: int) -> None:
        """Stop, as the supervisor was killed and cannot replace this worker."""
        asyncio.get_running_loop().remove_reader(parent)
        self.should_exit = True

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


def _address_of(listener: socket.socket) -> str:
    """Return the address of a bound socket, for browsers."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
