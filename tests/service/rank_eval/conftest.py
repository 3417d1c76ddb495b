"""A service with two stores."""

import pytest
from starlette.testclient import TestClient

from service.rank_eval.rated_requests import fill
from service_server import application


@pytest.fixture(scope="module")
def foo(tmp_path_factory):
    """A client of a service with the stores foo and bar, which no test changes."""
    folder = tmp_path_factory.mktemp("service")
    with application(folder) as app, TestClient(app, base_url="http://localhost") as client:
        fill(client, "bar", {"doc7": "amsterdam"})
        yield fill(client)
