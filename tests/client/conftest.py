"""A service on its own port, and a client for it."""

import pytest

import berryeval as be
from berryeval.core.run import Run
from client.contents import JUDGMENTS, RUN
from service_server import application, listening


@pytest.fixture
def url(tmp_path):
    with application(tmp_path) as app, listening(app) as address:
        yield address


@pytest.fixture
def client(url):
    with be.Client(url) as opened:
        yield opened


@pytest.fixture
def run_id(client):
    client.judgments.put(JUDGMENTS)
    return client.runs.upload(Run.from_dict(RUN), name="bm25")["run_id"]
