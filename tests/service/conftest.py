"""A service over an archive of its own, called inside the process."""

import pytest
from starlette.testclient import TestClient

from berryeval.archive import Archive
from berryeval.service import ServiceSettings, create_app

BASE = "http://localhost:8765"


@pytest.fixture
def archive(tmp_path):
    """An empty archive."""
    with Archive.open(tmp_path / "berryeval.db") as opened:
        yield opened


@pytest.fixture
def service(archive):
    """Start services with settings, and get a client of each."""
    clients = []

    def start(base_url=BASE, **settings):
        app = create_app(archive, ServiceSettings(**settings))
        client = TestClient(app, base_url=base_url)
        clients.append(client.__enter__())
        return client

    yield start
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(service):
    """A client of a service on loopback, which needs no token."""
    return service()
