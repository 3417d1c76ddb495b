"""A service over a temporary archive, called inside the process."""

import shutil

import pytest
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.service import ServiceSettings
from service_server import new_app

BASE = "http://localhost:8765"


@pytest.fixture(scope="session")
def empty_archive(tmp_path_factory):
    """The file of an empty archive."""
    path = tmp_path_factory.mktemp("archive") / "empty.db"
    Archive.open(path).close()
    return path


@pytest.fixture
def archive(tmp_path, empty_archive):
    """An empty archive."""
    path = shutil.copy(empty_archive, tmp_path / "berryeval.db")
    with Archive.open(path) as opened:
        yield opened


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
