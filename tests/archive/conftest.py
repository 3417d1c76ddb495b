"""Archives in both databases."""

import pytest

from archive.databases import new_database
from berryeval.archive import Archive


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request, tmp_path):
    """Where an archive may be made: in a file, or in a database of a real PostgreSQL."""
    if request.param == "sqlite":
        yield str(tmp_path / "berryeval.db")
        return
    with new_database(request.getfixturevalue("postgres_dsn")) as dsn:
        yield dsn


@pytest.fixture
def archive(location):
    """An empty archive."""
    with Archive.open(location) as opened:
        yield opened
