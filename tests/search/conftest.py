"""Simulated engines for the tests of search."""

import pytest

from search.opensearch_cases import DIALECTS
from search.opensearch_server import running_engine


@pytest.fixture(autouse=True)
def no_credentials(monkeypatch):
    """Remove the credentials of the person who runs the tests."""
    for name in ("USER", "PASSWORD", "API_KEY"):
        monkeypatch.delenv(f"OPENSEARCH_{name}", raising=False)


@pytest.fixture(params=DIALECTS)
def engine(request):
    """Provide an engine of each dialect, with its address as ``url``."""
    with running_engine(request.param) as (url, running):
        running.url = url
        yield running
