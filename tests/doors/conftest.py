"""The data behind all interfaces, and the setup of the plugin."""

import pytest

# Inside a test pytest forgets the modules it imported, and extensions cannot be loaded twice.
import berryeval.pytest_plugin.guard_check
import berryeval.pytest_plugin.plain  # noqa: F401
from doors import world as worlds


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The files, and a service with the same data."""
    folder = tmp_path_factory.mktemp("world")
    worlds.write_files(folder)
    archive, client = worlds.served(folder)
    with archive, client:
        yield worlds.World(folder, archive, client, worlds.fill(client, folder))
