"""Archives in SQLite and PostgreSQL."""

import shutil
from urllib.parse import urlsplit

import pytest

from archive.databases import new_database
from berryeval.archive import Archive


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory):
    """An SQLite file that contains an empty archive."""
    path = tmp_path_factory.mktemp("archive") / "empty.db"
    Archive.open(path).close()
    return path


@pytest.fixture(scope="session")
def empty_database(postgres_dsn):
    """The name of a PostgreSQL database that contains an empty archive."""
    with new_database(postgres_dsn) as dsn:
        Archive.open(dsn).close()
        yield urlsplit(dsn).path.lstrip("/")


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request, tmp_path):
    """The location for an archive: a file, or a database on a real PostgreSQL server.

    A test that requests `archive` finds a copy of an empty one there, which is faster than
    creating one.
    """
    find = request.getfixturevalue
    has_archive = "archive" in request.fixturenames
    path = tmp_path / "berryeval.db"
    if request.param == "sqlite":
        if has_archive:
            shutil.copy(find("empty_file"), path)
        yield str(path)
        return
    template = find("empty_database") if has_archive else "template0"
    with new_database(find("postgres_dsn"), template) as dsn:
        yield dsn


@pytest.fixture
def archive(location):
    """An empty archive."""
    with Archive.open(location) as opened:
        yield opened
