"""A service over a temporary archive, called inside the process."""

import json
import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict
from datetime import datetime, timezone

import pytest
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.service import ServiceSettings
from berryeval.service.demo import fill_demo
from berryeval.service.demo.filling import DemoFacts
from service_process import ForkedServers
from service_server import new_app

BASE = "http://localhost:8765"
DEMO_END = datetime(2026, 11, 16, 9, tzinfo=timezone.utc)
"""End of the demonstration's month."""


@pytest.fixture(scope="session")
def empty_archive(tmp_path_factory):
    """The file of an empty archive, and the engine that wrote it."""
    path = tmp_path_factory.mktemp("archive") / "empty.db"
    with Archive.open(path) as archive:
        return path, archive._database._engine


@pytest.fixture
def archive(tmp_path, empty_archive):
    """An empty archive."""
    file, first = empty_archive
    path = shutil.copy(file, tmp_path / "berryeval.db")
    with Archive.open(path) as opened:
        # Each engine compiles its statements again, which takes longer than running them.
        engine = opened._database._engine
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
        yield opened


@pytest.fixture(scope="session")
def _contents():
    """Contents of archives, by the function that wrote them."""
    contents = {}
    yield contents
    for copy, _ in contents.values():
        copy.close()


@pytest.fixture
def fill_once(archive, tmp_path, _contents):
    """Let a function fill the archive, or copy what it wrote for an earlier test."""

    def filled(fill, into=archive):
        with closing(sqlite3.connect(tmp_path / "berryeval.db")) as database:
            if fill in _contents:
                _contents[fill][0].backup(database)
            else:
                result = fill(into)
                copy = sqlite3.connect(":memory:")
                database.backup(copy)
                _contents[fill] = copy, result
        return _contents[fill][1]

    return filled


@pytest.fixture
def service(archive):
    """Start services with settings, and return a client for each."""
    clients = []

    def start(base_url=BASE, **settings):
        app = new_app(archive, ServiceSettings(**settings))
        client = TestClient(app, base_url=base_url)
        clients.append(client.__enter__())
        return client

    yield start
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(service):
    """A client of a service on loopback, which requires no token."""
    return service()


@pytest.fixture(scope="session")
def servers(tmp_path_factory):
    """Real servers, which start quickly."""
    if not hasattr(os, "fork"):
        pytest.skip("servers are forked")
    servers = ForkedServers(tmp_path_factory.mktemp("servers"))
    yield servers
    servers.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory, worker_id):
    """A file with the demonstration, and its facts; built once for all processes of the tests."""
    shared = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        shared = shared.parent
    file, facts = shared / "demo.db", shared / "demo.json"
    with closing(sqlite3.connect(shared / "demo.lock", timeout=600)) as lock:
        lock.execute("BEGIN EXCLUSIVE")
        if not facts.exists():
            with Archive.open(file) as archive:
                found = fill_demo(archive, today=DEMO_END)
            facts.write_text(json.dumps(asdict(found)))
    return file, DemoFacts(**json.loads(facts.read_text()))


@pytest.fixture(scope="module")
def demo_archive(tmp_path_factory, demo):
    """An archive with the demonstration, for the tests of a module."""
    path = shutil.copy(demo[0], tmp_path_factory.mktemp("demo") / "demo.db")
    with Archive.open(path) as archive:
        yield archive
