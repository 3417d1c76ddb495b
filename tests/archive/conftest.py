"""Archives in SQLite and PostgreSQL."""

import shutil

import pytest

from archive.databases import new_database, remove_rows
from berryeval.archive import Archive
from recorded_schema import record_schema

record_schema()


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory):
    """An SQLite file that contains an empty archive."""
    path = tmp_path_factory.mktemp("archive") / "empty.db"
    Archive.open(path).close()
    return path


@pytest.fixture(scope="session")
def empty_database(postgres_dsn):
    """The address of a PostgreSQL database that contains an empty archive."""
    with new_database(postgres_dsn) as dsn:
        Archive.open(dsn).close()
        yield dsn


@pytest.fixture
def postgres_archive(empty_database):
    """The address of an empty archive in PostgreSQL, which is emptied after the test."""
    yield empty_database
    remove_rows(empty_database)


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request, tmp_path):
    """The location for an archive: a file, or a database on a real PostgreSQL server.

    A test that requests `archive` finds an empty one there, which is faster than creating one: a
    copy of a file, or a database that is emptied after each test.
    """
    find = request.getfixturevalue
    has_archive = "archive" in request.fixturenames
    path = tmp_path / "berryeval.db"
    if request.param == "sqlite":
        if has_archive:
            shutil.copy(find("empty_file"), path)
        yield str(path)
    elif has_archive:
        yield find("postgres_archive")
    else:
        with new_database(find("postgres_dsn")) as dsn:
            yield dsn


@pytest.fixture(scope="session")
def _engines():
    """The first engine of each kind of database."""
    return {}


@pytest.fixture
def archive(location, _engines):
    """An empty archive."""
    with Archive.open(location) as opened:
        # Each engine compiles its statements again, which takes longer than running them.
        engine = opened._database._engine
        first = _engines.setdefault(engine.name, engine)
        engine.dialect, engine._compiled_cache = first.dialect, first._compiled_cache
        yield opened
