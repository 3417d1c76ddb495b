"""The service for tests: inside the process, or as a real server on a port."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI

from berryeval.archive import Archive
from berryeval.service import ServiceSettings, create_app
from berryeval.service.processes.supervisor import Worker
from recorded_schema import record_schema
from waiting import SECONDS_TO_WAIT, wait_until

record_schema()

_ROUTES: list[Any] = []


def new_app(
    archive: Archive, settings: ServiceSettings | None = None, worker: Worker | None = None
) -> FastAPI:
    """Create an application that shares its routes with all others of the process.

    FastAPI prepares a route when it is first called, which takes longer than most tests. Routes do
    not refer to their application.
    """
    app = create_app(archive, settings, worker)
    if not _ROUTES:
        _ROUTES.extend(app.router.routes)
    app.router.routes[:] = _ROUTES
    return app


@contextmanager
def application(folder: Any, **settings: Any) -> Iterator[FastAPI]:
    """Return an application over an archive in a folder, which is created if missing."""
    path = str(folder / "berryeval.db")
    with Archive.open(path) as archive:
        yield new_app(archive, ServiceSettings(archive=path, **settings))


@contextmanager
def listening(app: FastAPI) -> Iterator[str]:
    """Serve an application with uvicorn, and return its address."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", lifespan="on")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until(lambda: server.started or not thread.is_alive())
    assert server.started, "the server did not start"
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(timeout=SECONDS_TO_WAIT)
