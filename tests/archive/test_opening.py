import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import event, text

from archive.databases import new_database
from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.schema import VERSION_TABLE, newest_version
from berryeval.archive.tables import metadata
from berryeval.errors import ArchiveError, ArgumentError, MissingExtraError

ONE = [JudgmentEntry("q", "d", 1)]


def test_an_archive_is_made_and_found_again(location):
    """What was written is there the next time."""
    with Archive.open(location) as archive:
        archive.judgments.put(ONE, author="ada")
    with Archive.open(location) as archive:
        assert archive.judgments.get("q", "d").author == "ada"
        facts = archive.check(deep=True)
    assert (facts.version, facts.problem) == (newest_version(), None)
    assert facts.backend == ("postgresql" if "://" in location else "sqlite")
    assert facts.counts["judgments"] == 1
    assert facts.size_bytes > 0


def test_sqlite_leaves_one_file(tmp_path):
    """Nothing else has to be copied or moved with it once it is closed."""
    with Archive.open(tmp_path / "a.db") as archive:
        archive.judgments.put(ONE, author="ada")
    assert [file.name for file in tmp_path.iterdir()] == ["a.db"]


def test_every_connection_of_sqlite_writes_through(tmp_path):
    """E5: WAL, an fsync for each commit, foreign keys, and patience with other writers."""
    with Archive.open(tmp_path / "a.db", timeout=3) as archive:
        for _ in range(2):
            with archive._database.reading() as connection:
                values = [
                    connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                    for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
                ]
            assert values == ["wal", 2, 1, 3000]


def test_postgres_answers_when_it_is_on_the_disk(postgres_dsn):
    """Also where the server is set up to answer before; ours for tests is."""
    with new_database(postgres_dsn) as dsn, Archive.open(dsn, timeout=3) as archive:
        with archive._database.reading() as connection:
            values = [
                connection.scalar(text(f"SHOW {name}"))
                for name in ("synchronous_commit", "lock_timeout", "search_path")
            ]
        assert values == ["on", "3s", "berryeval"]


def test_the_migrations_make_the_tables_that_the_code_uses(archive):
    """Both descriptions of the schema are the same."""
    with archive._database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert compare_metadata(context, metadata) == []


def test_a_newer_archive_is_refused_and_left_alone(location):
    """The message says which version, and what to do."""
    with Archive.open(location) as archive, archive._database.writing() as connection:
        connection.execute(text("UPDATE archive_version SET version_num = '9999'"))
    expected = "version 0005 or older, found 9999: a newer berryeval created it; upgrade berryeval"
    for _ in range(2):
        with pytest.raises(ArchiveError, match=expected) as caught:
            Archive.open(location)
        assert not caught.value.transient


def test_a_database_of_something_else_is_refused(tmp_path):
    """The tables of other databases are left alone."""
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as shop:
        shop.execute("CREATE TABLE orders (id)")
    with pytest.raises(ArchiveError, match=r"not a BerryEval database .*tables orders"):
        Archive.open(path)
    with closing(sqlite3.connect(path)) as shop:
        assert shop.execute("SELECT count(*) FROM sqlite_master").fetchone() == (1,)


def test_postgres_may_hold_other_tables(postgres_dsn):
    """Ours are in a schema of their own."""
    import psycopg

    with new_database(postgres_dsn) as dsn:
        with psycopg.connect(dsn) as connection:
            connection.execute("CREATE TABLE public.judgments (other int)")
        with Archive.open(dsn) as archive:
            assert archive.judgments.put(ONE, author="ada") == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: path.mkdir(), "is a folder; name a file in it, such as .*berryeval.db"),
        (lambda path: path.write_text("not a database" * 100), "is not an archive"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path, make, words):
    """A folder, or a file of another kind; it stays as it was."""
    path = tmp_path / "x"
    make(path)
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(ArchiveError, match=words):
        Archive.open(path)
    assert before is None or path.read_bytes() == before


def test_a_damaged_archive_says_so(tmp_path):
    """In one line, with the way out."""
    path = tmp_path / "a.db"
    with Archive.open(path) as archive:
        archive.judgments.put([JudgmentEntry("q", f"d{i}", 1) for i in range(2000)], author="a")
    content = bytearray(path.read_bytes())
    content[4096 * 2 :] = b"\xa5" * (len(content) - 4096 * 2)
    path.write_bytes(bytes(content))
    words = "is damaged; restore it from a backup"
    with pytest.raises(ArchiveError, match=words), Archive.open(path) as archive:
        archive.judgments.page(limit=5000)


def test_a_deep_check_finds_damage(tmp_path):
    """An index that lacks a row is detected."""
    path = tmp_path / "a.db"
    with Archive.open(path) as archive:
        archive.judgments.put(ONE, author="a")
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(
                "PRAGMA writable_schema=ON;"
                "UPDATE sqlite_master SET sql = replace(sql, '(doc_id)', '(query_id)')"
                " WHERE name = 'judgments_by_document';"
            )
    with Archive.open(path) as archive:
        assert "judgments_by_document" in archive.check(deep=True).problem


@pytest.mark.parametrize("given", ["", "mysql://localhost/x", "http://localhost", "a\0b"])
def test_an_address_of_something_else_is_refused(given):
    """The message says what can be given."""
    with pytest.raises(ArgumentError, match="archive: expected a file, or postgresql://"):
        Archive.open(given)


def test_the_folder_of_an_archive_has_to_be_there(tmp_path):
    """A misspelt path makes no folders."""
    with pytest.raises(ArchiveError, match="its folder does not exist"):
        Archive.open(tmp_path / "no" / "a.db")


def test_a_timeout_is_more_than_nothing(tmp_path):
    """A timeout of 0 is rejected."""
    with pytest.raises(ArgumentError, match="timeout"):
        Archive.open(tmp_path / "a.db", timeout=0)


def test_a_locked_file_is_waited_for_and_then_reported(tmp_path):
    """E5: a clear message after the busy timeout, and nothing changed."""
    path = tmp_path / "a.db"
    with Archive.open(path, timeout=0.2) as archive:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            words = "other clients have been writing for 0.2 seconds; try again"
            with pytest.raises(ArchiveError, match=words) as caught:
                archive.judgments.put(ONE, author="ada")
            assert caught.value.transient
            assert archive.judgments.page().items == (), "reading goes on"
        assert archive.judgments.put(ONE, author="ada") == 1


def test_a_locked_server_is_waited_for_and_then_reported(postgres_dsn):
    """As with a file."""
    with new_database(postgres_dsn) as dsn, Archive.open(dsn, timeout=0.2) as archive:
        with (
            Archive.open(dsn) as other,
            other._database.writing(alone="judgments"),
            pytest.raises(ArchiveError, match=r"for 0\.2 seconds; try again") as caught,
        ):
            archive.judgments.put(ONE, author="ada")
        assert caught.value.transient
        assert archive.judgments.put(ONE, author="ada") == 1


def test_threads_that_wait_too_long_are_told(tmp_path):
    """Those of one process queue in turn, and not for ever."""
    with Archive.open(tmp_path / "a.db", timeout=0.2) as archive:
        words = "other clients have been writing"
        with archive._database.writing(), pytest.raises(ArchiveError, match=words) as caught:
            archive.judgments.put(ONE, author="ada")
        assert caught.value.transient


def test_when_every_connection_is_in_use_the_caller_is_told(tmp_path, monkeypatch):
    """It may try again."""
    monkeypatch.setattr("berryeval.archive.database._MOST_CONNECTIONS", 1)
    with Archive.open(tmp_path / "a.db", timeout=0.2) as archive:
        with (
            archive._database.reading(),
            pytest.raises(ArchiveError, match=r"for 0\.2 seconds") as caught,
        ):
            archive.judgments.page()
        assert caught.value.transient


def test_a_full_disk_changes_nothing(tmp_path):
    """Whatever did not fit is not there, not even half of it; what was there is."""
    path = tmp_path / "a.db"
    with Archive.open(path) as archive:
        archive.judgments.put(ONE, author="ada")
        engine = archive._database._engine
        engine.dispose()

        @event.listens_for(engine, "connect")
        def limit(connection, _record):
            connection.execute("PRAGMA max_page_count=60").close()

        many = [JudgmentEntry("q", f"e{number}" * 50, 1) for number in range(5000)]
        with pytest.raises(ArchiveError, match="the disk is full, and nothing was changed"):
            archive.judgments.put(many, author="ada")
        assert [item.doc_id for item in archive.judgments.page().items] == ["d"]
        assert archive.judgments.put([JudgmentEntry("q", "d2", 1)], author="ada") == 1
        assert archive.check(deep=True).problem is None


WRITER = """
import resource, sys
from berryeval.archive import Archive, JudgmentEntry
from berryeval.errors import ArchiveError
with Archive.open(sys.argv[1]) as archive:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY))
    for number in range(10_000):
        pair = [JudgmentEntry("q", f"{number}{half}" * 20, 1) for half in "ab"]
        try:
            archive.judgments.put(pair, author="ada")
        except ArchiveError as error:
            print(error)
            break
        print(number, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_a_limit_of_the_system_is_a_full_disk(tmp_path):
    """What was acknowledged before stays, what was not is not there."""
    path = tmp_path / "a.db"
    done = subprocess.run(
        [sys.executable, "-c", WRITER, path], capture_output=True, text=True, check=True
    )
    *numbers, message = done.stdout.splitlines()
    assert "disk" in message
    assert "nothing was changed" in message
    assert len(numbers) > 10
    with Archive.open(path) as archive:
        assert archive.judgments.current().n_rows == 2 * len(numbers)
        assert archive.check(deep=True).problem is None


def test_a_server_that_is_not_there_is_reported_without_the_password():
    """E5: one line, and the password stays where it was."""
    dsn = "postgresql://ada:secret@127.0.0.1:9/x?password=secret"
    with pytest.raises(ArchiveError, match="cannot be reached") as caught:
        Archive.open(dsn, timeout=2)
    assert caught.value.transient
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.archive == "postgresql://ada@127.0.0.1:9/x"


def test_a_right_that_is_missing_is_named(postgres_dsn):
    """With what an administrator has to do."""
    import psycopg

    with new_database(postgres_dsn) as dsn:
        with psycopg.connect(postgres_dsn, autocommit=True) as server:
            server.execute("DROP ROLE IF EXISTS guest")
            server.execute("CREATE ROLE guest LOGIN PASSWORD 'guest'")
        guest = dsn.replace(dsn.split("@")[0], "postgresql://guest:guest")
        with pytest.raises(ArchiveError, match=r"lacks a right; .*CREATE SCHEMA berryeval"):
            Archive.open(guest)


def test_the_name_of_an_archive_has_no_password(postgres_dsn):
    """It is shown in logs and messages."""
    with new_database(postgres_dsn) as dsn, Archive.open(dsn) as archive:
        assert "@127.0.0.1" in repr(archive)
        assert dsn.split("@")[0].split(":")[-1] not in repr(archive)


@pytest.mark.parametrize("missing", ["sqlalchemy", "alembic"])
def test_without_its_libraries_the_archive_says_which_extra(missing):
    """And other names of the package are as unknown as ever."""
    code = f"import sys; sys.modules[{missing!r}] = None; from berryeval.archive import Archive"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "MissingExtraError: The archive requires an optional dependency" in done.stderr
    assert "pip install 'berryeval[archive]'" in done.stderr


def test_an_archive_needs_nothing_of_the_service(tmp_path):
    """The extra for the archive is enough to open one."""
    blocked = ("fastapi", "starlette", "uvicorn", "prometheus_client", "jinja2", "multipart")
    code = (
        f"import sys; sys.modules |= dict.fromkeys({blocked!r}); "
        "from berryeval.archive import Archive, JudgmentEntry; "
        f"archive = Archive.open({str(tmp_path / 'a.db')!r}); "
        "archive.judgments.put([JudgmentEntry('q1', 'd1', 1)], author='ada'); "
        "print(archive.judgments.current().to_dict())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("{'q1': {'d1': 1.0}}\n", "")


def test_without_psycopg_the_archive_says_which_extra(monkeypatch):
    """PostgreSQL is asked for by its address alone."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"berryeval\[postgres\]"):
        Archive.open("postgresql://localhost/x")


def test_other_missing_modules_are_no_missing_extra(monkeypatch):
    """A defect of ours is not blamed on an installation."""
    import berryeval.archive as package

    monkeypatch.setitem(package._OTHERS, "Archive", "berryeval.archive.nothing")
    monkeypatch.setattr(package, "_load", package.loader_of("berryeval.archive", package._OTHERS))
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        package.__getattr__("Archive")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql+psycopg://ada:hunter2@db/eval",
        "mysql://ada:hunter2@db/eval",
        "postgresql://ada:hunter2@[db/eval",
        "host=db password=hunter2 dbname=eval",
        "password = hunter2",
    ],
)
def test_no_message_repeats_a_password(tmp_path, monkeypatch, address):
    """Whatever the address is of; and no file gets its name."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match="archive: expected a file, or postgresql://") as error:
        Archive.open(address)
    assert "hunter2" not in str(error.value)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.skipif(os.name == "nt", reason="rights are others there")
def test_a_new_archive_belongs_to_its_owner_alone(tmp_path):
    """Nobody else can read it, nor the files beside it."""
    with Archive.open(tmp_path / "a.db") as archive:
        archive.judgments.put([JudgmentEntry("q", "d", 1)], author="ada")
        assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


@pytest.mark.skipif(os.name == "nt", reason="rights are others there")
def test_the_rights_of_an_archive_are_left_alone(tmp_path):
    """Who shares one on purpose goes on sharing it."""
    path = tmp_path / "a.db"
    Archive.open(path).close()
    path.chmod(0o640)
    Archive.open(path).close()
    assert path.stat().st_mode & 0o777 == 0o640
