"""The data behind all interfaces, and the setup of the plugin."""

import pytest

# Inside a test, pytest unloads the modules it imported, and extensions cannot be loaded twice.
import berryeval.pytest_plugin.guard_check
import berryeval.pytest_plugin.plain  # noqa: F401
from berryeval.service import shared_work
from interfaces import world as worlds


@pytest.fixture(autouse=True)
def _complete_pages(monkeypatch):
    """Let pages wait for results that were never computed, however slow the machine is."""
    monkeypatch.setattr(shared_work, "FIRST_WAIT_SECONDS", 20.0)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The files, and a service with the same data."""
    folder = tmp_path_factory.mktemp("world")
    worlds.write_files(folder)
    archive, client = worlds.served(folder)
    with archive, client:
        yield worlds.World(folder, archive, client, worlds.fill(client, folder))
